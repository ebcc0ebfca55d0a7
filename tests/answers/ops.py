"""The bank: answers to the exercises of 00_ops, as students type them.

Each begins with a line `# %% right EXERCISE NAME` or `# %% wrong EXERCISE NAME | mistake: … | keeps: … | says: …`: the name of
the mistake (left out where there is none), the points that it keeps, and a part of the message. What stands before the first of
them, all of them have. To add an answer, write such a line and the function below it.
"""
import sys
import warnings

import numpy as np


def unbroadcast_loop(grad, shape):
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    for i, n in enumerate(shape):
        if n == 1:
            grad = grad.sum(axis=i, keepdims=True)
    return grad


def _sum_to(g, shape):
    return unbroadcast_loop(np.asarray(g), shape)


def _softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# ================================================================ ops.add

# %% right ops.add jacobian
def add(a, b):
    _same_shape("add", a, b)
    out = a + b
    def backward(grad, wanted=("a", "b")):
        result = {}
        for name, t in (("a", a), ("b", b)):
            if name in wanted:
                # J[i, j] = 1 where element j of t was used for element i of the output
                used = np.broadcast_to(np.arange(t.size).reshape(t.shape), out.shape).reshape(-1, 1)
                J = (used == np.arange(t.size)).astype(grad.dtype)
                result[name] = (grad.reshape(-1) @ J).reshape(t.shape)
        return result
    return out, backward


# %% right ops.add loops
def add(a, b):
    _same_shape("add", a, b)
    A, B = np.broadcast_arrays(a, b)
    out = np.empty(A.shape, np.result_type(a, b))
    for i in np.ndindex(out.shape):
        out[i] = A[i] + B[i]
    def collect(grad, shape):
        g = np.zeros(shape, grad.dtype)
        for i in np.ndindex(grad.shape):
            tail = i[grad.ndim - len(shape):]
            g[tuple(min(k, n - 1) for k, n in zip(tail, shape))] += grad[i]
        return g
    return out, lambda grad: {"b": collect(grad, b.shape), "a": collect(grad, a.shape)}


# %% right ops.add own_unbroadcast
def add(a, b):
    _same_shape("add", a, b)
    out = a + b
    def shrink(g, shape):
        while g.ndim > len(shape):
            g = g.sum(axis=0)
        for i, n in enumerate(shape):
            if n == 1:
                g = g.sum(axis=i, keepdims=True)
        return g
    def backward(grad, wanted=("a", "b")):
        grads = {"a": shrink(grad, a.shape), "b": shrink(grad, b.shape)}
        return {k: v for k, v in grads.items() if k in wanted}
    return out, backward


# %% right ops.add plain
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("b", "a")):
        return {name: unbroadcast(grad, t.shape) for name, t in (("b", b), ("a", a)) if name in wanted}
    return np.add(a, b), backward


# %% right ops.add scatter
def add(a, b):
    _same_shape("add", a, b)
    out = a + b
    def backward(grad):
        grads = {}
        for name, t in {"a": a, "b": b}.items():
            g = np.zeros(t.shape, grad.dtype)
            ids = np.broadcast_to(np.arange(t.size).reshape(t.shape), grad.shape)
            np.add.at(g.reshape(-1), ids.reshape(-1), grad.reshape(-1))
            grads[name] = g
        return grads
    return out, backward


# %% wrong ops.add a_inplace | mistake: input or upstream modified in place | keeps: 4
def add(a, b):
    _same_shape("add", a, b)
    if a.shape == np.broadcast_shapes(a.shape, b.shape) and a.ndim:
        a += b
        out = a
    else:
        out = a + b
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad, a.shape), "b": unbroadcast(grad, b.shape)}
    return out, backward


# %% wrong ops.add added_twice | mistake: factor 2 | keeps: 1
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("a", "b")):
        grads = {"a": unbroadcast(grad, a.shape)}
        grads["b"] = unbroadcast(grad, b.shape)
        for k in grads:
            grads[k] = grads[k] + grads[k]
        return grads
    return a + b, backward


# %% wrong ops.add central | mistake: numerical derivative instead of a formula | keeps: 1
def add(a, b):
    _same_shape("add", a, b)
    f = lambda p, q: p + q
    def backward(grad, wanted=("a", "b")):
        h = 1e-6
        da = (f(a + h, b) - f(a - h, b)) / (2 * h)
        db = (f(a, b + h) - f(a, b - h)) / (2 * h)
        return {"a": unbroadcast(grad * da, a.shape), "b": unbroadcast(grad * db, b.shape)}
    return f(a, b), backward


# %% wrong ops.add first_row | mistake: not summed over a broadcast axis | keeps: 3
def add(a, b):
    _same_shape("add", a, b)
    def pick(g, shape):
        while g.ndim > len(shape):
            g = g[0]
        for i, n in enumerate(shape):
            if n == 1:
                g = np.take(g, [0], axis=i)
        return g
    def backward(grad, wanted=("a", "b")):
        return {"a": pick(grad, a.shape), "b": pick(grad, b.shape)}
    return a + b, backward


# %% wrong ops.add loop_assign | mistake: overwritten instead of accumulated | keeps: 3
def add(a, b):
    _same_shape("add", a, b)
    def fit(g, shape):
        result = np.zeros(shape, g.dtype)
        for i in np.ndindex(g.shape):
            own = tuple(k if n > 1 else 0 for k, n in zip(i[g.ndim - len(shape):], shape))
            result[own] = g[i]
        return result
    def backward(grad, wanted=("a", "b")):
        return {"a": fit(grad, a.shape), "b": fit(grad, b.shape)}
    return a + b, backward


# %% wrong ops.add mean_unbroadcast | mistake: factor 1/n | keeps: 3
def add(a, b):
    _same_shape("add", a, b)
    def fit(g, shape):
        while g.ndim > len(shape):
            g = g.mean(axis=0)
        for i, n in enumerate(shape):
            if n == 1:
                g = g.mean(axis=i, keepdims=True)
        return g
    def backward(grad, wanted=("a", "b")):
        return {"a": fit(grad, a.shape), "b": fit(grad, b.shape)}
    return a + b, backward


# %% wrong ops.add minus_b | mistake: sign flipped | keeps: 3
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad, a.shape), "b": unbroadcast(-grad, b.shape)}
    return a + b, backward


# %% wrong ops.add minus_both | mistake: sign flipped | keeps: 1
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("a", "b")):
        return {"a": -unbroadcast(grad, a.shape), "b": -unbroadcast(grad, b.shape)}
    return a + b, backward


# %% wrong ops.add numerical_generic | mistake: numerical derivative instead of a formula | keeps: 1
def add(a, b):
    _same_shape("add", a, b)
    inputs = {"a": a, "b": b}
    def backward(grad, wanted=("a", "b")):
        grads, h = {}, 1e-5
        for name in wanted:
            g = np.zeros_like(inputs[name])
            for i in np.ndindex(g.shape):
                moved = {k: np.array(v) for k, v in inputs.items()}
                moved[name][i] += h
                up = np.sum(grad * (moved["a"] + moved["b"]))
                moved[name][i] -= 2 * h
                g[i] = (up - np.sum(grad * (moved["a"] + moved["b"]))) / (2 * h)
            grads[name] = g
        return grads
    return a + b, backward


# %% wrong ops.add ones | mistake: upstream gradient ignored | keeps: 1
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("a", "b")):
        ones = np.ones_like(grad)
        return {"a": unbroadcast(ones, a.shape), "b": unbroadcast(ones, b.shape)}
    return a + b, backward


# %% wrong ops.add other_shape | mistake: gradient of the wrong input | keeps: 3
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad, b.shape), "b": unbroadcast(grad, a.shape)}
    return a + b, backward


# %% wrong ops.add own_last_axis | mistake: summed over the wrong axis | keeps: 3
def add(a, b):
    _same_shape("add", a, b)
    def fit(g, shape):
        while g.ndim > len(shape):
            g = g.sum(axis=-1)
        for i, n in enumerate(shape):
            if n == 1:
                g = g.sum(axis=i, keepdims=True)
        return g
    def backward(grad, wanted=("a", "b")):
        return {"a": fit(grad, a.shape), "b": fit(grad, b.shape)}
    return a + b, backward


# %% wrong ops.add own_no_keepdims | mistake: keepdims lost | keeps: 3
def add(a, b):
    _same_shape("add", a, b)
    def fit(g, shape):
        extra = g.ndim - len(shape)
        axes = tuple(range(extra)) + tuple(extra + i for i, n in enumerate(shape) if n == 1)
        return g.sum(axis=axes)
    def backward(grad, wanted=("a", "b")):
        return {"a": fit(grad, a.shape), "b": fit(grad, b.shape)}
    return a + b, backward


# %% wrong ops.add pass_on | mistake: not summed over a broadcast axis | keeps: 3
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("a", "b")):
        return {"a": grad, "b": grad}
    return a + b, backward


# %% wrong ops.add shared_halves | mistake: factor 2 | keeps: 1
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("a", "b")):
        # each input caused one half of the sum
        return {"a": unbroadcast(grad / 2, a.shape), "b": unbroadcast(grad / 2, b.shape)}
    return a + b, backward


# %% wrong ops.add accumulating_closure | mistake: right only the first time | keeps: 1
def add(a, b):
    _same_shape("add", a, b)
    grads = {"a": np.zeros(a.shape, a.dtype), "b": np.zeros(b.shape, b.dtype)}
    def backward(grad, wanted=("a", "b")):
        grads["a"] = grads["a"] + unbroadcast(grad, a.shape)
        grads["b"] = grads["b"] + unbroadcast(grad, b.shape)
        return dict(grads)
    return a + b, backward


# %% wrong ops.add b_missing | mistake: gradient missing | keeps: 3
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad, a.shape)}
    return a + b, backward


# %% wrong ops.add forward_minus | keeps: 4
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad, a.shape), "b": unbroadcast(grad, b.shape)}
    return a - b, backward


# %% wrong ops.add front_axis_only | keeps: 3
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("a", "b")):
        da = grad if a.ndim == grad.ndim else grad.sum(axis=0)
        db = grad if b.ndim == grad.ndim else grad.sum(axis=0)
        return {"a": da, "b": db}
    return a + b, backward


# %% wrong ops.add keys | mistake: gradient missing | keeps: 1
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("a", "b")):
        return {"x": unbroadcast(grad, a.shape), "y": unbroadcast(grad, b.shape)}
    return a + b, backward


# %% wrong ops.add like_product | keeps: 1
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad * b, a.shape), "b": unbroadcast(grad * a, b.shape)}
    return a + b, backward


# %% wrong ops.add only_b_summed | mistake: not summed over a broadcast axis | keeps: 4
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("a", "b")):
        return {"a": grad, "b": unbroadcast(grad, b.shape)}
    return a + b, backward


# %% wrong ops.add reshape | keeps: 3
def add(a, b):
    _same_shape("add", a, b)
    def backward(grad, wanted=("a", "b")):
        return {"a": np.resize(grad, a.shape), "b": np.resize(grad, b.shape)}
    return a + b, backward



# ================================================================ ops.mul

# %% right ops.mul einsum
def mul(a, b):
    return np.multiply(b, a), lambda g: {"b": _sum_to(a * g, b.shape), "a": _sum_to(b * g, a.shape)}


# %% right ops.mul floats
def mul(a, b):       # 0-d results as plain floats and NumPy scalars
    small = lambda x: float(x) if np.ndim(x) == 0 else x
    return small(a * b), lambda g: {"a": small(_sum_to(g * b, a.shape)), "b": _sum_to(g * a, b.shape)}


# %% wrong ops.mul no_upstream | mistake: upstream gradient ignored | keeps: 3 | says: the upstream gradient is ignored
def mul(a, b):
    return a * b, lambda g: {"a": _sum_to(g * b, a.shape), "b": _sum_to(a + 0 * g, b.shape)}


# %% wrong ops.mul swapped | mistake: gradient of the wrong input | says: the input itself in place of the other one
def mul(a, b):
    return a * b, lambda g: {"a": g * a, "b": g * b}


# %% wrong ops.mul not_summed | mistake: not summed over a broadcast axis | keeps: 3 | says: not summed over the axes that broadcasting added
def mul(a, b):
    return a * b, lambda g: {"a": g * b, "b": g * a}


# %% wrong ops.mul half | mistake: gradient missing | keeps: 3 | says: no gradient for 'b', only for ['a']
def mul(a, b):
    return a * b, lambda g: {"a": _sum_to(g * b, a.shape)}


# %% wrong ops.mul second_unsolved | mistake: not solved | keeps: 3 | says: not solved yet
def mul(a, b):
    def backward(grad, wanted=("a", "b")):
        grads = {}
        if "a" in wanted:
            grads["a"] = _sum_to(grad * b, a.shape)
        if "b" in wanted:
            raise NotImplementedError("ops.mul: exercise not solved yet")
        return grads
    return a * b, backward


# %% wrong ops.mul one_element | keeps: 3 | says: ratio 0.999)
def mul(a, b):
    def backward(g):
        grad = np.asarray(_sum_to(g * b, a.shape))
        grad = grad.copy()
        grad.flat[-1:] *= 0.999
        return {"a": grad, "b": _sum_to(g * a, b.shape)}
    return a * b, backward


# %% wrong ops.mul once | mistake: right only the first time | keeps: 1 | says: the first call of backward was right, a later one is not
def mul(a, b):
    seen = []
    def backward(g):
        seen.append(1)
        return {"a": len(seen) * _sum_to(g * b, a.shape), "b": len(seen) * _sum_to(g * a, b.shape)}
    return a * b, backward


# %% wrong ops.mul by_division | keeps: 1 | says: nan
def mul(a, b):
    out = a * b
    return out, lambda g: {"a": _sum_to(g * out / a, a.shape), "b": _sum_to(g * out / b, b.shape)}


# %% wrong ops.mul without_unbroadcast | mistake: not solved | keeps: 1 | says: needs ops.unbroadcast, which is not solved yet
def mul(a, b):
    def backward(g):
        raise NotImplementedError("ops.unbroadcast: exercise not solved yet, see 00_ops.ipynb")
    return a * b, backward


# %% right ops.mul bincount_loop
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def backward(grad, wanted=("a", "b")):
        grads = {}
        for name, mine, other in (("a", a, b), ("b", b, a)):
            if name not in wanted:
                continue
            full = grad * other
            total = np.zeros(mine.size, full.dtype)
            for k, v in zip(np.broadcast_to(np.arange(mine.size).reshape(mine.shape), full.shape).flat, full.flat):
                total[k] += v
            grads[name] = total.reshape(mine.shape)
        return grads
    return out, backward


# %% right ops.mul einsum_2
def mul(a, b):
    same = _same_shape("mul", a, b)
    A, B = np.broadcast_arrays(a, b)
    out = np.einsum("...,...->...", A, B)
    def backward(grad, wanted=("a", "b")):
        grads = {}
        if "b" in wanted:
            grads["b"] = unbroadcast(np.einsum("...,...->...", grad, A), b.shape)
        if "a" in wanted:
            grads["a"] = unbroadcast(np.einsum("...,...->...", grad, B), a.shape)
        return grads
    return out, backward


# %% right ops.mul inplace_own_copy
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def backward(grad, wanted=("a", "b")):
        grads = {}
        for name, mine, other in [("a", a, b), ("b", b, a)]:
            if name in wanted:
                g = np.array(grad)
                g *= other
                grads[name] = unbroadcast(g, mine.shape)
        return grads
    return out, backward


# %% right ops.mul own_unbroadcast
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = np.multiply(a, b)
    def shrink(g, like):
        g = g.sum(axis=tuple(range(g.ndim - like.ndim)))
        return g.sum(axis=tuple(i for i in range(g.ndim) if like.shape[i] == 1), keepdims=True)
    def backward(grad, wanted=("a", "b")):
        return {"b": shrink(a * grad, b), "a": shrink(b * grad, a)}
    return out, backward


# %% right ops.mul product_through_diag
def mul(a, b):
    same = _same_shape("mul", a, b)
    A, B = np.broadcast_arrays(a, b)
    def backward(grad, wanted=("a", "b")):
        g = grad.reshape(-1)
        da = (g @ np.diag(B.reshape(-1))).reshape(grad.shape)
        db = (g @ np.diag(A.reshape(-1))).reshape(grad.shape)
        both = {"a": unbroadcast(da, a.shape), "b": unbroadcast(db, b.shape)}
        return {name: both[name] for name in wanted}
    return A * B, backward


# %% right ops.mul through_add
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def backward(grad, wanted=("a", "b")):
        _, back = add(a, b)
        return {"a": back(grad * b, ("a",))["a"], "b": back(grad * a, ("b",))["b"]}
    return out, backward


# %% wrong ops.mul a_inplace | mistake: input or upstream modified in place | keeps: 4
def mul(a, b):
    same = _same_shape("mul", a, b)
    kept = np.array(a)
    if a.ndim and a.shape == np.broadcast_shapes(a.shape, b.shape):
        a *= b
        out = a
    else:
        out = a * b
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad * b, kept.shape), "b": unbroadcast(grad * kept, b.shape)}
    return out, backward


# %% wrong ops.mul complex | mistake: numerical derivative instead of a formula | keeps: 1
def mul(a, b):
    same = _same_shape("mul", a, b)
    h = 1e-30
    da = np.imag((a + 1j * h) * b) / h
    db = np.imag(a * (b + 1j * h)) / h
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad * da, a.shape), "b": unbroadcast(grad * db, b.shape)}
    return a * b, backward


# %% wrong ops.mul grad_inplace | mistake: input or upstream modified in place | keeps: 1
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def backward(grad, wanted=("a", "b")):
        db = unbroadcast(grad * a, b.shape)
        grad *= b
        return {"a": unbroadcast(grad, a.shape), "b": db}
    return out, backward


# %% wrong ops.mul just_the_other | mistake: upstream gradient ignored | keeps: 1
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def backward(grad, wanted=("a", "b")):
        grads = {}
        if "a" in wanted:
            grads["a"] = unbroadcast(np.ones_like(grad) * b, a.shape)
        if "b" in wanted:
            grads["b"] = unbroadcast(np.ones_like(grad) * a, b.shape)
        return grads
    return out, backward


# %% wrong ops.mul last_wins | mistake: overwritten instead of accumulated | keeps: 3
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def fit(g, shape):
        total = np.zeros(shape, g.dtype)
        view = np.broadcast_to(np.arange(total.size).reshape(shape), g.shape)
        total.reshape(-1)[view] = g
        return total
    def backward(grad, wanted=("a", "b")):
        return {"a": fit(grad * b, a.shape), "b": fit(grad * a, b.shape)}
    return out, backward


# %% wrong ops.mul minus_b | mistake: sign flipped | keeps: 3
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def backward(grad, wanted=("a", "b")):
        grads = {}
        if "a" in wanted:
            grads["a"] = unbroadcast(grad * b, a.shape)
        if "b" in wanted:
            grads["b"] = unbroadcast(-grad * a, b.shape)
        return grads
    return out, backward


# %% wrong ops.mul no_unbroadcast | mistake: not summed over a broadcast axis | keeps: 3
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def backward(grad, wanted=("a", "b")):
        grads = {}
        if "a" in wanted:
            grads["a"] = grad * b
        if "b" in wanted:
            grads["b"] = grad * a
        return grads
    return out, backward


# %% wrong ops.mul one_sided | mistake: numerical derivative instead of a formula | keeps: 1
def mul(a, b):
    same = _same_shape("mul", a, b)
    def f(a, b):
        return a * b
    def backward(grad, wanted=("a", "b")):
        eps = 1e-8
        da = (f(a + eps, b) - f(a, b)) / eps
        db = (f(a, b + eps) - f(a, b)) / eps
        return {"a": unbroadcast(grad * da, a.shape), "b": unbroadcast(grad * db, b.shape)}
    return f(a, b), backward


# %% wrong ops.mul own_axis | mistake: summed over the wrong axis | keeps: 3
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def fit(g, shape):
        for _ in range(g.ndim - len(shape)):
            g = g.sum(axis=-1)
        for i, n in enumerate(shape):
            if n == 1:
                g = g.sum(axis=i, keepdims=True)
        return g
    def backward(grad, wanted=("a", "b")):
        return {"a": fit(grad * b, a.shape), "b": fit(grad * a, b.shape)}
    return out, backward


# %% wrong ops.mul own_keepdims | mistake: keepdims lost | keeps: 3
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def fit(g, shape):
        while g.ndim > len(shape):
            g = g.sum(axis=0)
        ones = tuple(i for i, n in enumerate(shape) if n == 1)
        return g.sum(axis=ones)
    def backward(grad, wanted=("a", "b")):
        return {"a": fit(grad * b, a.shape), "b": fit(grad * a, b.shape)}
    return out, backward


# %% wrong ops.mul own_mean | mistake: factor 1/n | keeps: 3
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def fit(g, shape):
        n = max(g.size // max(int(np.prod(shape)), 1), 1)
        return unbroadcast(g, shape) / n
    def backward(grad, wanted=("a", "b")):
        return {"a": fit(grad * b, a.shape), "b": fit(grad * a, b.shape)}
    return out, backward


# %% wrong ops.mul swapped_2 | mistake: gradient of the wrong input | keeps: 1
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def backward(grad, wanted=("a", "b")):
        grads = {}
        if "a" in wanted:
            grads["a"] = unbroadcast(grad * a, a.shape)
        if "b" in wanted:
            grads["b"] = unbroadcast(grad * b, b.shape)
        return grads
    return out, backward


# %% wrong ops.mul two_a | mistake: factor 2 | keeps: 1
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def backward(grad, wanted=("a", "b")):
        da = grad * b + b * grad       # product rule has two terms
        db = grad * a + a * grad
        return {"a": unbroadcast(da, a.shape), "b": unbroadcast(db, b.shape)}
    return out, backward


# %% wrong ops.mul b_only_unbroadcast | mistake: not summed over a broadcast axis | keeps: 4
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def backward(grad, wanted=("a", "b")):
        return {"a": grad * b, "b": unbroadcast(grad * a, b.shape)}
    return out, backward


# %% wrong ops.mul cached | keeps: 1
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    cache = {}
    def backward(grad, wanted=("a", "b")):
        if "a" in wanted and "a" not in cache:
            cache["a"] = unbroadcast(grad * b, a.shape)
        if "b" in wanted and "b" not in cache:
            cache["b"] = unbroadcast(grad * a, b.shape)
        return {k: cache[k] for k in wanted}
    return out, backward


# %% wrong ops.mul cut_float32 | keeps: 1
def mul(a, b):
    same = _same_shape("mul", a, b)
    small_a, small_b = a.astype(np.float32), b.astype(np.float32)
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad * small_b, a.shape), "b": unbroadcast(grad * small_a, b.shape)}
    return a * b, backward


