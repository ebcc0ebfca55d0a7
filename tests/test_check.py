"""The judge: every right answer gets all points, every wrong one loses some and is told why; nothing reaches stderr."""
import io
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from minitorch import ops
from minitorch.check import SECTIONS, Summary, check, check_all, in_kernel, judge, predicted
from minitorch_course.bank import function_of, read_bank
from minitorch_course.checkout import notebook, read_notebook
from minitorch_course.judge import exercises

ROOT = Path(__file__).resolve().parents[1]
CHECKS = exercises()
BANK = {(a.exercise, a.name): a for a in read_bank(ROOT)}
each_answer = pytest.mark.parametrize("answer", BANK.values(), ids=lambda a: f"{a.exercise}-{a.name}")
# one seed here; 30 in make test-all
SEEDS = [pytest.param(range(1), id="1 seed"), pytest.param(range(1, 30), id="30 seeds", marks=pytest.mark.slow)]


# design.md's list
LISTED = {"sign flipped", "upstream gradient ignored", "factor 2", "factor n", "factor 1/n", "mean treated as sum", "transposed",
          "elementwise product for matrix product", "not summed over a broadcast axis", "summed over the wrong axis", "keepdims lost",
          "gradient of the wrong input", "overwritten instead of accumulated", "duplicate ids written once",
          "derivative taken at the output for the input", "softmax treated as elementwise", "max not subtracted",
          "mask not applied in backward", "input or upstream modified in place", "numerical derivative instead of a formula"}


def function(exercise, name):
    return function_of(ROOT, BANK[exercise, name])


def verdict(name, function, seed):
    return judge(CHECKS[name], lambda calls: in_kernel(function, calls, CHECKS[name].program), seed)


@pytest.mark.parametrize("name", CHECKS)
def test_the_reference_gets_all_points(name):
    function = getattr(import_module("minitorch." + name.split(".")[0]), name.split(".")[1])
    for seed in range(20):
        v = verdict(name, function, seed)
        assert v.score == v.max > 0 and not v.notes, v


@pytest.mark.parametrize("seeds", SEEDS)
@each_answer
def test_the_bank(answer, seeds):
    """A right answer gets all points, a wrong one those that it deserves and the reason; the draw does not matter."""
    for seed in seeds:
        v = verdict(answer.exercise, function_of(ROOT, answer), seed)
        if answer.right:
            assert v.score == v.max, v
        else:
            assert v.score < v.max, v
            assert answer.keeps is None or v.score == answer.keeps, v
            assert answer.says in repr(v), v


def test_every_check_has_its_bank():
    for name in CHECKS:
        of = [a for a in BANK.values() if a.exercise == name]
        assert sum(a.right for a in of) >= 4 and sum(not a.right for a in of) >= 8, name
    assert {a.exercise for a in BANK.values()} == set(CHECKS)


def test_mistakes_are_named_rightly():
    """85 % of those that have a name in the list get it; a wrong name comes up in 2 % at most. See also `minitorch judge --bank`."""
    named, right, false = 0, 0, []
    for answer in (a for a in BANK.values() if not a.right):
        said = verdict(answer.exercise, function_of(ROOT, answer), 7).mistake
        named += answer.mistake in LISTED
        right += answer.mistake in LISTED and said == answer.mistake
        if said and said != answer.mistake:
            false.append((answer.exercise, answer.name, said))
    assert right >= 0.85 * named > 200, (right, named)
    assert len(false) <= 0.02 * len(BANK), false


def test_every_exercise_has_its_section():
    """The table says: look again at section … of …; there it is, and the exercise below it."""
    assert set(SECTIONS) == set(CHECKS)
    for name, (assignment, section) in SECTIONS.items():
        heading = ""
        for cell in read_notebook(notebook(ROOT, assignment)).cells:
            if cell.cell_type == "markdown":
                heading = next((line[3:] for line in cell.source.splitlines() if line.startswith("## ")), heading)
            elif cell.source.startswith("#| export") and f"def {name.partition('.')[2]}(" in cell.source:
                assert heading == section, name
                break
        else:
            raise AssertionError(name)


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("lazy", [
    lambda **k: next(iter(k.values())), lambda **k: (next(iter(k.values())), lambda g: {n: g for n in k}), lambda **k: None,
    lambda **k: (0.0, lambda g: {}), lambda **k: (next(iter(k.values())), lambda g: {n: np.zeros_like(v) for n, v in k.items()})])
def test_answers_without_thought_earn_nothing(name, lazy):
    v = verdict(name, lazy, 0)
    # the gradient of a + b is the upstream gradient, where nothing is broadcast: that much is right
    allowed = {"ops.add": 2}.get(name, 0)
    assert v.score <= allowed, v


def run_as_cell(call):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        score = call()
    return score, out.getvalue(), err.getvalue()


