"""The engine: what it computes, what it refuses, what it keeps alive."""
import gc
import operator
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minitorch
from minitorch import ops, tensor
from minitorch.gradcheck import complex_step, direction, numerical_gradient
from minitorch.tensor import (
    Tensor,
    _apply,
    concatenate,
    linear,
    no_grad,
    relu,
    scale,
    sigmoid,
    softmax_cross_entropy,
    where,
)

RNG = np.random.default_rng(0)


def leaf(*shape, dtype=np.float64):
    return Tensor(RNG.uniform(0.5, 1.5, shape).astype(dtype), requires_grad=True)


# ---------------------------------------------------------------- gradients


def test_what_is_used_twice_gets_both_gradients():
    x = leaf(3)
    (x + x).sum().backward()
    assert np.array_equal(x.grad, [2, 2, 2])
    x.zero_grad()
    a = x * 2.0
    (a * x + a).sum().backward()
    assert np.allclose(x.grad, 4 * x.data + 2, rtol=1e-15)


def test_gradients_are_bit_identical_to_the_closures():
    x, W, b, targets = leaf(5, 4), leaf(4, 3), leaf(3), np.array([0, 2, 1, 1, 0])
    loss = softmax_cross_entropy(sigmoid(linear(x, W, b)), targets)
    z, linear_back = ops.linear(x.data, W.data, b.data)
    s, sigmoid_back = ops.sigmoid(z)
    value, loss_back = ops.softmax_ce_fused(s, targets)
    g = linear_back(sigmoid_back(loss_back(np.ones(()))["logits"])["x"])
    loss.backward()
    assert loss.item() == value
    for t, name in ((x, "x"), (W, "W"), (b, "b")):
        assert np.array_equal(t.grad, g[name])


def test_gradients_add_up_until_zero_grad():
    x = leaf(2, 3)
    for _ in range(2):
        (x * x).sum().backward()
    assert np.array_equal(x.grad, 4 * x.data)
    x.grad = None
    loss = (x * x).sum()
    loss.backward()
    loss.zero_grad()                        # after backward, as in the seed's smoke test
    assert x.grad is None
    x.grad = np.ones((2, 3))
    (x * x).zero_grad()                     # and before
    assert x.grad is None


def test_zero_grad_does_not_keep_the_graph_alive():
    x = leaf(100_000)
    tracemalloc.start()
    loss = (x * x * x).sum()
    loss.backward()
    x.grad = None
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 100_000 and loss.zero_grad() is None


@pytest.mark.parametrize("through", [lambda x: x * 2.0, lambda x: (x * 2.0) * x])
def test_a_second_backward_is_a_clear_error_and_changes_nothing(through):
    x = leaf(3)
    loss = through(x).sum()
    loss.backward()
    before = x.grad.copy()
    with pytest.raises(RuntimeError, match="went through this graph before"):
        loss.backward()
    assert np.array_equal(x.grad, before)


def test_a_part_that_was_freed_is_noticed_from_another_loss():
    x = leaf(3)
    h = x * x
    h.sum().backward()
    before = x.grad.copy()
    with pytest.raises(RuntimeError, match="compute the loss again"):
        (h * x).sum().backward()
    assert np.array_equal(x.grad, before)


def test_an_error_in_a_backward_leaves_every_gradient_as_it_was():
    x, y = leaf(3), leaf(3)
    y.grad = np.ones(3)
    def broken(x):
        def backward(grad):
            raise FloatingPointError("broken")
        return x + 0, backward
    h = x * y
    with pytest.raises(FloatingPointError):
        (h + _apply(broken, {"x": x}) + y).sum().backward()
    assert x.grad is None and h.grad is None and np.array_equal(y.grad, np.ones(3))


def test_interior_tensors_keep_a_gradient_only_when_asked():
    x = leaf(3)
    a = x * 2.0
    b = a * a
    b.retain_grad()
    b.sum().backward()
    assert a.grad is None and np.array_equal(b.grad, np.ones(3)) and not np.shares_memory(b.grad, x.grad)
    with pytest.raises(RuntimeError, match="does not require a gradient"):
        Tensor(1.0).retain_grad()


def test_a_leaf_has_a_gradient_of_its_own():
    x, y, z = leaf(2, 3), leaf(2, 3), leaf(3, 2)
    g = np.ones((2, 3))
    out = x + y
    out.backward(g)
    assert not any(np.shares_memory(a, b) for a, b in ((x.grad, y.grad), (x.grad, g), (y.grad, g)))
    (z.T + x).sum().backward()
    assert z.grad.base is None and x.grad.flags.writeable
    x.sum().backward()
    x.grad *= 2         # may be written into


