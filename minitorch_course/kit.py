"""The student kit: a small repository with the notebooks' blanks, the given modules, and stubs for the rest.

    kit/
      nbs/            the released notebooks, and the given ones
      minitorch/      exported from them with nbdev: an unsolved function raises NotImplementedError
      .released/      the files as they were handed out, by which `update_kit` knows what the student wrote
      .backup/N/      what the Nth update replaced
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from string import Template

from .checkout import (
    CourseError,
    assignments,
    is_kit,
    known,
    loose_notebooks,
    module_of,
    notebook,
    notebook_text,
    read_notebook,
)
from .merge import merge
from .release import release

RELEASED = ".released"
BACKUP = ".backup"
FACTS = "kit.json"  # in .released: what the kit was built with


def build_kit(root, dest, reference=None, replace=False):
    """Build a student kit of the course at `root` in the new folder `dest`; returns `dest` as a Path.

    With `reference`, the notebooks up to and including that one are the solved ones. A `dest` that exists and is
    not empty is a CourseError, unless it is a kit and `replace` is true. The kit appears when it is whole.
    """
    root, dest = Path(root).resolve(), Path(dest).resolve()
    if dest.exists() and not dest.is_dir():
        raise CourseError(f"{dest} is a file, and the kit needs a folder: name another one")
    if dest.is_dir() and any(dest.iterdir()) and not (replace and is_kit(dest)):
        hint = "--update brings the course's corrections into it" if is_kit(dest) else "name a new or an empty one"
        raise CourseError(f"{dest} is not empty: {hint}")
    _solved(root, reference)
    with _staging(dest.parent) as stage:
        _write_kit(root, stage / "kit", reference)
        if dest.is_dir() and not any(dest.iterdir()):  # somebody may stand in it: it stays the same folder
            for path in sorted((stage / "kit").iterdir()):
                os.rename(path, dest / path.name)
        else:
            if dest.exists():
                os.rename(dest, stage / "old")
            os.rename(stage / "kit", dest)
    return dest


@dataclass
class Update:
    """What `update_kit` did."""

    backup: Path | None = None  # the folder with what was replaced, or None if nothing was
    merges: dict = field(default_factory=dict)  # notebook's path in the kit → Merge
    solved: list = field(default_factory=list)  # notebooks that became the solved ones
    kept_files: list = field(default_factory=list)  # other files that the student changed
    broken: dict = field(default_factory=dict)  # notebook's path → the syntax error in what it exports


def update_kit(root, kit, reference=None):
    """Bring the course at `root` into the kit in the folder `kit`; returns an Update.

    Every cell in which the student has written stays; so does every other file they changed. With `reference`, the
    notebooks up to and including that one become the solved ones (the student's are in the backup). Nothing is
    written before everything has been read and merged, and nothing replaced before it is in the backup.
    Raises CourseError if `kit` is no kit, or if one of its notebooks cannot be read.
    """
    root, kit = Path(root).resolve(), Path(kit).resolve()
    if not is_kit(kit):
        raise CourseError(f"{kit} is not a student kit (its pyproject.toml would say `[tool.minitorch] kit = true`): "
                          "leave out --update to make one there")
    facts = _facts(kit)
    before = _solved(root, facts.get("reference"), check=False)
    reference = reference or (facts.get("reference") if before else None)
    result = Update()
    with _staging(kit.parent) as stage:
        new = _write_kit(root, stage / "kit", reference)
        for path in _all_files(new / RELEASED):
            name = path.relative_to(new / RELEASED).as_posix()
            mine, old = kit / name, kit / RELEASED / name
            if path.suffix == ".ipynb":
                if mine.is_file() and path.stem in _solved(root, reference) and path.stem not in before:
                    result.solved.append(name)
                elif mine.is_file():
                    theirs = read_notebook(mine)
                    done = merge(theirs, read_notebook(old) if old.is_file() else None, read_notebook(path))
                    result.merges[name] = done
                    if done.notebook == theirs:  # not even its formatting changes
                        shutil.copyfile(mine, new / name)
                    else:
                        _write(new / name, notebook_text(done.notebook))
            elif name != FACTS and mine.is_file() and old.is_file() and _differ(mine, old) and _differ(mine, path):
                result.kept_files.append(name)
                shutil.copyfile(mine, new / name)
        result.broken = _export_student(new)
        result.backup = _install(new, kit)
    return result


def _solved(root, reference, check=True):
    """The assignments up to and including `reference`; none for None."""
    if reference is None or (not check and reference not in assignments(root)):
        return []
    known(root, reference)
    return [name for name in assignments(root) if name <= reference]


def _write_kit(root, kit, reference):
    """Write a whole kit into the new folder `kit`."""
    solved = _solved(root, reference)
    names = assignments(root)
    for path in loose_notebooks(root):
        _write(kit / "nbs" / path.name, notebook_text(_cleared(read_notebook(path))))
    for name in names:
        _write(kit / "nbs" / name / f"{name}.ipynb", notebook_text(release(name, root, solved=name in solved)))
        folder = notebook(root, name).parent
        for path in _all_files(folder):  # whatever else the notebook needs
            if path.suffix != ".ipynb":
                _copy(path, kit / "nbs" / name / path.relative_to(folder))
    _write_templates(root, kit)
    released = kit / RELEASED
    shutil.copytree(kit, released, ignore=shutil.ignore_patterns(RELEASED))
    _write(released / FACTS, json.dumps({"version": _version(root), "reference": reference}, indent=1) + "\n")
    library = root / "minitorch"  # what is written by hand, and the data; the modules are exported
    for path in _all_files(library):
        if path.suffix != ".py" or path.name == "__init__.py":
            _copy(path, kit / "minitorch" / path.relative_to(library))
    problem = export(kit)
    if problem:
        raise CourseError(f"nbdev-export fails on the released notebooks: {problem}")
    return kit


def _write_templates(root, kit):
    from configparser import ConfigParser

    config = ConfigParser()
    config.read(root / "settings.ini", encoding="utf-8")
    cfg = config["DEFAULT"]
    needs = [line.strip() for key in ("requirements", "student_requirements") for line in cfg[key].splitlines()]
    first = assignments(root)[0] if assignments(root) else "00_ops"
    values = {
        "min_python": cfg["min_python"],
        "requirements": "\n".join("    " + line for line in needs if line),
        "first": first,
        "front": "index.ipynb" if (root / "nbs/index.ipynb").is_file() else f"{first}/{first}.ipynb",
    }
    templates = files("minitorch_course") / "kit_files"
    for name in ("settings.ini", "setup.py", "pyproject.toml", "README.md", "gitignore"):
        text = (templates / name).read_text(encoding="utf-8")
        if name in ("settings.ini", "README.md"):
            text = Template(text).substitute(values)
        _write(kit / (".gitignore" if name == "gitignore" else name), text)


def _version(root):
    return re.search(r'^__version__ = "(.+)"', (root / "minitorch/__init__.py").read_text(encoding="utf-8"), re.M)[1]


def _facts(kit):
    try:
        return json.loads((kit / RELEASED / FACTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _cleared(nb):
    """`nb` without outputs: the course's notebooks have none, unless somebody is just running them."""
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return nb


def export(folder, *args):
    """Run nbdev-export in `folder`. Returns None, or the last line of its error."""
    env = {key: value for key, value in os.environ.items() if key != "IN_TEST"}  # in which nbdev does nothing
    env["PYTHONUTF8"] = "1"
    done = subprocess.run(
        [sys.executable, "-c", "from nbdev.doclinks import nbdev_export; nbdev_export()", *args],
        cwd=folder, env=env, capture_output=True, encoding="utf-8", errors="replace",
    )
    if done.returncode == 0:
        return None
    return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]