def test_nothing_of_the_students_reaches_stderr():
    score, out, err = run_as_cell(lambda: check("ops.relu", function("ops.relu", "that_talks")))
    assert score == 4.0 and type(score) is float
    assert err == "" and "RuntimeWarning: divide by zero" in out and "printed: in relu" in out and "UserWarning: beware" in out


def test_a_logger_that_holds_on_to_stderr_is_kept_too():
    held = sys.stderr = io.StringIO()
    try:
        def relu(x):
            held.write("old handle")
            return np.maximum(x, 0), lambda g: {"x": g * (x > 0)}
        check("ops.relu", relu)
        assert held.getvalue() == ""
        held.write("afterwards")
        assert held.getvalue() == "afterwards"
    finally:
        sys.stderr = sys.__stderr__


def test_the_formula_of_the_cell_must_be_that_of_the_exercise():
    assert check("ops.mul", ops.mul, lambda a, b: a * b) == 5.0
    with pytest.raises(ValueError, match="the formula in this cell is not that of ops.mul"):
        check("ops.mul", ops.mul, lambda a, b: a + b)
    with pytest.raises(KeyError, match="no check called 'ops.mull'; there are ops.add"):
        check("ops.mull", ops.mul)


def test_float32_that_comes_back_as_float64_is_remarked_on_and_costs_nothing():
    wide = lambda x: (np.maximum(x, 0) * np.float64(1), lambda g: {"x": g * (x > 0)})
    v = verdict("ops.relu", wide, 0)
    assert v.score == v.max and any("float64 came out" in n for n in v.notes)


def test_the_table_and_its_text_twin_say_the_same():
    v = verdict("ops.mul", function("ops.mul", "no_upstream"), 0)
    html = v._repr_html_()
    for part in v.parts:
        for text in (part.words, part.message.split("   (case")[0]):
            assert text in repr(v) and text in html.replace("&#x27;", "'")
    assert html.count("✓") == 3 and html.count("✗") == 2


def test_messages_are_escaped():
    def relu(x):
        raise ValueError("<script>alert(1)</script>")
    assert "<script>" not in verdict("ops.relu", relu, 0)._repr_html_()


def test_exceptions_name_the_line():
    def relu(x):
        return undefined_name * x       # noqa: F821
    text = repr(verdict("ops.relu", relu, 0))
    assert "NameError" in text and "in the line: return undefined_name * x" in text


@pytest.mark.parametrize("how", [lambda: sys.exit(0), lambda: 1 / 0, lambda: np.ones(2) @ np.ones(3)])
def test_whatever_is_raised_costs_the_exercise_alone(how):
    v = verdict("ops.relu", lambda x: how(), 0)
    assert v.score == 0


def test_same_seed_same_inputs():
    assert repr(verdict("ops.mul", function("ops.mul", "swapped"), 5)) == repr(verdict("ops.mul", function("ops.mul", "swapped"), 5))
    assert repr(verdict("ops.mul", function("ops.mul", "swapped"), 5)) != repr(verdict("ops.mul", function("ops.mul", "swapped"), 6))


def test_check_all_says_what_is_left():
    space = {"relu": ops.relu, "mul": function("ops.mul", "not_summed"), "sigmoid": function("ops.sigmoid", "unsolved")}
    score, out, _ = run_as_cell(lambda: check_all("ops", "relu mul sigmoid softmax_op", space))
    assert score == 7.0
    assert re.search(r"7 of 18 points. What is left:", out)
    assert "✓ 4/4  ops.relu: all right" in out and "ops.sigmoid: not solved yet" in out and "ops.softmax_op: not solved yet" in out
    assert "gradient of a, with broadcasting" in out
    assert "Everything is right" in repr(Summary([verdict("ops.relu", ops.relu, 0)]))


def test_hints_are_for_numbers_alone():
    """An array modified in place, a wrong type: what the numbers look like says nothing."""
    for name, answer in [("ops.relu", function("ops.relu", "in_place")), ("ops.relu", function("ops.relu", "on_input")), ("ops.relu", function("ops.relu", "float32"))]:
        assert "looks like" not in repr(verdict(name, answer, 0))


def test_the_judge_itself_warns_of_nothing(recwarn):
    for answer in BANK.values():
        verdict(answer.exercise, function_of(ROOT, answer), 0)
    assert not recwarn.list


@pytest.mark.parametrize("mine, says", [
    (None, "Nothing predicted yet"), (2, "Predicted 2, and it is 2."), (3, "Predicted 3, but it is 2"), ("2", "Predicted 2, and it is 2"),
    ((0, 1), "Predict one number, such as 1.5; (0, 1) is not one."), (np.ones(2), "Predict one number")])
def test_predicted(mine, says, capsys):
    predicted(mine, np.float64(2))
    assert says in capsys.readouterr().out