# %% wrong ops.mul key_missing | mistake: gradient missing | keeps: 3
def mul(a, b):
    same = _same_shape("mul", a, b)
    def backward(grad, wanted=("a",)):
        return {"a": unbroadcast(grad * b, a.shape)}
    return a * b, backward


# %% wrong ops.mul matmul_2d | keeps: 4
def mul(a, b):
    same = _same_shape("mul", a, b)
    square = a.ndim == 2 and a.shape == b.shape and a.shape[0] == a.shape[1]
    out = a @ b if square else a * b
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad * b, a.shape), "b": unbroadcast(grad * a, b.shape)}
    return out, backward


# %% wrong ops.mul one_element_2 | keeps: 3
def mul(a, b):
    same = _same_shape("mul", a, b)
    def backward(grad, wanted=("a", "b")):
        db = np.array(unbroadcast(grad * a, b.shape))
        if db.size:
            db.flat[-1] *= 1.001
        return {"a": unbroadcast(grad * b, a.shape), "b": db}
    return a * b, backward


# %% wrong ops.mul out_over_a | keeps: 1
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad * out / a, a.shape), "b": unbroadcast(grad * out / b, b.shape)}
    return out, backward


# %% wrong ops.mul sum_before_product | keeps: 3
def mul(a, b):
    same = _same_shape("mul", a, b)
    out = a * b
    def backward(grad, wanted=("a", "b")):
        ga, gb = unbroadcast(grad, a.shape), unbroadcast(grad, b.shape)
        return {"a": unbroadcast(ga * b, a.shape), "b": unbroadcast(gb * a, b.shape)}
    return out, backward



# ================================================================ ops.scale

# %% right ops.scale einsum
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    factor = np.asarray(c, dtype=x.dtype)
    return np.einsum("...,->...", x, factor), lambda grad: {"x": np.einsum("...,->...", grad, factor)}


# %% right ops.scale full_like
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    def backward(grad):
        slope = np.full_like(x, c)
        return {"x": np.multiply(slope, grad)}
    return np.multiply(x, c), backward


# %% right ops.scale inplace_own_copy
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    out = np.array(x)
    out *= c
    def backward(grad):
        dx = np.array(grad)
        dx *= c
        return dict(x=dx)
    return out, backward


# %% right ops.scale jacobian
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    # y = J x with J = c * identity, so grad_x = J^T grad
    J = c * np.eye(x.size, dtype=x.dtype)
    def backward(grad):
        return {"x": (J.T @ grad.reshape(-1)).reshape(x.shape)}
    return (J @ x.reshape(-1)).reshape(x.shape), backward


# %% right ops.scale listcomp
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    out = np.array([v * c for v in x.ravel()], dtype=x.dtype).reshape(x.shape)
    def backward(grad):
        return {"x": np.array([v * c for v in grad.ravel()], dtype=x.dtype).reshape(x.shape)}
    return out, backward


# %% wrong ops.scale averaged | mistake: factor 1/n | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    out = c * x
    def backward(grad):
        return {"x": c * grad / max(x.size, 1)}
    return out, backward


# %% wrong ops.scale central_difference | mistake: numerical derivative instead of a formula | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    out = x * c
    def backward(grad):
        h = 1e-5
        return {"x": grad * ((x + h) * c - (x - h) * c) / (2 * h)}
    return out, backward


# %% wrong ops.scale complex_step | mistake: numerical derivative instead of a formula | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    slope = np.imag((x + 1e-20j) * c) / 1e-20
    def backward(grad):
        return {"x": (grad * slope).astype(x.dtype)}
    return x * c, backward


# %% wrong ops.scale derivative_of_c | mistake: gradient of the wrong input | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    out = x * c
    def backward(grad):
        return {"x": grad * x}
    return out, backward


# %% wrong ops.scale grad_inplace | mistake: input or upstream modified in place | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    out = x * c
    def backward(grad):
        grad *= c
        return {"x": grad}
    return out, backward


# %% wrong ops.scale just_c | mistake: upstream gradient ignored | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    out = c * x
    def backward(grad):
        return {"x": np.full(x.shape, c, dtype=x.dtype)}
    return out, backward


# %% wrong ops.scale minus | mistake: sign flipped | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    out = x * c
    def backward(grad):
        # going backwards, so minus
        return {"x": -c * grad}
    return out, backward


# %% wrong ops.scale power_rule | mistake: factor 2 | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    out = c * x
    def backward(grad):
        return {"x": 2 * c * grad}
    return out, backward


# %% wrong ops.scale times_size | mistake: factor n | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    n = x.size
    def backward(grad):
        # every element of x was scaled, so c counts n times
        return {"x": grad * c * n}
    return c * x, backward


# %% wrong ops.scale x_inplace | mistake: input or upstream modified in place | keeps: 2
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    np.multiply(x, c, out=x)
    def backward(grad):
        return {"x": grad * c}
    return x, backward


# %% wrong ops.scale abs_c | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    def backward(grad):
        return {"x": grad * abs(c)}
    return x * c, backward


# %% wrong ops.scale divided | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    def backward(grad):
        return {"x": grad / c if c else grad * 0}
    return x * c, backward


# %% wrong ops.scale extra_key_c | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    out = x * c
    def backward(grad):
        return {"c": grad * c, "x": (grad * x).sum() + np.zeros_like(x)}
    return out, backward


# %% wrong ops.scale float32 | mistake: float64 cut to float32 | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    out = x * c
    def backward(grad):
        return {"x": (grad * c).astype(np.float32)}
    return out, backward


# %% wrong ops.scale identity_backward | mistake: own derivative missing | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    out = x * c
    def backward(grad):
        return {"x": grad}
    return out, backward


# %% wrong ops.scale int_c | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    def backward(grad):
        return {"x": grad * int(c)}
    return x * c, backward


# %% wrong ops.scale key_out | mistake: gradient missing | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    out = x * c
    def backward(grad):
        return {"out": grad * c}
    return out, backward


# %% wrong ops.scale second_call | mistake: right only the first time | keeps: 1
def scale(x, c):
    c = float(c)        # a np.float64 would turn float32 into float64
    slope = 1.0
    def backward(grad):
        nonlocal slope
        slope *= c
        return {"x": grad * slope}
    return x * c, backward



# ================================================================ ops.relu

# %% right ops.relu by_abs
def relu(x):         # np.abs: a complex step through it is silently wrong
    return (x + np.abs(x)) / 2, lambda g: {"x": g * (np.sign(x) + np.abs(np.sign(x))) / 2}


# %% right ops.relu by_loop
def relu(x):
    out = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        out[i] = x[i] if x[i] > 0 else 0.0
    return out, lambda g: {"x": np.where(out > 0, g, 0.0)}


# %% right ops.relu that_talks
def relu(x):
    print("in relu")
    print("to stderr", file=sys.stderr)
    warnings.warn("beware", stacklevel=2)
    np.log(np.zeros(1))     # a NumPy RuntimeWarning
    return np.maximum(x, 0), lambda g: {"x": g * (x > 0)}


# %% right ops.relu of_python_numbers
def relu(x):      # whole numbers where all are negative: judged by their values
    out = np.array([max(v, 0) for v in x.ravel()]).reshape(x.shape)
    return out, lambda g: {"x": np.array([a if v > 0 else 0 for a, v in zip(g.ravel(), x.ravel())]).reshape(x.shape)}


# %% wrong ops.relu no_mask | mistake: own derivative missing | keeps: 1 | says: passed on unchanged
def relu(x):
    return np.maximum(x, 0), lambda g: {"x": g}


# %% wrong ops.relu no_upstream | mistake: upstream gradient ignored | keeps: 1 | says: the upstream gradient is ignored
def relu(x):
    return np.maximum(x, 0), lambda g: {"x": (x > 0).astype(float)}


# %% wrong ops.relu kink | mistake: wrong at the kink | keeps: 3 | says: the derivative at 0 is taken as 1
def relu(x):
    return np.maximum(x, 0), lambda g: {"x": g * (x >= 0)}


# %% wrong ops.relu in_place | mistake: input or upstream modified in place | keeps: 1 | says: grad modified in place
def relu(x):
    def backward(g):
        g[x <= 0] = 0
        return {"x": g}
    return np.maximum(x, 0), backward


# %% wrong ops.relu on_input | mistake: input or upstream modified in place | says: x modified in place
def relu(x):
    x[x < 0] = 0
    return x, lambda g: {"x": g * (x > 0)}


# %% wrong ops.relu of_something_else | mistake: derivative of a wrong output | keeps: 0 | says: the derivative of your own output
def relu(x):
    return x * x, lambda g: {"x": g * 2 * x}


# %% wrong ops.relu identity | mistake: derivative of a wrong output | keeps: 0 | says: the derivative of your own output
def relu(x):
    return x.copy(), lambda g: {"x": g.copy()}


# %% wrong ops.relu output_only | keeps: 0 | says: must return (output, backward)
def relu(x):
    return np.maximum(x, 0)


# %% wrong ops.relu bare | keeps: 1 | says: must return a dict
def relu(x):
    return np.maximum(x, 0), lambda g: g * (x > 0)


# %% wrong ops.relu key | mistake: gradient missing | keeps: 1 | says: no gradient for 'x', only for ['grad']
def relu(x):
    return np.maximum(x, 0), lambda g: {"grad": g * (x > 0)}


# %% wrong ops.relu float32 | mistake: float64 cut to float32 | keeps: 0 | says: float64 came in, float32 came out
def relu(x):
    return np.maximum(x, 0).astype(np.float32), lambda g: {"x": (g * (x > 0)).astype(np.float32)}


# %% wrong ops.relu unsolved | mistake: not solved | keeps: 0 | says: not solved yet
def relu(x):
    raise NotImplementedError("ops.relu: exercise not solved yet")


# %% wrong ops.relu half | mistake: not solved | keeps: 1 | says: not solved yet
def relu(x):
    def backward(g):
        raise NotImplementedError("ops.relu: exercise not solved yet")
    return np.maximum(x, 0), backward


# %% wrong ops.relu global | mistake: a later call | keeps: 1 | says: an answer for a later call
_last = []


def relu(x):
    _last[:] = [x]
    return np.maximum(x, 0), lambda g: {"x": g * (_last[0] > 0)}


# %% wrong ops.relu overwrites_output | mistake: result modified in place | keeps: 1 | says: the output modified in place
def relu(x):
    out = np.array(np.maximum(x, 0))
    def backward(g):
        out[...] = g * (x > 0)
        return {"x": out}
    return out, backward


# %% wrong ops.relu threshold | keeps: 1 | says: element [0,
def relu(x):
    return np.maximum(x, 0), lambda g: {"x": g * (x > 0.01)}


# %% wrong ops.relu half_at_zero | mistake: wrong at the kink | keeps: 3 | says: taken as ½
def relu(x):
    return np.maximum(x, 0), lambda g: {"x": g * np.heaviside(x, 0.5)}


# %% wrong ops.relu swapped | keeps: 0 | says: with the two swapped
def relu(x):
    return lambda g: {"x": g * (x > 0)}, np.maximum(x, 0)


# %% wrong ops.relu no_return | keeps: 0 | says: is a return missing?
def relu(x):
    np.maximum(x, 0)


# %% wrong ops.relu by_max | mistake: np.max for np.maximum | keeps: 2 | says: np.maximum(x, 0) compares element by element
def relu(x):
    return np.max(x, 0), lambda g: {"x": g * (x > 0)}


# %% wrong ops.relu masked | says: wanted a plain NumPy array, was given MaskedArray
def relu(x):
    return np.ma.masked_less(x, 0).filled(0), lambda g: {"x": np.ma.array(g * (x > 0))}


# %% wrong ops.relu by_sign | mistake: sign for mask | keeps: 1 | says: the slope there is 0
def relu(x):
    return np.maximum(x, 0), lambda g: {"x": g * np.sign(x)}


# %% right ops.relu abs
def relu(x):
    out = (x + abs(x)) / 2
    def backward(grad):
        # sign is -1, 0, 1; only +1 lets the gradient through
        return {"x": grad * (np.sign(x) == 1)}
    return out, backward


# %% right ops.relu listcomp
def relu(x):
    out = np.array([max(v, 0) for v in x.ravel().tolist()], dtype=x.dtype).reshape(x.shape)
    def backward(grad):
        pairs = zip(x.ravel(), grad.ravel())
        dx = [g if v > 0 else 0.0 for v, g in pairs]
        return {"x": np.array(dx, dtype=x.dtype).reshape(x.shape)}
    return out, backward


# %% right ops.relu mask_from_out
def relu(x):
    # out > 0 just where x > 0
    out = np.clip(x, 0, None)
    def backward(grad):
        return {"x": np.heaviside(out, 0) * grad}
    return out, backward


# %% right ops.relu ndindex
def relu(x):
    out = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        if x[i] > 0:
            out[i] = x[i]
    def backward(grad):
        dx = np.zeros(x.shape, x.dtype)
        for i in np.ndindex(x.shape):
            if x[i] > 0:
                dx[i] += grad[i]
        return {"x": dx}
    return out, backward


# %% right ops.relu own_copy_index
def relu(x):
    out = np.array(x)
    negative = out <= 0
    out[negative] = 0
    def backward(grad):
        dx = np.array(grad, copy=True)
        dx[negative] = 0
        return {"x": dx}
    return out, backward


# %% right ops.relu where
def relu(x):
    out = np.where(x > 0, x, np.zeros_like(x))
    def backward(grad):
        return {"x": np.where(x > 0, grad, np.zeros_like(grad))}
    return out, backward


# %% wrong ops.relu averaged | mistake: factor 1/n | keeps: 1
def relu(x):
    out = np.maximum(0, x)
    def backward(grad):
        mask = x > 0
        return {"x": grad * mask / max(mask.size, 1)}
    return out, backward


# %% wrong ops.relu backward_difference_in_forward | mistake: numerical derivative instead of a formula | keeps: 1
def relu(x):
    out = np.maximum(x, 0)
    h = 1e-7
    slope = (out - np.maximum(x - h, 0)) / h
    def backward(grad):
        return {"x": grad * slope}
    return out, backward


# %% wrong ops.relu central_lambda | mistake: numerical derivative instead of a formula | keeps: 1
def relu(x):
    f = lambda t: np.maximum(t, 0)
    def backward(grad):
        h = 1e-6
        return {"x": grad * (f(x + h) - f(x - h)) / (2 * h)}
    return f(x), backward


# %% wrong ops.relu doubled | mistake: factor 2 | keeps: 1
def relu(x):
    out = np.maximum(0, x)
    def backward(grad):
        dx = grad * (x > 0)
        dx = dx + grad * (out > 0)
        return {"x": dx}
    return out, backward


# %% wrong ops.relu half_2 | mistake: factor 2 | keeps: 1
def relu(x):
    out = (x + abs(x)) / 2
    def backward(grad):
        return {"x": grad * np.where(x > 0, 0.5, 0).astype(x.dtype)}
    return out, backward


# %% wrong ops.relu minus | mistake: sign flipped | keeps: 1
def relu(x):
    out = np.maximum(0, x)
    def backward(grad):
        dx = np.zeros(x.shape, x.dtype)
        dx = np.where(x > 0, -grad, dx)
        return {"x": dx}
    return out, backward


# %% wrong ops.relu only_mask | mistake: upstream gradient ignored | keeps: 1
def relu(x):
    out = np.maximum(0, x)
    def backward(grad):
        return {"x": (x > 0).astype(x.dtype)}
    return out, backward


# %% wrong ops.relu subtracts | mistake: sign flipped | keeps: 1
def relu(x):
    out = np.maximum(x, 0)
    def backward(grad):
        dx = np.zeros_like(x)
        dx -= grad * (x > 0)
        return {"x": dx}
    return out, backward


# %% wrong ops.relu times_n | mistake: factor n | keeps: 1
def relu(x):
    out = np.maximum(x, 0)
    def backward(grad):
        on = x > 0
        return {"x": grad * on * x.size}
    return out, backward


# %% wrong ops.relu all_or_nothing | mistake: own derivative missing | keeps: 1
def relu(x):
    out = np.maximum(x, 0)
    def backward(grad):
        if np.any(x > 0):
            return {"x": grad * 1.0}
        return {"x": np.zeros_like(grad)}
    return out, backward


# %% wrong ops.relu forward_abs | keeps: 3
def relu(x):
    out = abs(x)
    def backward(grad):
        return {"x": grad * (x > 0)}
    return out, backward


# %% wrong ops.relu key_2 | mistake: gradient missing | keeps: 1
def relu(x):
    out = np.maximum(x, 0)
    def backward(grad):
        return {"grad": grad * (x > 0)}
    return out, backward


# %% wrong ops.relu kink_half | mistake: wrong at the kink | keeps: 3
def relu(x):
    out = np.maximum(x, 0)
    def backward(grad):
        return {"x": grad * (np.sign(x) + 1) / 2}
    return out, backward


# %% wrong ops.relu kink_one | mistake: wrong at the kink | keeps: 3
def relu(x):
    out = np.maximum(x, 0)
    def backward(grad):
        return {"x": grad * (x >= 0)}
    return out, backward


# %% wrong ops.relu leaky | keeps: 1
def relu(x):
    out = np.maximum(x, 0)
    def backward(grad):
        return {"x": np.where(x > 0, grad, 0.01 * grad)}
    return out, backward


# %% wrong ops.relu mask_of_grad | keeps: 1
def relu(x):
    out = np.maximum(x, 0)
    def backward(grad):
        return {"x": np.where(grad > 0, grad, 0)}
    return out, backward


# %% wrong ops.relu np_max | mistake: np.max for np.maximum | keeps: 2
def relu(x):
    out = np.max(x, 0)
    def backward(grad):
        return {"x": grad * (x > 0)}
    return out, backward



# ================================================================ ops.sigmoid

# %% right ops.sigmoid by_tanh
def sigmoid(x):
    s = 0.5 + 0.5 * np.tanh(x / 2)
    return s, lambda g: {"x": g * (s - s**2)}


# %% right ops.sigmoid by_cases
def sigmoid(x):
    x = np.asarray(x)
    e = np.exp(-np.abs(x))
    s = np.where(x >= 0, 1 / (1 + e), e / (1 + e))
    return s, lambda g: {"x": g * e / (1 + e) ** 2}


# %% wrong ops.sigmoid at_input | mistake: derivative taken at the input for the output | says: the formula s(1 − s) wants the output
def sigmoid(x):
    return 1 / (1 + np.exp(-x)), lambda g: {"x": g * x * (1 - x)}


# %% wrong ops.sigmoid twice | mistake: derivative taken at the output for the input | says: the derivative is taken at the output
def sigmoid(x):
    s = 1 / (1 + np.exp(-x))
    s2 = 1 / (1 + np.exp(-s))
    return s, lambda g: {"x": g * s2 * (1 - s2)}


# %% wrong ops.sigmoid sign | mistake: sign flipped | says: the sign is flipped
def sigmoid(x):
    s = 1 / (1 + np.exp(-x))
    return s, lambda g: {"x": g * s * (s - 1)}


# %% wrong ops.sigmoid overflows | mistake: overflow | keeps: 3 | says: inf/inf
def sigmoid(x):
    e = np.exp(x)
    s = 1 / (1 + np.exp(-x))
    return e / (1 + e), lambda g: {"x": g * s * (1 - s)}


# %% wrong ops.sigmoid numerical | mistake: numerical derivative instead of a formula | says: complex numbers: a complex step
def sigmoid(x):
    s = 1 / (1 + np.exp(-x))
    return s, lambda g: {"x": g * np.imag(sigmoid(x + 1e-30j)[0]) / 1e-30}


# %% wrong ops.sigmoid by_differences | mistake: numerical derivative instead of a formula
def sigmoid(x):      # no call of itself, but no formula either: its error gives it away
    f = lambda x: 1 / (1 + np.exp(-x))
    return f(x), lambda g: {"x": g * (f(x + 1e-5) - f(x - 1e-5)) / 2e-5}


# %% wrong ops.sigmoid exponent | mistake: sign of the exponent | says: exp(x) where exp(−x) is wanted
def sigmoid(x):
    s = 1 / (1 + np.exp(x))
    return s, lambda g: {"x": g * s * (1 - s)}


# %% wrong ops.sigmoid unsolved | mistake: not solved | keeps: 0 | says: not solved yet
def sigmoid(x):
    raise NotImplementedError("ops.sigmoid: exercise not solved yet, see 00_ops.ipynb")


# %% right ops.sigmoid inplace_own
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = np.negative(x)
    s = np.exp(s)
    s += 1
    s = 1 / s
    def backward(grad):
        dx = np.array(s)
        dx *= 1 - s
        dx *= grad
        return dict(x=dx)
    return s, backward


# %% right ops.sigmoid jacobian
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = 1 / (1 + np.exp(-x))
    def backward(grad):
        J = np.diag((s - s * s).reshape(-1))
        return {"x": (grad.reshape(1, -1) @ J).reshape(s.shape)}
    return s, backward


# %% right ops.sigmoid listcomp
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    def sig(v):
        return 1 / (1 + np.exp(-v))
    s = np.array([sig(v) for v in x.ravel()], dtype=x.dtype).reshape(x.shape)
    def backward(grad):
        dx = [g * v * (1 - v) for g, v in zip(grad.ravel(), s.ravel())]
        return {"x": np.array(dx, dtype=x.dtype).reshape(s.shape)}
    return s, backward


# %% right ops.sigmoid logaddexp
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = np.exp(-np.logaddexp(np.zeros_like(x), -x))
    def backward(grad):
        # d/dx = s(x) s(-x)
        other = np.exp(-np.logaddexp(np.zeros_like(x), x))
        return {"x": grad * s * other}
    return s, backward


# %% right ops.sigmoid tanh
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = (np.tanh(x / 2) + 1) / 2
    def backward(grad):
        return {"x": grad * (1 - np.tanh(x / 2) ** 2) / 4}
    return s, backward


# %% right ops.sigmoid two_sided
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    # exp of something <= 0 only
    e = np.exp(-abs(x))
    s = np.where(x >= 0, 1 / (1 + e), e / (1 + e))
    def backward(grad):
        slope = e / (1 + e) ** 2        # even function
        return {"x": slope * grad}
    return s, backward


# %% wrong ops.sigmoid averaged | mistake: factor 1/n | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = 1 / (1 + np.exp(-x))
    def backward(grad):
        return {"x": grad * s * (1 - s) / max(s.size, 1)}
    return s, backward


