"""The last cell of a notebook: it exports the student's library, or says in one line why not."""
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from minitorch.check import hand_in

SOURCE = "#| export\ndef f(x):\n    return 2 * x"


def write(folder, source=SOURCE, name="00_toy"):
    solution = new_code_cell(source, metadata={"nbgrader": {"solution": True, "grade_id": "f"}})
    nbformat.write(new_notebook(cells=[new_code_cell("#| default_exp toy"), solution]), folder / f"{name}.ipynb")


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text('[tool.minitorch]\nkit = true\n[tool.nbdev]\nlib_path = "minitorch"\nnbs_path = "nbs"\n')
    (tmp_path / "minitorch").mkdir()
    folder = tmp_path / "nbs" / "00_toy"
    folder.mkdir(parents=True)
    write(folder)
    monkeypatch.chdir(folder)
    return folder


def library(folder):
    file = folder.parent.parent / "minitorch" / "toy.py"
    return file.read_text() if file.exists() else ""


def test_exports_and_names_the_file(here, capsys):
    hand_in("00_toy", history=[SOURCE])
    assert "return 2 * x" in library(here)
    assert "Hand in this file: nbs/00_toy/00_toy.ipynb" in capsys.readouterr().out


def test_a_library_that_cannot_be_imported_is_noticed(here, capsys):
    """A helper in a cell of its own, without #| export: the notebook works, the library does not."""
    broken = SOURCE.replace("#| export", "#| export\nfrom nowhere import helper")
    write(here, broken)
    (here.parent.parent / "minitorch" / "__init__.py").touch()
    hand_in("00_toy", history=[broken])
    assert "importing it fails: ModuleNotFoundError: No module named 'nowhere'" in capsys.readouterr().out


def test_what_was_not_run_is_noticed(here, capsys):
    hand_in("00_toy", history=["1 + 1"])
    assert not library(here) and "`def f(x):` has not been run since the kernel started" in capsys.readouterr().out


def test_outside_a_kit_nothing_is_exported(here, capsys):
    (here.parent.parent / "pyproject.toml").write_text('[tool.nbdev]\nlib_path = "minitorch"\n')
    hand_in("00_toy", history=[SOURCE])
    assert not library(here) and "not part of a student kit" in capsys.readouterr().out


def test_what_was_not_saved_is_noticed(here, capsys):
    hand_in("00_toy", history=[SOURCE.replace("2", "3")])
    assert not library(here) and "`def f(x):` differs. Save (Ctrl+S)" in capsys.readouterr().out


def test_what_is_not_python_is_noticed(here, capsys):
    broken = SOURCE.replace("return", "retrun")
    write(here, broken)
    hand_in("00_toy", history=[broken])
    out = capsys.readouterr().out
    assert not library(here) and "Not Python, line 3 of a cell: 'retrun 2 * x'" in out


def test_a_lost_first_cell_is_noticed(here, capsys):
    nb = nbformat.read(here / "00_toy.ipynb", 4)
    nb.cells = nb.cells[1:]
    nbformat.write(nb, here / "00_toy.ipynb")
    hand_in("00_toy", history=[SOURCE])
    assert not library(here) and "`#| default_exp …`, is gone" in capsys.readouterr().out


def test_a_renamed_notebook_is_noticed(here, capsys):
    (here / "00_toy.ipynb").rename(here / "mine.ipynb")
    hand_in("00_toy", history=[SOURCE])
    assert not library(here) and "00_toy.ipynb is not here" in capsys.readouterr().out


def test_copies_are_named(here, capsys):
    write(here, name="00_toy-Copy1")
    hand_in("00_toy", history=[SOURCE])
    assert "not to hand in: 00_toy-Copy1.ipynb" in capsys.readouterr().out
