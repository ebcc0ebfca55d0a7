"""The command `minitorch`, for instructors."""
import hashlib
import os
import sys
from pathlib import Path
from typing import Annotated

try:
    import typer
except ModuleNotFoundError:
    sys.exit("minitorch: the command is for instructors, and what it needs is not installed: "
             "pip install 'minitorch-course[course]', or in a checkout pip install -e '.[course]'")

from .checkout import CourseError, assignments, find_course, known

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown",
    help="Build student kits and grade them. Run it anywhere inside a checkout of the course.",
)
Course = Annotated[
    Path | None, typer.Option("--course", metavar="DIR", help="A checkout of the course; default: the one we are in.")
]


def main():
    """The console script: an error for people is one message and exit code 1, not a traceback."""
    try:
        app()
    except CourseError as e:
        print(f"minitorch: {e}", file=sys.stderr)
        sys.exit(1)


@app.command()
def kit(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the kit goes: a new or empty folder.")],
    reference: Annotated[
        str | None,
        typer.Option(metavar="NN_name", help="Notebooks up to and including this one are the solved ones: "
                     "for a student who is stuck, and wants to start the next."),
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Bring the course's corrections into the kit DIR, and leave every cell in "
                           "which the student has written. What is replaced goes to DIR/.backup.")
    ] = False,
    course: Course = None,
):
    """Build a **student kit** in DIR: notebooks with blanks, given modules, stubs for the rest.

    Students run `pip install -e .` in it, work in the notebooks, and build their minitorch with `nbdev-export`.
    """
    root = find_course(course)
    if reference is not None:
        known(root, reference)
    from .kit import build_kit, update_kit

    if not update:
        dest = build_kit(root, folder, reference)
        solved = f" (solved up to {reference})" if reference else ""
        print(f"kit with {', '.join(assignments(root))}{solved} in {dest}")
        return
    done = update_kit(root, folder, reference)
    for name in done.solved:
        print(f"{name}: now the solved one; the student's is in {done.backup}")
    for name, merge in done.merges.items():
        counts = (
            (merge.kept, "kept as the student has them"), (merge.replaced, "corrected"),
            (merge.inserted, "added"), (merge.removed, "removed"),
        )
        said = "; ".join(f"{len(cells)} {what} ({_some(cells)})" for cells, what in counts if cells)
        if said:
            print(f"{name}: {said}")
        if merge.conflicts:
            print(f"  changed by the course as well, see .released/{name}: {', '.join(merge.conflicts)}")
    for name in done.kept_files:
        print(f"{name}: kept as the student has it; the course's is .released/{name}")
    for name, problem in done.broken.items():
        print(f"{name}: updated, but what it exports is not Python ({problem}): mend it, then run nbdev-export")
    print(f"what was replaced is in {done.backup}" if done.backup else "nothing to replace: the kit is up to date")