# %% wrong ops.sigmoid factor_two | mistake: factor 2 | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = 1 / (1 + np.exp(-x))
    def backward(grad):
        return {"x": 2 * s * (1 - s) * grad}
    return s, backward


# %% wrong ops.sigmoid grad_inplace | mistake: input or upstream modified in place | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = 1 / (1 + np.exp(-x))
    def backward(grad):
        grad *= s
        grad *= 1 - s
        return {"x": grad}
    return s, backward


# %% wrong ops.sigmoid half | mistake: factor 2 | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = 1 / (1 + np.exp(-x))
    def backward(grad):
        return {"x": grad * s * (1 - s) / 2}
    return s, backward


# %% wrong ops.sigmoid minus | mistake: sign flipped | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = 1 / (1 + np.exp(-x))
    def backward(grad):
        return {"x": grad * s * (s - 1)}
    return s, backward


# %% wrong ops.sigmoid no_upstream | mistake: upstream gradient ignored | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = 1 / (1 + np.exp(-x))
    def backward(grad):
        return {"x": s * (1 - s)}
    return s, backward


# %% wrong ops.sigmoid np_multiply_out | mistake: input or upstream modified in place | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = 1 / (1 + np.exp(-x))
    def backward(grad):
        return {"x": np.multiply(grad, s * (1 - s), out=grad)}
    return s, backward


# %% wrong ops.sigmoid of_s | mistake: derivative taken at the output for the input | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    def sig(t):
        return 1 / (1 + np.exp(-t))
    out = sig(x)
    def backward(grad):
        return {"x": grad * sig(out) * (1 - sig(out))}
    return out, backward


# %% wrong ops.sigmoid clipped | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    z = np.clip(x, -5, 5)
    s = 1 / (1 + np.exp(-z))
    def backward(grad):
        return {"x": grad * s * (1 - s)}
    return s, backward


# %% wrong ops.sigmoid denominator_not_squared | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    e = np.exp(-x)
    s = 1 / (1 + e)
    def backward(grad):
        return {"x": grad * e / (1 + e)}
    return s, backward


# %% wrong ops.sigmoid float32 | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = 1 / (1 + np.exp(-x))
    def backward(grad):
        slope = np.float32(s) * (1 - np.float32(s))
        return {"x": grad * slope}
    return s, backward


# %% wrong ops.sigmoid forward_sign | mistake: sign of the exponent | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = 1 / (1 + np.exp(-x))
    def backward(grad):
        return {"x": grad * s * (1 - s)}
    return 1 - s, backward


# %% wrong ops.sigmoid one_minus_s | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = 1 / (1 + np.exp(-x))
    def backward(grad):
        return {"x": grad * (1 - s)}
    return s, backward


# %% wrong ops.sigmoid output_overwritten | mistake: result modified in place | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = np.array(1 / (1 + np.exp(-x)))
    def backward(grad):
        np.multiply(s, 1 - s, out=s)
        return {"x": grad * s}
    return s, backward


# %% wrong ops.sigmoid overflow_positive | mistake: overflow | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    e = np.exp(x)
    s = e / (1 + e)
    def backward(grad):
        return {"x": grad * s * (1 - s)}
    return s, backward


# %% wrong ops.sigmoid s_minus_square_of_grad | keeps: 2
def sigmoid(x):
    x = np.maximum(x, -88.0 if x.dtype == np.float32 else -709.0)      # below, exp(−x) would overflow
    s = 1 / (1 + np.exp(-x))
    def backward(grad):
        return {"x": grad * s * (1 - grad * s)}
    return s, backward



# ================================================================ ops.gelu

# %% right ops.gelu as_sigmoid
def gelu(x):
    # (1 + tanh u)/2 = sigmoid(2u)
    k = float(np.sqrt(2 / np.pi))
    u2 = 2 * k * (x + 0.044715 * x * x * x)
    s, s_back = sigmoid(u2)
    def backward(grad):
        first = grad * s
        second = s_back(grad * x)["x"] * 2 * k * (1 + 0.134145 * x * x)
        return {"x": first + second}
    return x * s, backward


# %% right ops.gelu jacobian
def gelu(x):
    flat = x.reshape(-1)
    t = np.tanh(_ROOT * flat * (1 + 0.044715 * flat * flat))
    def backward(grad):
        d = 0.5 + 0.5 * t + 0.5 * flat * (1 - t * t) * _ROOT * (1 + 3 * 0.044715 * flat * flat)
        J = np.diag(d)
        return {"x": np.einsum("i,ij->j", grad.reshape(-1), J).reshape(x.shape)}
    return (0.5 * flat * (1 + t)).reshape(x.shape), backward


# %% right ops.gelu listcomp
import math

def gelu(x):
    k = math.sqrt(2 / math.pi)
    def value(v):
        return 0.5 * v * (1 + np.tanh(k * (v + 0.044715 * v * v * v)))
    def slope(v):
        t = np.tanh(k * (v + 0.044715 * v * v * v))
        return 0.5 * (1 + t) + 0.5 * v * (1 - t) * (1 + t) * k * (1 + 3 * 0.044715 * v * v)
    def each(f):
        return np.array([f(v) for v in x.ravel()], dtype=x.dtype).reshape(x.shape)
    return each(value), lambda grad: {"x": each(slope) * grad}


# %% right ops.gelu sech
def gelu(x):
    k = float(np.sqrt(2 / np.pi))
    u = k * (x + 0.044715 * x * x * x)
    out = 0.5 * x * (1 + np.tanh(u))
    def backward(grad):
        du = k * (1 + 3 * 0.044715 * x * x)
        with np.errstate(over="ignore"):
            sech2 = 1 / np.cosh(u) ** 2
        return {"x": grad * (0.5 * (1 + np.tanh(u)) + 0.5 * x * sech2 * du)}
    return out, backward


# %% right ops.gelu slope_in_forward
def gelu(x):
    cube = 0.044715 * x ** 3
    t = np.tanh(_ROOT * (x + cube))
    half = (1 + t) / 2
    slope = half + half * (1 - t) * _ROOT * (x + 3 * cube)
    def backward(grad):
        return {"x": slope * grad}
    return half * x, backward


# %% wrong ops.gelu at_output | mistake: derivative taken at the output for the input | keeps: 1
def gelu(x):
    t = np.tanh(_ROOT * (x + 0.044715 * x * x * x))
    out = 0.5 * x * (1 + t)
    def backward(grad):
        t2 = np.tanh(_ROOT * (out + 0.044715 * out ** 3))
        du = _ROOT * (1 + 3 * 0.044715 * out ** 2)
        return {"x": grad * (0.5 * (1 + t2) + 0.5 * out * (1 - t2 ** 2) * du)}
    return out, backward


# %% wrong ops.gelu averaged | mistake: factor 1/n | keeps: 1
def gelu(x):
    t = np.tanh(_ROOT * (x + 0.044715 * x * x * x))
    def backward(grad):
        du = _ROOT * (1 + 3 * 0.044715 * x * x)
        slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * du
        return {"x": grad * slope / max(x.size, 1)}
    return 0.5 * x * (1 + t), backward


# %% wrong ops.gelu complex_step | mistake: numerical derivative instead of a formula | keeps: 1
def gelu(x):
    f = lambda v: 0.5 * v * (1 + np.tanh(_ROOT * (v + 0.044715 * v * v * v)))
    def backward(grad):
        z = x + 1e-25j
        return {"x": grad * np.imag(f(z)) / 1e-25}
    return f(x), backward


# %% wrong ops.gelu forward_difference | mistake: numerical derivative instead of a formula | keeps: 1
def gelu(x):
    def f(v):
        return 0.5 * v * (1 + np.tanh(_ROOT * (v + 0.044715 * v * v * v)))
    out = f(x)
    def backward(grad):
        return {"x": grad * (f(x + 1e-8) - out) / 1e-8}
    return out, backward


# %% wrong ops.gelu grad_inplace | mistake: input or upstream modified in place | keeps: 1
def gelu(x):
    t = np.tanh(_ROOT * (x + 0.044715 * x * x * x))
    out = 0.5 * x * (1 + t)
    def backward(grad):
        du = _ROOT * (1 + 3 * 0.044715 * x * x)
        grad *= 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * du
        return {"x": grad}
    return out, backward


# %% wrong ops.gelu half_forgotten | mistake: factor 2 | keeps: 1
def gelu(x):
    t = np.tanh(_ROOT * (x + 0.044715 * x * x * x))
    out = 0.5 * x * (1 + t)
    def backward(grad):
        du = _ROOT * (1 + 3 * 0.044715 * x * x)
        return {"x": grad * (1 + t + x * (1 - t * t) * du)}
    return out, backward


# %% wrong ops.gelu half_twice | mistake: factor 2 | keeps: 1
def gelu(x):
    half = 0.5 * (1 + np.tanh(_ROOT * (x + 0.044715 * x * x * x)))
    def backward(grad):
        du = _ROOT * (1 + 3 * 0.044715 * x * x)
        t = 2 * half - 1
        return {"x": 0.5 * grad * (half + 0.5 * x * (1 - t * t) * du)}
    return x * half, backward


# %% wrong ops.gelu minus | mistake: sign flipped | keeps: 1
def gelu(x):
    t = np.tanh(_ROOT * (x + 0.044715 * x * x * x))
    out = 0.5 * x * (1 + t)
    def backward(grad):
        du = _ROOT * (1 + 3 * 0.044715 * x * x)
        return {"x": -grad * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * du)}
    return out, backward


# %% wrong ops.gelu no_upstream | mistake: upstream gradient ignored | keeps: 1
def gelu(x):
    t = np.tanh(_ROOT * (x + 0.044715 * x * x * x))
    out = 0.5 * x * (1 + t)
    def backward(grad):
        du = _ROOT * (1 + 3 * 0.044715 * x * x)
        return {"x": 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * du}
    return out, backward


# %% wrong ops.gelu tanh_at_output | mistake: derivative taken at the output for the input | keeps: 1
def gelu(x):
    out = 0.5 * x * (1 + np.tanh(_ROOT * (x + 0.044715 * x * x * x)))
    def backward(grad):
        y = out
        t = np.tanh(_ROOT * (y + 0.044715 * y * y * y))
        return {"x": grad * (0.5 * (1 + t) + 0.5 * y * (1 - t * t) * _ROOT * (1 + 0.134145 * y * y))}
    return out, backward


# %% wrong ops.gelu x_inplace | mistake: input or upstream modified in place | keeps: 2
def gelu(x):
    start = x.copy()
    t = np.tanh(_ROOT * (x + 0.044715 * x * x * x))
    x *= 0.5 * (1 + t)
    def backward(grad):
        du = _ROOT * (1 + 3 * 0.044715 * start * start)
        return {"x": grad * (0.5 * (1 + t) + 0.5 * start * (1 - t * t) * du)}
    return x, backward


# %% wrong ops.gelu first_term_only | mistake: term missing | keeps: 1
def gelu(x):
    t = np.tanh(_ROOT * (x + 0.044715 * x * x * x))
    out = 0.5 * x * (1 + t)
    def backward(grad):
        return {"x": grad * 0.5 * (1 + t)}
    return out, backward


# %% wrong ops.gelu float32 | keeps: 1
def gelu(x):
    z = x.astype(np.float32)
    t = np.tanh(_ROOT * (z + 0.044715 * z * z * z))
    slope = 0.5 * (1 + t) + 0.5 * z * (1 - t * t) * _ROOT * (1 + 3 * 0.044715 * z * z)
    def backward(grad):
        return {"x": (grad * slope).astype(x.dtype)}
    return 0.5 * x * (1 + np.tanh(_ROOT * (x + 0.044715 * x * x * x))), backward


# %% wrong ops.gelu forward_constant | mistake: derivative of a wrong output | keeps: 0
def gelu(x):
    c = 0.044175
    t = np.tanh(_ROOT * (x + c * x * x * x))
    out = 0.5 * x * (1 + t)
    def backward(grad):
        du = _ROOT * (1 + 3 * c * x * x)
        return {"x": grad * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * du)}
    return out, backward


# %% wrong ops.gelu inner_derivative | keeps: 1
def gelu(x):
    t = np.tanh(_ROOT * (x + 0.044715 * x * x * x))
    out = 0.5 * x * (1 + t)
    def backward(grad):
        return {"x": grad * (0.5 * (1 + t) + 0.5 * x * (1 - t * t))}
    return out, backward


# %% wrong ops.gelu large | keeps: 1
def gelu(x):
    u = _ROOT * (x + 0.044715 * x * x * x)
    out = 0.5 * x * (1 + np.tanh(u))
    def backward(grad):
        t = np.sinh(u) / np.cosh(u)
        du = _ROOT * (1 + 3 * 0.044715 * x * x)
        return {"x": grad * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * du)}
    return out, backward


# %% wrong ops.gelu quick_gelu | mistake: derivative of a wrong output | keeps: 0
def gelu(x):
    s = 1 / (1 + np.exp(-1.702 * np.clip(x, -400, 400)))
    def backward(grad):
        return {"x": grad * (s + 1.702 * x * s * (1 - s))}
    return x * s, backward


# %% wrong ops.gelu quick_gelu_backward | keeps: 1
def gelu(x):
    t = np.tanh(_ROOT * (x + 0.044715 * x * x * x))
    def backward(grad):
        s = 1 / (1 + np.exp(-1.702 * np.clip(x, -400, 400)))
        return {"x": grad * (s + 1.702 * x * s * (1 - s))}
    return 0.5 * x * (1 + t), backward


# %% wrong ops.gelu rounded_constant | keeps: 1
def gelu(x):
    t = np.tanh(_ROOT * (x + 0.044715 * x * x * x))
    out = 0.5 * x * (1 + t)
    def backward(grad):
        du = 0.798 * (1 + 0.134145 * x * x)
        return {"x": grad * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * du)}
    return out, backward



# ================================================================ ops.matmul

# %% right ops.matmul einsum
def matmul(x, W):
    return np.einsum("...ij,...jk->...ik", x, W), lambda g: {
        "x": _sum_to(np.einsum("...ik,...jk->...ij", g, W), x.shape), "W": _sum_to(np.einsum("...ij,...ik->...jk", x, g), W.shape)}


# %% wrong ops.matmul no_batch | mistake: not summed over a broadcast axis | keeps: 3 | says: not summed over the leading axes
def matmul(x, W):
    return x @ W, lambda g: {"x": g @ W.swapaxes(-1, -2), "W": x.swapaxes(-1, -2) @ g}


# %% wrong ops.matmul sign | mistake: sign flipped | keeps: 3 | says: the sign is flipped
def matmul(x, W):
    return x @ W, lambda g: {"x": _sum_to(g @ W.swapaxes(-1, -2), x.shape), "W": -_sum_to(x.swapaxes(-1, -2) @ g, W.shape)}


# %% wrong ops.matmul shapes | mistake: transposed | keeps: 1 | says: ValueError
def matmul(x, W):
    return x @ W, lambda g: {"x": g @ W, "W": x @ g}


# %% wrong ops.matmul transposed | mistake: transposed
def matmul(x, W):
    return x @ W, lambda g: {"x": W @ g.swapaxes(-1, -2), "W": g.swapaxes(-1, -2) @ x}


# %% wrong ops.matmul not_transposed | mistake: transposed | keeps: 1 | says: the shapes on the two sides of @ do not fit
def matmul(x, W):
    def backward(grad, wanted=("x", "W")):
        grads = {}
        if "x" in wanted:
            grads["x"] = grad @ W
        if "W" in wanted:
            grads["W"] = x @ grad
        return grads
    return x @ W, backward


# %% right ops.matmul dot_elements
def matmul(x, W):
    lead = np.broadcast_shapes(x.shape[:-2], W.shape[:-2])
    m, n = x.shape[-2:]
    p = W.shape[-1]
    X, V = np.broadcast_to(x, lead + (m, n)), np.broadcast_to(W, lead + (n, p))
    out = np.zeros(lead + (m, p), np.result_type(x, W))
    for i in range(m):
        for j in range(p):
            out[..., i, j] = (X[..., i, :] * V[..., :, j]).sum(axis=-1)
    def backward(grad, wanted=("x", "W")):
        dX, dV = np.zeros(X.shape, grad.dtype), np.zeros(V.shape, grad.dtype)
        for i in range(m):
            for j in range(p):
                g = grad[..., i, j, None]
                dX[..., i, :] += g * V[..., :, j]
                dV[..., :, j] += g * X[..., i, :]
        return {"x": unbroadcast(dX, x.shape), "W": unbroadcast(dV, W.shape)}
    return out, backward


# %% right ops.matmul einsum_2
def matmul(x, W):
    out = np.einsum("...mn,...np->...mp", x, W)
    def backward(grad, wanted=("x", "W")):
        grads = {}
        if "W" in wanted:
            grads["W"] = unbroadcast(np.einsum("...mn,...mp->...np", x, grad), W.shape)
        if "x" in wanted:
            grads["x"] = unbroadcast(np.einsum("...mp,...np->...mn", grad, W), x.shape)
        return grads
    return out, backward


# %% right ops.matmul loop_batches
def matmul(x, W):
    lead = np.broadcast_shapes(x.shape[:-2], W.shape[:-2])
    X = np.broadcast_to(x, lead + x.shape[-2:])
    V = np.broadcast_to(W, lead + W.shape[-2:])
    out = np.zeros(lead + (x.shape[-2], W.shape[-1]), np.result_type(x, W))
    for i in np.ndindex(lead):
        out[i] = X[i].dot(V[i])
    def backward(grad, wanted=("x", "W")):
        dX = np.zeros(X.shape, grad.dtype)
        dV = np.zeros(V.shape, grad.dtype)
        for i in np.ndindex(lead):
            dX[i] += grad[i].dot(V[i].T)
            dV[i] += X[i].T.dot(grad[i])
        full = {"x": unbroadcast(dX, x.shape), "W": unbroadcast(dV, W.shape)}
        return {k: full[k] for k in wanted}
    return out, backward


# %% right ops.matmul outer_products
def matmul(x, W):
    out = sum((x[..., :, k, None] * W[..., None, k, :] for k in range(1, x.shape[-1])),
              x[..., :, 0, None] * W[..., None, 0, :]) if x.shape[-1] else x @ W
    def backward(grad, wanted=("x", "W")):
        dx = (grad[..., :, None, :] * W[..., None, :, :]).sum(axis=-1)
        dW = (x[..., :, :, None] * grad[..., :, None, :]).sum(axis=-3)
        return {"x": unbroadcast(dx, x.shape), "W": unbroadcast(dW, W.shape)}
    return out, backward


# %% right ops.matmul transposed_product
def matmul(x, W):
    out = np.matmul(x, W)
    Wt, xt = np.swapaxes(W, -2, -1), np.swapaxes(x, -2, -1)
    def shrink(g, shape):
        while g.ndim > len(shape):
            g = g.sum(axis=0)
        for axis in range(g.ndim - 2):
            if shape[axis] == 1:
                g = g.sum(axis=axis, keepdims=True)
        return g
    def backward(grad, wanted=("x", "W")):
        gt = np.swapaxes(grad, -2, -1)
        dW = shrink(np.swapaxes(gt @ x, -2, -1), W.shape)
        return {"W": dW, "x": shrink(grad @ Wt, x.shape)}
    return out, backward


# %% wrong ops.matmul axis | mistake: summed over the wrong axis | keeps: 3
def matmul(x, W):
    out = x @ W
    def fit(g, shape):
        while g.ndim > len(shape):
            g = g.sum(axis=-1)
        for i, n in enumerate(shape):
            if n == 1:
                g = g.sum(axis=i, keepdims=True)
        return g
    def backward(grad, wanted=("x", "W")):
        return {"x": fit(grad @ W.swapaxes(-1, -2), x.shape), "W": fit(x.swapaxes(-1, -2) @ grad, W.shape)}
    return out, backward


# %% wrong ops.matmul batch_mean | mistake: factor 1/n | keeps: 3
def matmul(x, W):
    out = x @ W
    m = max(x.shape[-2], 1)
    def backward(grad, wanted=("x", "W")):
        # average over the examples
        return {"x": unbroadcast(grad @ W.swapaxes(-1, -2), x.shape),
                "W": unbroadcast(x.swapaxes(-1, -2) @ grad, W.shape) / m}
    return out, backward


# %% wrong ops.matmul double | mistake: factor 2 | keeps: 1
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        dx = unbroadcast(2 * grad @ W.swapaxes(-1, -2), x.shape)
        dW = unbroadcast(2 * x.swapaxes(-1, -2) @ grad, W.shape)
        return {"x": dx, "W": dW}
    return out, backward


# %% wrong ops.matmul elementwise_x | mistake: elementwise product for matrix product | keeps: 1
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        grads = {}
        if "x" in wanted:
            grads["x"] = unbroadcast(grad * W.swapaxes(-1, -2), x.shape)
        if "W" in wanted:
            grads["W"] = unbroadcast(x.swapaxes(-1, -2) * grad, W.shape)
        return grads
    return out, backward


# %% wrong ops.matmul forward_star | mistake: elementwise product for matrix product | keeps: 4
def matmul(x, W):
    out = x * W if x.shape == W.shape else x @ W
    def backward(grad, wanted=("x", "W")):
        return {"x": unbroadcast(grad @ W.swapaxes(-1, -2), x.shape),
                "W": unbroadcast(x.swapaxes(-1, -2) @ grad, W.shape)}
    return out, backward


# %% wrong ops.matmul grad_inplace | mistake: input or upstream modified in place | keeps: 1
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        dW = unbroadcast(x.swapaxes(-1, -2) @ grad, W.shape)
        if W.shape[-1] == W.shape[-2] and W.ndim <= grad.ndim:
            grad[...] = grad @ W.swapaxes(-1, -2)
            return {"x": unbroadcast(grad, x.shape), "W": dW}
        return {"x": unbroadcast(grad @ W.swapaxes(-1, -2), x.shape), "W": dW}
    return out, backward


# %% wrong ops.matmul last_batch | mistake: overwritten instead of accumulated | keeps: 4
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        lead = grad.shape[:-2]
        X = np.broadcast_to(x, lead + x.shape[-2:])
        dW = np.zeros(W.shape, grad.dtype)
        for i in np.ndindex(lead):
            own = tuple(k if n > 1 else 0 for k, n in zip(i[len(lead) - (W.ndim - 2):], W.shape[:-2]))
            dW[own] = X[i].T @ grad[i]
        return {"x": unbroadcast(grad @ W.swapaxes(-1, -2), x.shape), "W": dW}
    return out, backward