def test_what_backward_is_given():
    x = leaf(2, 3)
    (x * 2.0).backward([[1, 2, 3], [4, 5, 6]])
    assert np.array_equal(x.grad, 2 * np.arange(1.0, 7).reshape(2, 3))
    (x * 2.0).backward(Tensor(np.ones((2, 3))))
    with pytest.raises(ValueError, match=r"wanted a gradient of shape \(2, 3\), was given \(3,\)"):
        (x * 2.0).backward(np.ones(3))
    with pytest.raises(RuntimeError, match=r"starts from one number, this Tensor has shape \(2, 3\)"):
        (x * 2.0).backward()
    for t in (x, Tensor(1.0), Tensor(1.0, requires_grad=True)):
        with pytest.raises(RuntimeError, match="without a graph"):
            t.backward()
    leaf(1).__mul__(3).backward()       # one number, shape (1,)


def test_a_gradient_of_a_wrong_shape_is_refused():
    x = leaf(1, 3)
    not_reduced = lambda a, b: (a + b, lambda grad: {"a": grad, "b": grad})
    with pytest.raises(ValueError, match=r"shape \(1, 3\) was given a gradient of shape \(2, 3\).*unbroadcast"):
        _apply(not_reduced, {"a": x, "b": Tensor(np.ones((2, 3)))}).sum().backward()


def test_a_students_backward_without_names_works():
    calls = []
    def plain(a, b):
        def backward(grad):
            calls.append("all")
            return {"a": grad * b, "b": grad * a}
        return a * b, backward
    def told(a, b):
        def backward(grad, wanted=("a", "b")):
            calls.append(tuple(wanted))
            return {name: grad * {"a": b, "b": a}[name] for name in wanted}
        return a * b, backward
    x = leaf(3)
    for op in (plain, told):
        x.grad = None
        _apply(op, {"a": Tensor(np.full(3, 2.0)), "b": x}).sum().backward()
        assert np.array_equal(x.grad, [2, 2, 2])
    assert calls == ["all", ("b",)]


# ---------------------------------------------------------------- recording


def test_nothing_is_recorded_that_needs_no_gradient():
    x, y = Tensor(np.ones(3)), Tensor(np.ones(3))
    t = (x * y + 1).sum()
    assert not t.requires_grad and t._parents == () and t._backward is None


def test_no_grad_nests_is_restored_and_decorates():
    x = leaf(3)
    with no_grad():
        with no_grad():
            assert not (x * 2).requires_grad
        assert not (x * 2).requires_grad and not linear(leaf(2, 3), leaf(3, 1), leaf(1)).requires_grad
    assert (x * 2).requires_grad
    with pytest.raises(KeyError), no_grad():
        raise KeyError
    assert (x * 2).requires_grad

    @no_grad()
    def f(depth):
        return f(depth - 1) if depth else x * 2
    assert not f(3).requires_grad and not f(0).requires_grad and (x * 2).requires_grad


def test_no_grad_holds_no_memory():
    def held():
        tracemalloc.start()
        h = Tensor(np.ones(10_000), requires_grad=True)
        for _ in range(20):
            h = h * h
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return size
    with no_grad():
        without = held()
    assert without < 250_000 < 20 * 80_000 < held()


def test_detach_is_a_leaf_with_a_copy():
    x = leaf(3)
    d = (x * 2).detach()
    assert not d.requires_grad and d._parents == ()
    y = x.detach()
    y.data -= 1
    assert np.all(x.data >= 0.5)


# ---------------------------------------------------------------- what would be silently wrong


def test_a_leaf_that_was_assigned_to_is_noticed():
    for change in (lambda t: operator.isub(t.data, 1.0), lambda t: t.data * 2):
        for needs in (True, False):
            x, w = Tensor(np.ones(3), requires_grad=needs), leaf(3)
            loss = (x * w).sum()
            x.data = change(x)
            with pytest.raises(RuntimeError, match=r"the \.data of a Tensor of shape \(3,\) was assigned to after it was used"):
                loss.backward()
            assert w.grad is None and x.grad is None
            (x * w).sum().backward()        # what is computed afterwards is fine
            assert np.array_equal(w.grad, x.data)


def test_data_of_a_computed_tensor_cannot_be_assigned():
    h = leaf(3) * 2
    with pytest.raises(RuntimeError, match="was computed"):
        h.data = np.ones(3)
    with pytest.raises(ValueError, match=r"keeps its shape: \.data is \(3,\), was given \(2,\)"):
        leaf(3).data = np.ones(2)


