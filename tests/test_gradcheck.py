"""Numerical derivatives: accurate where right, never fooled where they cannot be."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minitorch.gradcheck import central_difference, complex_step, gradcheck, kink, numerical_gradient, ridders, slope

SMOOTH = [(np.sin, np.cos), (np.exp, np.exp), (lambda t: t**3, lambda t: 3 * t * t), (np.tanh, lambda t: 1 - np.tanh(t) ** 2),
          (lambda t: np.log(3 + t), lambda t: 1 / (3 + t))]


@given(st.sampled_from(SMOOTH), st.floats(-2, 2))
def test_methods_agree_with_the_formula(pair, x):
    f, df = pair
    at = lambda t: f(x + t)
    scale = 1 + abs(df(x))
    assert abs(complex_step(at) - df(x)) < 1e-14 * scale
    assert abs(ridders(at)[0] - df(x)) < 1e-9 * scale
    assert abs(central_difference(at) - df(x)) < 1e-7 * scale


@pytest.mark.parametrize("f, want", [(lambda t: np.abs(2 + t) ** 2, 4), (lambda t: np.array([1 + t, 3]).var(), -1),
                                     (lambda t: float(np.real(2 + t)) ** 2, 4), (lambda t: np.linalg.norm([3 + t, 4]), 0.6)])
def test_where_the_complex_step_is_wrong_it_is_not_believed(f, want):
    value, method = slope(f)
    if method == "complex step":
        assert abs(value - want) < 1e-13
    assert abs(value - want) < 1e-9


def test_ridders_steps_back_into_the_domain():
    assert abs(ridders(lambda t: np.log(1e-3 + t) if t > -1e-3 else np.nan)[0] - 1000) < 1e-4


def test_kink():
    assert kink(abs) == pytest.approx(2)
    assert kink(lambda t: np.sin(1 + t)) < 1e-3


def test_numerical_gradient_of_loops_abs_and_integers():
    def f(x):
        total = np.zeros(3)             # a loop into zeros: complex numbers do not fit
        for i in range(3):
            total[i] = abs(x[i]) * x[i]
        return total.sum()
    x = np.array([1.0, -2.0, 3.0])
    assert np.allclose(numerical_gradient(f, x), 2 * np.abs(x), rtol=1e-9)
    assert numerical_gradient(lambda x: (x**2).sum(), np.array([1, 2])).tolist() == [2, 4]      # integers are taken as floats
    assert numerical_gradient(lambda x: x.sum(), np.zeros((0, 3))).shape == (0, 3)


def test_numerical_gradient_refuses_in_words():
    with pytest.raises(TypeError, match="one number, it returned shape"):
        numerical_gradient(lambda x: x, np.ones(3))
    with pytest.raises(TypeError, match="real numbers, was given <U1"):
        numerical_gradient(lambda x: x, np.array(["a"]))


def test_numerical_gradient_does_not_change_its_argument():
    x = np.ones(3)
    def f(y):
        y *= 2
        return y.sum()
    numerical_gradient(f, x)
    assert x.tolist() == [1, 1, 1]


def op(f, df):
    return lambda x: (f(x), lambda g: {"x": g * df(x)})


def test_gradcheck_passes_right_ops_whether_or_not_they_take_complex_numbers():
    x = np.array([[0.5, -1.2, 0.9]])
    assert gradcheck(op(np.sin, np.cos), {"x": x}).method == "complex step"
    report = gradcheck(op(np.abs, np.sign), {"x": x})
    assert report and report.method == "Ridders"
    assert gradcheck(op(np.sin, np.cos), {"x": x.astype(np.float32)})      # float64 is forced


@pytest.mark.parametrize("factor", [1.0001, -1, 0, 2, np.nan])
def test_gradcheck_names_the_element(factor):
    off = np.ones((2, 3))
    off[1, 0] = factor
    report = gradcheck(lambda x: (np.sin(x), lambda g: {"x": g * np.cos(x) * off}), {"x": np.ones((2, 3))})
    assert not report and "[1, 0]" in repr(report)


def test_gradcheck_uses_an_upstream_gradient_that_is_not_ones():
    softmax = lambda x: (np.exp(x) / np.exp(x).sum(), lambda g: {"x": np.zeros_like(x)})     # right for ones
    assert not gradcheck(softmax, {"x": np.array([0.1, 0.7])})


def test_gradcheck_sees_a_kink_and_does_not_judge_it():
    relu = lambda x: (np.maximum(x, 0), lambda g: {"x": g * (x > 0)})
    assert "kink" in repr(gradcheck(relu, {"x": np.array([1.0, 0.0])}))
    assert gradcheck(relu, {"x": np.array([1.0, 0.01, -0.01])})


def test_gradcheck_leaves_integers_alone():
    def take(table, ids):
        def backward(g):
            grad = np.zeros_like(table)
            np.add.at(grad, ids, g)
            return {"table": grad}
        return table[ids], backward
    table = np.arange(8.0).reshape(4, 2)
    assert gradcheck(take, {"table": table, "ids": np.array([0, 3, 3])})
    assert gradcheck(take, {"table": table}, {"ids": np.array([0, 3, 3])})


def test_gradcheck_names_the_input_that_is_wrong():
    mul = lambda a, b: (a * b, lambda g: {"a": g * b, "b": g * b})
    report = gradcheck(mul, {"a": np.full(3, 0.7), "b": np.array([0.2, 0.9, 1.1])})
    assert "✓ right  a (3,)" in repr(report) and "✗ wrong  b (3,)   element [0]: backward gives" in repr(report)


def test_one_direction_serves_all_inputs():
    calls = []
    def mul(a, b):
        calls.append(1)
        return a * b, lambda g: {"a": g * b, "b": g * a}
    x = np.full((30, 30), 0.7)
    assert gradcheck(mul, {"a": x, "b": x + 0.1})
    assert len(calls) < 100         # 1,800 elements, one at a time, would take thousands


@pytest.mark.parametrize("backward, says", [
    (lambda g: g, "must return a dict"), (lambda g: {"y": g}, "no gradient for 'x'"),
    (lambda g: {"x": g.sum()}, "must have the shape (2, 3)"),
    (lambda g: {"x": np.multiply(g, 2, out=g)}, "upstream gradient was modified")])
def test_gradcheck_says_what_is_wrong_with_the_form(backward, says):
    assert says in repr(gradcheck(lambda x: (2 * x, backward), {"x": np.ones((2, 3))}))