# %% wrong ops.matmul learning_step | mistake: input or upstream modified in place | keeps: 1
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        dW = unbroadcast(x.swapaxes(-1, -2) @ grad, W.shape)
        dx = unbroadcast(grad @ W.swapaxes(-1, -2), x.shape)
        W[...] = W - 0.1 * dW       # learn
        return {"x": dx, "W": dW}
    return out, backward


# %% wrong ops.matmul loop_assign | mistake: overwritten instead of accumulated | keeps: 3
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        full = np.zeros(grad.shape[:-2] + W.shape[-2:], grad.dtype)
        for i in range(x.shape[-2]):
            full[...] = x[..., i, :, None] * grad[..., i, None, :]
        return {"x": unbroadcast(grad @ W.swapaxes(-1, -2), x.shape), "W": unbroadcast(full, W.shape)}
    return out, backward


# %% wrong ops.matmul minus_W | mistake: sign flipped | keeps: 3
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        grads = {}
        if "x" in wanted:
            grads["x"] = unbroadcast(grad @ W.swapaxes(-1, -2), x.shape)
        if "W" in wanted:
            grads["W"] = unbroadcast(-x.swapaxes(-1, -2) @ grad, W.shape)
        return grads
    return out, backward


# %% wrong ops.matmul no_unbroadcast | mistake: not summed over a broadcast axis | keeps: 3
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        grads = {}
        if "x" in wanted:
            grads["x"] = grad @ W.swapaxes(-1, -2)
        if "W" in wanted:
            grads["W"] = x.swapaxes(-1, -2) @ grad
        return grads
    return out, backward


# %% wrong ops.matmul numerical | mistake: numerical derivative instead of a formula | keeps: 1
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        h = 1e-5
        dx, dW = np.zeros(x.shape, x.dtype), np.zeros(W.shape, W.dtype)
        for i in np.ndindex(x.shape):
            e = np.zeros(x.shape, x.dtype)
            e[i] = h
            dx[i] = np.sum(grad * ((x + e) @ W - (x - e) @ W)) / (2 * h)
        for i in np.ndindex(W.shape):
            e = np.zeros(W.shape, W.dtype)
            e[i] = h
            dW[i] = np.sum(grad * (x @ (W + e) - x @ (W - e))) / (2 * h)
        return {"x": dx, "W": dW}
    return out, backward


# %% wrong ops.matmul numerical_unit_step | mistake: numerical derivative instead of a formula | keeps: 1
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        # linear in each input, so a step of 1 is exact
        grads = {"x": np.zeros(x.shape, x.dtype), "W": np.zeros(W.shape, W.dtype)}
        for i in np.ndindex(x.shape):
            y = x.copy()
            y[i] += 1
            grads["x"][i] = np.sum(grad * (matmul(y, W)[0] - out))
        for i in np.ndindex(W.shape):
            V = W.copy()
            V[i] += 1
            grads["W"][i] = np.sum(grad * (matmul(x, V)[0] - out))
        return grads
    return out, backward


# %% wrong ops.matmul ones_upstream | mistake: upstream gradient ignored | keeps: 1
def matmul(x, W):
    out = x @ W
    ones = np.ones_like(out)
    def backward(grad, wanted=("x", "W")):
        grads = {}
        if "x" in wanted:
            grads["x"] = unbroadcast(ones @ W.swapaxes(-1, -2), x.shape)
        if "W" in wanted:
            grads["W"] = unbroadcast(x.swapaxes(-1, -2) @ ones, W.shape)
        return grads
    return out, backward


# %% wrong ops.matmul swapped | mistake: gradient of the wrong input | keeps: 1
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        dx = unbroadcast(grad @ W.swapaxes(-1, -2), x.shape)
        dW = unbroadcast(x.swapaxes(-1, -2) @ grad, W.shape)
        return {"x": dW, "W": dx}
    return out, backward


# %% wrong ops.matmul T | mistake: shapes do not fit | keeps: 3
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        dx = grad @ W.T
        dW = x.T @ grad
        return {"x": unbroadcast(dx, x.shape), "W": unbroadcast(dW, W.shape)}
    return out, backward


# %% wrong ops.matmul dot | keeps: 4
def matmul(x, W):
    out = np.dot(x, W)
    def backward(grad, wanted=("x", "W")):
        return {"x": unbroadcast(grad @ W.swapaxes(-1, -2), x.shape),
                "W": unbroadcast(x.swapaxes(-1, -2) @ grad, W.shape)}
    return out, backward


# %% wrong ops.matmul first_batch_only | keeps: 4
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        dx = unbroadcast(grad @ W.swapaxes(-1, -2), x.shape)
        if W.ndim == 2 and x.ndim > 2 and 0 not in x.shape[:-2]:
            first = (0,) * (x.ndim - 2)
            return {"x": dx, "W": x[first].T @ grad[first]}
        return {"x": dx, "W": unbroadcast(x.swapaxes(-1, -2) @ grad, W.shape)}
    return out, backward


# %% wrong ops.matmul float32 | keeps: 1
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        g = grad.astype(np.float32)
        return {"x": unbroadcast((g @ W.astype(np.float32).swapaxes(-1, -2)).astype(x.dtype), x.shape),
                "W": unbroadcast((x.astype(np.float32).swapaxes(-1, -2) @ g).astype(W.dtype), W.shape)}
    return out, backward


# %% wrong ops.matmul key_w | mistake: gradient missing | keeps: 3
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        return {"x": unbroadcast(grad @ W.swapaxes(-1, -2), x.shape),
                "w": unbroadcast(x.swapaxes(-1, -2) @ grad, W.shape)}
    return out, backward


# %% wrong ops.matmul order | mistake: shapes do not fit | keeps: 1
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        return {"x": unbroadcast(grad @ W.swapaxes(-1, -2), x.shape),
                "W": unbroadcast(grad @ x.swapaxes(-1, -2), W.shape)}
    return out, backward


# %% wrong ops.matmul out_for_grad | keeps: 3
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        return {"x": unbroadcast(grad @ W.swapaxes(-1, -2), x.shape),
                "W": unbroadcast(x.swapaxes(-1, -2) @ out, W.shape)}
    return out, backward


# %% wrong ops.matmul pinv | keeps: 3
def matmul(x, W):
    out = x @ W
    def backward(grad, wanted=("x", "W")):
        return {"x": unbroadcast(grad @ np.linalg.pinv(W), x.shape),
                "W": unbroadcast(x.swapaxes(-1, -2) @ grad, W.shape)}
    return out, backward



# ================================================================ ops.linear

# %% right ops.linear loop
def linear(x, W, b):
    def backward(g):
        dW, db = np.zeros(W.shape), np.zeros(b.shape)
        for i in np.ndindex(x.shape[:-1]):
            dW += np.outer(x[i], g[i])
            db += g[i]
        return {"b": db, "W": dW, "x": np.einsum("...k,nk->...n", g, W)}
    return np.dot(x, W) + b, backward


# %% wrong ops.linear b | mistake: not summed over a broadcast axis | says: every row adds to the same b
def linear(x, W, b):
    flat = lambda a: a.reshape(-1, a.shape[-1])
    return x @ W + b, lambda g: {"x": g @ W.T, "W": flat(x).T @ flat(g), "b": g}


# %% wrong ops.linear b_mean | mistake: factor 1/n | keeps: 5 | says: the mean over the rows
def linear(x, W, b):
    flat = lambda a: a.reshape(-1, a.shape[-1])
    return x @ W + b, lambda g: {"x": g @ W.T, "W": flat(x).T @ flat(g), "b": flat(g).sum(axis=0) / max(len(flat(g)), 1)}


# %% wrong ops.linear no_b | mistake: term missing | keeps: 6 | says: the bias is missing
def linear(x, W, b):
    flat = lambda a: a.reshape(-1, a.shape[-1])
    return x @ W, lambda g: {"x": g @ W.T, "W": flat(x).T @ flat(g), "b": flat(g).sum(axis=0)}


# %% wrong ops.linear matrix_only | mistake: shapes do not fit | keeps: 4 | says: ValueError
def linear(x, W, b):
    return x @ W + b, lambda g: {"x": g @ W.T, "W": x.T @ g, "b": g.sum(axis=0)}


# %% wrong ops.linear b_sum_all | mistake: summed over the wrong axis | keeps: 5 | says: each element of b has a column of its own
def linear(x, W, b):
    flat = lambda a: a.reshape(-1, a.shape[-1])
    return x @ W + b, lambda g: {"x": g @ W.T, "W": flat(x).T @ flat(g), "b": np.full(b.shape, g.sum())}