def _export_student(kit):
    """Export the notebooks of a student. Returns {notebook's path in the kit: its syntax error}.

    nbdev writes such a module as it stands, and stumbles over it only afterwards, when it makes the index.
    """
    problem = export(kit)
    if problem is None:
        return {}
    broken = {}
    for path in sorted((kit / "nbs").rglob("*.ipynb")):
        module = kit / "minitorch" / f"{(module_of(read_notebook(path)) or '').replace('.', '/')}.py"
        if module.is_file():
            try:
                compile(module.read_text(encoding="utf-8"), module.name, "exec")
            except (SyntaxError, ValueError) as e:
                broken[path.relative_to(kit).as_posix()] = str(e)
    return broken or {"nbs": problem}


def _install(new, kit):
    """Copy the files of `new` that differ over those of `kit`, which are first copied into a backup.

    Returns the backup's folder, or None if nothing was replaced. The released copies come last: if this is cut
    short, the next update still knows what the student wrote.
    """
    changed = [p.relative_to(new) for p in _all_files(new)]
    changed = [p for p in changed if not (kit / p).is_file() or _differ(kit / p, new / p)]
    changed.sort(key=lambda p: (p.parts[0] == RELEASED, p))
    replaced = [p for p in changed if (kit / p).is_file() and p.parts[0] != RELEASED]
    backup = None
    if replaced:
        numbers = [int(p.name) for p in (kit / BACKUP).glob("*") if p.name.isdigit()]
        backup = kit / BACKUP / str(max(numbers, default=0) + 1)
        for path in replaced:
            _copy(kit / path, backup / path)
    for path in changed:
        target = kit / path
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(target.name + ".part")
        shutil.copyfile(new / path, part)
        os.replace(part, target)
    return backup


@contextmanager
def _staging(parent):
    """A temporary folder in `parent` (the same disk, so that what is ready can be renamed into place)."""
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".minitorch-", dir=parent) as folder:
        yield Path(folder)


def _all_files(folder):
    skip = {"__pycache__", ".ipynb_checkpoints"}
    return sorted(p for p in folder.rglob("*") if p.is_file() and not skip & set(p.relative_to(folder).parts[:-1]))


def _differ(a, b):
    return a.read_bytes().replace(b"\r\n", b"\n") != b.read_bytes().replace(b"\r\n", b"\n")


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
