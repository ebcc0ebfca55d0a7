"""The bank of answers under tests/answers: what the checker is measured by."""
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from .checkout import CourseError, assignments
from .judge import Judge, exercises, given_cells

HEAD = re.compile(r"^# %% (right|wrong) (\S+) (.+)$")


@dataclass(frozen=True)
class Answer:
    """One answer: a text as a student types it, and what the judge should make of it."""

    exercise: str
    name: str
    right: bool
    text: str
    mistake: str = ""       # its name; empty where it has none
    keeps: int = None       # the points that it deserves; None: fewer than all
    says: str = ""          # a part of the message

    @property
    def function(self):
        return self.exercise.partition(".")[2]


def read_bank(root):
    """All answers of the course at `root`, in the order of the files."""
    answers = []
    for path in sorted((Path(root) / "tests/answers").glob("*.py")):
        answers += read_answers(path)
    return answers


def read_answers(path):
    """The answers of one file; CourseError where it is not written as it should be."""
    shared, head, lines, answers = [], None, [], []

    def close():
        if head:
            answers.append(_answer(head, "\n".join([*shared, *lines]), path))

    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("# %%"):
            close()
            head, lines = HEAD.match(line), []
            if not head:
                raise CourseError(f"{path}, line {number}: wanted `# %% right EXERCISE NAME` or "
                                  "`# %% wrong EXERCISE NAME | …`")
        else:
            (lines if head else shared).append(line)
    close()
    return answers


def _answer(head, text, path):
    kind, exercise, rest = head.groups()
    name, *facts = [part.strip() for part in rest.split(" | ")]
    known = dict(fact.split(": ", 1) for fact in facts)
    if unknown := set(known) - {"mistake", "keeps", "says"}:
        raise CourseError(f"{path}: {exercise} {name} has {', '.join(unknown)}: wanted mistake, keeps or says")
    keeps = int(known["keeps"]) if "keeps" in known else None
    return Answer(exercise, name, kind == "right", text, known.get("mistake", ""), keeps, known.get("says", ""))


_given = {}


def function_of(root, answer):
    """The answer's function, defined in this process in a namespace of its own, with the cells given before it."""
    module, _, function = answer.exercise.partition(".")
    if answer.exercise not in _given:
        assignment = next(a for a in assignments(root) if a.partition("_")[2] == module)
        _given[answer.exercise] = [compile(source, f"<given {i}>", "exec")
                                   for i, source in enumerate(given_cells(root, assignment, function))]
    space = {"__name__": f"answer {answer.name}"}
    for code in _given[answer.exercise]:
        exec(code, space)
    exec(compile(answer.text, f"<{answer.exercise} {answer.name}>", "exec"), space)
    return space[function]


@dataclass
class Tally:
    """What the judge made of the answers to one exercise."""

    wrong: int = 0
    caught: int = 0
    right: int = 0
    accepted: int = 0
    named: int = 0          # wrong answers that have a name
    rightly: int = 0        # … and got it
    misnamed: int = 0       # wrong answers that got a name which is not theirs
    seconds: dict = field(default_factory=lambda: {True: [], False: []})
    failures: list = field(default_factory=list)

    def note(self, answer, result, seconds):
        self.seconds[answer.right].append(seconds)
        what = f"{answer.exercise} {answer.name}"
        if answer.right:
            self.right += 1
            self.accepted += result.score == result.max
            if result.score < result.max:
                self.failures.append(f"{what}: right, and got {result.score:g} of {result.max:g} ({result.status}): "
                                     f"{result.message}")
            return
        self.wrong += 1
        self.caught += result.score < result.max
        if result.score == result.max:
            self.failures.append(f"{what}: wrong, and got all points")
        elif answer.keeps is not None and result.score != answer.keeps:
            self.failures.append(f"{what}: deserves {answer.keeps}, and got {result.score:g}: {result.message}")
        self.named += bool(answer.mistake)
        self.rightly += bool(answer.mistake) and result.mistake == answer.mistake
        if result.mistake and result.mistake != answer.mistake:
            self.misnamed += 1
            self.failures.append(f"{what}: called “{result.mistake}”, and it is "
                                 f"{answer.mistake or 'none that has a name'}")

    def row(self):
        ms = {kind: f"{1000 * median(times):.0f}" if times else "–" for kind, times in self.seconds.items()}
        return [f"{self.caught} of {self.wrong}", f"{self.accepted} of {self.right}", f"{self.rightly} of {self.named}",
                str(self.misnamed), ms[True], ms[False]]


def judge_bank(root, exercise=None, seed=0, sandbox=True, show=lambda done, total, what: None):
    """{exercise: Tally} of all answers of the bank, or of those to one exercise."""
    answers = [a for a in read_bank(root) if exercise in (None, a.exercise)]
    tallies = {name: Tally() for name in exercises() if exercise in (None, name)}
    with Judge(root, sandbox) as judge:
        for done, answer in enumerate(answers):
            show(done, len(answers), f"{answer.exercise} {answer.name}")
            start = time.perf_counter()
            result = judge.grade(answer.exercise, answer.text, seed)
            tallies[answer.exercise].note(answer, result, time.perf_counter() - start)
    return tallies


def show_bank(root, exercise, seed, sandbox):
    """Judge the bank and print the table; returns whether every answer got what it deserves."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.table import Table

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 110
    with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=console, transient=True,
                  disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)
        tallies = judge_bank(root, exercise, seed, sandbox, lambda done, total, what: bar.update(
            task, completed=done, total=total, description=what))
    table = Table(title=f"tests/answers, judged with seed {seed}", title_justify="left")
    table.add_column("exercise")
    for head in ("wrong, caught", "right, accepted", "named rightly", "misnamed", "ms, right", "ms, wrong"):
        table.add_column(head, justify="right")
    total = Tally()
    for name, tally in tallies.items():
        table.add_row(name, *tally.row())
        for key in ("wrong", "caught", "right", "accepted", "named", "rightly", "misnamed"):
            setattr(total, key, getattr(total, key) + getattr(tally, key))
        for kind in total.seconds:
            total.seconds[kind] += tally.seconds[kind]
        total.failures += tally.failures
    table.add_section()
    table.add_row("all", *total.row(), style="bold")
    console.print(table)
    for line in total.failures:
        console.print(line, markup=False, soft_wrap=True)
    return total.caught == total.wrong and total.accepted == total.right