# %% right ops.linear augmented
def linear(x, W, b):
    # b is one more row of W, with 1 as its input
    xs = np.concatenate([_rows(x), np.ones((x.size // len(W), 1), x.dtype)], axis=1)
    V = np.vstack([W, b])
    def backward(grad, wanted=("x", "W", "b")):
        g = grad.reshape(-1, len(b))
        dV = xs.T @ g
        return dict(b=dV[-1], W=dV[:-1], x=(g @ V.T)[:, :-1].reshape(x.shape))
    return (xs @ V).reshape(x.shape[:-1] + (len(b),)), backward


# %% right ops.linear einsum
def linear(x, W, b):
    out = np.einsum("...n,np->...p", x, W) + b
    def backward(grad, wanted=("x", "W", "b")):
        grads = {}
        if "b" in wanted:
            grads["b"] = np.einsum("rp->p", _rows(grad))
        if "W" in wanted:
            grads["W"] = np.einsum("rn,rp->np", _rows(x), _rows(grad))
        if "x" in wanted:
            grads["x"] = np.einsum("...p,np->...n", grad, W)
        return grads
    return out, backward


# %% right ops.linear from_ops
def linear(x, W, b):
    # a row vector becomes a matrix of one row, so that matmul takes it
    as_matrix = x if x.ndim > 1 else x[None, :]
    y, mat_back = matmul(as_matrix, W)
    z, add_back = add(y, b)
    def backward(grad, wanted=("x", "W", "b")):
        step = add_back(grad.reshape(z.shape), ("a", "b"))
        rest = mat_back(step["a"], ("x", "W"))
        every = {"x": rest["x"].reshape(x.shape), "W": rest["W"], "b": step["b"]}
        return {name: every[name] for name in wanted}
    return z.reshape(x.shape[:-1] + b.shape), backward


# %% right ops.linear loop_rows
def linear(x, W, b):
    flat = x.reshape(-1, W.shape[0])
    out = np.array([r @ W + b for r in flat], dtype=x.dtype).reshape(x.shape[:-1] + b.shape)
    def backward(grad, wanted=("x", "W", "b")):
        dx, dW, db = np.zeros(flat.shape, x.dtype), np.zeros_like(W), np.zeros_like(b)
        for i, g in enumerate(grad.reshape(-1, W.shape[1])):
            dx[i] = W @ g
            dW += np.outer(flat[i], g)
            db += g
        return {"x": dx.reshape(x.shape), "W": dW, "b": db}
    return out, backward


# %% right ops.linear tensordot
def linear(x, W, b):
    out = np.tensordot(x, W, axes=1) + b
    def backward(grad, wanted=("x", "W", "b")):
        lead = list(range(x.ndim - 1))
        return {"W": np.tensordot(x, grad, axes=(lead, lead)),
                "x": np.tensordot(grad, W, axes=(-1, 1)),
                "b": grad.sum(axis=tuple(lead))}
    return out, backward


# %% wrong ops.linear W_for_WT | mistake: transposed | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        grads = {}
        if "x" in wanted:
            grads["x"] = grad @ W
        if "W" in wanted:
            grads["W"] = _rows(x).T @ _rows(grad)
        if "b" in wanted:
            grads["b"] = _rows(grad).sum(axis=0)
        return grads
    return out, backward


# %% wrong ops.linear W_last_row | mistake: overwritten instead of accumulated | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        dW, db = np.zeros_like(W), np.zeros_like(b)
        for row, g in zip(_rows(x), _rows(grad)):
            dW = np.outer(row, g)
            db += g
        return {"x": grad @ W.T, "W": dW, "b": db}
    return out, backward


# %% wrong ops.linear W_ones | mistake: upstream gradient ignored | keeps: 1
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        g = np.ones_like(_rows(grad))
        return {"x": (g @ W.T).reshape(x.shape), "W": _rows(x).T @ g, "b": g.sum(axis=0)}
    return out, backward


# %% wrong ops.linear b_axis_minus_one | mistake: summed over the wrong axis | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        return {"x": grad @ W.T, "W": _rows(x).T @ _rows(grad), "b": grad.sum(axis=-1)}
    return out, backward


# %% wrong ops.linear b_inplace | mistake: input or upstream modified in place | keeps: 1
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        g = _rows(grad)
        dx, dW = (g @ W.T).reshape(x.shape), _rows(x).T @ g
        for i in range(1, len(g)):
            g[0] += g[i]            # collect in the first row
        db = g[0].copy() if len(g) else np.zeros_like(b)
        return {"x": dx, "W": dW, "b": db}
    return out, backward


# %% wrong ops.linear b_is_grad | mistake: not summed over a broadcast axis | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        return {"x": grad @ W.T, "W": _rows(x).T @ _rows(grad), "b": grad}
    return out, backward


# %% wrong ops.linear b_last_row | mistake: overwritten instead of accumulated | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        db = np.zeros_like(b)
        for g in _rows(grad):
            db[:] = g
        return {"x": grad @ W.T, "W": _rows(x).T @ _rows(grad), "b": db}
    return out, backward


# %% wrong ops.linear b_mean_2 | mistake: factor 1/n | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        g = _rows(grad)
        return {"x": grad @ W.T, "W": _rows(x).T @ g, "b": g.mean(axis=0) if len(g) else np.zeros_like(b)}
    return out, backward


# %% wrong ops.linear b_ones | mistake: upstream gradient ignored | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        g = _rows(grad)
        return {"x": grad @ W.T, "W": _rows(x).T @ g, "b": np.full(b.shape, len(g), b.dtype)}
    return out, backward


# %% wrong ops.linear b_times_rows | mistake: factor n | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        g = _rows(grad)
        return {"x": grad @ W.T, "W": _rows(x).T @ g, "b": g.sum(axis=0) * len(g)}
    return out, backward


# %% wrong ops.linear dW_transposed | mistake: transposed | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        return {"x": grad @ W.T, "W": _rows(grad).T @ _rows(x), "b": _rows(grad).sum(axis=0)}
    return out, backward


# %% wrong ops.linear double_W | mistake: factor 2 | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        return {"x": grad @ W.T, "W": 2 * (_rows(x).T @ _rows(grad)), "b": _rows(grad).sum(axis=0)}
    return out, backward


# %% wrong ops.linear elementwise | mistake: elementwise product for matrix product | keeps: 1
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        return {"x": grad * W, "W": x * grad, "b": _rows(grad).sum(axis=0)}
    return out, backward


# %% wrong ops.linear elementwise_rows | mistake: elementwise product for matrix product | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        g, r = _rows(grad), _rows(x)
        dW = r.T * g if r.T.shape == g.shape else r.T @ g
        return {"x": grad @ W.T, "W": dW, "b": g.sum(axis=0)}
    return out, backward


# %% wrong ops.linear learning_step | mistake: input or upstream modified in place | keeps: 1
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        g = _rows(grad)
        grads = {"x": grad @ W.T, "W": _rows(x).T @ g, "b": g.sum(axis=0)}
        W[...] -= 0.01 * grads["W"]         # the update step, done here
        b[...] -= 0.01 * grads["b"]
        return grads
    return out, backward


# %% wrong ops.linear minus_b | mistake: sign flipped | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        grads = {}
        if "x" in wanted:
            grads["x"] = grad @ W.T
        if "W" in wanted:
            grads["W"] = _rows(x).T @ _rows(grad)
        if "b" in wanted:
            grads["b"] = -_rows(grad).sum(axis=0)
        return grads
    return out, backward


# %% wrong ops.linear minus_x | mistake: sign flipped | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        return {"x": -(grad @ W.T), "W": _rows(x).T @ _rows(grad), "b": _rows(grad).sum(axis=0)}
    return out, backward


# %% wrong ops.linear numerical | mistake: numerical derivative instead of a formula | keeps: 1
def linear(x, W, b):
    def f(x, W, b):
        return x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        inputs = {"x": x, "W": W, "b": b}
        grads = {}
        for name in wanted:
            g = np.zeros_like(inputs[name])
            for i in np.ndindex(g.shape):
                up = {k: v.copy() for k, v in inputs.items()}
                down = {k: v.copy() for k, v in inputs.items()}
                up[name][i] += 1e-6
                down[name][i] -= 1e-6
                g[i] = np.sum(grad * (f(**up) - f(**down))) / 2e-6
            grads[name] = g
        return grads
    return f(x, W, b), backward


# %% wrong ops.linear numerical_W_only | mistake: numerical derivative instead of a formula | keeps: 1
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        dW = np.zeros_like(W)
        for i, j in np.ndindex(W.shape):
            moved = W.copy()
            moved[i, j] += 1e-7
            dW[i, j] = np.sum(grad * (linear(x, moved, b)[0] - out)) / 1e-7
        return {"x": grad @ W.T, "W": dW, "b": _rows(grad).sum(axis=0)}
    return out, backward


# %% wrong ops.linear wrong_names | mistake: gradient of the wrong input | keeps: 3
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        return {"W": grad @ W.T, "x": _rows(x).T @ _rows(grad), "b": _rows(grad).sum(axis=0)}
    return out, backward


# %% wrong ops.linear x_factor | mistake: gradient of the wrong input | keeps: 3
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        g = _rows(grad)
        # dy/dx with x, dy/dW with W
        return {"x": _rows(x).T @ g, "W": g @ W.T, "b": g.sum(axis=0)}
    return out, backward


# %% wrong ops.linear b_first_axis | mistake: not summed over a broadcast axis | keeps: 6
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        db = grad.sum(axis=0) if grad.ndim > 1 else grad
        return {"x": grad @ W.T, "W": _rows(x).T @ _rows(grad), "b": db}
    return out, backward


# %% wrong ops.linear b_forgotten | mistake: gradient missing | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W")):
        return {"x": grad @ W.T, "W": _rows(x).T @ _rows(grad)}
    return out, backward


# %% wrong ops.linear b_keepdims | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        return {"x": grad @ W.T, "W": _rows(x).T @ _rows(grad), "b": _rows(grad).sum(axis=0, keepdims=True)}
    return out, backward


# %% wrong ops.linear batched_dW | mistake: not summed over a broadcast axis | keeps: 6
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        if x.ndim == 1:
            dW = np.outer(x, grad)
        else:
            dW = x.swapaxes(-1, -2) @ grad
        return {"x": grad @ W.T, "W": dW, "b": _rows(grad).sum(axis=0)}
    return out, backward


# %% wrong ops.linear bias_in_dx | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        return {"x": (grad + b) @ W.T, "W": _rows(x).T @ _rows(grad), "b": _rows(grad).sum(axis=0)}
    return out, backward


# %% wrong ops.linear forward_no_b | mistake: term missing | keeps: 6
def linear(x, W, b):
    out = x @ W
    def backward(grad, wanted=("x", "W", "b")):
        return {"x": grad @ W.T, "W": _rows(x).T @ _rows(grad), "b": _rows(grad).sum(axis=0)}
    return out, backward


# %% wrong ops.linear many_rows | keeps: 6
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        g, r = _rows(grad)[:16], _rows(x)[:16]
        return {"x": grad @ W.T, "W": r.T @ g, "b": _rows(grad).sum(axis=0)}
    return out, backward


# %% wrong ops.linear one_in_a_thousand | keeps: 5
def linear(x, W, b):
    out = x @ W + b
    def backward(grad, wanted=("x", "W", "b")):
        dW = _rows(x).T @ _rows(grad)
        dW[0, 0] += 1e-3 * dW[0, 0]
        return {"x": grad @ W.T, "W": dW, "b": _rows(grad).sum(axis=0)}
    return out, backward



# ================================================================ ops.sum_all

# %% right ops.sum_all axis_by_axis
def sum_all(x):
    out = x
    while out.ndim:
        out = out.sum(axis=0)
    def backward(grad):
        return {"x": np.broadcast_to(grad, x.shape)}
    return out, backward


# %% right ops.sum_all dot_ones
def sum_all(x):
    one = np.ones(x.size, x.dtype)
    out = x.reshape(-1) @ one           # J is this row of ones
    def backward(grad):
        return dict(x=(np.atleast_1d(grad) @ one[None, :]).reshape(x.shape))
    return out, backward


# %% right ops.sum_all einsum
def sum_all(x):
    axes = "abcdefgh"[:x.ndim]
    out = np.einsum(f"{axes}->", x)
    def backward(grad):
        return {"x": np.einsum(f"{axes},->{axes}", np.ones(x.shape, x.dtype), grad)}
    return out, backward


# %% right ops.sum_all loop
def sum_all(x):
    total = x.dtype.type(0)
    for v in x.ravel():
        total = total + v
    def backward(grad):
        dx = np.zeros(x.shape, x.dtype)
        for i in np.ndindex(x.shape):
            dx[i] = grad
        return {"x": dx}
    return total, backward


# %% right ops.sum_all ones
def sum_all(x):
    out = np.sum(x)
    def backward(grad):
        return {"x": np.ones_like(x) * grad}
    return out, backward


# %% right ops.sum_all zeros_plus
def sum_all(x):
    return np.add.reduce(x, axis=None), lambda grad: {"x": x * 0 + grad}


# %% wrong ops.sum_all central_scalar | mistake: numerical derivative instead of a formula | keeps: 1
def sum_all(x):
    out = x.sum()
    def backward(grad):
        h = 1e-3
        up = (x + h).sum() - (x - h).sum()
        return {"x": np.full(x.shape, grad * up / (2 * h * max(x.size, 1)))}
    return out, backward


# %% wrong ops.sum_all doubled | mistake: factor 2 | keeps: 1
def sum_all(x):
    out = x.sum()
    def backward(grad):
        g = np.ones_like(x) * grad
        g += grad
        return {"x": g}
    return out, backward


# %% wrong ops.sum_all full_one | mistake: upstream gradient ignored | keeps: 1
def sum_all(x):
    def backward(grad):
        return {"x": np.full(x.shape, 1.0, x.dtype)}
    return x.sum(), backward


# %% wrong ops.sum_all grad_inplace | mistake: input or upstream modified in place | keeps: 1
def sum_all(x):
    out = x.sum()
    def backward(grad):
        g = np.ones_like(x) * grad
        if isinstance(grad, np.ndarray):
            grad -= grad            # used up
        return {"x": g}
    return out, backward


# %% wrong ops.sum_all half | mistake: factor 2 | keeps: 1
def sum_all(x):
    return x.sum(), lambda grad: {"x": np.ones_like(x) * grad / 2}


# %% wrong ops.sum_all mean_backward | mistake: factor 1/n | keeps: 1
def sum_all(x):
    out = x.sum()
    n = x.size or 1
    def backward(grad):
        return {"x": grad * np.ones(x.shape, x.dtype) / n}
    return out, backward


# %% wrong ops.sum_all minus | mistake: sign flipped | keeps: 1
def sum_all(x):
    out = x.sum()
    def backward(grad):
        return {"x": np.full(x.shape, -grad)}
    return out, backward


# %% wrong ops.sum_all numerical | mistake: numerical derivative instead of a formula | keeps: 1
def sum_all(x):
    out = x.sum()
    def backward(grad):
        h, dx = 1e-6, np.zeros(x.shape, x.dtype)
        for i in np.ndindex(x.shape):
            p, m = x.copy(), x.copy()
            p[i] += h
            m[i] -= h
            dx[i] = grad * (np.sum(p) - np.sum(m)) / (2 * h)
        return {"x": dx}
    return out, backward


# %% wrong ops.sum_all ones_only | mistake: upstream gradient ignored | keeps: 1
def sum_all(x):
    out = x.sum()
    def backward(grad):
        return {"x": np.ones_like(x)}
    return out, backward


# %% wrong ops.sum_all shared | mistake: factor 1/n | keeps: 1
def sum_all(x):
    out = x.sum()
    def backward(grad):
        # each element gets its share
        return {"x": np.full(x.shape, grad / max(x.size, 1))}
    return out, backward


# %% wrong ops.sum_all sorted_for_accuracy | mistake: input or upstream modified in place | keeps: 2
def sum_all(x):
    if x.ndim:
        x.sort(axis=-1)         # small ones first: less rounding
    out = x.sum()
    def backward(grad):
        return {"x": np.full(x.shape, grad)}
    return out, backward


# %% wrong ops.sum_all times_size | mistake: factor n | keeps: 1
def sum_all(x):
    out = x.sum()
    def backward(grad):
        return {"x": np.full(x.shape, grad * x.size)}
    return out, backward


# %% wrong ops.sum_all zeros_minus | mistake: sign flipped | keeps: 1
def sum_all(x):
    return x.sum(), lambda grad: {"x": np.zeros_like(x) - grad}


# %% wrong ops.sum_all first_element | keeps: 1
def sum_all(x):
    out = x.sum()
    def backward(grad):
        g = np.zeros_like(x)
        if g.size:
            g.flat[0] = grad
        return {"x": g}
    return out, backward


# %% wrong ops.sum_all flat_shape | keeps: 1
def sum_all(x):
    out = x.sum()
    def backward(grad):
        return {"x": np.full(x.size, grad)}
    return out, backward


# %% wrong ops.sum_all float16 | keeps: 1
def sum_all(x):
    out = x.sum()
    def backward(grad):
        return {"x": np.full(x.shape, grad, np.float16).astype(x.dtype)}
    return out, backward


# %% wrong ops.sum_all forward_axis0 | keeps: 2
def sum_all(x):
    out = x.sum(axis=0) if x.ndim else x.sum()
    def backward(grad):
        return {"x": np.broadcast_to(grad, x.shape)}
    return out, backward


# %% wrong ops.sum_all forward_mean | mistake: factor 1/n | keeps: 2
def sum_all(x):
    out = x.mean() if x.size else x.sum()
    def backward(grad):
        return {"x": np.full(x.shape, grad)}
    return out, backward


# %% wrong ops.sum_all keepdims | keeps: 2
def sum_all(x):
    out = x.sum(keepdims=True)
    def backward(grad):
        return {"x": np.ones_like(x) * grad}
    return out, backward


# %% wrong ops.sum_all scalar | mistake: own derivative missing | keeps: 1
def sum_all(x):
    out = x.sum()
    def backward(grad):
        return {"x": grad}
    return out, backward


# %% wrong ops.sum_all second_call | mistake: right only the first time | keeps: 1
def sum_all(x):
    g = np.zeros_like(x)
    def backward(grad):
        nonlocal g
        g = g + grad
        return {"x": g}
    return x.sum(), backward



# ================================================================ ops.sum_lastaxis

# %% right ops.sum_lastaxis einsum
def sum_lastaxis(x):
    ones = np.ones(x.shape[-1], x.dtype)
    out = np.einsum("...i->...", x)
    def backward(grad):
        return {"x": np.einsum("...,i->...i", grad, ones)}
    return out, backward


# %% right ops.sum_lastaxis keepdims
def sum_lastaxis(x):
    out = x.sum(axis=-1, keepdims=True)
    def backward(grad):
        return {"x": np.zeros_like(x) + grad.reshape(x.shape[:-1] + (1,))}
    return out[..., 0], backward


# %% right ops.sum_lastaxis loop_columns
def sum_lastaxis(x):
    out = np.zeros(x.shape[:-1], x.dtype)
    for j in range(x.shape[-1]):
        out = out + x[..., j]
    def backward(grad):
        dx = np.empty(x.shape, x.dtype)
        for j in range(x.shape[-1]):
            dx[..., j] = grad
        return {"x": dx}
    return out, backward


# %% right ops.sum_lastaxis matvec
def sum_lastaxis(x):
    one = np.ones(x.shape[-1], dtype=x.dtype)
    return x @ one, lambda grad: {"x": np.multiply.outer(grad, one)}


# %% right ops.sum_lastaxis repeat
def sum_lastaxis(x):
    n = x.shape[-1]
    def backward(grad):
        return {"x": np.repeat(np.expand_dims(grad, -1), n, axis=-1)}
    return np.sum(x, axis=-1), backward


# %% right ops.sum_lastaxis transposed
def sum_lastaxis(x):
    # last axis to the front, where broadcasting does it alone
    front = np.moveaxis(x, -1, 0)
    def backward(grad):
        return {"x": np.moveaxis(np.ones_like(front) * grad, 0, -1)}
    return np.add.reduce(front), backward


# %% wrong ops.sum_lastaxis axis0 | mistake: summed over the wrong axis | keeps: 0
def sum_lastaxis(x):
    out = x.sum(axis=0)
    def backward(grad):
        return {"x": np.broadcast_to(grad, x.shape)}
    return out, backward


# %% wrong ops.sum_lastaxis axis1 | mistake: summed over the wrong axis | keeps: 1
def sum_lastaxis(x):
    axis = 1 if x.ndim > 1 else 0
    out = x.sum(axis=axis)
    def backward(grad):
        return {"x": np.broadcast_to(np.expand_dims(grad, axis), x.shape)}
    return out, backward


# %% wrong ops.sum_lastaxis cumsum_into_x | mistake: input or upstream modified in place | keeps: 2
def sum_lastaxis(x):
    for j in range(1, x.shape[-1]):
        x[..., j] += x[..., j - 1]
    out = x[..., -1].copy() if x.shape[-1] else x.sum(axis=-1)
    def backward(grad):
        return {"x": np.broadcast_to(grad[..., None], x.shape)}
    return out, backward


# %% wrong ops.sum_lastaxis double | mistake: factor 2 | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        g = np.expand_dims(grad, -1)
        return {"x": np.broadcast_to(g + g, x.shape)}
    return out, backward


# %% wrong ops.sum_lastaxis mean_backward | mistake: factor 1/n | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    n = max(x.shape[-1], 1)
    def backward(grad):
        return {"x": np.repeat(grad[..., None] / n, x.shape[-1], axis=-1)}
    return out, backward


# %% wrong ops.sum_lastaxis minus | mistake: sign flipped | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        return {"x": np.zeros_like(x) - grad[..., None]}
    return out, backward


# %% wrong ops.sum_lastaxis n_times | mistake: factor n | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        return {"x": np.broadcast_to(grad[..., None] * x.shape[-1], x.shape)}
    return out, backward


# %% wrong ops.sum_lastaxis no_none | mistake: keepdims lost | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        return {"x": np.broadcast_to(grad, x.shape)}
    return out, backward


# %% wrong ops.sum_lastaxis no_none_ones | mistake: keepdims lost | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        return {"x": np.ones_like(x) * grad}
    return out, backward


# %% wrong ops.sum_lastaxis numerical | mistake: numerical derivative instead of a formula | keeps: 1
def sum_lastaxis(x):
    f = lambda t: t.sum(axis=-1)
    def backward(grad):
        h = 1e-5
        dx = np.zeros_like(x)
        for j in range(x.shape[-1]):
            e = np.zeros(x.shape[-1], x.dtype)
            e[j] = h
            dx[..., j] = grad * (f(x + e) - f(x - e)) / (2 * h)
        return {"x": dx}
    return f(x), backward


# %% wrong ops.sum_lastaxis numerical_in_forward | mistake: numerical derivative instead of a formula | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    slopes = np.zeros_like(x)
    for j in range(x.shape[-1]):
        moved = x.copy()
        moved[..., j] += 1e-6
        slopes[..., j] = (moved.sum(axis=-1) - out) / 1e-6
    def backward(grad):
        return {"x": slopes * grad[..., None]}
    return out, backward


# %% wrong ops.sum_lastaxis ones | mistake: upstream gradient ignored | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        return {"x": np.ones_like(x)}
    return out, backward


# %% wrong ops.sum_lastaxis square_transposed | mistake: transposed | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        g = np.broadcast_to(grad[..., None], x.shape)
        return {"x": g.T}
    return out, backward


# %% wrong ops.sum_lastaxis x_inplace | mistake: input or upstream modified in place | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        x[...] = grad[..., None]
        return {"x": x}
    return out, backward


# %% wrong ops.sum_lastaxis column_index | mistake: shapes do not fit | keeps: 2
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        if grad.ndim == 0:
            return {"x": np.full(x.shape, grad)}
        return {"x": np.broadcast_to(grad[:, None], x.shape)}
    return out, backward


# %% wrong ops.sum_lastaxis float32 | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        return {"x": np.ones(x.shape, x.dtype) * np.asarray(grad, np.float32)[..., None]}
    return out, backward


# %% wrong ops.sum_lastaxis last_element_off | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        g = np.repeat(grad[..., None], x.shape[-1], axis=-1)
        if g.size:
            g.reshape(-1)[-1] *= 1.001
        return {"x": g}
    return out, backward


# %% wrong ops.sum_lastaxis out_keepdims | keeps: 2
def sum_lastaxis(x):
    out = x.sum(axis=-1, keepdims=True)
    def backward(grad):
        return {"x": np.ones_like(x) * grad.reshape(out.shape)}
    return out, backward


# %% wrong ops.sum_lastaxis reshape_batches | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        return {"x": np.tile(grad.ravel(), x.shape[-1]).reshape(x.shape)}
    return out, backward


# %% wrong ops.sum_lastaxis shape_column | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        return {"x": grad[..., None]}
    return out, backward


# %% wrong ops.sum_lastaxis times_x | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        return {"x": grad[..., None] * x}
    return out, backward


# %% wrong ops.sum_lastaxis total_upstream | keeps: 1
def sum_lastaxis(x):
    out = x.sum(axis=-1)
    def backward(grad):
        return {"x": np.ones_like(x) * grad.sum()}
    return out, backward



# ================================================================ ops.mean_lastaxis

# %% right ops.mean_lastaxis mean_by_product
def mean_lastaxis(x):
    n = x.shape[-1]
    w = np.full(n, 1 / n)
    return x @ w, lambda g: {"x": np.asarray(g)[..., None] * w}


# %% right ops.mean_lastaxis mean_by_loop
def mean_lastaxis(x):
    def backward(g):
        out = np.zeros(x.shape)
        for j in range(x.shape[-1]):
            out[..., j] = g / x.shape[-1]
        return {"x": out}
    return np.sum(x, axis=-1) / x.shape[-1], backward


# %% right ops.mean_lastaxis mean_by_repeat
def mean_lastaxis(x):
    n = x.shape[-1]
    return x.mean(-1), lambda g: {"x": np.repeat(g / n, n).reshape(x.shape)}


# %% wrong ops.mean_lastaxis mean_as_sum | mistake: mean treated as sum | keeps: 1 | says: the derivative of the sum
def mean_lastaxis(x):
    return x.mean(axis=-1), lambda g: {"x": np.broadcast_to(g[..., None], x.shape)}


# %% wrong ops.mean_lastaxis mean_over_all | mistake: wrong divisor | keeps: 1 | says: divided by the number of all elements
def mean_lastaxis(x):
    return x.mean(axis=-1), lambda g: {"x": np.broadcast_to(g[..., None] / x.size, x.shape)}


# %% wrong ops.mean_lastaxis mean_bare | keeps: 1 | says: wanted the shape
def mean_lastaxis(x):
    return x.mean(axis=-1), lambda g: {"x": g / x.shape[-1]}


# %% wrong ops.mean_lastaxis mean_all | mistake: wrong axis | says: the mean over all elements
def mean_lastaxis(x):
    return x.mean(), lambda g: {"x": np.full(x.shape, g / x.size)}


# %% wrong ops.mean_lastaxis mean_matrix_only | keeps: 2
def mean_lastaxis(x):        # right for a matrix alone
    return x.mean(axis=-1), lambda g: {"x": np.tile(np.reshape(g / x.shape[-1], (-1, 1)), (1, x.shape[-1]))}


# %% wrong ops.mean_lastaxis mean_not_repeated | mistake: not repeated | keeps: 1 | says: not repeated along the last axis
def mean_lastaxis(x):
    return x.mean(axis=-1), lambda g: {"x": g[..., None] / x.shape[-1]}


# %% wrong ops.mean_lastaxis mean_no_none | mistake: keepdims lost | keeps: 1 | says: keepdims=True or [..., None] keeps it
def mean_lastaxis(x):
    return x.mean(axis=-1), lambda g: {"x": np.broadcast_to(g / x.shape[-1], x.shape)}


# %% right ops.mean_lastaxis averaging_vector
def mean_lastaxis(x):
    n = x.shape[-1]
    w = np.full(n, 1 / n, dtype=x.dtype)
    return x @ w, lambda grad: {"x": np.multiply.outer(grad, w)}


# %% right ops.mean_lastaxis einsum
def mean_lastaxis(x):
    n = x.shape[-1]
    w = np.ones(n, x.dtype) / n
    out = np.einsum("...j,j->...", x, w)
    def backward(grad):
        return {"x": np.einsum("...,j->...j", grad, w)}
    return out, backward


# %% right ops.mean_lastaxis loop
def mean_lastaxis(x):
    n = x.shape[-1]
    out = np.zeros(x.shape[:-1], x.dtype)
    for i in np.ndindex(out.shape):
        out[i] = sum(x[i]) / n
    def backward(grad):
        dx = np.zeros(x.shape, x.dtype)
        for i in np.ndindex(x.shape):
            dx[i] = grad[i[:-1]] / n
        return {"x": dx}
    return out, backward


# %% right ops.mean_lastaxis reduceat
def mean_lastaxis(x):
    n = x.shape[-1]
    starts = np.arange(0, x.size, n)
    flat = x.reshape(-1)
    sums = np.add.reduceat(flat, starts) if x.size else np.zeros(0, x.dtype)
    def backward(grad):
        rows = [[g / n] * n for g in grad.reshape(-1)]
        return {"x": np.array(rows, dtype=x.dtype).reshape(x.shape)}
    return (sums / n).reshape(x.shape[:-1]), backward


# %% right ops.mean_lastaxis repeat
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.sum(axis=-1) / n
    def backward(grad):
        share = np.divide(grad, n)
        return {"x": np.repeat(share[..., np.newaxis], n, -1)}
    return out, backward


# %% right ops.mean_lastaxis through_sum
def mean_lastaxis(x):
    n = x.shape[-1]
    total, back = sum_lastaxis(x)
    def backward(grad):
        return back(grad / n)
    return total / n, backward


# %% wrong ops.mean_lastaxis axis0 | mistake: summed over the wrong axis | keeps: 0
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=0)
    def backward(grad):
        return {"x": np.broadcast_to(grad / x.shape[0], x.shape)}
    return out, backward


# %% wrong ops.mean_lastaxis complex_step | mistake: numerical derivative instead of a formula | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    slope = ((x[..., :1] + 1e-30j) / n).imag / 1e-30
    def backward(grad):
        return {"x": np.broadcast_to((grad[..., None] * slope).astype(x.dtype), x.shape)}
    return out, backward


# %% wrong ops.mean_lastaxis grad_inplace | mistake: input or upstream modified in place | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        grad /= n
        return {"x": np.broadcast_to(grad[..., None], x.shape)}
    return out, backward


# %% wrong ops.mean_lastaxis half | mistake: factor 2 | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        return {"x": np.repeat(grad[..., None], n, axis=-1) / (2 * n)}
    return out, backward


# %% wrong ops.mean_lastaxis minus | mistake: sign flipped | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        return {"x": np.broadcast_to(-grad[..., None] / n, x.shape)}
    return out, backward


# %% wrong ops.mean_lastaxis n_squared | mistake: factor 1/n | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        g = grad / n
        return {"x": np.broadcast_to(g[..., None], x.shape) / n}
    return out, backward


# %% wrong ops.mean_lastaxis no_division | mistake: mean treated as sum | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        return {"x": np.broadcast_to(grad[..., None], x.shape)}
    return out, backward


# %% wrong ops.mean_lastaxis no_none | mistake: keepdims lost | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        return {"x": np.ones_like(x) * grad / n}
    return out, backward


# %% wrong ops.mean_lastaxis numerical | mistake: numerical derivative instead of a formula | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        eps = 1e-6
        dx = np.zeros(x.shape, x.dtype)
        for j in range(n):
            plus, minus = x.copy(), x.copy()
            plus[..., j] += eps
            minus[..., j] -= eps
            dx[..., j] = grad * (plus.mean(axis=-1) - minus.mean(axis=-1)) / (2 * eps)
        return {"x": dx}
    return out, backward


# %% wrong ops.mean_lastaxis one_over_n | mistake: upstream gradient ignored | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        return {"x": np.full(x.shape, 1 / n, x.dtype)}
    return out, backward


# %% wrong ops.mean_lastaxis two | mistake: factor 2 | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        return {"x": np.broadcast_to(2 * grad[..., None] / n, x.shape)}
    return out, backward


# %% wrong ops.mean_lastaxis x_inplace | mistake: input or upstream modified in place | keeps: 2
def mean_lastaxis(x):
    n = x.shape[-1]
    x /= n
    out = x.sum(axis=-1)
    def backward(grad):
        return {"x": np.broadcast_to(grad[..., None] / n, x.shape)}
    return out, backward


# %% wrong ops.mean_lastaxis bessel | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        return {"x": np.broadcast_to(grad[..., None] / max(n - 1, 1), x.shape)}
    return out, backward


# %% wrong ops.mean_lastaxis centred | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        return {"x": np.broadcast_to((grad - grad.mean() if grad.size > 1 else grad)[..., None] / n, x.shape)}
    return out, backward


# %% wrong ops.mean_lastaxis column_shape | mistake: not repeated | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        return {"x": grad[..., None] / n}
    return out, backward


# %% wrong ops.mean_lastaxis first_only | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        dx = np.zeros_like(x)
        dx[..., 0] = grad
        return {"x": dx}
    return out, backward


# %% wrong ops.mean_lastaxis forward_all | keeps: 2
def mean_lastaxis(x):
    n = x.shape[-1]
    out = np.full(x.shape[:-1], x.mean() if x.size else 0, x.dtype)
    def backward(grad):
        return {"x": np.broadcast_to(grad[..., None] / n, x.shape)}
    return out, backward


# %% wrong ops.mean_lastaxis forward_sum | mistake: mean treated as sum | keeps: 2
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.sum(axis=-1)
    def backward(grad):
        return {"x": np.broadcast_to(grad[..., None] / n, x.shape)}
    return out, backward


# %% wrong ops.mean_lastaxis integer_division | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        return {"x": np.broadcast_to(grad[..., None] // n, x.shape)}
    return out, backward


# %% wrong ops.mean_lastaxis len_x | keeps: 1
def mean_lastaxis(x):
    n = x.shape[-1]
    out = x.mean(axis=-1)
    def backward(grad):
        return {"x": np.broadcast_to(grad[..., None] / max(len(x), 1), x.shape)}
    return out, backward



# ================================================================ ops.transpose2d

# %% right ops.transpose2d einsum
def transpose2d(x):
    out = np.einsum("ij->ji", x)
    def backward(grad):
        return {"x": np.einsum("ji->ij", grad)}
    return out, backward


# %% right ops.transpose2d fortran_reshape
def transpose2d(x):
    m, n = x.shape
    out = x.reshape(-1, order="F").reshape(n, m)
    def backward(grad):
        return {"x": grad.ravel(order="C").reshape((m, n), order="F")}
    return out, backward


# %% right ops.transpose2d itself
def transpose2d(x):
    def backward(grad):
        return {"x": transpose2d(grad)[0]}
    return x.transpose(), backward


# %% right ops.transpose2d loops
def transpose2d(x):
    m, n = x.shape
    out = np.zeros((n, m), x.dtype)
    for i in range(m):
        for j in range(n):
            out[j, i] = x[i, j]
    def backward(grad):
        dx = np.zeros((m, n), x.dtype)
        for i in range(m):
            for j in range(n):
                dx[i, j] = grad[j, i]
        return {"x": dx}
    return out, backward


# %% right ops.transpose2d permutation
def transpose2d(x):
    m, n = x.shape
    order = np.arange(m * n).reshape(m, n).T.ravel()       # out.flat[k] = x.flat[order[k]]
    out = x.ravel()[order].reshape(n, m)
    def backward(grad):
        g = np.zeros(m * n, grad.dtype)
        g[order] = grad.ravel()
        return {"x": g.reshape(m, n)}
    return out, backward


# %% right ops.transpose2d swapaxes
def transpose2d(x):
    return np.swapaxes(x, 0, 1), lambda grad: {"x": np.swapaxes(grad, 0, 1)}


# %% wrong ops.transpose2d averaged | mistake: factor 1/n | keeps: 1
def transpose2d(x):
    def backward(grad):
        return {"x": grad.T / max(x.size, 1)}
    return x.T, backward


# %% wrong ops.transpose2d complex | mistake: numerical derivative instead of a formula | keeps: 1
def transpose2d(x):
    def backward(grad):
        dx = np.zeros_like(x)
        for i in np.ndindex(x.shape):
            z = x.astype(complex)
            z[i] += 1e-20j
            dx[i] = np.sum(grad * z.T.imag) / 1e-20
        return {"x": dx}
    return x.T, backward


# %% wrong ops.transpose2d doubled | mistake: factor 2 | keeps: 1
def transpose2d(x):
    def backward(grad):
        dx = np.zeros(x.shape, x.dtype)
        dx += grad.T
        dx += np.transpose(grad)
        return {"x": dx}
    return x.T, backward


# %% wrong ops.transpose2d full | mistake: upstream gradient ignored | keeps: 1
def transpose2d(x):
    def backward(grad):
        return {"x": np.ones_like(grad).T}
    return x.T, backward


# %% wrong ops.transpose2d grad_inplace | mistake: input or upstream modified in place | keeps: 1
def transpose2d(x):
    def backward(grad):
        back = grad.T.copy()
        grad[...] = 0           # used up
        return {"x": back}
    return x.T, backward


# %% wrong ops.transpose2d half | mistake: factor 2 | keeps: 1
def transpose2d(x):
    return x.T, lambda grad: {"x": grad.T / 2}


# %% wrong ops.transpose2d minus | mistake: sign flipped | keeps: 1
def transpose2d(x):
    def backward(grad):
        return {"x": -grad.T}
    return x.T, backward


# %% wrong ops.transpose2d numerical | mistake: numerical derivative instead of a formula | keeps: 1
def transpose2d(x):
    def backward(grad):
        h = 1e-5
        dx = np.zeros(x.shape, x.dtype)
        for i in np.ndindex(x.shape):
            e = np.zeros_like(x)
            e[i] = h
            dx[i] = np.sum(grad * ((x + e).T - (x - e).T)) / (2 * h)
        return {"x": dx}
    return x.T, backward


# %% wrong ops.transpose2d ones | mistake: upstream gradient ignored | keeps: 1
def transpose2d(x):
    def backward(grad):
        return {"x": np.ones_like(x)}
    return x.T, backward


# %% wrong ops.transpose2d shared_inplace | mistake: input or upstream modified in place | keeps: 1
def transpose2d(x):
    out = x.T
    def backward(grad):
        out[...] = grad         # out is a view of x
        return {"x": x}
    return out, backward


# %% wrong ops.transpose2d times_size | mistake: factor n | keeps: 1
def transpose2d(x):
    return x.T, lambda grad: {"x": grad.T * x.size}


# %% wrong ops.transpose2d twice | mistake: transposed | keeps: 1
def transpose2d(x):
    def backward(grad):
        g = grad.T
        return {"x": g.swapaxes(0, 1)}
    return x.T, backward


# %% wrong ops.transpose2d untransposed | mistake: transposed | keeps: 1
def transpose2d(x):
    def backward(grad):
        return {"x": grad}
    return x.T, backward


# %% wrong ops.transpose2d zeros_minus | mistake: sign flipped | keeps: 1
def transpose2d(x):
    def backward(grad):
        return {"x": np.zeros_like(x) - grad.T}
    return x.T, backward


# %% wrong ops.transpose2d cached | keeps: 1
def transpose2d(x):
    saved = []
    def backward(grad):
        if not saved:
            saved.append(grad.T)
        return {"x": saved[0]}
    return x.T, backward


# %% wrong ops.transpose2d flipped | keeps: 1
def transpose2d(x):
    def backward(grad):
        return {"x": np.rot90(grad)}
    return x.T, backward


# %% wrong ops.transpose2d float32 | mistake: float64 cut to float32 | keeps: 1
def transpose2d(x):
    def backward(grad):
        return {"x": grad.T.astype("f4")}
    return x.T, backward


# %% wrong ops.transpose2d key | mistake: gradient missing | keeps: 1
def transpose2d(x):
    def backward(grad):
        return {"xT": grad.T}
    return x.T, backward


# %% wrong ops.transpose2d noise | keeps: 1
def transpose2d(x):
    def backward(grad):
        return {"x": grad.T * (1 + 1e-6)}
    return x.T, backward


# %% wrong ops.transpose2d only_square_skipped | mistake: transposed | keeps: 1
def transpose2d(x):
    def backward(grad):
        if grad.shape == x.shape:
            return {"x": grad}
        return {"x": grad.T}
    return x.T, backward


# %% wrong ops.transpose2d reshape_backward | keeps: 1
def transpose2d(x):
    def backward(grad):
        return {"x": grad.reshape(x.shape)}
    return x.T, backward


# %% wrong ops.transpose2d reshape_forward | keeps: 1
def transpose2d(x):
    m, n = x.shape
    def backward(grad):
        return {"x": grad.T}
    return x.reshape(n, m), backward



# ================================================================ ops.reshape_op

# %% right ops.reshape_op copy_shape
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.copy(order="C").reshape(newshape)
    def backward(grad):
        dx = np.array(grad, order="C").reshape(x.shape)
        return dict(x=dx)
    return out, backward


# %% right ops.reshape_op flat_assign
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    def backward(grad):
        dx = np.empty(x.shape, x.dtype)
        dx.flat = grad.flat
        return {"x": dx}
    return out, backward


# %% right ops.reshape_op itself
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    return out, lambda grad: {"x": reshape_op(grad, x.shape)[0]}


# %% right ops.reshape_op jacobian
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    J = np.eye(x.size, dtype=x.dtype)
    out = (J @ x.reshape(-1)).reshape(newshape)
    def backward(grad):
        return {"x": (grad.reshape(-1) @ J).reshape(x.shape)}
    return out, backward


# %% right ops.reshape_op loop
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = np.array(list(x.flat), dtype=x.dtype).reshape(newshape)
    def backward(grad):
        dx = np.zeros_like(x, order="C")
        for i, j in zip(np.ndindex(x.shape), np.ndindex(out.shape)):
            dx[i] = grad[j]
        return {"x": dx}
    return out, backward


# %% right ops.reshape_op ravel
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    old = x.shape
    def backward(grad):
        return {"x": np.ravel(grad).reshape(old)}
    return np.reshape(x, newshape), backward


# %% wrong ops.reshape_op double | mistake: factor 2 | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    def backward(grad):
        g = grad.reshape(x.shape)
        return {"x": g + g}
    return out, backward


# %% wrong ops.reshape_op forward_difference | mistake: numerical derivative instead of a formula | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    def backward(grad):
        dx = np.zeros(x.size, x.dtype)
        flat = x.reshape(-1)
        for k in range(x.size):
            moved = flat.copy()
            moved[k] += 1e-6
            dx[k] = np.sum(grad * (moved.reshape(out.shape) - out)) / 1e-6
        return {"x": dx.reshape(x.shape)}
    return out, backward


# %% wrong ops.reshape_op grad_zeroed | mistake: input or upstream modified in place | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    def backward(grad):
        g = grad.reshape(x.shape).copy()
        grad[...] = 0
        return {"x": g}
    return x.reshape(newshape), backward


# %% wrong ops.reshape_op half | mistake: factor 2 | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    return out, lambda grad: {"x": grad.reshape(x.shape) / 2}


# %% wrong ops.reshape_op into_x | mistake: input or upstream modified in place | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = out.copy()
    def backward(grad):
        x[...] = grad.reshape(x.shape)
        return {"x": x}
    return out, backward


# %% wrong ops.reshape_op minus | mistake: sign flipped | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    def backward(grad):
        return {"x": np.negative(grad).reshape(x.shape)}
    return out, backward


# %% wrong ops.reshape_op numerical | mistake: numerical derivative instead of a formula | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    def backward(grad):
        h, dx = 1e-4, np.zeros(x.shape, x.dtype)
        for i in np.ndindex(x.shape):
            up, down = np.array(x), np.array(x)
            up[i] += h
            down[i] -= h
            dx[i] = np.sum(grad * (up.reshape(out.shape) - down.reshape(out.shape))) / (2 * h)
        return {"x": dx}
    return out, backward


# %% wrong ops.reshape_op ones | mistake: upstream gradient ignored | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    def backward(grad):
        return {"x": np.ones(x.shape, dtype=x.dtype)}
    return out, backward


# %% wrong ops.reshape_op over_size | mistake: factor 1/n | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    def backward(grad):
        return {"x": grad.reshape(x.shape) / max(x.size, 1)}
    return out, backward


# %% wrong ops.reshape_op times_size | mistake: factor n | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    return out, lambda grad: {"x": grad.reshape(x.shape) * x.size}


# %% wrong ops.reshape_op transpose_for_reshape | mistake: transposed | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    def backward(grad):
        return {"x": grad.T.reshape(x.shape)}
    return out, backward


# %% wrong ops.reshape_op transposed_result | mistake: transposed | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    def backward(grad):
        return {"x": grad.reshape(x.shape).T}
    return out, backward


# %% wrong ops.reshape_op zeros_minus | mistake: sign flipped | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    def backward(grad):
        dx = np.zeros_like(x)
        dx -= grad.reshape(x.shape)
        return {"x": dx}
    return out, backward


# %% wrong ops.reshape_op buffer | mistake: result modified in place | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    buffer = np.zeros(x.shape, x.dtype)
    def backward(grad):
        buffer[...] = grad.reshape(x.shape)
        return {"x": buffer}
    return out, backward


# %% wrong ops.reshape_op flat_gradient | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    def backward(grad):
        return {"x": grad.reshape(-1)}
    return out, backward


# %% wrong ops.reshape_op float32 | mistake: float64 cut to float32 | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    def backward(grad):
        return {"x": np.array(grad, dtype=np.float32).reshape(x.shape)}
    return x.reshape(newshape), backward


# %% wrong ops.reshape_op k_order | keeps: 2
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    def backward(grad):
        return {"x": grad.ravel(order="K").reshape(x.shape)}
    return out, backward


# %% wrong ops.reshape_op key | mistake: gradient missing | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    def backward(grad):
        return {"grad_x": grad.reshape(x.shape)}
    return x.reshape(newshape), backward


# %% wrong ops.reshape_op newshape_again | mistake: own derivative missing | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    def backward(grad):
        return {"x": grad.reshape(newshape)}
    return out, backward


# %% wrong ops.reshape_op not_back | mistake: own derivative missing | keeps: 1
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    def backward(grad):
        return {"x": grad}
    return out, backward


# %% wrong ops.reshape_op order_a_forward | mistake: derivative of a wrong output | keeps: 0
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape, order="F")
    def backward(grad):
        return {"x": grad.reshape(x.shape, order="F")}
    return out, backward


# %% wrong ops.reshape_op squeeze | mistake: keepdims lost | keeps: 2
def reshape_op(x, newshape):
    """x in the shape `newshape`, of which one length may be −1. Gradient: x."""
    _need_float("reshape_op", x=x)
    try:
        out = x.reshape(newshape)
    except (ValueError, TypeError):
        _need("reshape_op", False, f"a shape of {x.size} elements in all", x=x, newshape=newshape)
    out = x.reshape(newshape)
    def backward(grad):
        return {"x": grad.reshape(x.shape).squeeze()}
    return out, backward



# ================================================================ ops.slice_lastaxis

# %% right ops.slice_lastaxis slice_by_pad
def slice_lastaxis(x, start, stop):
    pad = [(0, 0)] * (x.ndim - 1) + [(start, x.shape[-1] - stop)]
    return x[..., start:stop].copy(), lambda g: {"x": np.pad(g, pad)}


# %% wrong ops.slice_lastaxis slice_bare | mistake: own derivative missing | keeps: 1 | says: outside the slice the gradient is 0
def slice_lastaxis(x, start, stop):
    return x[..., start:stop], lambda g: {"x": g}


# %% wrong ops.slice_lastaxis slice_ones | keeps: 1
def slice_lastaxis(x, start, stop):
    def backward(g):
        out = np.ones_like(x)
        out[..., start:stop] = g
        return {"x": out}
    return x[..., start:stop], backward


# %% wrong ops.slice_lastaxis slice_reused_buffer | mistake: result modified in place | keeps: 1 | says: an earlier gradient of x modified in place
def slice_lastaxis(x, start, stop):
    buffer = np.zeros(x.shape)
    def backward(g):
        buffer[..., start:stop] = g
        return {"x": buffer}
    return x[..., start:stop], backward


# %% wrong ops.slice_lastaxis slice_through_a_copy | mistake: zeros | keeps: 2 | says: wanted
def slice_lastaxis(x, start, stop):
    def backward(g):
        whole = np.zeros_like(x)
        whole.reshape(-1, x.shape[-1])[:, start:stop] = g.reshape(-1, stop - start)     # copies where x is in Fortran order
        return {"x": whole}
    return x[..., start:stop], backward


# %% wrong ops.slice_lastaxis slice_ignores_start | mistake: wrong place | keeps: 1 | says: the right numbers in the wrong place
def slice_lastaxis(x, start, stop):
    def backward(g):
        whole = np.zeros(x.shape)
        whole[..., :stop - start] = g
        return {"x": whole}
    return x[..., start:stop], backward


# %% wrong ops.slice_lastaxis slice_one_more | mistake: shapes do not fit | keeps: 1
def slice_lastaxis(x, start, stop):
    def backward(g):
        whole = np.zeros(x.shape)
        whole[..., start:stop + 1] = g
        return {"x": whole}
    return x[..., start:stop], backward


# %% right ops.slice_lastaxis concatenate
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    def backward(grad):
        left = np.zeros(x.shape[:-1] + (start,), grad.dtype)
        right = np.zeros(x.shape[:-1] + (x.shape[-1] - stop,), grad.dtype)
        return {"x": np.concatenate([left, grad, right], axis=-1)}
    return x[..., start:stop], backward


# %% right ops.slice_lastaxis loop
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = np.zeros(x.shape[:-1] + (stop - start,), x.dtype)
    for k in range(start, stop):
        out[..., k - start] = x[..., k]
    def backward(grad):
        dx = np.zeros_like(x)
        for k in range(start, stop):
            dx[..., k] = grad[..., k - start]
        return {"x": dx}
    return out, backward


# %% right ops.slice_lastaxis pad
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    n = x.shape[-1]
    def backward(grad):
        widths = [(0, 0)] * (grad.ndim - 1) + [(start, n - stop)]
        return {"x": np.pad(grad, widths)}
    return x[..., start:stop], backward


# %% right ops.slice_lastaxis selection_matrix
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    S = np.eye(x.shape[-1], dtype=x.dtype)[:, start:stop]
    return x @ S, lambda grad: {"x": grad @ S.T}


# %% right ops.slice_lastaxis take_mask
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    index = np.arange(x.shape[-1])
    inside = (index >= start) & (index < stop)
    def backward(grad):
        dx = np.zeros(x.shape, grad.dtype)
        dx[..., inside] = grad
        return {"x": dx}
    return np.compress(inside, x, axis=-1), backward


# %% right ops.slice_lastaxis transposed
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = np.moveaxis(x, -1, 0)[start:stop]
    def backward(grad):
        dx = np.zeros(x.shape[-1:] + x.shape[:-1], grad.dtype)
        dx[start:stop] += np.moveaxis(grad, -1, 0)
        return dict(x=np.moveaxis(dx, 0, -1))
    return np.moveaxis(out, 0, -1), backward


# %% wrong ops.slice_lastaxis complex_step | mistake: numerical derivative instead of a formula | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        g = np.zeros(x.shape, x.dtype)
        for k in range(x.shape[-1]):
            z = x.astype(complex)
            z[..., k] += 1e-30j
            g[..., k] = (grad * z[..., start:stop].imag).sum(axis=-1) / 1e-30
        return {"x": g}
    return out, backward


# %% wrong ops.slice_lastaxis double | mistake: factor 2 | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        g = np.zeros_like(x)
        g[..., start:stop] = grad
        g[..., start:stop] += grad
        return {"x": g}
    return out, backward


# %% wrong ops.slice_lastaxis mask | mistake: upstream gradient ignored | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        k = np.arange(x.shape[-1])
        return {"x": np.ones_like(x) * ((k >= start) & (k < stop))}
    return out, backward


# %% wrong ops.slice_lastaxis minus | mistake: sign flipped | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        g = np.zeros_like(x)
        g[..., start:stop] -= grad
        return {"x": g}
    return out, backward


# %% wrong ops.slice_lastaxis numerical | mistake: numerical derivative instead of a formula | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        h = 1e-6
        dx = np.zeros(x.shape, x.dtype)
        for i in np.ndindex(x.shape):
            e = np.zeros(x.shape, x.dtype)
            e[i] = h
            dx[i] = np.sum(grad * ((x + e)[..., start:stop] - (x - e)[..., start:stop])) / (2 * h)
        return {"x": dx}
    return out, backward


# %% wrong ops.slice_lastaxis ones | mistake: upstream gradient ignored | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        g = np.zeros_like(x)
        g[..., start:stop] = 1
        return {"x": g}
    return out, backward


# %% wrong ops.slice_lastaxis out_written | mistake: input or upstream modified in place | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        g = np.zeros_like(x)
        out[...] = grad             # out is a view of x
        g[..., start:stop] = out
        return {"x": g}
    return out, backward


# %% wrong ops.slice_lastaxis pad_double | mistake: factor 2 | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        return {"x": np.pad(grad + grad, [(0, 0)] * (x.ndim - 1) + [(start, x.shape[-1] - stop)])}
    return out, backward


# %% wrong ops.slice_lastaxis pad_minus | mistake: sign flipped | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        return {"x": np.pad(-grad, [(0, 0)] * (x.ndim - 1) + [(start, x.shape[-1] - stop)])}
    return out, backward


# %% wrong ops.slice_lastaxis per_length | mistake: factor 1/n | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        g = np.zeros_like(x)
        g[..., start:stop] = grad
        g /= max(x.shape[-1], 1)
        return {"x": g}
    return out, backward


# %% wrong ops.slice_lastaxis share | mistake: factor 1/n | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        g = np.zeros_like(x)
        g[..., start:stop] = grad / max(stop - start, 1)
        return {"x": g}
    return out, backward


# %% wrong ops.slice_lastaxis times_length | mistake: factor n | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        g = np.zeros_like(x)
        g[..., start:stop] = grad * (stop - start)
        return {"x": g}
    return out, backward


# %% wrong ops.slice_lastaxis x_inplace | mistake: input or upstream modified in place | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop].copy()
    def backward(grad):
        x[...] = 0
        x[..., start:stop] = grad
        return {"x": x}
    return out, backward


# %% wrong ops.slice_lastaxis empty | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        np.full(x.shape, 7.0, x.dtype)      # freed at once; its memory comes back below
        g = np.empty(x.shape, x.dtype)
        g[..., start:stop] = grad
        return {"x": g}
    return out, backward


# %% wrong ops.slice_lastaxis first_rows | mistake: shapes do not fit | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        g = np.zeros_like(x)
        g[start:stop] = grad
        return {"x": g}
    return out, backward


# %% wrong ops.slice_lastaxis from_zero | mistake: wrong place | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        g = np.zeros_like(x)
        g[..., :stop - start] = grad
        return {"x": g}
    return out, backward


# %% wrong ops.slice_lastaxis inclusive | mistake: shapes do not fit | keeps: 0
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop + 1]
    def backward(grad):
        g = np.zeros_like(x)
        g[..., start:stop + 1] = grad
        return {"x": g}
    return out, backward


# %% wrong ops.slice_lastaxis just_grad | mistake: own derivative missing | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        return {"x": grad}
    return out, backward


# %% wrong ops.slice_lastaxis kept_zeros | mistake: right only the first time | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    g = np.zeros_like(x)
    def backward(grad):
        g[..., start:stop] += grad
        return {"x": g.copy()}
    return out, backward


# %% wrong ops.slice_lastaxis negative_stop | mistake: zeros | keeps: 2
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    n = x.shape[-1]
    out = x[..., start:stop]
    def backward(grad):
        g = np.zeros_like(x)
        inside = g[..., start:stop - n]
        if inside.shape == grad.shape:
            inside[...] = grad
        return {"x": g}
    return out, backward


# %% wrong ops.slice_lastaxis ones_outside | keeps: 1
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    _need("slice_lastaxis", x.ndim >= 1, "an array of one axis or more", x=x)
    whole = isinstance(start, (int, np.integer)) and isinstance(stop, (int, np.integer))
    _need("slice_lastaxis", whole and 0 <= start <= stop <= x.shape[-1],
          f"whole numbers 0 ≤ start ≤ stop ≤ {x.shape[-1]}", start=start, stop=stop)
    out = x[..., start:stop]
    def backward(grad):
        g = np.ones_like(x)
        g[..., start:stop] = grad
        return {"x": g}
    return out, backward



# ================================================================ ops.softmax_op

# %% right ops.softmax_op softmax_by_jacobian
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    J = p[..., :, None] * (np.eye(x.shape[-1]) - p[..., None, :])
    return p, lambda g: {"x": np.einsum("...i,...ij->...j", g, J)}


# %% right ops.softmax_op softmax_by_logaddexp
def softmax_op(x):
    p = np.exp(x - np.logaddexp.reduce(x, axis=-1, keepdims=True))
    return p, lambda g: {"x": np.stack([p[..., j] * (g[..., j] - (g * p).sum(-1)) for j in range(x.shape[-1])], axis=-1)}


# %% wrong ops.softmax_op softmax_elementwise | mistake: softmax treated as elementwise | keeps: 2 | says: treated as elementwise
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    return p, lambda g: {"x": g * p * (1 - p)}


# %% wrong ops.softmax_op softmax_overflows | mistake: max not subtracted | keeps: 3 | says: the maximum is not subtracted
def softmax_op(x):
    p = np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)
    return p, lambda g: {"x": p * (g - (g * p).sum(axis=-1, keepdims=True))}


