"""A course of two tiny notebooks, so that tests of kit and grading do not depend on what the real ones say."""
import shutil
from pathlib import Path

import nbformat
from nbformat import v4

ROOT = Path(__file__).resolve().parent.parent

TWICE = '''#| export
def twice(x):
    """2x, and its backward."""
    ### BEGIN SOLUTION
    out = 2 * x

    def backward(grad):
        return {"x": 2 * grad}
    ### END SOLUTION
    return out, backward'''

THRICE = '''#| export
def thrice(x):
    """3x, and its backward."""
    def backward(grad):
        ### BEGIN SOLUTION
        return {"x": 3 * grad}
        ### END SOLUTION
    return 3 * x, backward'''

SIX = '''#| export
from minitorch.first import thrice, twice

def six(x):
    """6x, by what was written before."""
    ### BEGIN SOLUTION
    return twice(thrice(x)[0])[0]
    ### END SOLUTION'''


def code(id, source, **metadata):
    return v4.new_code_cell(source, id=id, metadata=metadata)


def text(id, source):
    return v4.new_markdown_cell(source, id=id)


def exercise(name, source):
    nbgrader = dict(grade_id=name, grade=False, solution=True, locked=False, task=False, schema_version=3,
                    cell_type="code")
    return code(name, source, nbgrader=nbgrader)


def check(name, points, source):
    nbgrader = dict(grade_id=name, grade=True, solution=False, locked=True, task=False, schema_version=3,
                    cell_type="code", points=points)
    return code(name, source, nbgrader=nbgrader)


def first():
    return [
        code("default-exp", "#| default_exp first"),
        text("title", "# first"),
        code("given", "#| export\ndef same(x):\n    return x, lambda grad: {'x': grad}"),
        text("predict-text", "What is the derivative of 2x?"),
        code("predict", "prediction = None"),
        exercise("twice", TWICE),
        check("check-twice", 4, "score = 1.0 * (twice(3)[0] == 6)\n"
              "score += 3 * (twice(3)[1](5) == {'x': 10})\nfloat(score)"),
        exercise("thrice", THRICE),
        check("check-thrice", 2, "score = 2 * (thrice(3)[1](5) == {'x': 15})\nfloat(score)"),
        text("end", "Hand it in."),
    ]


def second():
    return [
        code("default-exp", "#| default_exp second"),
        text("title", "# second"),
        exercise("six", SIX),
        check("check-six", 2, "float(2 * (six(7) == 42))"),
    ]


def write(path, cells):
    nb = v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "python3",
                                                               "language": "python"}})
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nb, path)


def make(root):
    """Write the course into the folder `root`; returns it."""
    root = Path(root)
    for name in ("settings.ini", "pyproject.toml", "nbgrader_config.py"):
        root.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, root / name)
    (root / "minitorch/datasets").mkdir(parents=True)
    (root / "minitorch/datasets/numbers.bin").write_bytes(b"\r\n\x00")
    (root / "minitorch/__init__.py").write_text('__version__ = "7.8.9"\n', encoding="utf-8")
    write(root / "nbs/given.ipynb", [code("default-exp", "#| default_exp given"), code("one", "#| export\none = 1")])
    write(root / "nbs/00_first/00_first.ipynb", first())
    write(root / "nbs/01_second/01_second.ipynb", second())
    return root
