"""The judge outside: the checks of minitorch.check, with the student's code in a process of its own.

The program of a check goes there as text, arrays and plain numbers come back. What comes back is data of unknown
making: whatever it is, it leads to a verdict.
"""
import ast
import importlib
import json
import os
import pkgutil
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import minitorch
from minitorch.check import CHECKS, NoAnswer, Verdict, judge

from .checkout import CourseError, assignments, module_of, notebook, read_notebook
from .markers import strip_text
from .sandbox import Gone, Warm

HIDDEN = ("check", "gradcheck", "plot")     # given, but of no use to an answer: they know how to differentiate


@dataclass
class Result:
    """What one answer scored."""

    exercise: str
    file: str
    score: float
    max: float
    status: str         # "graded", "timed out", "died", "failed" (it is not Python, raises when it is run, …)
    mistake: str        # its name, where the numbers prove it
    message: str        # what is wrong, part by part; empty where nothing is
    seed: int
    verdict: Verdict = None

    def json(self):
        return json.dumps({k: v for k, v in vars(self).items() if k != "verdict"}, ensure_ascii=False)


def exercises():
    """{name: Check or Scenarios} of all modules, those of `ops` first."""
    for module in pkgutil.iter_modules(minitorch.__path__):
        if module.name.startswith("checks_"):
            importlib.import_module(f"minitorch.{module.name}")
    return CHECKS


def exercise(name):
    """The check called `name`; CourseError with the list of those that there are."""
    known = exercises()
    if name not in known:
        raise CourseError(f"there is no exercise {name!r}: there are {', '.join(known)}")
    return known[name]