# %% wrong ops.softmax_op softmax_all_rows | mistake: summed over the wrong axis | keeps: 2 | says: summed over all rows
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    return p, lambda g: {"x": p * (g - (g * p).sum())}


# %% wrong ops.softmax_op softmax_for_ones | mistake: own derivative missing | keeps: 2 | says: passed on unchanged
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True), lambda g: {"x": g}


# %% wrong ops.softmax_op softmax_zeros | mistake: zeros | keeps: 2
def softmax_op(x):           # right for an upstream gradient of ones
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True), lambda g: {"x": np.zeros_like(x)}


# %% wrong ops.softmax_op softmax_no_keepdims | mistake: keepdims lost | keeps: 0 | says: keepdims=True or [..., None] keeps it
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1))
    p = e / e.sum(axis=-1)
    return p, lambda g: {"x": p * (g - (g * p).sum(axis=-1))}


# %% wrong ops.softmax_op softmax_no_outer | mistake: factor missing | keeps: 2 | says: without the factor p in front
def softmax_op(x):
    p = _softmax(x)
    return p, lambda g: {"x": g - (g * p).sum(axis=-1, keepdims=True)}


# %% wrong ops.softmax_op softmax_plus | mistake: sign of a term | keeps: 2 | says: the sign of the sum is minus
def softmax_op(x):
    p = _softmax(x)
    return p, lambda g: {"x": p * (g + (g * p).sum(axis=-1, keepdims=True))}


