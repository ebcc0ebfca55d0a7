"""The judge: every right answer gets all points, every wrong one loses some and is told why; nothing reaches stderr."""
import io
import re
import sys
from contextlib import redirect_stderr, redirect_stdout

import answers.ops
import answers.tensor  # noqa: F401  (fills the bank)
import numpy as np
import pytest
from answers import RIGHT, WRONG

import minitorch.checks_tensor  # noqa: F401  (registers its checks)
from minitorch import ops
from minitorch.check import CHECKS, Summary, check, check_all, in_kernel, judge, predicted

SEEDS = range(5)


def verdict(name, function, seed):
    return judge(CHECKS[name], lambda calls: in_kernel(function, calls, CHECKS[name].program), seed)


@pytest.mark.parametrize("name", CHECKS)
def test_the_reference_gets_all_points(name):
    function = getattr(sys.modules["minitorch." + name.split(".")[0]], name.split(".")[1])
    for seed in range(20):
        v = verdict(name, function, seed)
        assert v.score == v.max > 0 and not v.notes, v


@pytest.mark.parametrize("name, answer", RIGHT, ids=[f"{n}-{f.__name__}" for n, f in RIGHT])
def test_right_answers_get_all_points(name, answer):
    for seed in SEEDS:
        v = verdict(name, answer, seed)
        assert v.score == v.max, v


@pytest.mark.parametrize("name, answer, says, keeps", WRONG, ids=[f"{n}-{f.__name__}" for n, f, *_ in WRONG])
def test_wrong_answers_lose_points_and_are_told_why(name, answer, says, keeps):
    for seed in SEEDS:
        v = verdict(name, answer, seed)
        assert v.score < v.max, v
        assert says in repr(v), v
        assert keeps is None or v.score == keeps, v


@pytest.mark.parametrize("name, answer", [a[:2] for a in RIGHT + WRONG], ids=[f"{a[0]}-{a[1].__name__}" for a in RIGHT + WRONG])
def test_the_score_does_not_depend_on_the_draw(name, answer):
    assert len({verdict(name, answer, seed).score for seed in range(100, 120)}) == 1


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
    score, out, err = run_as_cell(lambda: check("ops.relu", answers.ops.relu_that_talks))
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
    v = verdict("ops.mul", answers.ops.mul_no_upstream, 0)
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
    assert repr(verdict("ops.mul", answers.ops.mul_swapped, 5)) == repr(verdict("ops.mul", answers.ops.mul_swapped, 5))
    assert repr(verdict("ops.mul", answers.ops.mul_swapped, 5)) != repr(verdict("ops.mul", answers.ops.mul_swapped, 6))


def test_check_all_says_what_is_left():
    space = {"relu": ops.relu, "mul": answers.ops.mul_not_summed, "sigmoid": answers.ops.sigmoid_unsolved}
    score, out, _ = run_as_cell(lambda: check_all("ops", "relu mul sigmoid softmax_op", space))
    assert score == 7.0
    assert re.search(r"7 of 18 points. What is left:", out)
    assert "✓ 4/4  ops.relu: all right" in out and "ops.sigmoid: not solved yet" in out and "ops.softmax_op: not solved yet" in out
    assert "gradient of a, with broadcasting" in out
    assert "Everything is right" in repr(Summary([verdict("ops.relu", ops.relu, 0)]))


def test_hints_are_for_numbers_alone():
    """An array modified in place, a wrong type: what the numbers look like says nothing."""
    for name, answer in [("ops.relu", answers.ops.relu_in_place), ("ops.relu", answers.ops.relu_on_input), ("ops.relu", answers.ops.relu_float32)]:
        assert "looks like" not in repr(verdict(name, answer, 0))


def test_the_judge_itself_warns_of_nothing(recwarn):
    for name, answer, *_ in WRONG:
        verdict(name, answer, 0)
    assert not recwarn.list


@pytest.mark.parametrize("mine, says", [
    (None, "Nothing predicted yet"), (2, "Predicted 2, and it is 2."), (3, "Predicted 3, but it is 2"), ("2", "Predicted 2, and it is 2"),
    ((0, 1), "Predict one number, such as 1.5; (0, 1) is not one."), (np.ones(2), "Predict one number")])
def test_predicted(mine, says, capsys):
    predicted(mine, np.float64(2))
    assert says in capsys.readouterr().out