def test_one_number_or_an_error():
    assert float(Tensor(2.5)) == 2.5 and Tensor(np.array([[3]])).item() == 3 and bool(Tensor(0.0)) is False
    assert [10, 20, 30][Tensor(np.array(1))] == 20
    for t in (leaf(3), Tensor(np.ones((0,)))):
        with pytest.raises(TypeError, match="wanted a Tensor of one number, was given shape"):
            float(t)
    with pytest.raises(ValueError):
        bool(leaf(3))
    with pytest.raises(TypeError):
        iter(Tensor(1.0))


def test_numpy_may_not_swallow_a_history():
    x = leaf(3)
    for f in (np.asarray, lambda t: np.concatenate([t, t]), np.exp, lambda t: np.where([True, False, True], t, 0)):
        with pytest.raises(TypeError):
            f(x)
    assert np.array_equal(np.asarray(Tensor(np.ones(3))), np.ones(3)) and x.numpy() is x.data


def test_tensors_as_index():
    x, i = leaf(4, 3), Tensor(np.array([0, 0, 2]))
    x[i].sum().backward()
    assert np.array_equal(x.grad[:, 0], [2, 0, 1, 0])
    assert np.array_equal(x[i, Tensor(np.array(1))].data, x.data[[0, 0, 2], 1]) and np.array_equal(x.data[i], x.data[[0, 0, 2]])
    with pytest.raises(IndexError):
        x[Tensor(1.0)]
    assert len(list(x)) == 4


# ---------------------------------------------------------------- operators and types

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]


@pytest.mark.parametrize("symbol", BINARY)
@pytest.mark.parametrize("other", [2, 0.5, np.float32(2), np.int64(3), RNG.uniform(1, 2, (2, 3)), RNG.uniform(1, 2, 3), RNG.uniform(1, 2, (4, 2, 1)), np.arange(1, 4)],
                         ids=lambda o: f"{type(o).__name__}{getattr(o, 'shape', '')}")
def test_operators_both_ways_round(symbol, other):
    x = leaf(2, 3)
    for f in (lambda t: symbol(t, other), lambda t: symbol(other, t)):
        out = f(x)
        assert type(out) is Tensor and out.dtype == np.float64
        wanted = f(x.data)
        assert np.allclose(out.data, wanted, rtol=1e-15) and out.shape == np.shape(wanted)
        g = direction(RNG, out.shape)
        x.grad = None
        out.backward(g)
        assert np.allclose(x.grad, numerical_gradient(lambda y: np.sum(g * f(y)), x.data), rtol=1e-12)


@pytest.mark.parametrize("symbol", BINARY)
def test_two_tensors(symbol):
    for a, b in ((leaf(2, 3), leaf(2, 3)), (leaf(2, 1), leaf(3)), (leaf(), leaf(2, 2)), (leaf(0, 3), leaf(3))):
        out = symbol(a, b)
        g = direction(RNG, out.shape)
        out.backward(g)
        assert np.allclose(a.grad, numerical_gradient(lambda y: np.sum(g * symbol(y, b.data)), a.data), rtol=1e-12)
        assert np.allclose(b.grad, numerical_gradient(lambda y: np.sum(g * symbol(a.data, y)), b.data), rtol=1e-12)


def test_matmul_both_ways_round():
    x, a = leaf(2, 3), RNG.random((3, 4))
    (x @ a).sum().backward()
    assert np.allclose(x.grad, np.ones((2, 4)) @ a.T)
    x.grad = None
    (a.T @ x.T).sum().backward()
    assert np.allclose(x.grad, np.ones((2, 4)) @ a.T)
    assert np.array_equal(x.matmul(a).data, x.data @ a)
    with pytest.raises(ValueError, match="matmul: wanted"):
        x @ x


def test_comparisons_are_arrays_and_tensors_are_keys():
    x = Tensor([1.0, 2.0, 3.0])
    assert np.array_equal(x > 1.5, [False, True, True]) and np.array_equal(x == x, [True] * 3) and type(x != 2) is np.ndarray
    assert np.array_equal(x >= 2, [False, True, True]) and np.array_equal(np.array([3, 2, 1]) > x, [True, False, False])
    assert len({x, x, Tensor([1.0, 2.0, 3.0])}) == 2 and {x: 1}[x] == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floating_point_types_are_kept(dtype):
    x, w, b = leaf(4, 3, dtype=dtype), leaf(3, 3, dtype=dtype), leaf(3, dtype=dtype)
    outs = [x + 1, 2.0 * x, x - np.float64(3), 1 / x, x**2, x**0.5, 2**x, -x, x.exp(), x.log(), x.sum(), x.mean(axis=0), x.max(), x.T, x.reshape(2, 6),
            x[1:], x @ w, linear(x, w, b), relu(x), sigmoid(x), scale(x, np.float64(2)), concatenate([x, x]), where(x.data > 1, x, 0.0),
            softmax_cross_entropy(x, np.array([0, 1, 2, 0])), x * np.arange(3), x * (x.data > 1), Tensor(np.arange(3)) + x, x.mean()]
    assert {o.dtype for o in outs} == {np.dtype(dtype)}
    sum((o.sum() for o in outs), start=Tensor(np.zeros((), dtype))).backward()
    assert {t.grad.dtype for t in (x, w, b)} == {np.dtype(dtype)}