class Judge:
    """Judges answers to the exercises of the course at `root`; a context. Raises NoSandbox where there is none.

    sandbox  False: answers run as they are, with the rights of who runs this
    """

    def __init__(self, root, sandbox=True, limits=None):
        self.root, self.sandbox, self.limits = Path(root), sandbox, limits
        self.folder = tempfile.TemporaryDirectory(prefix="minitorch-library-")
        self.warm, self.given = {}, {}

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for warm in self.warm.values():
            warm.stop()
        self.folder.cleanup()

    def grade(self, name, source, seed, file=""):
        """The Result of one answer: `source` is the text of the exercise's cell."""
        check = exercise(name)
        top = float(sum(check.points.values()))
        failed = lambda message, status="failed", mistake="": Result(
            name, file, 0.0, top, status, mistake, _printable(message), seed)
        module, _, function = name.partition(".")
        assignment = next((a for a in assignments(self.root) if a.partition("_")[2] == module), None)
        if assignment is None:
            raise CourseError(f"{name}: the course has no notebook for {module!r}")
        try:
            source = as_python(source)
            names = [n.name for n in ast.parse(source).body if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = (getattr(error, "text", "") or "").strip()
            at = f", line {error.lineno}: {line}" if getattr(error, "lineno", None) else ""
            return failed(f"{type(error).__name__}: {getattr(error, 'msg', error)}{at}")
        if assignment not in self.warm:
            library = library_before(self.root, assignment, Path(self.folder.name) / assignment)
            self.warm[assignment] = Warm(library, self.limits, self.sandbox)
        if name not in self.given:
            self.given[name] = given_cells(self.root, assignment, function)
        asked = Asked(self.warm[assignment], self.given[name], source, check, function)
        try:
            problem = asked.load()
            if problem.startswith("NotImplementedError"):
                problem = ""        # a stub, called at the top: whatever else the cell has is judged
            if problem:
                return failed(problem, "timed out" if "an endless loop?" in problem else "failed")
            verdict = judge(check, asked, seed)
        except Gone as gone:
            return failed(gone, {"malformed": "died"}.get(gone.kind, gone.kind))
        finally:
            asked.close()
        if asked.missing:
            return failed(f"it defines no function {function!r}, only {', '.join(names) or 'nothing'}")
        wrong = _printable("\n".join(f"{p.words}: {p.message}" for p in verdict.parts if not p.right))
        status = "timed out" if verdict.mistake == "endless loop" else asked.status
        return Result(name, file, verdict.score, verdict.max, status, verdict.mistake, wrong, seed, verdict)

    def grade_file(self, name, path, seed):
        """The Result of the answer in a file; one that cannot be read has failed."""
        try:
            if os.path.getsize(path) > 1 << 20:
                raise CourseError("larger than 1 MiB: no exercise's cell is")
            source = Path(path).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            problem = "it is not a text in UTF-8"
        except OSError as error:
            problem = f"it cannot be read: {error.strerror}"
        except CourseError as error:
            problem = str(error)
        else:
            return self.grade(name, source, seed, str(path))
        return Result(name, str(path), 0.0, float(sum(exercise(name).points.values())), "failed", "", problem, seed)


class Asked:
    """`ask` for minitorch.check.judge: calls → (answers, printed, warned), from the answer's own process."""

    def __init__(self, warm, given, source, check, function):
        self.warm, self.source, self.given, self.check, self.function = warm, source, given, check, function
        self.status, self.missing, self.asked = "graded", False, False
        self.context = self.child = None

    def load(self):
        """Run the answer in a new process; returns the error, if any. Raises Gone."""
        self.close()
        self.context = self.warm.answer()
        self.child = self.context.__enter__()
        return _text(self.child({"load": {"given": self.given, "answer": self.source}})["error"])

    def close(self):
        if self.context:
            self.context.__exit__(None, None, None)
            self.context = self.child = None

    def __call__(self, calls):
        first, self.asked = not self.asked, True
        if not first and self.status != "graded":
            raise NoAnswer("it did not live through the first calls")
        try:
            return self._ask(calls)
        except Gone as gone:
            if not first:
                raise NoAnswer(str(gone)) from None
            self.status = "timed out" if gone.kind == "timed out" else "died"
            return self._one_by_one(calls, gone)

    def _ask(self, calls, patience=None):
        request = {"ask": {"program": self.check.program, "name": self.function, "calls": calls}}
        reply = self.child(request, patience)
        if reply["error"]:
            self.missing = reply["error"] == f"there is no function called {self.function}"
            return [_nothing(_text(reply["error"]))] * len(calls), "", []
        answers = reply.get("answers")
        if not isinstance(answers, list) or len(answers) != len(calls):
            raise Gone("malformed", "what came back is no list of answers")
        warned = reply.get("warned")
        return [_tidy(a) for a in answers], _text(reply.get("printed")), \
            [_text(w) for w in warned[:10]] if isinstance(warned, list) else []

    def _one_by_one(self, calls, gone):
        """What an answer gives that does not live through all calls: each in a new process, or forward alone.

        After one call that hangs, the others are made forward alone, and after one that hangs there, not at all.
        """
        answers, late, end = [], False, time.monotonic() + 2 * self.warm.limits.patience
        for call in calls:
            answer = _nothing(str(gone))
            if time.monotonic() > end:
                answers.append(answer)
                continue
            forward = [{**call, "upstream": []}] if call.get("form") == "op" else []
            for attempt in ([] if late else [call]) + forward:
                try:
                    if self.load():
                        break
                    answer = self._ask([attempt], 1.5 * self.warm.limits.seconds)[0][0]
                    if attempt is not call:     # forward lives: backward alone is lost
                        lost = {"error": str(gone), "errors": {}, "entries": {}, "modified": [], "numerical": "",
                                "moved": False}
                        answer["grads"] = [lost for _ in call["upstream"]]
                    break
                except Gone as again:
                    gone = again
                    answer = _nothing(str(gone))
                    if again.kind == "timed out":
                        late = True
                        if attempt is not call:
                            return answers + [answer] * (len(calls) - len(answers)), "", []
            answers.append(answer)
        return answers, "", []


def _nothing(error):
    return {"error": error, "output": None, "grads": [], "modified": []}


def _tidy(answer):
    """An answer whose texts are short and printable; the rest of it the judge reads with care."""
    if isinstance(answer, str):
        return _text(answer)
    if isinstance(answer, dict):
        return {_text(k): _tidy(v) for k, v in list(answer.items())[:1000]}
    if isinstance(answer, (list, tuple)):
        return type(answer)(_tidy(v) for v in answer[:100_000])
    return answer


def _text(value, most=500):
    return _printable(value)[:most] if isinstance(value, str) else ""


def _printable(value):
    """One line in which nothing moves the cursor or rings the bell."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in str(value))


def as_python(source):
    """A cell's text as Python: IPython's `%magic` and `!command` lines become calls, as in a notebook."""
    from IPython.core.inputtransformer2 import TransformerManager

    if "\0" in source:
        raise ValueError("not a text: it has a byte 0")
    try:
        return TransformerManager().transform_cell(source) if source.count("\n%") + source.count("\n!") < 50 else source
    except Exception:       # IPython gives up in many ways; what is not Python is said later
        return source


def given_cells(root, assignment, function):
    """The exported cells of the notebook before the one that defines `function`, solutions included."""
    given = []
    for cell in read_notebook(notebook(root, assignment)).cells:
        if cell.cell_type != "code" or not cell.source.startswith("#| export"):
            continue
        source = strip_text(cell.source)
        body = ast.parse(source).body
        if any(isinstance(node, ast.FunctionDef) and node.name == function for node in body):
            if cell.metadata.get("nbgrader", {}).get("solution", False):    # the student writes the whole cell
                return given
            return given + [ast.unparse(node) for node in body if function not in _names(node)]
        given.append(source)
    raise CourseError(f"{assignment}: no exported cell defines {function!r}")


def _names(node):
    return {getattr(part, "name", None) or getattr(part, "id", None) for part in ast.walk(node)}


def library_before(root, assignment, folder):
    """The minitorch of an answer of `assignment`: what is given, solved modules before it, stubs from it on."""
    later = {module_of(read_notebook(notebook(root, a))) for a in assignments(root) if a >= assignment}
    package = folder / "minitorch"
    package.mkdir(parents=True)
    for path in (Path(root) / "minitorch").glob("*.py"):
        if path.stem in later:
            names = ast.literal_eval(next(node.value for node in ast.parse(path.read_text("utf-8")).body if isinstance(
                node, ast.Assign) and node.targets[0].id == "__all__"))
            stub = "def {1}(*args, **kwargs):\n    raise NotImplementedError('{0}.{1}: exercise not solved yet')\n"
            (package / path.name).write_text("".join(stub.format(path.stem, name) for name in names), "utf-8")
        elif path.stem not in HIDDEN and not path.stem.startswith("checks_"):
            shutil.copy(path, package / path.name)
    for extra in (Path(root) / "minitorch").iterdir():
        if extra.is_dir() and extra.name != "__pycache__":
            shutil.copytree(extra, package / extra.name)
    return folder
