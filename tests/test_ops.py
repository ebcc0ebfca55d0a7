"""Every op: its backward against the complex step, its types, and what it refuses."""
import numpy as np
import pytest

from minitorch import ops
from minitorch.gradcheck import direction, elementwise

S = [(3, 4), (2, 3, 4), (4,), (1, 4), (4, 1), (0, 4), (2, 1, 3, 1)]        # shapes with a last axis
PAIRS = [((3, 4), (3, 4)), ((3, 4), (4,)), ((4,), (3, 4)), ((3, 4), (3, 1)), ((1, 4), (3, 1)), ((2, 3, 4), (3, 1)),
         ((3, 4), ()), ((), ()), ((2, 1, 4), (3, 1)), ((0, 4), (4,)), ((0, 4), (1, 1)), ((1, 1), (2, 3, 4))]
PRODUCTS = [((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)), ((2, 1, 3, 4), (6, 4, 5)), ((1, 4), (4, 1)),
            ((0, 3, 4), (4, 5)), ((2, 0, 4), (4, 5)), ((1, 3, 4), (2, 4, 5))]
LINEARS = [(3, 4), (4,), (2, 3, 4), (0, 4), (2, 0, 4), (1, 4)]


def rng():
    return np.random.default_rng(7)


def arrays(**shapes):
    r = rng()
    return {k: np.asarray(direction(r, s)) for k, s in shapes.items()}


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def cases():
    """(op, inputs, const) for every op over every kind of shape."""
    r = rng()
    for op in (ops.relu, ops.sigmoid, ops.gelu, ops.sum_all):
        for s in [*S, ()]:
            yield op, arrays(x=s), {}
    for s in [*S, ()]:
        yield ops.scale, arrays(x=s), {"c": -1.7}
        yield ops.reshape_op, arrays(x=s), {"newshape": s[::-1]}
    for op in (ops.sum_lastaxis, ops.mean_lastaxis, ops.softmax_op):
        for s in S:
            yield op, arrays(x=s), {}
    for s in S:
        for start, stop in ((0, s[-1]), (0, 1), (s[-1] - 1, s[-1]), (s[-1] // 2, s[-1] // 2)):
            yield ops.slice_lastaxis, arrays(x=s), {"start": start, "stop": stop}
    for s in [(3, 4), (1, 4), (4, 1), (0, 4)]:
        yield ops.transpose2d, arrays(x=s), {}
    for a, b in PAIRS:
        yield ops.add, arrays(a=a, b=b), {}
        yield ops.mul, arrays(a=a, b=b), {}
    for x, W in PRODUCTS:
        yield ops.matmul, arrays(x=x, W=W), {}
    for x in LINEARS:
        yield ops.linear, arrays(x=x, W=(4, 5), b=(5,)), {}
    for s in [(3, 4), (2, 3, 4), (4,), (1, 4), (4, 1), (2, 1, 3, 1)]:
        y = np.asarray(r.integers(0, s[-1], s[:-1]))
        yield ops.cross_entropy_from_probs, {"p": softmax(arrays(p=s)["p"])}, {"y": y}
        yield ops.softmax_ce_fused, arrays(logits=s), {"targets": y}


CASES = list(cases())
IDS = [f"{op.__name__}-{'-'.join(str(x.shape) for x in inputs.values())}-{i}" for i, (op, inputs, _) in enumerate(CASES)]


def strided(x):
    """The same numbers, not side by side in memory and not in C order."""
    return np.repeat(x.T, 2, axis=0)[::2].T if x.ndim else x


def test_every_op_has_cases():
    named = {n for n in ops.__all__ if n != "unbroadcast"}
    assert named == {op.__name__ for op, *_ in CASES}


@pytest.mark.parametrize("layout", [np.copy, strided], ids=["contiguous", "strided"])
@pytest.mark.parametrize("op, inputs, const", CASES, ids=IDS)
def test_backward_agrees_with_complex_step(op, inputs, const, layout):
    inputs = {k: layout(v) for k, v in inputs.items()}
    before = {k: v.copy() for k, v in inputs.items()}
    out, backward = op(**inputs, **const)
    for seed in range(3):
        g = np.asarray(direction(np.random.default_rng(seed), np.shape(out)))
        g_before = g.copy()
        grads = backward(g)
        assert set(grads) == set(inputs)
        for k, x in inputs.items():
            want = elementwise(lambda y, k=k, g=g: np.sum(g * op(**{**inputs, k: np.asarray(y)}, **const)[0]), x)
            grad = grads[k]
            assert np.shape(grad) == x.shape and grad.dtype == np.float64
            scale = max(np.abs(want).max(initial=0), np.abs(g).max(initial=0))
            assert np.all(np.abs(grad - want) <= 1e-12 * scale)
        assert np.array_equal(g, g_before)
    assert all(np.array_equal(inputs[k], before[k]) for k in inputs)


@pytest.mark.parametrize("op, inputs, const", CASES, ids=IDS)
def test_float32_stays_and_agrees(op, inputs, const):
    out, backward = op(**inputs, **const)
    g = np.asarray(direction(rng(), np.shape(out)))
    grads = backward(g)
    small = {k: v.astype(np.float32) for k, v in inputs.items()}
    out32, backward32 = op(**small, **const)
    grads32 = backward32(g.astype(np.float32))
    for a, b in [(out32, out), *((grads32[k], grads[k]) for k in grads)]:
        assert a.dtype == np.float32
        scale = np.abs(b).max(initial=1)
        assert np.all(np.abs(a - b) <= 30 * np.finfo(np.float32).eps * scale)


@pytest.mark.parametrize("c", [2, 2.0, np.float64(2), np.float32(2), np.int64(2)], ids=lambda c: type(c).__name__)
def test_scale_takes_any_real_number_and_keeps_float32(c):
    out, backward = ops.scale(np.ones(3, np.float32), c)
    assert out.dtype == backward(np.ones(3, np.float32))["x"].dtype == np.float32


@pytest.mark.parametrize("op, names", [(ops.add, "ab"), (ops.mul, "ab"), (ops.matmul, "xW"), (ops.linear, "xWb")])
def test_only_the_wanted_gradients_are_computed(op, names):
    inputs = [np.ones((3, 3))] * 2 + [np.ones(3)] * (len(names) - 2)
    out, backward = op(*inputs)
    whole = backward(out)
    for name in names:
        part = backward(out, (name,))
        assert np.array_equal(part[name], whole[name])
        assert len(part) == 1 or op in (ops.add, ops.mul)      # one product more, where a choice would cost more


def test_relu_at_its_kink_is_zero():
    out, backward = ops.relu(np.array([0.0, -0.0]))
    assert np.array_equal(backward(np.ones(2))["x"], [0, 0])


def test_large_values_are_stable(recwarn):
    big = np.array([[1000.0, 0.0, -1000.0]])
    p, _ = ops.softmax_op(big)
    assert np.array_equal(p, [[1, 0, 0]])
    loss, backward = ops.softmax_ce_fused(big, np.array([2]))
    assert loss == 2000 and np.array_equal(backward(np.float64(1))["logits"], [[1, 0, -1]])
    s, _ = ops.sigmoid(big)
    assert np.array_equal(s[0, :2], [1, 0.5]) and 0 <= s[0, 2] <= 1e-300
    assert ops.sigmoid(big.astype(np.float32))[0].dtype == np.float32
    assert not recwarn.list


def test_a_target_of_probability_zero_is_inf_without_a_warning(recwarn):
    loss, backward = ops.cross_entropy_from_probs(np.array([[0.0, 1.0]]), np.array([0]))
    assert loss == np.inf and backward(np.float64(1))["p"][0, 0] == -np.inf
    assert not recwarn.list


@pytest.mark.parametrize("y", [1, [1], np.array([1], np.uint8)], ids=["int", "list", "uint8"])
def test_targets_may_be_any_integers(y):
    logits = np.zeros(3) if np.ndim(y) == 0 else np.zeros((1, 3))
    assert np.isclose(ops.softmax_ce_fused(logits, y)[0], np.log(3))


@pytest.mark.parametrize("shape, big", [(s, b) for a, c in PAIRS for s, b in [(a, np.broadcast_shapes(a, c))]], ids=str)
def test_unbroadcast_is_the_adjoint_of_broadcasting(shape, big):
    r = rng()
    x, g = np.asarray(direction(r, shape)), np.asarray(direction(r, big))
    small = ops.unbroadcast(g, shape)
    assert np.shape(small) == shape
    assert np.isclose(np.sum(small * x), np.sum(g * np.broadcast_to(x, big)), rtol=1e-13)


one, f = np.ones, lambda *s: np.ones(s)
REFUSED = [     # (error, what the message must say, call)
    (ValueError, "add: wanted shapes that broadcast together; was given a (3,), b (4,)", lambda: ops.add(f(3), f(4))),
    (ValueError, "mul: .* a (2, 3), b (2,)", lambda: ops.mul(f(2, 3), f(2))),
    (TypeError, "mul: a must be an array of floating point, was given an array of int64", lambda: ops.mul(one(3, int), f(3))),
    (TypeError, "add: b must be .* was given an array of bool", lambda: ops.add(f(3), one(3, bool))),
    (TypeError, "relu: x must be .* was given list", lambda: ops.relu([1.0])),
    (TypeError, "gelu: x must be .* was given float", lambda: ops.gelu(1.0)),
    (TypeError, "sum_all: x must be .* int64", lambda: ops.sum_all(one(3, int))),
    (ValueError, "scale: wanted a real number c; was given c (3,)", lambda: ops.scale(f(3), f(3))),
    (ValueError, "scale: wanted a real number c; was given c 1j", lambda: ops.scale(f(3), 1j)),
    (ValueError, "matmul: wanted x (…, m, n) and W (…, n, p).* was given x (2, 4), W (3, 2)", lambda: ops.matmul(f(2, 4), f(3, 2))),
    (ValueError, "matmul: .* was given x (3,), W (3, 2)", lambda: ops.matmul(f(3), f(3, 2))),
    (ValueError, "matmul: .* was given x (2, 3, 4), W (3, 4, 5)", lambda: ops.matmul(f(2, 3, 4), f(3, 4, 5))),
    (ValueError, "linear: .* b (1, 2)", lambda: ops.linear(f(2, 3), f(3, 2), f(1, 2))),
    (ValueError, "linear: .* W (4, 2)", lambda: ops.linear(f(2, 3), f(4, 2), f(2))),
    (ValueError, "linear: .* x (2, 0)", lambda: ops.linear(f(2, 0), f(0, 2), f(2))),
    (ValueError, "sum_lastaxis: wanted an array of one axis or more; was given x 1.0", lambda: ops.sum_lastaxis(np.float64(1))),
    (ValueError, "mean_lastaxis: wanted a last axis of one element or more; was given x (2, 0)", lambda: ops.mean_lastaxis(f(2, 0))),
    (ValueError, "softmax_op: wanted a last axis of one element or more; was given x (2, 0)", lambda: ops.softmax_op(f(2, 0))),
    (ValueError, "transpose2d: wanted an array of two axes; was given x (2, 3, 4)", lambda: ops.transpose2d(f(2, 3, 4))),
    (ValueError, "reshape_op: wanted a shape of 6 elements in all; was given x (2, 3), newshape (4, 2)", lambda: ops.reshape_op(f(2, 3), (4, 2))),
    (ValueError, "slice_lastaxis: wanted whole numbers 0 ≤ start ≤ stop ≤ 3; was given start -1, stop 3", lambda: ops.slice_lastaxis(f(2, 3), -1, 3)),
    (ValueError, "slice_lastaxis: .* start 0, stop 4", lambda: ops.slice_lastaxis(f(2, 3), 0, 4)),
    (ValueError, "slice_lastaxis: .* start 2, stop 1", lambda: ops.slice_lastaxis(f(2, 3), 2, 1)),
    (ValueError, "slice_lastaxis: .* start 0.0, stop 2", lambda: ops.slice_lastaxis(f(2, 3), 0.0, 2)),
    (ValueError, "cross_entropy_from_probs: wanted targets from 0 to 2; was given least 0, greatest 3",
     lambda: ops.cross_entropy_from_probs(f(2, 3) / 3, np.array([0, 3]))),
    (ValueError, "softmax_ce_fused: wanted targets from 0 to 2; was given least -1, greatest 0",
     lambda: ops.softmax_ce_fused(f(2, 3), np.array([0, -1]))),
    (ValueError, "softmax_ce_fused: wanted a last axis of one class or more; was given x (2, 0)",
     lambda: ops.softmax_ce_fused(f(2, 0), np.array([0, 0]))),
    (ValueError, "softmax_ce_fused: wanted targets of shape (2,), one for each row; was given targets (1,)",
     lambda: ops.softmax_ce_fused(f(2, 3), np.array([0]))),
    (ValueError, "softmax_ce_fused: wanted one target or more.* was given targets (0,)",
     lambda: ops.softmax_ce_fused(f(0, 3), np.zeros(0, int))),
    (TypeError, "softmax_ce_fused: targets must be integers (class numbers), was given float64",
     lambda: ops.softmax_ce_fused(f(2, 3), f(2))),
    (TypeError, "cross_entropy_from_probs: targets must be integers (class numbers), was given bool",
     lambda: ops.cross_entropy_from_probs(f(2, 3), np.array([True, False]))),
    (ValueError, "unbroadcast: wanted a shape that broadcasts to that of grad; was given grad (2, 3), shape (2,)",
     lambda: ops.unbroadcast(f(2, 3), (2,))),
    (ValueError, "unbroadcast: .* grad (2, 1), shape (2, 3)", lambda: ops.unbroadcast(f(2, 1), (2, 3))),
]


@pytest.mark.parametrize("error, says, call", REFUSED, ids=[says[:60] for _, says, _ in REFUSED])
def test_bad_input_is_refused_in_words(error, says, call):
    import re
    with pytest.raises(error, match=re.escape(says).replace(r"\.\*", ".*")):
        call()