def test_whole_numbers_stay_and_require_nothing():
    i = Tensor(np.arange(3))
    for out, wanted in ((i + 1, [1, 2, 3]), (-i, [0, -1, -2]), (5 - i, [5, 4, 3]), (i * i, [0, 1, 4]), (i**2, [0, 1, 4]), (i.sum(), 3), (i[1:], [1, 2])):
        assert out.dtype == np.int64 and np.array_equal(out.data, wanted) and not out.requires_grad
    assert (i / 2).dtype == np.float64 and Tensor([1, 2]).dtype == np.float64 and Tensor(3).dtype == np.float64
    with pytest.raises(TypeError, match="only floating point can require a gradient, was given int64"):
        Tensor(np.arange(3), requires_grad=True)
    for bad in ("a", [object()], np.array(["a"])):
        with pytest.raises((TypeError, ValueError)):
            Tensor(bad)
    with pytest.raises(TypeError, match=r"use|makes a new leaf"):
        Tensor(i)


def test_reductions():
    x = leaf(2, 3, 4)
    for axis in (None, 0, -1, (0, 2)):
        for keepdims in (False, True):
            for name in ("sum", "mean", "max"):
                out = getattr(x, name)(axis=axis, keepdims=keepdims)
                wanted = getattr(x.data, name)(axis=axis, keepdims=keepdims)
                assert np.allclose(out.data, wanted, rtol=1e-15) and out.shape == wanted.shape
                g = direction(RNG, out.shape)
                x.grad = None
                out.backward(g)
                f = lambda y: np.sum(g * getattr(y, name)(axis=axis, keepdims=keepdims))
                assert np.allclose(x.grad, numerical_gradient(f, x.data), rtol=1e-9)
    with pytest.raises(ValueError, match="nothing to take the mean of"):
        leaf(0, 3).mean()


def test_joining_and_choosing():
    x, y = leaf(2, 3), leaf(1, 3)
    concatenate([x, y, x]).backward(np.arange(15.0).reshape(5, 3))
    assert np.array_equal(x.grad, [[9, 11, 13], [15, 17, 19]]) and np.array_equal(y.grad, [[6, 7, 8]])
    x.grad = y.grad = None
    where(x.data > 1, x, y).sum().backward()
    assert np.array_equal(x.grad, x.data > 1) and np.array_equal(y.grad, (x.data <= 1).sum(axis=0, keepdims=True))
    assert np.array_equal(where([True, False], 1.0, [2.0, 3.0]).data, [1, 3])


def test_the_seeds_names_are_there():
    names = ["scale", "relu", "sigmoid", "gelu", "matmul", "linear", "sum_lastaxis", "mean_lastaxis", "transpose", "reshape", "slice_lastaxis", "split3", "softmax", "cross_entropy", "softmax_cross_entropy", "Tensor", "no_grad", "concatenate", "where"]
    assert all(getattr(minitorch, name) is getattr(tensor, name) for name in names)
    q, k, v = minitorch.split3(leaf(2, 6))
    assert q.shape == (2, 2) and not np.array_equal(k.data, v.data)
    with pytest.raises(ValueError, match="3 divides"):
        minitorch.split3(leaf(2, 5))
    p = minitorch.softmax(leaf(4, 3))
    assert minitorch.cross_entropy(p, Tensor(np.array([0, 1, 2, 0]))).shape == ()
    assert minitorch.linear(x=leaf(2, 3), w=leaf(3, 1), b=leaf(1)).shape == (2, 1) and minitorch.reshape(leaf(2, 3), newshape=(-1,)).ndim == 1


def test_the_seeds_smoke_test_runs_as_a_program():
    done = subprocess.run([sys.executable, "-m", "minitorch.tensor"], capture_output=True, text=True)
    assert done.returncode == 0 and "ALL PASS" in done.stdout and done.stderr == ""