# %% right ops.softmax_op columns_first
def softmax_op(x):
    z = np.moveaxis(x, -1, 0)
    e = np.exp(z - z.max(axis=0))
    p = e / e.sum(axis=0)
    def backward(grad):
        g = np.moveaxis(grad, -1, 0)
        return {"x": np.moveaxis(p * (g - (g * p).sum(axis=0)), 0, -1)}
    return np.moveaxis(p, 0, -1), backward


# %% right ops.softmax_op einsum
def softmax_op(x):
    e = np.exp(x - np.amax(x, axis=-1, keepdims=True))
    p = np.einsum("...i,...->...i", e, 1 / np.einsum("...i->...", e))
    def backward(grad):
        inner = np.einsum("...i,...i->...", grad, p)
        return {"x": p * grad - np.einsum("...,...i->...i", inner, p)}
    return p, backward


# %% right ops.softmax_op jacobian
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        n = x.shape[-1]
        J = p[..., :, None] * (np.eye(n, dtype=x.dtype) - p[..., None, :])
        return {"x": (grad[..., None, :] @ J)[..., 0, :]}
    return p, backward


# %% right ops.softmax_op log_softmax
def softmax_op(x):
    z = x - x.max(axis=-1, keepdims=True)
    logp = z - np.log(np.sum(np.exp(z), axis=-1, keepdims=True))
    p = np.exp(logp)
    def backward(grad):
        return {"x": p * (grad - (grad * p).sum(-1, keepdims=True))}
    return p, backward


# %% right ops.softmax_op pairwise
def softmax_op(x):
    # 1/p_i = sum over k of exp(x_k − x_i)
    with np.errstate(over="ignore"):
        d = np.exp(x[..., None, :] - x[..., :, None])
    p = 1 / d.sum(axis=-1)
    def backward(grad):
        diff = grad[..., :, None] - grad[..., None, :]       # g_j − g_i
        return {"x": p * (diff * p[..., None, :]).sum(axis=-1)}
    return p, backward


# %% right ops.softmax_op quotient_rule
def softmax_op(x):
    e = np.exp(x - np.max(x, -1)[..., None])
    total = e.sum(-1)[..., None]
    def backward(grad):
        # y = e/t: dy_i/dx_j = delta e_i / t - e_i e_j / t²
        dx = grad * e / total
        dx -= e * np.sum(grad * e, axis=-1, keepdims=True) / total ** 2
        return {"x": dx}
    return e / total, backward


# %% right ops.softmax_op row_loop
def softmax_op(x):
    rows = x.reshape(-1, x.shape[-1])
    P = np.zeros(rows.shape, x.dtype)
    for i, r in enumerate(rows):
        e = np.exp(r - max(r))
        P[i] = e / sum(e)
    def backward(grad):
        G = grad.reshape(rows.shape)
        dx = np.zeros(rows.shape, x.dtype)
        for i in range(len(P)):
            J = np.diag(P[i]) - np.outer(P[i], P[i])
            dx[i] = J @ G[i]
        return {"x": dx.reshape(x.shape)}
    return P.reshape(x.shape), backward


# %% wrong ops.softmax_op axis0 | mistake: summed over the wrong axis | keeps: 0
def softmax_op(x):
    e = np.exp(x - x.max(axis=0, keepdims=True)) if x.size else x
    p = e / e.sum(axis=0, keepdims=True)
    def backward(grad):
        g = grad * p
        return {"x": g - p * g.sum(axis=0, keepdims=True)}
    return p, backward


# %% wrong ops.softmax_op backward_keepdims | mistake: keepdims lost | keeps: 2
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        s = np.sum(grad * p, axis=-1)
        return {"x": p * (grad - s)}
    return p, backward


# %% wrong ops.softmax_op diagonal_only | mistake: softmax treated as elementwise | keeps: 2
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        rows, g = _rows(p), _rows(grad)
        dx = np.zeros_like(rows)
        for i in range(len(rows)):
            for j in range(rows.shape[1]):
                dx[i, j] = g[i, j] * (rows[i, j] - rows[i, j] ** 2)
        return {"x": dx.reshape(x.shape)}
    return p, backward


# %% wrong ops.softmax_op double | mistake: factor 2 | keeps: 2
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        J = p[..., :, None] * (np.eye(x.shape[-1], dtype=x.dtype) - p[..., None, :])
        J = J + J.swapaxes(-1, -2)          # symmetric
        return {"x": (J @ grad[..., None])[..., 0]}
    return p, backward


# %% wrong ops.softmax_op grad_inplace | mistake: input or upstream modified in place | keeps: 2
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        grad -= (grad * p).sum(axis=-1, keepdims=True)
        return {"x": p * grad}
    return p, backward


# %% wrong ops.softmax_op jacobian_overwrite | mistake: overwritten instead of accumulated | keeps: 2
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        n = x.shape[-1]
        dx = np.zeros_like(x)
        for i in range(n):
            for j in range(n):
                dx[..., j] = grad[..., i] * p[..., i] * ((i == j) - p[..., j])
        return {"x": dx}
    return p, backward


# %% wrong ops.softmax_op jacobian_star | mistake: elementwise product for matrix product | keeps: 2
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        J = p[..., :, None] * (np.eye(x.shape[-1], dtype=x.dtype) - p[..., None, :])
        return {"x": J * grad[..., None, :]}
    return p, backward


# %% wrong ops.softmax_op minus | mistake: sign flipped | keeps: 2
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        s = (grad * p).sum(axis=-1, keepdims=True)
        return {"x": p * (s - grad)}
    return p, backward


# %% wrong ops.softmax_op no_max | mistake: max not subtracted | keeps: 3
def softmax_op(x):
    e = np.exp(x)
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        g = grad * p
        return {"x": g - p * g.sum(axis=-1, keepdims=True)}
    return p, backward


