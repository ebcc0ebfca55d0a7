"""Every notebook of the course: in step with the library, clean, and fit to be released and graded."""
import ast
import re
import shutil
import subprocess
import sys

import pytest
from mini_course import ROOT

from minitorch_course.checkout import assignments, loose_notebooks, module_of, notebook, read_notebook
from minitorch_course.kit import export
from minitorch_course.markers import MARKER

NOTEBOOKS = [*loose_notebooks(ROOT), *(notebook(ROOT, name) for name in assignments(ROOT))]
every = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
BEGIN, END = re.compile(r"^\s*#+\s*BEGIN SOLUTION"), re.compile(r"^\s*#+\s*END SOLUTION")


def code_cells(path):
    return [cell for cell in read_notebook(path).cells if cell.cell_type == "code"]


def grading(cell):
    return cell.metadata.get("nbgrader", {})


def tree(source):
    """The syntax tree of a cell; lines of IPython's own (%, !) are left out."""
    return ast.parse("\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines()))


@pytest.fixture
def copy(tmp_path):
    """A copy of what nbdev reads and writes, so that no tracked file is changed."""
    for folder in ("nbs", "minitorch"):
        shutil.copytree(ROOT / folder, tmp_path / folder,
                        ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", "datasets"))
    shutil.copyfile(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    return tmp_path


def changed(copy, pattern):
    names = {p.relative_to(folder).as_posix() for folder in (copy, ROOT) for p in folder.glob(pattern)
             if ".ipynb_checkpoints" not in p.parts}
    return [name for name in sorted(names) if not (ROOT / name).is_file() or not (copy / name).is_file()
            or (ROOT / name).read_text(encoding="utf-8") != (copy / name).read_text(encoding="utf-8")]


def test_every_notebook_is_in_its_place():
    found = {p for p in (ROOT / "nbs").rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts}
    assert found == set(NOTEBOOKS), "an assignment is nbs/NN_name/NN_name.ipynb; all others lie straight in nbs/"


def test_the_library_is_in_step_with_the_notebooks(copy):
    assert export(copy) is None
    assert changed(copy, "minitorch/*.py") == [], "run nbdev-export"


def test_every_module_comes_from_one_notebook():
    modules = [module for path in NOTEBOOKS if (module := module_of(read_notebook(path)))]
    assert len(set(modules)) == len(modules), f"two notebooks export the same module: {sorted(modules)}"
    written = {p.stem for p in (ROOT / "minitorch").glob("*.py")} - {"__init__", "_modidx"}
    assert written == set(modules), "a module without notebook is stale: nbdev does not delete it"


def test_the_notebooks_are_clean(copy):
    subprocess.run([sys.executable, "-c", "from nbdev.clean import nbdev_clean; nbdev_clean()"], cwd=copy, check=True)
    assert changed(copy, "nbs/**/*.ipynb") == [], "run nbdev-clean"


def test_no_solution_marker_is_in_the_library():
    for path in (ROOT / "minitorch").glob("*.py"):
        assert not MARKER.search(path.read_text(encoding="utf-8")), path


@every
def test_no_outputs(path):
    assert [c["id"] for c in code_cells(path) if c.outputs or c.execution_count is not None] == []


@every
def test_ids_are_unique(path):
    cells = read_notebook(path).cells
    ids = [cell["id"] for cell in cells]
    assert len(set(ids)) == len(ids)
    names = [grading(cell)["grade_id"] for cell in cells if grading(cell)]
    assert len(set(names)) == len(names)


@every
def test_graded_cells(path):
    for cell in code_cells(path):
        if grading(cell).get("grade"):
            g = grading(cell)
            assert g["locked"] and not g["solution"] and g["points"] > 0, cell["id"]
            # a NumPy number there, or nothing, is full marks to nbgrader
            assert cell.source.splitlines()[-1] == "float(score)", cell["id"]
            assert "figure" not in cell.metadata.get("tags", []) and "#| export" not in cell.source, cell["id"]


@every
def test_solutions_are_within_the_body_of_a_function(path):
    """Or nbgrader blanks the whole cell, or the released module raises when it is imported."""
    for cell in read_notebook(path).cells:
        lines = cell.source.splitlines()
        begins = [i for i, line in enumerate(lines, 1) if BEGIN.match(line)]
        ends = [i for i, line in enumerate(lines, 1) if END.match(line)]
        assert len(begins) == len(ends) and 2 * len(begins) == sum("SOLUTION" in line for line in lines), cell["id"]
        assert bool(begins) == bool(grading(cell).get("solution")), f"{cell['id']}: markers and metadata disagree"
        if begins:
            g = grading(cell)
            assert not g["locked"] and not g["grade"], cell["id"]
            nodes = list(ast.walk(tree(cell.source)))
            functions = [n for n in nodes if isinstance(n, ast.FunctionDef)]
            assert g["grade_id"] in [f.name for f in functions], f"{cell['id']}: no function of the exercise's name"
            inside = {id(n) for f in functions for statement in f.body for n in ast.walk(statement)}
            for begin, end in zip(begins, ends, strict=True):
                blanked = [n for n in nodes if isinstance(n, ast.stmt) and begin < n.lineno < end]
                assert blanked, f"{cell['id']}: nothing between the markers"
                assert all(id(n) in inside for n in blanked), f"{cell['id']}: a blank outside a function"


@every
def test_figures_have_an_alternative_text(path):
    """A cell that draws is tagged `figure` (grading skips it) and shows by show(fig, alt=…), not by pyplot."""
    for cell in code_cells(path):
        calls = [n for n in ast.walk(tree(cell.source)) if isinstance(n, ast.Call)]
        names = [getattr(n.func, "id", getattr(n.func, "attr", "")) for n in calls]
        shows = [n for n, name in zip(calls, names, strict=True) if name == "show" and isinstance(n.func, ast.Name)]
        assert "plt.show" not in [ast.unparse(n.func) for n in calls], cell["id"]
        if "figure" in cell.metadata.get("tags", []):
            assert shows, f"{cell['id']}: tagged figure, and shows none"
        if "subplots" in names and "#| export" not in cell.source:
            assert "figure" in cell.metadata.get("tags", []), f"{cell['id']}: draws, and is not tagged figure"
        for n in shows:
            alt = [k.value for k in n.keywords if k.arg == "alt"] + n.args[1:2]
            assert alt and not (isinstance(alt[0], ast.Constant) and len(str(alt[0].value)) < 20), (
                f"{cell['id']}: say in alt=… what is to be seen")


@every
def test_the_text(path):
    cells = read_notebook(path).cells
    titles = [c["id"] for c in cells if c.cell_type == "markdown" and c.source.startswith("# ")]
    assert len(titles) == 1, f"one title a notebook: {titles}"
    for cell in cells:
        if cell.cell_type == "markdown":
            pictures = re.findall(r"!\[([^\]]*)\]\(", cell.source)
            bare = re.search(r"<img(?![^>]*\balt=)", cell.source)
            assert all(len(alt) >= 20 for alt in pictures) and not bare, f"{cell['id']}: a picture without its text"


def stored(node):
    """The names that running this code binds, where it stands: not those of functions and comprehensions within."""
    if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return set()
    here = {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else set()
    return here.union(*(stored(child) for child in ast.iter_child_nodes(node)))


@every
def test_examples_leave_no_variable_that_an_answer_might_mean(path):
    """`return out` in an answer that never made `out` must be a NameError, not the `out` of an example above it."""
    cells = code_cells(path)
    made = set().union(*(stored(tree(cell.source)) for cell in cells if "#| export" not in cell.source))
    functions = [n for cell in cells if grading(cell).get("solution") for n in ast.walk(tree(cell.source)) if isinstance(n, ast.FunctionDef)]
    local = set().union(*(stored(statement) for function in functions for statement in function.body))
    assert made & (local | ({"out", "backward"} if local else set())) == set()
