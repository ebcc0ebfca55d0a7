"""The student kit: what is in it, what a student does in it, and what an update leaves alone."""
import json
import os
import subprocess
import sys
from pathlib import Path

import mini_course
import pytest
from mini_course import ROOT, check, code, exercise, first, text

from minitorch_course import kit as kit_module
from minitorch_course.checkout import CourseError, assignments, module_of, read_notebook
from minitorch_course.kit import build_kit, update_kit

FIRST = "nbs/00_first/00_first.ipynb"


def python(kit, program):
    """What the program prints in a Python that sees the library of the kit alone (besides what is installed)."""
    env = {**os.environ, "PYTHONPATH": str(kit), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", program], cwd=kit.parent, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def nbdev_export(kit):
    assert kit_module.export(kit) is None


def edit(path, **sources):
    """Write `sources` ({cell id or grade_id: source}) into the notebook, as a student would."""
    nb = read_notebook(path)
    for cell in nb.cells:
        if cell["id"] in sources:
            cell.source = sources.pop(cell["id"])
    assert not sources, f"no such cells: {sources}"
    mini_course.write(path, nb.cells)


def cells(path):
    return {cell["id"]: cell.source for cell in read_notebook(path).cells}


def tree(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def solved_twice():
    return ('#| export\ndef twice(x):\n    """2x, and its backward."""\n'
            '    return x + x, lambda grad: {"x": grad + grad}')


# --- a new kit

@pytest.fixture(scope="module")
def real_kit(tmp_path_factory):
    return build_kit(ROOT, tmp_path_factory.mktemp("real") / "kit")


def test_every_module_of_the_real_kit_imports(real_kit):
    names = sorted(p.stem for p in (real_kit / "minitorch").glob("*.py") if not p.stem.startswith("_"))
    wanted = {module_of(read_notebook(p)) for p in (ROOT / "nbs").rglob("*.ipynb")} - {None}
    assert set(names) == wanted
    lines = "\n".join(f"import minitorch.{name}; print(minitorch.{name}.__file__)" for name in names)
    files = python(real_kit, lines).splitlines()
    assert [Path(f).parent for f in files] == [real_kit / "minitorch"] * len(names)


def test_every_exercise_of_the_real_kit_is_a_stub_that_names_itself(real_kit):
    count = 0
    for name in assignments(ROOT):
        released = read_notebook(real_kit / "nbs" / name / f"{name}.ipynb")
        module = module_of(released)
        exported = (real_kit / "minitorch" / f"{module}.py").read_text(encoding="utf-8")
        for cell in released.cells:
            if cell.metadata.get("nbgrader", {}).get("solution"):
                message = f"{module}.{cell.metadata.nbgrader.grade_id}: exercise not solved yet, see {name}.ipynb"
                assert f'raise NotImplementedError("{message}")' in cell.source
                assert message in exported
                count += 1
    assert count > 0


def test_given_modules_are_those_of_the_course(real_kit):
    given = [module_of(read_notebook(p)) for p in (ROOT / "nbs").glob("*.ipynb")]
    for module in [m for m in given if m]:
        assert (real_kit / f"minitorch/{module}.py").read_text(encoding="utf-8") == (
            ROOT / f"minitorch/{module}.py").read_text(encoding="utf-8")


def test_exporting_and_cleaning_an_untouched_kit_changes_nothing(course, tmp_path):
    kit = build_kit(course, tmp_path / "kit")
    before = tree(kit)
    nbdev_export(kit)
    subprocess.run([sys.executable, "-c", "from nbdev.clean import nbdev_clean; nbdev_clean()"], cwd=kit, check=True)
    (kit / "nbs/.last_checked").unlink(missing_ok=True)
    assert tree(kit) == before


def test_no_solution_is_anywhere_in_a_kit(course, tmp_path):
    for name in ("first", "stale"):  # the library of the course holds them, even a module whose notebook is gone
        (course / f"minitorch/{name}.py").write_text("def twice(x): 2 * grad", encoding="utf-8")
    for name, content in tree(build_kit(course, tmp_path / "kit")).items():
        assert b"SOLUTION" not in content and b"2 * grad" not in content, name


def test_unsolved_functions_say_which_exercise_of_which_notebook(course, tmp_path):
    kit = build_kit(course, tmp_path / "kit")
    said = python(kit, """
from minitorch.second import six
from minitorch.first import same, thrice, twice
print(same(1)[1](7))
for call in (lambda: twice(1), lambda: thrice(1)[1](1), lambda: six(1)):
    try: call()
    except NotImplementedError as e: print(e)
""").splitlines()
    assert said == [
        "{'x': 7}",
        "first.twice: exercise not solved yet, see 00_first.ipynb",
        "first.thrice: exercise not solved yet, see 00_first.ipynb",
        "second.six: exercise not solved yet, see 01_second.ipynb",
    ]


def test_version_data_and_package_of_a_kit(course, tmp_path):
    kit = build_kit(course, tmp_path / "kit")
    assert (kit / "minitorch/datasets/numbers.bin").read_bytes() == b"\r\n\x00"
    said = subprocess.run([sys.executable, "setup.py", "--name", "--version"], cwd=kit, capture_output=True, text=True)
    assert said.stdout.split() == ["minitorch-kit", "7.8.9"], said.stderr
    for name in ("settings.ini", "README.md"):
        assert "$" not in (kit / name).read_text(encoding="utf-8")


def test_a_students_solution_becomes_the_students_library(course, tmp_path):
    kit = build_kit(course, tmp_path / "kit")
    edit(kit / FIRST, twice=solved_twice())
    nbdev_export(kit)
    assert python(kit, "from minitorch.first import twice; print(twice(4)[0], twice(4)[1](5))") == "8 {'x': 10}"


def test_reference_gives_the_solved_notebooks_up_to_there(course, tmp_path):
    kit = build_kit(course, tmp_path / "kit", reference="00_first")
    assert python(kit, "from minitorch.first import twice; print(twice(4)[1](5))") == "{'x': 10}"
    assert "SOLUTION" not in (kit / FIRST).read_text(encoding="utf-8")
    graded = [c.metadata.nbgrader.grade_id for c in read_notebook(kit / FIRST).cells if c.metadata.get("nbgrader")]
    assert graded == ["twice", "check-twice", "thrice", "check-thrice"]
    assert "not solved yet" in (kit / "minitorch/second.py").read_text(encoding="utf-8")


def test_unknown_reference(course, tmp_path):
    with pytest.raises(CourseError, match="'00_frist'.*00_first, 01_second"):
        build_kit(course, tmp_path / "kit", reference="00_frist")
    assert not (tmp_path / "kit").exists()


def test_a_folder_that_is_not_empty_is_refused_and_left_alone(course, tmp_path):
    (tmp_path / "kit").mkdir()
    build_kit(course, tmp_path / "kit")  # an empty one is fine
    before = tree(tmp_path / "kit")
    with pytest.raises(CourseError, match="not empty.*--update"):
        build_kit(course, tmp_path / "kit")
    assert tree(tmp_path / "kit") == before
    (tmp_path / "other").mkdir()
    (tmp_path / "other/letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(CourseError, match="not empty"):
        build_kit(course, tmp_path / "other", replace=True)
    assert list(tree(tmp_path / "other")) == ["letter.txt"]


def test_a_kit_that_fails_leaves_nothing(course, tmp_path):
    mini_course.write(course / "nbs/given.ipynb", [code("default-exp", "#| default_exp given"),
                                                   code("bad", "#| export\ndef f(:")])
    with pytest.raises(CourseError, match="nbdev-export"):
        build_kit(course, tmp_path / "new/kit")
    assert list((tmp_path / "new").iterdir()) == []


# --- an update

def corrected():
    """The first notebook, corrected: a given cell, a check with more points, and a cell more."""
    new = first()
    new[2] = code("given", "#| export\ndef same(x):\n    return x, lambda grad: {'x': 1 * grad}")
    new[6] = check("check-twice", 5, "float(5)")
    return [*new[:5], text("added", "Mind the sign."), *new[5:]]


@pytest.fixture
def worked(course, tmp_path):
    """A kit in which a student has written; the course it came from has been corrected since."""
    kit = build_kit(course, tmp_path / "kit")
    edit(kit / FIRST, twice=solved_twice(), predict="prediction = 2")
    nb = read_notebook(kit / FIRST)
    mini_course.write(kit / FIRST, [*nb.cells[:8], code("scratch", "twice(21)"), *nb.cells[8:]])
    nbdev_export(kit)
    mini_course.write(course / FIRST, corrected())
    return kit


def test_update_keeps_the_students_cells_and_brings_the_corrections(course, worked):
    before = read_notebook(worked / FIRST)
    done = update_kit(course, worked)
    now = cells(worked / FIRST)
    assert now["twice"] == solved_twice() and now["predict"] == "prediction = 2" and now["scratch"] == "twice(21)"
    assert "1 * grad" in now["given"] and now["check-twice"] == "float(5)" and now["added"] == "Mind the sign."
    order = list(now)
    assert order.index("added") == order.index("predict") + 1 and order.index("scratch") == order.index("thrice") + 1
    points = {c["id"]: c.metadata.nbgrader.get("points") for c in read_notebook(worked / FIRST).cells
              if "nbgrader" in c.metadata}
    assert points["check-twice"] == 5
    assert set(done.merges[FIRST].kept) == {"twice", "predict", "scratch"} and not done.merges[FIRST].conflicts
    assert read_notebook(done.backup / FIRST) == before
    said = python(worked, "from minitorch.first import same, twice; import inspect; print(twice(4)[1](5));"
                          "print(inspect.getsource(same))")
    assert said.startswith("{'x': 10}") and "1 * grad" in said


def test_update_of_an_up_to_date_kit_changes_nothing(course, worked):
    update_kit(course, worked)
    before = tree(worked)
    assert update_kit(course, worked).backup is None
    assert tree(worked) == before


def test_a_notebook_that_jupyter_wrote_in_its_own_way_is_not_rewritten_for_nothing(course, worked):
    update_kit(course, worked)
    (worked / FIRST).write_text(json.dumps(json.loads((worked / FIRST).read_text(encoding="utf-8")), indent=2),
                                encoding="utf-8")
    before = tree(worked)
    assert update_kit(course, worked).backup is None
    assert tree(worked) == before


def test_each_update_has_its_own_backup(course, worked):
    assert update_kit(course, worked).backup.name == "1"
    mini_course.write(course / FIRST, first())
    assert update_kit(course, worked).backup.name == "2"


def test_an_exercise_that_the_course_changed_too_is_told(course, worked):
    new = corrected()
    new[6] = exercise("twice", new[6].source.replace("2x, and", "Two x, and"))
    mini_course.write(course / FIRST, new)
    done = update_kit(course, worked)
    assert done.merges[FIRST].conflicts == ["twice"]
    assert cells(worked / FIRST)["twice"] == solved_twice()
    assert "Two x, and" in cells(worked / ".released" / FIRST)["twice"]


@pytest.mark.parametrize("at", range(3))
def test_an_update_cut_short_loses_nothing_and_can_be_run_again(course, worked, monkeypatch, at):
    replace, count = os.replace, [0]

    def cut(a, b):
        count[0] += 1
        if count[0] > at:
            raise KeyboardInterrupt
        replace(a, b)

    monkeypatch.setattr(kit_module.os, "replace", cut)
    with pytest.raises(KeyboardInterrupt):
        update_kit(course, worked)
    monkeypatch.undo()
    assert cells(worked / FIRST)["twice"] == solved_twice() and cells(worked / FIRST)["scratch"] == "twice(21)"
    update_kit(course, worked)
    now = cells(worked / FIRST)
    assert now["twice"] == solved_twice() and now["scratch"] == "twice(21)" and now["added"] == "Mind the sign."
    assert "1 * grad" in now["given"] and now["check-twice"] == "float(5)"
    assert list(now).count("added") == 1
    assert update_kit(course, worked).backup is None


def test_a_notebook_that_cannot_be_read_stops_the_update_before_it_begins(course, worked):
    (worked / FIRST).write_text("<<<<<<< HEAD\n{}", encoding="utf-8")
    before = tree(worked)
    with pytest.raises(CourseError, match="00_first.ipynb cannot be read as a notebook"):
        update_kit(course, worked)
    assert tree(worked) == before


def test_a_syntax_error_of_the_student_does_not_stop_the_update(course, worked):
    edit(worked / FIRST, twice="#| export\ndef twice(x:")
    mini_course.write(course / "nbs/given.ipynb", [code("default-exp", "#| default_exp given"),
                                                   code("one", "#| export\none = 1.0")])
    done = update_kit(course, worked)
    assert list(done.broken) == [FIRST] and "never closed" in done.broken[FIRST]
    assert cells(worked / FIRST)["twice"] == "#| export\ndef twice(x:"
    assert python(worked, "from minitorch.given import one; print(one)") == "1.0"


def test_other_files_of_the_student_stay(course, worked):
    (worked / "README.md").write_text("mine", encoding="utf-8")
    (worked / "nbs/notes.ipynb").write_text("{}", encoding="utf-8")
    done = update_kit(course, worked)
    assert done.kept_files == [] or done.kept_files == ["README.md"]
    assert (worked / "README.md").read_text(encoding="utf-8") == "mine"
    assert (worked / "nbs/notes.ipynb").read_text(encoding="utf-8") == "{}"


def test_update_with_a_reference_solves_the_notebook_and_backs_up_the_students(course, worked):
    done = update_kit(course, worked, reference="00_first")
    assert done.solved == [FIRST]
    assert "2 * grad" in cells(worked / FIRST)["twice"]
    assert cells(done.backup / FIRST)["twice"] == solved_twice()
    assert python(worked, "from minitorch.first import thrice; print(thrice(1)[1](5))") == "{'x': 15}"
    edit(worked / FIRST, twice=solved_twice())
    update_kit(course, worked)  # the reference is remembered, and what is written since stays
    assert cells(worked / FIRST)["twice"] == solved_twice() and "3 * grad" in cells(worked / FIRST)["thrice"]
    assert json.loads((worked / ".released/kit.json").read_text(encoding="utf-8"))["reference"] == "00_first"


def test_update_needs_a_kit(course, tmp_path):
    with pytest.raises(CourseError, match="not a student kit"):
        update_kit(course, tmp_path)
    with pytest.raises(CourseError, match="not a student kit"):
        update_kit(course, course)
