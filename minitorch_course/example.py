"""The example class: four made-up students, graded by stock nbgrader, to show (and test) the whole way.

tests/example_class/STUDENT/NN_name.py holds a student's answers: under a line `# %% mul` the source of the
solution cell whose grade_id is mul. Cells without a section stay as released. expected.json beside the students
says what each must score.
"""
import copy
import json
import logging
import os
import re
import sys
import sysconfig
import traceback
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.utils import rmtree

from .checkout import CourseError, assignments, known, notebook_text, read_notebook
from .kit import build_kit
from .release import release

SECTION = re.compile(r"^# %%[ \t]+(\S+)[ \t]*$", re.MULTILINE)


@dataclass
class Gradebook:
    """What nbgrader's gradebook says about one assignment."""

    assignment: str
    maxima: dict  # graded cell → points to be had
    scores: dict  # student → {graded cell: points, or None if it was not graded}
    csv: Path
    feedback: dict = field(default_factory=dict)  # student → page

    def total(self, student):
        return sum(points or 0 for points in self.scores[student].values())

    @property
    def maximum(self):
        return sum(self.maxima.values())


def read_answers(path):
    """{grade_id: source} of a file of answers. Raises CourseError if one stands there twice, or before any section."""
    parts = SECTION.split(path.read_text(encoding="utf-8"))
    if any(line.strip() and not line.startswith("#") for line in parts[0].splitlines()):
        raise CourseError(f"{path}: there is code before the first `# %% exercise` line")
    names, sources = parts[1::2], parts[2::2]
    for name in names:
        if names.count(name) > 1:
            raise CourseError(f"{path}: two sections `# %% {name}`")
    return {name: source.strip("\n") for name, source in zip(names, sources, strict=True)}


def fill_in(nb, answers, where="answers"):
    """Write `answers` ({grade_id: source}) into the solution cells of the released notebook `nb`; returns it.

    Directives such as `#| export` at the top of the released cell are kept. Raises CourseError for an answer
    to an exercise that the notebook does not have.
    """
    cells = {c.metadata.nbgrader.grade_id: c for c in nb.cells if c.metadata.get("nbgrader", {}).get("solution")}
    for name, source in answers.items():
        if name not in cells:
            raise CourseError(f"{where}: no exercise {name!r} in the notebook; it has {', '.join(cells) or 'none'}")
        directives = [line for line in cells[name].source.splitlines() if line.startswith("#|")]
        if not source.startswith("#|"):
            source = "\n".join([*directives, source])
        cells[name].source = source
    return nb


def students_of(folder, assignment):
    """{student: file of answers} of those who hand the assignment in."""
    return {p.parent.name: p for p in sorted(Path(folder).glob(f"*/{assignment}.py"))}


def assignments_of(root, folder):
    """The assignments of the course that somebody in the example class hands in."""
    return [name for name in assignments(root) if students_of(folder, name)]


def build_library(root, assignment, dest):
    """The library that students' kernels see while `assignment` is graded, built in `dest` (for PYTHONPATH).

    The modules before it are the reference; from it on they are stubs: with the solved library,
    `from minitorch.ops import *` would be an answer to everything.
    """
    earlier = [name for name in assignments(root) if name < known(root, assignment)]
    return build_kit(root, dest, reference=earlier[-1] if earlier else None, replace=True)


def grade_example(root, names, folder, work, progress=lambda done, of, what: None):
    """Hand in and grade the students of `folder` by nbgrader, for each assignment in `names`.

    `work` is wiped and rebuilt. `progress(done, of, what)` is called before each step. nbgrader's own noise goes to
    work/nbgrader.log. Returns a list of Gradebooks, one an assignment.
    Raises CourseError, with the end of that log, if nbgrader fails.
    """
    root, work, folder = Path(root).resolve(), Path(work).resolve(), Path(folder)
    students = {name: students_of(folder, known(root, name)) for name in names}
    for name in names:
        if not students[name]:
            raise CourseError(f"nobody hands in {name}: there is no {folder / 'STUDENT' / name}.py")
    total = sum(len(students[name]) + 4 for name in names) + 1
    done = iter(range(total))

    def step(what):
        progress(next(done), total, what)

    if work.exists():
        rmtree(work)
    for name in names:
        step(f"{name}: {len(students[name])} students fill it in")
        released = release(name, root)
        for student, path in students[name].items():
            nb = fill_in(copy.deepcopy(released), read_answers(path), where=path)
            target = work / "submitted" / student / name / f"{name}.ipynb"
            target.parent.mkdir(parents=True)
            target.write_text(notebook_text(nb), encoding="utf-8", newline="\n")
    # A notebook may end by exporting itself: here that must not reach the checkout's own library.
    (work / "pyproject.toml").write_text('[tool.nbdev]\nlib_path = "exported"\nnbs_path = "none"\n', encoding="utf-8")

    with _quiet(work / "nbgrader.log") as log:
        api = _nbgrader(root, work)

        def run(what, command, *args):
            step(what)
            outcome = command(*args)
            if not outcome["success"]:
                log.write(f"{outcome.get('error') or outcome.get('log') or ''}\n")
                raise _Failed(what)

        for name in names:
            step(f"{name}: the library that its submissions may import")
            library = build_library(root, name, work / "library" / name)
            run(f"{name}: nbgrader generate_assignment", api.generate_assignment, name)
            with _environment(PYTHONPATH=str(library), PYTHONSAFEPATH="1"):  # safe: nothing beside it shadows numpy
                for student in students[name]:
                    run(f"{name}: nbgrader autograde {student}", api.autograde, name, student)
            run(f"{name}: nbgrader generate_feedback", api.generate_feedback, name)
        step("nbgrader export")
        return _collect(api, students, work)


