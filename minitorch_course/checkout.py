"""Where things are in a checkout of the course: its root, its assignments, its notebooks."""
import tomllib
from pathlib import Path

import nbformat


class CourseError(Exception):
    """An error for the person at the keyboard: one clear message, shown without a traceback."""


def find_course(start=None):
    """The root of the checkout that `start` (a folder; default: the current one) lies in.

    Raises CourseError where there is none.
    """
    start = Path(start or ".").resolve()
    for folder in (start, *start.parents):
        if (folder / "nbgrader_config.py").is_file() and (folder / "nbs").is_dir():
            return folder
    raise CourseError(
        f"{start} is not inside a checkout of the course (no nbgrader_config.py beside nbs/ here or above): "
        "run this inside one, or name it with --course DIR"
    )


def assignments(root):
    """The names of the assignments, in order: each is a folder nbs/NN_name with a notebook NN_name.ipynb."""
    return sorted(p.stem for p in (Path(root) / "nbs").glob("[0-9][0-9]_*/*.ipynb") if p.stem == p.parent.name)


def known(root, assignment):
    """`assignment` if the course has it; else raises CourseError with the list of those it has."""
    names = assignments(root)
    if assignment not in names:
        raise CourseError(f"no assignment {assignment!r}: the course has {', '.join(names) or 'none yet'}")
    return assignment


def notebook(root, assignment):
    """The path of the assignment's notebook, solutions included."""
    return Path(root) / "nbs" / assignment / f"{assignment}.ipynb"


def loose_notebooks(root):
    """The notebooks straight under nbs/: library code given to students, and the front page."""
    return sorted((Path(root) / "nbs").glob("*.ipynb"))


def read_notebook(path):
    """The notebook at `path`; CourseError if it is not one."""
    try:
        return nbformat.read(path, as_version=4)
    except FileNotFoundError:
        raise
    except Exception as e:  # nbformat raises many kinds
        reason = str(e).splitlines()[0][:200] if str(e) else type(e).__name__
        raise CourseError(f"{path} cannot be read as a notebook ({reason}): repair it, or restore a copy") from e


def notebook_text(nb):
    """`nb` as text, written as nbdev writes it (so that nbdev-clean changes nothing)."""
    return nbformat.writes(nb, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def module_of(nb):
    """The module that a notebook exports: what its `#| default_exp` names, or None."""
    for cell in nb.cells:
        if cell.cell_type == "code":
            for line in cell.source.splitlines():
                words = line.removeprefix("#|").split() if line.startswith("#|") else []
                if len(words) == 2 and words[0].rstrip(":") == "default_exp":
                    return words[1]
    return None


def is_kit(folder):
    """Whether `folder` is a student kit: its pyproject.toml says `[tool.minitorch] kit = true`."""
    try:
        settings = tomllib.loads((Path(folder) / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return settings.get("tool", {}).get("minitorch", {}).get("kit") is True