def test_repr_and_len():
    x = Tensor(np.ones((2, 3), np.float32), requires_grad=True)
    assert "shape=(2, 3)" in repr(x) and "float32" in repr(x) and "requires_grad=True" in repr(x) and "grad=None" in repr(x)
    x.sum().backward()
    assert "grad=set" in repr(x) and len(x) == 2 and x.size == 6 and x.ndim == 2


# ---------------------------------------------------------------- depth and memory


def chain(n):
    x, y = Tensor(np.full(4, 0.5), requires_grad=True), Tensor(np.full(4, 1e-7), requires_grad=True)
    h = x
    for _ in range(n // 2):
        h = h * y + h
    return x, y, h


def test_a_deep_graph_runs_and_is_freed():
    for n in (100_000,):
        x, _, h = chain(n)
        h.sum().backward()
        assert np.all(np.isfinite(x.grad))
        del h
        chain(n)        # freed without backward


@pytest.mark.slow
def test_a_million_ops():
    x, y, h = chain(1_000_000)
    h.sum().backward()
    assert np.all(np.isfinite(x.grad)) and np.all(np.isfinite(y.grad))
    chain(1_000_000)


def test_at_most_650_bytes_a_node():
    tracemalloc.start()
    kept = chain(20_000)
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert size / 20_000 <= 650, kept


def test_the_graph_is_freed_by_reference_count_alone():
    x = leaf(100)
    gc.collect()
    gc.disable()
    try:
        tracemalloc.start()
        def step():
            loss = (sigmoid(x * x) + x).sum()
            forgotten = (x * x).sum()       # never walked
            loss.backward()
            x.grad = None
            del loss, forgotten
        step()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(50):
            step()
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        assert grown < 5_000
    finally:
        gc.enable()


# ---------------------------------------------------------------- random expressions

UNARY = {
    "neg": operator.neg, "exp": lambda t: (t * 0.1).exp(), "log": lambda t: (t * t + 1.0).log(), "sigmoid": sigmoid, "gelu": minitorch.gelu,
    "square": lambda t: t**2, "root": lambda t: (t * t + 1.0) ** 0.5, "scale": lambda t: scale(t, -0.5), "sum0": lambda t: t.sum(axis=0, keepdims=True),
    "mean": lambda t: t.mean(axis=-1, keepdims=True), "mean all": lambda t: t.mean(), "part": lambda t: t[..., :1], "twice": lambda t: t[[0, 0, -1]],
    "softmax": minitorch.softmax, "joined": lambda t: concatenate([t, t * 2.0], axis=0)[: len(t)],
}
PAIRS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": lambda a, b: a / (b * b + 1.0), "where": lambda a, b: where(np.ones(()) > 0, a, b)}
step = st.one_of(st.tuples(st.sampled_from(sorted(UNARY)), st.integers(0, 30)), st.tuples(st.sampled_from(sorted(PAIRS)), st.integers(0, 30), st.integers(0, 30)))


def evaluate(leaves, steps):
    """The sum of the last values; an op that does not fit the shapes is left out."""
    values = list(leaves)
    for op, *places in steps:
        chosen = [values[i % len(values)] for i in places]
        shapes = [t.shape for t in chosen]
        if (op in PAIRS and shapes[0] and shapes[1] and len(np.broadcast_shapes(*shapes)) > 2) or (op in UNARY and chosen[0].ndim != 2):
            continue
        values.append((PAIRS.get(op) or UNARY[op])(*chosen))
    total = values[0].sum()
    for t in values[-4:]:
        total = total + (t * 0.3).sum()
    return total


SHAPES = [(3, 4), (1, 4), (3, 1), ()]


def complexly(f, x, u):
    return complex_step(lambda h: f(x + h * u))


@settings(deadline=None, max_examples=150)
@given(st.lists(step, min_size=1, max_size=14), st.integers(0, 2**32 - 1))
def test_random_expressions_agree_with_the_complex_step(steps, seed):
    rng = np.random.default_rng(seed)
    arrays = [np.asarray(direction(rng, s)) for s in SHAPES]
    leaves = [Tensor(x, requires_grad=True) for x in arrays]
    evaluate(leaves, steps).backward()
    with no_grad(), np.errstate(all="ignore"):
        for i, t in enumerate(leaves):
            u = np.asarray(direction(rng, t.shape))
            f = lambda y: evaluate([Tensor(y if k == i else x) for k, x in enumerate(arrays)], steps).data
            slope = complexly(f, arrays[i], u)
            given = np.zeros(t.shape) if t.grad is None else t.grad
            assert abs(slope - np.sum(given * u)) <= 1e-9 * max(1.0, np.sum(np.abs(given * u)))