def compare(book, expected):
    """The lines in which a Gradebook differs from `expected`, {student: {"total": …, graded cell: points}}."""
    lines = []
    for student in sorted({*book.scores, *expected}):
        if student not in expected:
            lines.append(f"{student}: not in expected.json (scored {book.total(student):g})")
        elif student not in book.scores:
            lines.append(f"{student}: expected, but handed nothing in")
        else:
            got = {**book.scores[student], "total": book.total(student)}
            for cell in {**expected[student], **got}:
                want, have = expected[student].get(cell), got.get(cell)
                if want is None or have is None or abs(want - have) > 1e-9:
                    lines.append(f"{student}, {cell}: {_points(have)} points, expected {_points(want)}")
    return lines


def read_expected(folder, assignment):
    """What expected.json says of the assignment: {student: {"total": points, graded cell: points}}."""
    path = Path(folder) / "expected.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))[assignment]
    except (OSError, ValueError, KeyError) as e:
        raise CourseError(f"{path} says nothing (readable) of {assignment}: {type(e).__name__} {e}") from e


def _points(value):
    return "no" if value is None else f"{value:g}"


class _Failed(Exception):
    pass


def _nbgrader(root, work):
    """nbgrader's API, configured by the course's nbgrader_config.py, but writing to `work`."""
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import PyFileConfigLoader

    config = PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()
    config.CourseDirectory.root = str(work)
    config.CourseDirectory.source_directory = str(root / "nbs")
    config.CourseDirectory.db_url = f"sqlite:///{(work / 'gradebook.db').as_posix()}"
    config.Exchange.root = str(work / "exchange")  # not used; nbgrader looks for it
    return NbGraderAPI(config=config)


def _collect(api, students, work):
    from nbgrader.plugins import CsvExportPlugin

    books = []
    with api.gradebook as gradebook:
        CsvExportPlugin(to=str(work / "grades.csv")).export(gradebook)
        for name in students:
            book = Gradebook(name, {}, {}, work / "grades.csv")
            order = _order(work / "release" / name / f"{name}.ipynb")
            for student in students[name]:
                (nb,) = gradebook.find_submission(name, student).notebooks
                grades = sorted(nb.grades, key=lambda grade: order.index(grade.name))
                book.maxima = {grade.name: grade.max_score for grade in grades}
                book.scores[student] = {
                    grade.name: None if grade.auto_score is None and grade.manual_score is None else grade.score
                    for grade in grades
                }
                book.feedback[student] = work / "feedback" / student / name / f"{name}.html"
            books.append(book)
    return books


def _order(path):
    """The grade_ids of the notebook at `path`, from top to bottom."""
    return [c.metadata.nbgrader.grade_id for c in read_notebook(path).cells if c.metadata.get("nbgrader")]


@contextmanager
def _environment(**values):
    """The environment variables that kernels started in this block get."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _quiet(path):
    """Send warnings, logs and stderr (the kernels' too) to the file at `path`; yields it, open.

    A failure within becomes a CourseError that shows the end of it.
    """
    logger = logging.getLogger("traitlets")
    handlers, logger.handlers = logger.handlers, []
    sys.stderr.flush()
    saved = os.dup(2)
    # nbgrader runs `alembic`, which is not on the PATH of a virtual environment that is not activated
    path_to_scripts = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    try:
        with (
            open(path, "a", encoding="utf-8", errors="replace", buffering=1) as log,
            warnings.catch_warnings(),
            _environment(PATH=path_to_scripts),
        ):
            logger.addHandler(logging.StreamHandler(log))
            warnings.showwarning = lambda *args, **kwargs: log.write(warnings.formatwarning(*args[:4]))
            os.dup2(log.fileno(), 2)
            try:
                yield log
            except CourseError:
                raise
            except Exception as e:
                if not isinstance(e, _Failed):
                    log.write(traceback.format_exc())
                log.flush()
                tail = "\n".join(path.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-15:])
                raise CourseError(f"this step failed: {e}\n{tail}\n(the whole log: {path})") from e
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        logger.handlers = handlers