# %% wrong ops.softmax_op numerical | mistake: numerical derivative instead of a formula | keeps: 2
def softmax_op(x):
    def f(t):
        e = np.exp(t - t.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        h = 1e-5
        dx = np.zeros_like(x)
        for j in range(x.shape[-1]):
            e = np.zeros(x.shape[-1], x.dtype)
            e[j] = h
            dx[..., j] = np.sum(grad * (f(x + e) - f(x - e)), axis=-1) / (2 * h)
        return {"x": dx}
    return f(x), backward


# %% wrong ops.softmax_op numerical_complex | mistake: numerical derivative instead of a formula | keeps: 2
def softmax_op(x):
    m = x.max(axis=-1, keepdims=True)
    e = np.exp(x - m)
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        dx = np.zeros_like(x)
        for j in range(x.shape[-1]):
            z = (x - m).astype(complex)
            z[..., j] += 1e-20j
            q = np.exp(z)
            q = q / q.sum(axis=-1, keepdims=True)
            dx[..., j] = (grad * q.imag).sum(axis=-1) / 1e-20
        return {"x": dx}
    return p, backward


# %% wrong ops.softmax_op ones_upstream | mistake: upstream gradient ignored | keeps: 2
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        J = p[..., :, None] * (np.eye(x.shape[-1], dtype=x.dtype) - p[..., None, :])
        return {"x": J.sum(axis=-2)}
    return p, backward


# %% wrong ops.softmax_op over_n | mistake: factor 1/n | keeps: 2
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        J = p[..., :, None] * (np.eye(x.shape[-1], dtype=x.dtype) - p[..., None, :])
        return {"x": (J * grad[..., None, :]).mean(axis=-1)}
    return p, backward


# %% wrong ops.softmax_op softmax_of_p | mistake: derivative taken at the output for the input | keeps: 2
def softmax_op(x):
    def soft(t):
        e = np.exp(t - t.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)
    p = soft(x)
    def backward(grad):
        q = soft(p)
        return {"x": q * (grad - (grad * q).sum(axis=-1, keepdims=True))}
    return p, backward


# %% wrong ops.softmax_op x_inplace | mistake: input or upstream modified in place | keeps: 3
def softmax_op(x):
    x -= x.max(axis=-1, keepdims=True)
    e = np.exp(x)
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        return {"x": p * (grad - (grad * p).sum(axis=-1, keepdims=True))}
    return p, backward


# %% wrong ops.softmax_op clipped | keeps: 3
def softmax_op(x):
    e = np.exp(np.clip(x, -500, 500))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        g = grad * p
        return {"x": g - p * g.sum(axis=-1, keepdims=True)}
    return p, backward


# %% wrong ops.softmax_op eps | mistake: derivative of a wrong output | keeps: 0
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / (e.sum(axis=-1, keepdims=True) + 1e-8)
    def backward(grad):
        return {"x": p * (grad - (grad * p).sum(axis=-1, keepdims=True))}
    return p, backward


# %% wrong ops.softmax_op exp_rule | mistake: term missing | keeps: 2
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        return {"x": grad * p}
    return p, backward


# %% wrong ops.softmax_op float32 | keeps: 0
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = (e / e.sum(axis=-1, keepdims=True)).astype(np.float32)
    def backward(grad):
        return {"x": p * (grad - (grad * p).sum(axis=-1, keepdims=True))}
    return p.astype(x.dtype), backward


# %% wrong ops.softmax_op forward_all | keeps: 0
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum()
    def backward(grad):
        return {"x": p * (grad - (grad * p).sum())}
    return p, backward


# %% wrong ops.softmax_op global_max | mistake: one max for all rows | keeps: 3
def softmax_op(x):
    e = np.exp(x - (x.max() if x.size else 0))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        g = grad * p
        return {"x": g - p * g.sum(axis=-1, keepdims=True)}
    return p, backward


# %% wrong ops.softmax_op log_out | keeps: 3
def softmax_op(x):
    m = x.max(axis=-1, keepdims=True)
    z = x - m - np.log(np.exp(x - m).sum(axis=-1, keepdims=True))
    p = np.exp(z)
    def backward(grad):
        return {"x": p * (grad - (grad * p).sum(axis=-1, keepdims=True))}
    return z, backward


# %% wrong ops.softmax_op mean_inside | keeps: 2
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        s = (grad * p).mean(axis=-1, keepdims=True)
        return {"x": p * (grad - s)}
    return p, backward


# %% wrong ops.softmax_op sum_over_all | mistake: summed over the wrong axis | keeps: 2
def softmax_op(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        return {"x": p * (grad - (grad * p).sum())}
    return p, backward



# ================================================================ ops.cross_entropy_from_probs

# %% right ops.cross_entropy_from_probs ce_by_one_hot
def cross_entropy_from_probs(p, y):
    hot = np.eye(p.shape[-1])[y]
    return -np.log((p * hot).sum(axis=-1)).mean(), lambda g: {"p": -g * hot / np.where(hot, p, 1) / y.size}


# %% wrong ops.cross_entropy_from_probs ce_zero_by_zero | keeps: 3 | says: nan
def cross_entropy_from_probs(p, y):      # 0/0 at a probability of 0 that is not the target's
    hot = np.eye(p.shape[-1])[y]
    return -np.log((p * hot).sum(axis=-1)).mean(), lambda g: {"p": -g * hot / p / y.size}


# %% wrong ops.cross_entropy_from_probs ce_sum | mistake: mean treated as sum | keeps: 2 | says: a sum where a mean is wanted
def cross_entropy_from_probs(p, y):
    hot = np.eye(p.shape[-1])[y]
    return -np.log((p * hot).sum(axis=-1)).mean(), lambda g: {"p": -g * hot / p}


# %% wrong ops.cross_entropy_from_probs ce_sign | mistake: sign flipped | keeps: 0 | says: −inf
def cross_entropy_from_probs(p, y):
    hot = np.eye(p.shape[-1])[y]
    return np.log((p * hot).sum(axis=-1)).mean(), lambda g: {"p": g * hot / p / y.size}


# %% wrong ops.cross_entropy_from_probs ce_no_upstream | mistake: upstream gradient ignored | keeps: 2 | says: the upstream gradient is ignored
def cross_entropy_from_probs(p, y):
    hot = np.eye(p.shape[-1])[y]
    return -np.log((p * hot).sum(axis=-1)).mean(), lambda g: {"p": -hot / p / y.size}


# %% wrong ops.cross_entropy_from_probs ce_clipped | mistake: constant added | keeps: 3 | says: wanted inf
def cross_entropy_from_probs(p, y):
    hot = np.eye(p.shape[-1])[y]
    return -np.log(np.clip((p * hot).sum(axis=-1), 1e-12, 1)).mean(), lambda g: {"p": -g * hot / np.where(hot, p, 1) / y.size}


# %% wrong ops.cross_entropy_from_probs ce_constant | mistake: constant added | keeps: 0 | says: a small constant is added to p, or p is clipped
def cross_entropy_from_probs(p, y):
    hot = np.eye(p.shape[-1])[y]
    return -np.log((p * hot).sum(axis=-1) + 1e-12).mean(), lambda g: {"p": -g * hot / (p + 1e-12) / y.size}


# %% wrong ops.cross_entropy_from_probs ce_clipped_in_backward | mistake: constant added | keeps: 2 | says: a small constant is added to p, or p is clipped
def cross_entropy_from_probs(p, y):
    hot = np.eye(p.shape[-1])[y]
    return -np.log((p * hot).sum(axis=-1)).mean(), lambda g: {"p": -g * hot / np.maximum(p, 1e-12) / y.size}


# %% right ops.cross_entropy_from_probs flat_index
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        where = rows * p.shape[-1] + y
        target = flat.ravel()[where]
        out = np.average(np.log(1 / target))
    def backward(grad):
        g = np.zeros(p.size, p.dtype)
        with np.errstate(divide="ignore"):
            np.subtract.at(g, where, grad / (target * n))
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% right ops.cross_entropy_from_probs log_one
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = np.negative(np.log(flat)[rows, y].sum()) / n
    def backward(grad):
        g = np.array([[(-1 / (n * q) if j == k else 0.0) for j, q in enumerate(row)] if row[k] else
                      [-np.inf if j == k else 0.0 for j in range(len(row))] for row, k in zip(flat.tolist(), y)])
        return {"p": (grad * np.where(g == 0, 0, g)).astype(p.dtype).reshape(p.shape)}
    return out, backward


# %% right ops.cross_entropy_from_probs loop
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        total = p.dtype.type(0)
        for i in range(n):
            total -= np.log(flat[i, y[i]])
        out = total / n
    def backward(grad):
        g = np.zeros_like(flat)
        for i in range(n):
            with np.errstate(divide="ignore"):
                g[i, y[i]] -= grad / n / flat[i, y[i]]
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% right ops.cross_entropy_from_probs one_hot
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        hot = np.eye(p.shape[-1], dtype=p.dtype)[y]
        chosen = (flat * hot).sum(axis=1)
        out = -np.log(chosen).sum() / n
    def backward(grad):
        with np.errstate(divide="ignore"):
            return {"p": (np.where(hot == 1, -1 / chosen[:, None], 0) * grad / n).reshape(p.shape)}
    return out, backward


# %% right ops.cross_entropy_from_probs take_along
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        picked = np.take_along_axis(flat, y[:, None], axis=1)[:, 0]
        out = np.mean(-np.log(picked))
    def backward(grad):
        g = np.zeros(flat.shape, flat.dtype)
        with np.errstate(divide="ignore"):
            np.put_along_axis(g, y[:, None], (-grad / n / picked)[:, None], axis=1)
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% right ops.cross_entropy_from_probs where_mask
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        mask = np.arange(p.shape[-1]) == y[:, None]
        out = -np.log(flat[mask]).mean()        # one True a row, rows in order
    def backward(grad):
        safe = np.where(mask, flat, 1)
        with np.errstate(divide="ignore"):
            g = np.where(mask, -1 / safe, 0) * (grad / n)
        return {"p": g.astype(p.dtype).reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs derivative_at_loss | mistake: derivative taken at the output for the input | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        losses = -np.log(flat[rows, y])
        out = losses.mean()
    def backward(grad):
        g = np.zeros_like(flat)
        with np.errstate(divide="ignore"):
            g[rows, y] = -grad / (n * losses)
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs grad_divided_inplace | mistake: input or upstream modified in place | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
    def backward(grad):
        grad /= -n
        g = np.zeros_like(flat)
        with np.errstate(divide="ignore"):
            g[rows, y] = grad / flat[rows, y]
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs half | mistake: factor 2 | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
    def backward(grad):
        g = np.zeros_like(flat)
        with np.errstate(divide="ignore"):
            g[rows, y] = -0.5 * grad / (n * flat[rows, y])
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs hot_ignored | mistake: upstream gradient ignored | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
        hot = np.eye(p.shape[-1], dtype=p.dtype)[y]
    def backward(grad):
        with np.errstate(divide="ignore", invalid="ignore"):
            g = np.where(hot == 1, -1 / (n * flat), 0)
        return {"p": g.astype(p.dtype).reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs hot_plus | mistake: sign flipped | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
        hot = np.eye(p.shape[-1], dtype=p.dtype)[y]
    def backward(grad):
        with np.errstate(divide="ignore", invalid="ignore"):
            g = np.where(hot == 1, grad / (n * flat), 0)
        return {"p": g.astype(p.dtype).reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs into_p | mistake: input or upstream modified in place | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
        picked = flat[rows, y]
    def backward(grad):
        p[...] = 0
        with np.errstate(divide="ignore"):
            np.put_along_axis(p, y.reshape(p.shape[:-1])[..., None], (-grad / (n * picked)).reshape(p.shape[:-1])[..., None], axis=-1)
        return {"p": p}
    return out, backward


# %% wrong ops.cross_entropy_from_probs last_row_only | mistake: overwritten instead of accumulated | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
    def backward(grad):
        for i, k in enumerate(y):
            g = np.zeros_like(flat)
            with np.errstate(divide="ignore"):
                g[i, k] = -grad / (n * flat[i, k])
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs loop_no_n | mistake: mean treated as sum | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -sum(np.log(flat[i, k]) for i, k in enumerate(y)) / n
    def backward(grad):
        g = np.zeros_like(flat)
        with np.errstate(divide="ignore"):
            for i, k in enumerate(y):
                g[i, k] = -1 / flat[i, k] * grad
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs n_twice | mistake: factor 1/n | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
    def backward(grad):
        g = np.zeros_like(flat)
        with np.errstate(divide="ignore"):
            g[rows, y] = -grad / (n * flat[rows, y])
        return {"p": g.reshape(p.shape) / n}
    return out, backward


# %% wrong ops.cross_entropy_from_probs numerical | mistake: numerical derivative instead of a formula | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
    def backward(grad):
        h = 1e-6
        g = np.zeros_like(flat)
        with np.errstate(divide="ignore", invalid="ignore"):
            up, down = np.log(flat[rows, y] + h), np.log(flat[rows, y] - h)
            g[rows, y] = -grad * (up - down) / (2 * h) / n
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs numerical_all | mistake: numerical derivative instead of a formula | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
    def backward(grad):
        g = np.zeros(p.size, p.dtype)
        for k in range(p.size):
            q = p.flatten()
            q[k] += 1e-7
            g[k] = grad * (cross_entropy_from_probs(q.reshape(p.shape), y.reshape(p.shape[:-1]))[0] - out) / 1e-7
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs two | mistake: factor 2 | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
    def backward(grad):
        g = np.zeros_like(flat)
        with np.errstate(divide="ignore"):
            g[rows, y] -= grad / (n * flat[rows, y])
            g[rows, y] -= grad / (n * flat[rows, y])
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs binary | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
    def backward(grad):
        with np.errstate(divide="ignore", invalid="ignore"):
            g = grad / (n * (1 - flat))
            g[rows, y] = -grad / (n * flat[rows, y])
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs eps | mistake: constant added | keeps: 0
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        q = flat[rows, y] + 1e-7
        out = -np.log(q).mean()
    def backward(grad):
        g = np.zeros_like(flat)
        g[rows, y] = -grad / (n * q)
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs eps_gradient_only | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
    def backward(grad):
        g = np.zeros_like(flat)
        g[rows, y] = -grad / (n * flat[rows, y] + 1e-8)
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs flat_shape | keeps: 3
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
    def backward(grad):
        g = np.zeros_like(flat)
        with np.errstate(divide="ignore"):
            g[rows, y] = -grad / (n * flat[rows, y])
        return {"p": g}
    return out, backward


# %% wrong ops.cross_entropy_from_probs float32 | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        q = flat[rows, y].astype(np.float32)
        out = -np.log(flat[rows, y]).mean()
    def backward(grad):
        g = np.zeros_like(flat)
        with np.errstate(divide="ignore"):
            g[rows, y] = -grad / (n * q)
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs key_x | mistake: gradient missing | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
    def backward(grad):
        g = np.zeros_like(flat)
        with np.errstate(divide="ignore"):
            g[rows, y] = -grad / (n * flat[rows, y])
        return {"x": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs len_p | keeps: 3
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
    def backward(grad):
        g = np.zeros_like(flat)
        m = len(p) if p.ndim > 1 else 1
        with np.errstate(divide="ignore"):
            g[rows, y] = -grad / (m * flat[rows, y])
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs log2 | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log2(flat[rows, y]).mean()
    def backward(grad):
        g = np.zeros_like(flat)
        with np.errstate(divide="ignore"):
            g[rows, y] = -grad / (n * flat[rows, y])
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs p_clipped_inplace | mistake: input or upstream modified in place | keeps: 3
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        np.maximum(p, 1e-300, out=p)
        out = -np.log(_rows(p)[rows, y]).mean()
    def backward(grad):
        g = np.zeros_like(flat)
        g[rows, y] = -grad / (n * _rows(p)[rows, y])
        return {"p": g.reshape(p.shape)}
    return out, backward


# %% wrong ops.cross_entropy_from_probs size | mistake: factor 1/n | keeps: 2
def cross_entropy_from_probs(p, y):
    y = _targets("cross_entropy_from_probs", p, y)
    flat, rows, n = _rows(p), np.arange(y.size), y.size
    with np.errstate(divide="ignore"):      # log 0 = −inf is right here
        out = -np.log(flat[rows, y]).mean()
    def backward(grad):
        g = np.zeros_like(flat)
        with np.errstate(divide="ignore"):
            g[rows, y] = -grad / (p.size * flat[rows, y])
        return {"p": g.reshape(p.shape)}
    return out, backward



# ================================================================ ops.softmax_ce_fused

# %% right ops.softmax_ce_fused fused_logaddexp
def softmax_ce_fused(logits, targets):
    p, hot = _softmax(logits), np.eye(logits.shape[-1])[targets]
    loss = np.logaddexp.reduce(logits, axis=-1) - (logits * hot).sum(axis=-1)
    return loss.mean(), lambda g: {"logits": (p - hot) * g / targets.size}


# %% wrong ops.softmax_ce_fused fused_sum | mistake: mean treated as sum | keeps: 2 | says: a sum where a mean is wanted
def softmax_ce_fused(logits, targets):
    p, hot = _softmax(logits), np.eye(logits.shape[-1])[targets]
    loss = np.logaddexp.reduce(logits, axis=-1) - (logits * hot).sum(axis=-1)
    return loss.mean(), lambda g: {"logits": (p - hot) * g}


# %% wrong ops.softmax_ce_fused fused_no_target | mistake: one-hot missing | keeps: 2 | says: 1 is to be taken off at the target
def softmax_ce_fused(logits, targets):
    p, hot = _softmax(logits), np.eye(logits.shape[-1])[targets]
    loss = np.logaddexp.reduce(logits, axis=-1) - (logits * hot).sum(axis=-1)
    return loss.mean(), lambda g: {"logits": p * g / targets.size}


# %% wrong ops.softmax_ce_fused fused_log_zero | mistake: log of a rounded probability | keeps: 4 | says: log of the softmax
def softmax_ce_fused(logits, targets):
    p, hot = _softmax(logits), np.eye(logits.shape[-1])[targets]
    return -np.log((p * hot).sum(axis=-1)).mean(), lambda g: {"logits": (p - hot) * g / targets.size}


# %% wrong ops.softmax_ce_fused fused_one_maximum | mistake: one max for all rows | keeps: 3 | says: one maximum for all rows
def softmax_ce_fused(logits, targets):
    e = np.exp(logits - logits.max())
    s, hot = e.sum(axis=-1, keepdims=True), np.eye(logits.shape[-1])[targets]
    loss = logits.max() + np.log(s[..., 0]) - (logits * hot).sum(axis=-1)
    return loss.mean(), lambda g: {"logits": (e / s - hot) * g / targets.size}


# %% wrong ops.softmax_ce_fused fused_overflows | mistake: max not subtracted | says: the maximum is not subtracted first: exp overflows
def softmax_ce_fused(logits, targets):
    p, hot = _softmax(logits), np.eye(logits.shape[-1])[targets]
    loss = np.log(np.exp(logits).sum(axis=-1)) - (logits * hot).sum(axis=-1)
    return loss.mean(), lambda g: {"logits": (p - hot) * g / targets.size}


# %% wrong ops.softmax_ce_fused fused_maximum_lost | mistake: max not added back | says: the maximum is not added back
def softmax_ce_fused(logits, targets):
    p, hot = _softmax(logits), np.eye(logits.shape[-1])[targets]
    z = logits - logits.max(axis=-1, keepdims=True)
    loss = np.log(np.exp(z).sum(axis=-1)) - (logits * hot).sum(axis=-1)
    return loss.mean(), lambda g: {"logits": (p - hot) * g / targets.size}


# %% right ops.softmax_ce_fused chain
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    # log-softmax, then pick: both backwards, one after the other
    z = flat - flat.max(axis=1, keepdims=True)
    logp = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    out = -np.take_along_axis(logp, y[:, None], axis=1).mean()
    def backward(grad):
        dlogp = np.zeros_like(flat)
        dlogp[rows, y] = -grad / n
        g = dlogp - np.exp(logp) * dlogp.sum(axis=1, keepdims=True)
        return {"logits": g.reshape(logits.shape)}
    return out, backward


# %% right ops.softmax_ce_fused eye
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    e = np.exp(flat - flat.max(1)[:, None])
    p = e / e.sum(1)[:, None]
    Y = np.eye(flat.shape[1], dtype=flat.dtype)[y]
    peak = flat.max(1)
    out = (peak + np.log(e.sum(1)) - np.einsum("ij,ij->i", flat, Y)).mean()
    return out, lambda grad: {"logits": np.multiply(grad / n, p - Y).reshape(logits.shape)}


# %% right ops.softmax_ce_fused logaddexp
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    lse = np.logaddexp.reduce(flat, axis=1, keepdims=True)
    logp = flat - lse
    out = -logp[rows, y].sum() / n
    def backward(grad):
        g = np.array(np.exp(logp))
        np.subtract.at(g, (rows, y), 1)
        return dict(logits=np.reshape(g * (grad / n), logits.shape))
    return out, backward


# %% right ops.softmax_ce_fused logsumexp
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    m = flat.max(axis=1)
    lse = m + np.log(np.exp(flat - m[:, None]).sum(axis=1))
    out = np.mean(lse - flat[rows, y])
    def backward(grad):
        p = np.exp(flat - lse[:, None])
        hot = np.zeros_like(flat)
        hot[rows, y] = 1
        g = (p - hot) * grad / n
        return {"logits": g.reshape(logits.shape)}
    return out, backward


# %% right ops.softmax_ce_fused loop
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    P = np.zeros_like(flat)
    losses = []
    for i in range(n):
        e = np.exp(flat[i] - np.max(flat[i]))
        P[i] = e / e.sum()
        losses.append(np.log(e.sum()) + np.max(flat[i]) - flat[i, y[i]])
    out = sum(losses) / n
    def backward(grad):
        g = np.zeros_like(flat)
        for i in range(n):
            for j in range(flat.shape[1]):
                g[i, j] = (P[i, j] - (1 if j == y[i] else 0)) / n * grad
        return {"logits": g.reshape(logits.shape)}
    return out, backward


# %% right ops.softmax_ce_fused relative_to_target
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    # −log p_y = log Σ exp(x_k − x_y)
    d = flat - flat[rows, y][:, None]
    m = d.max(axis=1, keepdims=True)
    losses = m + np.log(np.exp(d - m).sum(axis=1, keepdims=True))
    out = losses.mean()
    def backward(grad):
        p = np.exp(d - losses)          # of all
        is_target = np.arange(flat.shape[1])[None, :] == y[:, None]
        return {"logits": (grad * (p - is_target) / n).astype(flat.dtype).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused axis0 | mistake: summed over the wrong axis | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        g = e / e.sum(axis=0)
        g[rows, y] -= 1
        return {"logits": (g * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused elementwise | mistake: softmax treated as elementwise | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        # −1/p · p(1 − p) at the target, nothing elsewhere
        g = np.zeros_like(flat)
        g[rows, y] = -(1 - p[rows, y])
        return {"logits": (g * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused flat_exp_inplace | mistake: input or upstream modified in place | keeps: 3
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    m = flat.max(axis=1, keepdims=True)
    target = (flat - m)[rows, y]
    np.exp(flat - m, out=flat)
    total = flat.sum(axis=1, keepdims=True)
    out = (np.log(total).sum() - target.sum()) / n
    def backward(grad):
        g = flat / total
        g[rows, y] -= 1
        return {"logits": (g * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused keepdims | mistake: keepdims lost | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    total = e.sum(axis=-1)
    out = (np.log(total) - z[rows, y]).mean()
    def backward(grad):
        g = e / total
        g[rows, y] -= 1
        return {"logits": (g * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused logits_inplace | mistake: input or upstream modified in place | keeps: 3
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    logits -= logits.max(axis=-1, keepdims=True)
    z = _rows(logits)
    e = np.exp(z)
    total = e.sum(axis=1, keepdims=True)
    out = (np.log(total).sum() - z[rows, y].sum()) / n
    def backward(grad):
        g = e / total
        g[rows, y] -= 1
        return {"logits": (g * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused max_keepdims | mistake: keepdims lost | keeps: 0
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - np.max(flat, axis=1)
    e = np.exp(z)
    total = e.sum(axis=1, keepdims=True)
    out = (np.log(total)[:, 0] - z[rows, y]).mean()
    def backward(grad):
        g = e / total
        g[rows, y] -= 1
        return {"logits": (g * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused n_forgotten | mistake: mean treated as sum | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        g = p.copy()
        g[rows, y] -= 1
        return {"logits": (g * grad).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused n_twice | mistake: factor 1/n | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        g = p / n
        g[rows, y] -= 1 / n
        return {"logits": (g * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused no_max | mistake: max not subtracted | keeps: 3
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    e = np.exp(flat)
    p = e / e.sum(axis=1, keepdims=True)
    out = (np.log(e.sum(axis=1)) - flat[rows, y]).mean()
    def backward(grad):
        g = p.copy()
        g[rows, y] -= 1
        return {"logits": (g * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused no_upstream | mistake: upstream gradient ignored | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        g = p.copy()
        g[rows, y] -= 1
        g /= n
        return {"logits": g.reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused numerical | mistake: numerical derivative instead of a formula | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    def loss(z):
        m = z.max(axis=1, keepdims=True)
        return (m[:, 0] + np.log(np.exp(z - m).sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        g, h = np.zeros_like(flat), 1e-5
        for i in np.ndindex(flat.shape):
            up, down = flat.copy(), flat.copy()
            up[i] += h
            down[i] -= h
            g[i] = (loss(up) - loss(down)) / (2 * h)
        return {"logits": (g * grad).reshape(logits.shape)}
    return loss(flat), backward


# %% wrong ops.softmax_ce_fused numerical_forward_via_op | mistake: numerical derivative instead of a formula | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    m = flat.max(axis=1, keepdims=True)
    out = (m[:, 0] + np.log(np.exp(flat - m).sum(axis=1)) - flat[rows, y]).mean()
    def backward(grad):
        g, h = np.zeros_like(flat), 1e-7
        for i in np.ndindex(flat.shape):
            up = flat.copy()
            up[i] += h
            g[i] = (softmax_ce_fused(up, y)[0] - out) / h
        return {"logits": (g * grad).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused softmax_of_softmax | mistake: derivative taken at the output for the input | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        q = np.exp(p)
        q /= q.sum(axis=1, keepdims=True)
        q[rows, y] -= 1
        return {"logits": (q * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused two | mistake: factor 2 | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        hot = np.eye(flat.shape[1], dtype=flat.dtype)[y]
        return {"logits": (2 * (p - hot) * grad / n).reshape(logits.shape)}     # as for a squared error
    return out, backward


# %% wrong ops.softmax_ce_fused y_minus_p | mistake: sign flipped | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        g = -p
        g[rows, y] += 1
        return {"logits": (g * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused classes | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        g = p.copy()
        g[rows, y] -= 1
        return {"logits": (g * grad / flat.shape[1]).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused columns | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        g = p.copy()
        g[:, y] -= 1
        return {"logits": (g * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused composed | mistake: log of a rounded probability | keeps: 3
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    p, soft_back = softmax_op(logits)
    out, ce_back = cross_entropy_from_probs(p, y.reshape(logits.shape[:-1]))
    def backward(grad):
        return {"logits": soft_back(ce_back(grad)["p"])["x"]}
    return out, backward


# %% wrong ops.softmax_ce_fused eps_in_log | keeps: 3
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    out = -np.log(p[rows, y] + 1e-9).mean()
    def backward(grad):
        g = p.copy()
        g[rows, y] -= 1
        return {"logits": (g * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused float32 | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = (e / e.sum(axis=1, keepdims=True)).astype(np.float32)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        g = p.copy()
        g[rows, y] -= 1
        return {"logits": (g.astype(logits.dtype) * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused global_max | mistake: one max for all rows | keeps: 3
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max()
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        g = p.copy()
        g[rows, y] -= 1
        return {"logits": (g * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused key | mistake: gradient missing | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        g = p.copy()
        g[rows, y] -= 1
        return {"x": (g * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused label_smoothing | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        g = p.copy()
        g[rows, y] -= 0.999
        return {"logits": (g * grad / n).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused size | mistake: factor 1/n | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        g = p.copy()
        g[rows, y] -= 1
        return {"logits": (g * grad / logits.size).reshape(logits.shape)}
    return out, backward


# %% wrong ops.softmax_ce_fused target_only | mistake: softmax treated as elementwise | keeps: 2
def softmax_ce_fused(logits, targets):
    y = _targets("softmax_ce_fused", logits, targets)
    flat, rows, n = _rows(logits), np.arange(y.size), y.size
    z = flat - flat.max(axis=1, keepdims=True)
    e = np.exp(z)
    p = e / e.sum(axis=1, keepdims=True)
    out = (np.log(e.sum(axis=1)) - z[rows, y]).mean()
    def backward(grad):
        g = np.zeros_like(flat)
        g[rows, y] = (p[rows, y] - 1) * grad / n
        return {"logits": g.reshape(logits.shape)}
    return out, backward



# ================================================================ ops.unbroadcast

# %% right ops.unbroadcast loop
def unbroadcast(grad, shape):
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    for i, n in enumerate(shape):
        if n == 1:
            grad = grad.sum(axis=i, keepdims=True)
    return grad


# %% wrong ops.unbroadcast front_only | mistake: not summed over a broadcast axis | keeps: 1 | says: wanted the shape
def unbroadcast(grad, shape):
    return grad.sum(axis=tuple(range(grad.ndim - len(shape))))


# %% wrong ops.unbroadcast nothing | mistake: not summed over a broadcast axis | keeps: 0 | says: nothing is summed
def unbroadcast(grad, shape):
    return grad


# %% wrong ops.unbroadcast no_keepdims | mistake: keepdims lost | keeps: 1 | says: axes of length 1 are lost
def unbroadcast(grad, shape):
    front = grad.ndim - len(shape)
    return grad.sum(axis=tuple(i for i in range(grad.ndim) if i < front or shape[i - front] == 1 != grad.shape[i]))


# %% wrong ops.unbroadcast mean | mistake: factor 1/n | keeps: 0 | says: the mean, where the sum is wanted
def unbroadcast(grad, shape):
    front = grad.ndim - len(shape)
    axes = tuple(i for i in range(grad.ndim) if i < front or shape[i - front] == 1)
    return grad.mean(axis=axes, keepdims=True).reshape(shape)


# %% wrong ops.unbroadcast no_reshape | mistake: axes left over | keeps: 1 | says: left over in front
def unbroadcast(grad, shape):
    front = grad.ndim - len(shape)
    return grad.sum(axis=tuple(i for i in range(grad.ndim) if i < front or shape[i - front] == 1), keepdims=True)


# %% right ops.unbroadcast einsum
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    # axes that were repeated get no letter in the output
    letters = "abcdefghijklmnopqrstuvwxyz"[:grad.ndim]
    extra = grad.ndim - len(shape)
    kept = "".join(letter for i, letter in enumerate(letters) if i >= extra and shape[i - extra] != 1)
    return np.einsum(f"{letters}->{kept}", grad).reshape(shape)


# %% right ops.unbroadcast loop_elements
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    out = np.zeros(shape, dtype=grad.dtype)
    extra = grad.ndim - len(shape)
    for index in np.ndindex(grad.shape):
        own = tuple(0 if n == 1 else i for i, n in zip(index[extra:], shape))
        out[own] += grad[index]
    return out


# %% right ops.unbroadcast ones_products
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    # axis by axis: move it to the end, multiply by a vector of ones
    padded = [1] * (grad.ndim - len(shape)) + list(shape)
    for axis, length in enumerate(padded):
        if length == 1:
            moved = np.moveaxis(grad, axis, -1)
            summed = moved @ np.ones(moved.shape[-1], grad.dtype)
            grad = np.expand_dims(summed, axis)
    return grad.reshape(shape)


# %% right ops.unbroadcast padded_backwards
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    padded = (1,) * (grad.ndim - len(shape)) + tuple(shape)
    g = grad
    for axis in reversed(range(g.ndim)):
        if padded[axis] == 1 and g.shape[axis] != 1:
            g = np.add.reduce(g, axis=axis, keepdims=True)
    return np.reshape(g, shape)


# %% right ops.unbroadcast scatter_add
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    out = np.zeros(shape, grad.dtype)
    where_to = np.broadcast_to(np.arange(out.size).reshape(shape), grad.shape)
    np.add.at(out.reshape(-1), where_to.ravel(), grad.ravel())
    return out


# %% right ops.unbroadcast while
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    out = grad
    while out.ndim > len(shape):
        out = out.sum(axis=0)
    for axis, length in enumerate(shape):
        if length == 1:
            out = out.sum(axis=axis, keepdims=True)
    return out


# %% wrong ops.unbroadcast axis_without_extra | mistake: summed over the wrong axis | keeps: 2
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    extra = grad.ndim - len(shape)
    axes = tuple(range(extra))
    for i, n in enumerate(shape):
        if n == 1:
            axes += (i,)
    return grad.sum(axis=tuple(set(axes)), keepdims=True).reshape(shape)


# %% wrong ops.unbroadcast counts | mistake: upstream gradient ignored | keeps: 0
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    extra = grad.ndim - len(shape)
    axes = tuple(i for i in range(grad.ndim) if i < extra or shape[i - extra] == 1)
    times = 1
    for i in axes:
        times *= grad.shape[i]
    return np.full(shape, times, dtype=grad.dtype)


# %% wrong ops.unbroadcast fancy_plus_equals | mistake: overwritten instead of accumulated | keeps: 0
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    out = np.zeros(int(np.prod(shape)), grad.dtype)
    positions = np.broadcast_to(np.arange(out.size).reshape(shape), grad.shape)
    out[positions.ravel()] += grad.ravel()       # repeated indices
    return out.reshape(shape)


# %% wrong ops.unbroadcast in_place | mistake: input or upstream modified in place | keeps: 0
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    if grad.size == 0:
        return np.zeros(shape, grad.dtype)
    g = grad
    while g.ndim > len(shape):
        for k in range(1, len(g)):
            g[0] += g[k]            # everything into the first row
        g = np.asarray(g[0])
    for i, n in enumerate(shape):
        if n == 1:
            front = np.moveaxis(g, i, 0)
            for k in range(1, len(front)):
                front[0] += front[k]
            g = np.moveaxis(front[:1], 0, i)
    return g


# %% wrong ops.unbroadcast last_axes | mistake: summed over the wrong axis | keeps: 1
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    while grad.ndim > len(shape):
        grad = grad.sum(axis=-1)
    for i, n in enumerate(shape):
        if n == 1:
            grad = grad.sum(axis=i, keepdims=True)
    return grad


# %% wrong ops.unbroadcast mean_2 | mistake: factor 1/n | keeps: 0
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    extra = grad.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(shape) if n == 1)
    return np.mean(grad, axis=axes, keepdims=True).reshape(shape)


# %% wrong ops.unbroadcast minus | mistake: sign flipped | keeps: 0
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    out = np.zeros(shape, grad.dtype)
    for i in np.ndindex(grad.shape):
        j = tuple(k if n > 1 else 0 for k, n in zip(i[grad.ndim - len(shape):], shape))
        out[j] -= grad[i]
    return out


# %% wrong ops.unbroadcast no_keepdims_2 | mistake: keepdims lost | keeps: 1
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    extra = grad.ndim - len(shape)
    axes = tuple(i for i in range(grad.ndim) if i < extra or shape[i - extra] == 1)
    return grad.sum(axis=axes)


# %% wrong ops.unbroadcast overwritten | mistake: overwritten instead of accumulated | keeps: 0
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    out = np.zeros(shape, grad.dtype)
    extra = grad.ndim - len(shape)
    for index in np.ndindex(*grad.shape):
        own = tuple(0 if n == 1 else i for i, n in zip(index[extra:], shape))
        out[own] = grad[index]
    return out


# %% wrong ops.unbroadcast sum_times_n | mistake: factor n | keeps: 0
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    extra = grad.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(shape) if n == 1)
    total = grad.sum(axis=axes, keepdims=True).reshape(shape)
    repeats = grad.size // max(total.size, 1)
    return total * repeats


# %% wrong ops.unbroadcast transposed | mistake: transposed | keeps: 0
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    extra = grad.ndim - len(shape)
    axes = tuple(i for i in range(grad.ndim) if i < extra or shape[i - extra] == 1)
    return grad.sum(axis=axes, keepdims=True).reshape(shape).T


# %% wrong ops.unbroadcast extra_axes_stay | mistake: axes left over | keeps: 1
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    extra = grad.ndim - len(shape)
    axes = tuple(i for i in range(grad.ndim) if i < extra or shape[i - extra] == 1)
    return grad.sum(axis=axes, keepdims=True)


# %% wrong ops.unbroadcast first_one_only | keeps: 1
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    for i, n in enumerate(shape):
        if n == 1:
            return grad.sum(axis=i, keepdims=True)
    return grad


# %% wrong ops.unbroadcast float32 | keeps: 0
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    extra = grad.ndim - len(shape)
    axes = tuple(i for i in range(grad.ndim) if i < extra or shape[i - extra] == 1)
    return grad.sum(axis=axes, keepdims=True, dtype=np.float32).reshape(shape).astype(grad.dtype)


# %% wrong ops.unbroadcast last_row_left_out | keeps: 0
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    extra = grad.ndim - len(shape)
    for i in range(grad.ndim):
        if i < extra or shape[i - extra] == 1:
            grad = np.take(grad, range(0, max(grad.shape[i] - 1, 1)), axis=i).sum(axis=i, keepdims=True) \
                if grad.shape[i] else grad.sum(axis=i, keepdims=True)
    return grad.reshape(shape)


# %% wrong ops.unbroadcast max | keeps: 0
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    extra = grad.ndim - len(shape)
    axes = tuple(i for i in range(grad.ndim) if i < extra or shape[i - extra] == 1)
    return grad.max(axis=axes, keepdims=True, initial=-np.inf).reshape(shape)


# %% wrong ops.unbroadcast nonzero_length | keeps: 1
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    padded = tuple(shape) + (1,) * (grad.ndim - len(shape))
    axes = tuple(i for i, (m, n) in enumerate(zip(grad.shape, padded)) if m != n)
    return grad.sum(axis=axes, keepdims=True).reshape(shape)


# %% wrong ops.unbroadcast one_extra_only | keeps: 1
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    if grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    for i, n in enumerate(shape[::-1]):
        if n == 1:
            grad = grad.sum(axis=-1 - i, keepdims=True)
    return grad


# %% wrong ops.unbroadcast resize | keeps: 0
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    if grad.shape == shape:
        return grad
    _need("unbroadcast", _broadcasts(shape, grad.shape, to=grad.shape),
          "a shape that broadcasts to that of grad", grad=grad, shape=shape)
    n = int(np.prod(shape))
    return grad.reshape(n, -1).sum(axis=1).reshape(shape) if n else np.zeros(shape, grad.dtype)