@app.command()
def course(course: Course = None):
    """The **whole course**, once through: library, student kit, an example class graded by nbgrader.

    Exports the notebooks to minitorch/ if they changed; builds a kit in course/kit; hands in the answers under
    tests/example_class for four made-up students, grades them in course/example, and prints the gradebook. Fails if
    the points are not those in tests/example_class/expected.json. Only course/kit and course/example are rebuilt:
    anything else in course/ is an instructor's, and stays.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    root = find_course(course)
    console = Console(highlight=False)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)

        def show(done, total, what):
            bar.update(task, completed=done, total=total, description=what)
            if not console.is_terminal:
                console.print(f"[{done + 1}/{total}] {what}", markup=False)

        show(0, 2, "exports the library")
        exported = export_library(root)
        show(1, 2, "builds the student kit")
        from .example import assignments_of, compare, grade_example, read_expected
        from .kit import build_kit

        kit = build_kit(root, root / "course/kit", replace=True)
        folder = root / "tests/example_class"
        names = assignments_of(root, folder)
        if not names:
            raise CourseError(f"no answers to grade: {folder} has no STUDENT/NN_name.py")
        expected = {name: read_expected(folder, name) for name in names}
        books = grade_example(root, names, folder, root / "course/example", show)
    for book in books:
        console.print(_table(book))
    rows = [("library", root / "minitorch"), ("kit", kit), ("grades", books[0].csv)]
    rows += [("feedback", page) for book in books for page in book.feedback.values()]
    for what, path in rows:
        console.print(f"{what:9} {_from_here(path)}" + (" (up to date)" if what == "library" and not exported else ""),
                      markup=False, soft_wrap=True)
    wrong = [f"{book.assignment}, {line}" for book in books for line in compare(book, expected[book.assignment])]
    if wrong:
        raise CourseError("the points are not those in tests/example_class/expected.json:\n  " + "\n  ".join(wrong))


@app.command("judge")
def judge_command(
    exercise: Annotated[str | None, typer.Argument(metavar="[EXERCISE]", help="Such as ops.mul; see --list.")] = None,
    files: Annotated[list[Path] | None, typer.Argument(metavar="[FILE]...", help="Python files: each the source of the "
                     "exercise's cell, as a student would type it.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, and nothing else.")] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="Settles the inputs; default: drawn, and shown.")] = None,
    sandbox: Annotated[bool, typer.Option("--sandbox/--no-sandbox", help="Without one, answers run with your rights: "
                                          "only for answers that you trust.")] = True,
    list_: Annotated[bool, typer.Option("--list", help="Print the exercises and their points.")] = False,
    bank: Annotated[bool, typer.Option(
        "--bank", help="Judge all of tests/answers (or those of EXERCISE): how many wrong ones are caught, right ones "
        "accepted, mistakes named rightly.")] = False,
    course: Course = None,
):
    """What **answers** would score: judged outside, each run in a sandbox with the cells that are given before it.

    Statuses: `graded`; `timed out`, `died` (points that could still be judged are given); `failed` (it cannot be read,
    is not Python, raises when it is run, or does not define the exercise). Exit code 0, whatever they scored.
    """
    from .judge import Judge, exercises
    from .judge import exercise as find

    if list_:
        for name, check in exercises().items():
            print(name, sum(check.points.values()))
        return
    root = find_course(course)
    if exercise is not None:
        find(exercise)
    if bank:
        from .bank import show_bank

        if files:
            raise CourseError(f"--bank judges tests/answers, not {files[0]}: leave one of them out")
        if not show_bank(root, exercise, seed or 0, sandbox):
            sys.exit(1)
        return
    if exercise is None or not files:
        raise CourseError("which exercise, and which files? `minitorch judge ops.mul answer.py`; "
                          "`minitorch judge --list` prints the exercises")
    seed = int.from_bytes(os.urandom(4), "big") if seed is None else seed
    with Judge(root, sandbox) as judge:
        for path in files:
            result = judge.grade_file(exercise, path, seed)
            if as_json:
                print(result.json(), flush=True)
                continue
            named = f"  [{result.mistake}]" if result.mistake else ""
            print(f"{result.file}: {result.score:g} of {result.max:g} points, {result.status}{named}")
            for line in result.message.splitlines():
                print(f"    {line}")
    if not as_json:
        print(f"(inputs drawn with seed {seed})")


def _some(names, most=8):
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def _from_here(path):
    """`path` as one would type it here."""
    try:
        return os.path.relpath(path)
    except ValueError:  # another drive of Windows
        return path


def _table(book):
    """The gradebook of one assignment: a line for each graded cell, a column for each student."""
    from rich.table import Table

    table = Table(title=f"{book.assignment}: points", title_justify="left")
    table.add_column("graded cell")
    for student in book.scores:
        table.add_column(student, justify="right")
    table.add_column("of", justify="right")
    for cell, most in book.maxima.items():
        points = [scores.get(cell) for scores in book.scores.values()]
        table.add_row(cell, *("not graded" if p is None else f"{p:g}" for p in points), f"{most:g}")
    table.add_section()
    table.add_row("total", *(f"{book.total(student):g}" for student in book.scores), f"{book.maximum:g}", style="bold")
    return table


def export_library(root):
    """Run nbdev-export in the checkout unless nothing changed since the last time; returns whether it ran."""
    from .kit import export

    stamp = root / "course" / ".exported"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == _state(root):
        return False
    problem = export(root)
    if problem:
        raise CourseError(f"nbdev-export failed: {problem}")
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(_state(root), encoding="utf-8")
    return True


def _state(root):
    """A sum over what the export reads and writes."""
    state = hashlib.sha256()
    notebooks = [p for p in (root / "nbs").rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts]
    for path in sorted([*notebooks, *(root / "minitorch").glob("*.py"), root / "pyproject.toml"]):
        state.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return state.hexdigest()
