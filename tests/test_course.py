"""The example class, handed in and graded by stock nbgrader; and the commands around it."""
import json
import os
import subprocess
import sys

import mini_course
import pytest
from mini_course import ROOT, check, code, first

from minitorch_course.checkout import CourseError, module_of, read_notebook
from minitorch_course.example import (
    Gradebook,
    assignments_of,
    compare,
    fill_in,
    grade_example,
    read_answers,
    read_expected,
    students_of,
)
from minitorch_course.release import release

EXAMPLE = ROOT / "tests/example_class"
RIGHT = '# %% twice\ndef twice(x):\n    return x + x, lambda grad: {"x": grad + grad}\n'
HALF = '# %% thrice\ndef thrice(x):\n    return 3 * x, lambda grad: {"x": 3 * grad}\n'


def answers(folder, assignment="00_first", **students):
    for student, source in students.items():
        path = folder / student / f"{assignment}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return folder


def minitorch(*args, cwd):
    """Run the command; returns (exit code, what it printed, what it complained)."""
    program = "from minitorch_course.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", program, *map(str, args)], cwd=cwd, capture_output=True,
                          encoding="utf-8", env={**os.environ, "PYTHONUTF8": "1"})
    return done.returncode, done.stdout, done.stderr


# --- the real one

@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    work = tmp_path_factory.mktemp("example") / "work"
    return work, grade_example(ROOT, assignments_of(ROOT, EXAMPLE), EXAMPLE, work)


def test_the_example_class_scores_what_is_expected(graded):
    for book in graded[1]:
        assert compare(book, read_expected(EXAMPLE, book.assignment)) == []


def test_a_complete_submission_has_all_points_and_an_untouched_one_none(graded):
    for book in graded[1]:
        assert book.maximum > 0
        assert book.total("ada") == book.maximum
        assert all(points == 0 for points in book.scores["blaise"].values())
        assert 0 < book.total("grace") < book.maximum and 0 < book.total("alan") < book.maximum


def test_there_are_feedback_and_csv(graded):
    work, books = graded
    lines = (work / "grades.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + sum(len(book.scores) for book in books)
    for book in books:
        for student, page in book.feedback.items():
            assert page.is_file() and page.stat().st_size > 10_000, student


def test_what_nbgrader_releases_is_what_the_kit_has(graded):
    work, books = graded
    for book in books:
        name = book.assignment
        assert read_notebook(work / "release" / name / f"{name}.ipynb") == release(name, ROOT)


# --- what earns nothing

def test_importing_the_real_library_earns_nothing(tmp_path):
    names = assignments_of(ROOT, EXAMPLE)
    for name in names:
        nb = release(name, ROOT)
        line = f"from minitorch.{module_of(nb)} import *\n"
        exercises = [c.metadata.nbgrader.grade_id for c in nb.cells if c.metadata.get("nbgrader", {}).get("solution")]
        answers(tmp_path / "class", name, cheat="\n".join(f"# %% {exercise}\n{line}" for exercise in exercises))
    for book in grade_example(ROOT, names, tmp_path / "class", tmp_path / "work"):
        assert book.total("cheat") == 0, book.scores


def test_importing_the_library_earns_nothing_but_earlier_modules_are_there(course, tmp_path):
    folder = answers(tmp_path / "class", cheat="# %% twice\nfrom minitorch.first import *\n"
                                               "# %% thrice\nfrom minitorch.first import thrice\n")
    answers(folder, "01_second", honest="# %% six\nfrom minitorch.first import thrice, twice\n"
                                        "def six(x): return twice(thrice(x)[0])[0]\n",
            cheat="# %% six\nfrom minitorch.second import six\n")
    books = grade_example(course, ["00_first", "01_second"], folder, tmp_path / "work")
    assert books[0].scores == {"cheat": {"check-twice": 0, "check-thrice": 0}}
    assert books[1].scores == {"cheat": {"check-six": 0}, "honest": {"check-six": 2}}


def test_a_module_beside_the_submission_does_not_count(course, tmp_path):
    planted = ("# %% twice\nimport pathlib\npathlib.Path('minitorch').mkdir(exist_ok=True)\n"
               "pathlib.Path('minitorch/__init__.py').touch()\n"
               "pathlib.Path('minitorch/first.py').write_text('twice = 1')\n"
               "pathlib.Path('numpy.py').write_text('')\n"
               "import minitorch.first, numpy\nassert 'library' in minitorch.first.__file__\nnumpy.exp(1)\n"
               + RIGHT.split("\n", 1)[1])
    (book,) = grade_example(course, ["00_first"], answers(tmp_path / "class", x=planted), tmp_path / "work")
    assert book.scores["x"]["check-twice"] == 4


def test_a_notebook_that_exports_itself_leaves_the_course_alone(course, tmp_path):
    cells = [*first(), code("export", "from nbdev.export import nb_export\nfrom nbdev.doclinks import nbdev_export\n"
                                      "nb_export('00_first.ipynb')\nnbdev_export()")]
    mini_course.write(course / "nbs/00_first/00_first.ipynb", cells)
    before = {p: p.read_bytes() for p in (course / "minitorch").rglob("*") if p.is_file()}
    work = course / "course/example"
    (book,) = grade_example(course, ["00_first"], answers(tmp_path / "class", x=RIGHT + HALF), work)
    assert book.total("x") == book.maximum == 6
    assert {p: p.read_bytes() for p in (course / "minitorch").rglob("*") if p.is_file()} == before
    assert (work / "exported/first.py").is_file()


# --- what goes wrong is said

def test_a_failure_of_nbgrader_shows_the_end_of_its_log(course, tmp_path):
    cells = [*first()[:6], check("check-twice", 4, "float(400)")]
    mini_course.write(course / "nbs/00_first/00_first.ipynb", cells)
    with pytest.raises(CourseError, match=r"(?s)nbgrader autograde x.*ValueError.*nbgrader\.log"):
        grade_example(course, ["00_first"], answers(tmp_path / "class", x=RIGHT), tmp_path / "work")


def test_compare_names_what_differs(tmp_path):
    book = Gradebook("00_first", {"a": 2, "b": 3}, {"x": {"a": 2, "b": None}, "y": {"a": 1, "b": 0}}, tmp_path)
    same = {"x": {"total": 2, "a": 2}, "y": {"total": 1, "a": 1, "b": 0}}
    assert compare(book, same) == ["x, b: no points, expected no"]
    assert compare(book, {**same, "y": {"total": 1, "a": 1, "b": 1}})[1:] == ["y, b: 0 points, expected 1"]
    assert "z: expected, but handed nothing in" in compare(book, {**same, "z": {}})
    assert "y: not in expected.json (scored 1)" in compare(book, {"x": {}})


def test_an_answer_to_an_unknown_exercise(course):
    with pytest.raises(CourseError, match="ada.py: no exercise 'twise'.*twice, thrice"):
        fill_in(release("00_first", course), {"twise": ""}, where="ada.py")


def test_answers_are_read_and_filled_in(course, tmp_path):
    path = answers(tmp_path, x="# a comment\n\n" + RIGHT + "\n\n" + HALF) / "x/00_first.py"
    got = read_answers(path)
    assert list(got) == ["twice", "thrice"] and got["thrice"].startswith("def thrice")
    nb = fill_in(release("00_first", course), {"twice": got["twice"]})
    sources = {c["id"]: c.source for c in nb.cells}
    assert sources["twice"].startswith("#| export\ndef twice(x):\n    return x + x")
    assert "not solved yet" in sources["thrice"]
    for text in ("x = 1\n" + RIGHT, RIGHT + RIGHT):
        with pytest.raises(CourseError):
            read_answers(answers(tmp_path, x=text) / "x/00_first.py")


def test_every_student_hands_in_every_assignment_of_the_example():
    for name in assignments_of(ROOT, EXAMPLE):
        assert set(students_of(EXAMPLE, name)) == {"ada", "alan", "blaise", "grace"}


# --- the commands

def test_minitorch_course_prints_the_gradebook_and_fails_if_the_points_differ(course):
    folder = answers(course / "tests/example_class", ada=RIGHT + HALF, grace=HALF)
    expected = {"ada": {"total": 6, "check-twice": 4, "check-thrice": 2},
                "grace": {"total": 2, "check-twice": 0, "check-thrice": 2}}
    (folder / "expected.json").write_text(json.dumps({"00_first": expected}), encoding="utf-8")
    (course / "course/submitted/real").mkdir(parents=True)
    (course / "course/gradebook.db").write_text("an instructor's", encoding="utf-8")
    code, out, err = minitorch("course", cwd=course / "nbs/00_first")
    assert (code, err) == (0, ""), out + err
    assert "grades.csv" in out and "feedback" in out and "nbgrader autograde grace" in out
    rows = [line.replace("│", " ").split() for line in out.splitlines()]
    assert ["total", "6", "2", "6"] in rows and ["check-twice", "4", "0", "4"] in rows
    assert (course / "course/kit/nbs/00_first/00_first.ipynb").is_file()

    expected["grace"]["check-twice"] = 1
    (folder / "expected.json").write_text(json.dumps({"00_first": expected}), encoding="utf-8")
    code, out, err = minitorch("course", "--course", course, cwd=course.parent)
    assert code == 1 and "grace, check-twice: 0 points, expected 1" in err and "Traceback" not in err
    assert "up to date" in out  # nothing changed, so nothing was exported
    assert (course / "course/submitted/real").is_dir()
    assert (course / "course/gradebook.db").read_text(encoding="utf-8") == "an instructor's"


def test_errors_of_the_command_are_one_line(course, tmp_path):
    for args, cwd, said in (
        (["course"], tmp_path, "not inside a checkout"),
        (["kit", "k"], tmp_path, "not inside a checkout"),
        (["kit", tmp_path / "k", "--reference", "07_x"], course,
         "no assignment '07_x': the course has 00_first, 01_second"),
        (["kit", "k", "--update"], course, "not a student kit"),
        (["kit", "nbs"], course, "not empty"),
        (["course"], course, "no answers to grade"),
    ):
        code, out, err = minitorch(*args, cwd=cwd)
        assert code == 1 and said in err and len(err.strip().splitlines()) == 1, (args, err)


def test_the_command_builds_and_updates_a_kit(course, tmp_path):
    (tmp_path / "kit").mkdir()
    inode = (tmp_path / "kit").stat().st_ino
    code, out, err = minitorch("kit", ".", "--course", course, cwd=tmp_path / "kit")
    assert code == 0 and "00_first, 01_second" in out, err
    assert (tmp_path / "kit/minitorch/first.py").is_file() and (tmp_path / "kit").stat().st_ino == inode
    cells = first()
    cells[-1].source = "Hand it in today."
    mini_course.write(course / "nbs/00_first/00_first.ipynb", cells)
    code, out, err = minitorch("kit", tmp_path / "kit", "--update", cwd=course)
    assert code == 0 and "1 corrected (end)" in out and ".backup" in out, err
    code, out, err = minitorch("kit", tmp_path / "kit", "--update", cwd=course)
    assert code == 0 and "up to date" in out, err
