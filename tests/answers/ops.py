"""Answers to the exercises of 00_ops."""
import sys
import warnings

import numpy as np

from . import right, wrong

# ---------------------------------------------------------------- relu


@right("ops.relu")
def relu_by_abs(x):         # np.abs: a complex step through it is silently wrong
    return (x + np.abs(x)) / 2, lambda g: {"x": g * (np.sign(x) + np.abs(np.sign(x))) / 2}


@right("ops.relu")
def relu_by_loop(x):
    out = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        out[i] = x[i] if x[i] > 0 else 0.0
    return out, lambda g: {"x": np.where(out > 0, g, 0.0)}


@right("ops.relu")
def relu_that_talks(x):
    print("in relu")
    print("to stderr", file=sys.stderr)
    warnings.warn("beware", stacklevel=2)
    np.log(np.zeros(1))     # a NumPy RuntimeWarning
    return np.maximum(x, 0), lambda g: {"x": g * (x > 0)}


@wrong("ops.relu", "passed on unchanged", keeps=1)
def relu_no_mask(x):
    return np.maximum(x, 0), lambda g: {"x": g}


@wrong("ops.relu", "the upstream gradient is ignored", keeps=1)
def relu_no_upstream(x):
    return np.maximum(x, 0), lambda g: {"x": (x > 0).astype(float)}


@wrong("ops.relu", "the derivative at 0 is taken as 1", keeps=3)
def relu_kink(x):
    return np.maximum(x, 0), lambda g: {"x": g * (x >= 0)}


@wrong("ops.relu", "grad modified in place", keeps=1)
def relu_in_place(x):
    def backward(g):
        g[x <= 0] = 0
        return {"x": g}
    return np.maximum(x, 0), backward


@wrong("ops.relu", "x modified in place")
def relu_on_input(x):
    x[x < 0] = 0
    return x, lambda g: {"x": g * (x > 0)}


@wrong("ops.relu", "the derivative of your own output", keeps=0)
def relu_of_something_else(x):
    return x * x, lambda g: {"x": g * 2 * x}


@wrong("ops.relu", "the derivative of your own output", keeps=0)
def relu_identity(x):
    return x.copy(), lambda g: {"x": g.copy()}


@wrong("ops.relu", "must return (output, backward)", keeps=0)
def relu_output_only(x):
    return np.maximum(x, 0)


@wrong("ops.relu", "must return a dict", keeps=1)
def relu_bare(x):
    return np.maximum(x, 0), lambda g: g * (x > 0)


@wrong("ops.relu", "no gradient for 'x', only for ['grad']", keeps=1)
def relu_key(x):
    return np.maximum(x, 0), lambda g: {"grad": g * (x > 0)}


@wrong("ops.relu", "float64 came in, float32 came out", keeps=0)
def relu_float32(x):
    return np.maximum(x, 0).astype(np.float32), lambda g: {"x": (g * (x > 0)).astype(np.float32)}


@wrong("ops.relu", "not solved yet", keeps=0)
def relu_unsolved(x):
    raise NotImplementedError("ops.relu: exercise not solved yet")


@wrong("ops.relu", "not solved yet", keeps=1)
def relu_half(x):
    def backward(g):
        raise NotImplementedError("ops.relu: exercise not solved yet")
    return np.maximum(x, 0), backward


# ---------------------------------------------------------------- sigmoid


@right("ops.sigmoid")
def sigmoid_by_tanh(x):
    s = 0.5 + 0.5 * np.tanh(x / 2)
    return s, lambda g: {"x": g * (s - s**2)}


@right("ops.sigmoid")
def sigmoid_by_cases(x):
    x = np.asarray(x)
    e = np.exp(-np.abs(x))
    s = np.where(x >= 0, 1 / (1 + e), e / (1 + e))
    return s, lambda g: {"x": g * e / (1 + e) ** 2}


@wrong("ops.sigmoid", "the formula s(1 − s) wants the output")
def sigmoid_at_input(x):
    return 1 / (1 + np.exp(-x)), lambda g: {"x": g * x * (1 - x)}


@wrong("ops.sigmoid", "the derivative is taken at the output")
def sigmoid_twice(x):
    s = 1 / (1 + np.exp(-x))
    s2 = 1 / (1 + np.exp(-s))
    return s, lambda g: {"x": g * s2 * (1 - s2)}


@wrong("ops.sigmoid", "the sign is flipped")
def sigmoid_sign(x):
    s = 1 / (1 + np.exp(-x))
    return s, lambda g: {"x": g * s * (s - 1)}


@wrong("ops.sigmoid", "inf/inf", keeps=3)
def sigmoid_overflows(x):
    e = np.exp(x)
    s = 1 / (1 + np.exp(-x))
    return e / (1 + e), lambda g: {"x": g * s * (1 - s)}


@wrong("ops.sigmoid", "complex numbers: a complex step")
def sigmoid_numerical(x):
    s = 1 / (1 + np.exp(-x))
    return s, lambda g: {"x": g * np.imag(sigmoid_numerical(x + 1e-30j)[0]) / 1e-30}


@wrong("ops.sigmoid")
def sigmoid_by_differences(x):      # no call of itself, but no formula either: its error gives it away
    f = lambda x: 1 / (1 + np.exp(-x))
    return f(x), lambda g: {"x": g * (f(x + 1e-5) - f(x - 1e-5)) / 2e-5}


# ---------------------------------------------------------------- unbroadcast


@right("ops.unbroadcast")
def unbroadcast_loop(grad, shape):
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    for i, n in enumerate(shape):
        if n == 1:
            grad = grad.sum(axis=i, keepdims=True)
    return grad


@wrong("ops.unbroadcast", "wanted the shape", keeps=1)
def unbroadcast_front_only(grad, shape):
    return grad.sum(axis=tuple(range(grad.ndim - len(shape))))


@wrong("ops.unbroadcast", "nothing is summed", keeps=0)
def unbroadcast_nothing(grad, shape):
    return grad


@wrong("ops.unbroadcast", "axes of length 1 are lost", keeps=1)
def unbroadcast_no_keepdims(grad, shape):
    front = grad.ndim - len(shape)
    return grad.sum(axis=tuple(i for i in range(grad.ndim) if i < front or shape[i - front] == 1 != grad.shape[i]))


@wrong("ops.unbroadcast", "the mean, where the sum is wanted", keeps=0)
def unbroadcast_mean(grad, shape):
    front = grad.ndim - len(shape)
    axes = tuple(i for i in range(grad.ndim) if i < front or shape[i - front] == 1)
    return grad.mean(axis=axes, keepdims=True).reshape(shape)


# ---------------------------------------------------------------- mul


def _sum_to(g, shape):
    return unbroadcast_loop(np.asarray(g), shape)


@right("ops.mul")
def mul_einsum(a, b):
    return np.multiply(b, a), lambda g: {"b": _sum_to(a * g, b.shape), "a": _sum_to(b * g, a.shape)}


@right("ops.mul")
def mul_floats(a, b):       # 0-d results as plain floats and NumPy scalars
    small = lambda x: float(x) if np.ndim(x) == 0 else x
    return small(a * b), lambda g: {"a": small(_sum_to(g * b, a.shape)), "b": _sum_to(g * a, b.shape)}


@wrong("ops.mul", "the upstream gradient is ignored", keeps=3)
def mul_no_upstream(a, b):
    return a * b, lambda g: {"a": _sum_to(g * b, a.shape), "b": _sum_to(a + 0 * g, b.shape)}


@wrong("ops.mul", "the input itself in place of the other one")
def mul_swapped(a, b):
    return a * b, lambda g: {"a": g * a, "b": g * b}


@wrong("ops.mul", "not summed over the axes that broadcasting added", keeps=3)
def mul_not_summed(a, b):
    return a * b, lambda g: {"a": g * b, "b": g * a}


@wrong("ops.mul", "no gradient for 'b', only for ['a']", keeps=3)
def mul_half(a, b):
    return a * b, lambda g: {"a": _sum_to(g * b, a.shape)}


@wrong("ops.mul", "not solved yet", keeps=3)
def mul_second_unsolved(a, b):
    def backward(grad, wanted=("a", "b")):
        grads = {}
        if "a" in wanted:
            grads["a"] = _sum_to(grad * b, a.shape)
        if "b" in wanted:
            raise NotImplementedError("ops.mul: exercise not solved yet")
        return grads
    return a * b, backward


@wrong("ops.mul", "ratio 0.999)", keeps=3)
def mul_one_element(a, b):
    def backward(g):
        grad = np.asarray(_sum_to(g * b, a.shape))
        grad = grad.copy()
        grad.flat[-1:] *= 0.999
        return {"a": grad, "b": _sum_to(g * a, b.shape)}
    return a * b, backward


@wrong("ops.mul", "the first call of backward was right, a later one is not", keeps=1)
def mul_once(a, b):
    seen = []
    def backward(g):
        seen.append(1)
        return {"a": len(seen) * _sum_to(g * b, a.shape), "b": len(seen) * _sum_to(g * a, b.shape)}
    return a * b, backward


# ---------------------------------------------------------------- mean_lastaxis


@right("ops.mean_lastaxis")
def mean_by_product(x):
    n = x.shape[-1]
    w = np.full(n, 1 / n)
    return x @ w, lambda g: {"x": np.asarray(g)[..., None] * w}


@right("ops.mean_lastaxis")
def mean_by_loop(x):
    def backward(g):
        out = np.zeros(x.shape)
        for j in range(x.shape[-1]):
            out[..., j] = g / x.shape[-1]
        return {"x": out}
    return np.sum(x, axis=-1) / x.shape[-1], backward


@wrong("ops.mean_lastaxis", "the derivative of the sum", keeps=1)
def mean_as_sum(x):
    return x.mean(axis=-1), lambda g: {"x": np.broadcast_to(g[..., None], x.shape)}


@wrong("ops.mean_lastaxis", "divided by the number of all elements", keeps=1)
def mean_over_all(x):
    return x.mean(axis=-1), lambda g: {"x": np.broadcast_to(g[..., None] / x.size, x.shape)}


@wrong("ops.mean_lastaxis", "wanted the shape", keeps=1)
def mean_bare(x):
    return x.mean(axis=-1), lambda g: {"x": g / x.shape[-1]}


@wrong("ops.mean_lastaxis", "the mean over all elements")
def mean_all(x):
    return x.mean(), lambda g: {"x": np.full(x.shape, g / x.size)}


@wrong("ops.mean_lastaxis", "", keeps=2)
def mean_matrix_only(x):        # right for a matrix alone
    return x.mean(axis=-1), lambda g: {"x": np.tile(np.reshape(g / x.shape[-1], (-1, 1)), (1, x.shape[-1]))}


# ---------------------------------------------------------------- slice_lastaxis


@right("ops.slice_lastaxis")
def slice_by_pad(x, start, stop):
    pad = [(0, 0)] * (x.ndim - 1) + [(start, x.shape[-1] - stop)]
    return x[..., start:stop].copy(), lambda g: {"x": np.pad(g, pad)}


@wrong("ops.slice_lastaxis", "outside the slice the gradient is 0", keeps=1)
def slice_bare(x, start, stop):
    return x[..., start:stop], lambda g: {"x": g}


@wrong("ops.slice_lastaxis", "", keeps=1)
def slice_ones(x, start, stop):
    def backward(g):
        out = np.ones_like(x)
        out[..., start:stop] = g
        return {"x": out}
    return x[..., start:stop], backward


# ---------------------------------------------------------------- matmul


@right("ops.matmul")
def matmul_einsum(x, W):
    return np.einsum("...ij,...jk->...ik", x, W), lambda g: {
        "x": _sum_to(np.einsum("...ik,...jk->...ij", g, W), x.shape), "W": _sum_to(np.einsum("...ij,...ik->...jk", x, g), W.shape)}


@wrong("ops.matmul", "not summed over the leading axes", keeps=3)
def matmul_no_batch(x, W):
    return x @ W, lambda g: {"x": g @ W.swapaxes(-1, -2), "W": x.swapaxes(-1, -2) @ g}


@wrong("ops.matmul", "the sign is flipped", keeps=3)
def matmul_sign(x, W):
    return x @ W, lambda g: {"x": _sum_to(g @ W.swapaxes(-1, -2), x.shape), "W": -_sum_to(x.swapaxes(-1, -2) @ g, W.shape)}


@wrong("ops.matmul", "ValueError", keeps=1)
def matmul_shapes(x, W):
    return x @ W, lambda g: {"x": g @ W, "W": x @ g}


@wrong("ops.matmul", "transposed")
def matmul_transposed(x, W):
    return x @ W, lambda g: {"x": W @ g.swapaxes(-1, -2), "W": g.swapaxes(-1, -2) @ x}


# ---------------------------------------------------------------- linear


@right("ops.linear")
def linear_loop(x, W, b):
    def backward(g):
        dW, db = np.zeros(W.shape), np.zeros(b.shape)
        for i in np.ndindex(x.shape[:-1]):
            dW += np.outer(x[i], g[i])
            db += g[i]
        return {"b": db, "W": dW, "x": np.einsum("...k,nk->...n", g, W)}
    return np.dot(x, W) + b, backward


@wrong("ops.linear", "every row adds to the same b")
def linear_b(x, W, b):
    flat = lambda a: a.reshape(-1, a.shape[-1])
    return x @ W + b, lambda g: {"x": g @ W.T, "W": flat(x).T @ flat(g), "b": g}


@wrong("ops.linear", "the mean over the rows", keeps=5)
def linear_b_mean(x, W, b):
    flat = lambda a: a.reshape(-1, a.shape[-1])
    return x @ W + b, lambda g: {"x": g @ W.T, "W": flat(x).T @ flat(g), "b": flat(g).sum(axis=0) / max(len(flat(g)), 1)}


@wrong("ops.linear", "the bias is missing", keeps=6)
def linear_no_b(x, W, b):
    flat = lambda a: a.reshape(-1, a.shape[-1])
    return x @ W, lambda g: {"x": g @ W.T, "W": flat(x).T @ flat(g), "b": flat(g).sum(axis=0)}


@wrong("ops.linear", "ValueError", keeps=4)
def linear_matrix_only(x, W, b):
    return x @ W + b, lambda g: {"x": g @ W.T, "W": x.T @ g, "b": g.sum(axis=0)}


# ---------------------------------------------------------------- softmax_op


@right("ops.softmax_op")
def softmax_by_jacobian(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    J = p[..., :, None] * (np.eye(x.shape[-1]) - p[..., None, :])
    return p, lambda g: {"x": np.einsum("...i,...ij->...j", g, J)}


@wrong("ops.softmax_op", "treated as elementwise", keeps=2)
def softmax_elementwise(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    return p, lambda g: {"x": g * p * (1 - p)}


@wrong("ops.softmax_op", "the maximum is not subtracted", keeps=3)
def softmax_overflows(x):
    p = np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)
    return p, lambda g: {"x": p * (g - (g * p).sum(axis=-1, keepdims=True))}


@wrong("ops.softmax_op", "summed over all rows", keeps=2)
def softmax_all_rows(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    return p, lambda g: {"x": p * (g - (g * p).sum())}


@wrong("ops.softmax_op", "passed on unchanged", keeps=2)
def softmax_for_ones(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True), lambda g: {"x": g}


@wrong("ops.softmax_op", "zeros", keeps=2)
def softmax_zeros(x):           # right for an upstream gradient of ones
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True), lambda g: {"x": np.zeros_like(x)}


# ---------------------------------------------------------------- cross_entropy_from_probs


@right("ops.cross_entropy_from_probs")
def ce_by_one_hot(p, y):
    hot = np.eye(p.shape[-1])[y]
    return -np.log((p * hot).sum(axis=-1)).mean(), lambda g: {"p": -g * hot / np.where(hot, p, 1) / y.size}


@wrong("ops.cross_entropy_from_probs", "nan", keeps=3)
def ce_zero_by_zero(p, y):      # 0/0 at a probability of 0 that is not the target's
    hot = np.eye(p.shape[-1])[y]
    return -np.log((p * hot).sum(axis=-1)).mean(), lambda g: {"p": -g * hot / p / y.size}


@wrong("ops.cross_entropy_from_probs", "a sum where a mean is wanted", keeps=2)
def ce_sum(p, y):
    hot = np.eye(p.shape[-1])[y]
    return -np.log((p * hot).sum(axis=-1)).mean(), lambda g: {"p": -g * hot / p}


@wrong("ops.cross_entropy_from_probs", "−inf", keeps=0)
def ce_sign(p, y):
    hot = np.eye(p.shape[-1])[y]
    return np.log((p * hot).sum(axis=-1)).mean(), lambda g: {"p": g * hot / p / y.size}


@wrong("ops.cross_entropy_from_probs", "the upstream gradient is ignored", keeps=2)
def ce_no_upstream(p, y):
    hot = np.eye(p.shape[-1])[y]
    return -np.log((p * hot).sum(axis=-1)).mean(), lambda g: {"p": -hot / p / y.size}


@wrong("ops.cross_entropy_from_probs", "wanted inf", keeps=3)
def ce_clipped(p, y):
    hot = np.eye(p.shape[-1])[y]
    return -np.log(np.clip((p * hot).sum(axis=-1), 1e-12, 1)).mean(), lambda g: {"p": -g * hot / np.where(hot, p, 1) / y.size}


# ---------------------------------------------------------------- softmax_ce_fused


def _softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@right("ops.softmax_ce_fused")
def fused_logaddexp(logits, targets):
    p, hot = _softmax(logits), np.eye(logits.shape[-1])[targets]
    loss = np.logaddexp.reduce(logits, axis=-1) - (logits * hot).sum(axis=-1)
    return loss.mean(), lambda g: {"logits": (p - hot) * g / targets.size}


@wrong("ops.softmax_ce_fused", "a sum where a mean is wanted", keeps=2)
def fused_sum(logits, targets):
    p, hot = _softmax(logits), np.eye(logits.shape[-1])[targets]
    loss = np.logaddexp.reduce(logits, axis=-1) - (logits * hot).sum(axis=-1)
    return loss.mean(), lambda g: {"logits": (p - hot) * g}


@wrong("ops.softmax_ce_fused", "1 is to be taken off at the target", keeps=2)
def fused_no_target(logits, targets):
    p, hot = _softmax(logits), np.eye(logits.shape[-1])[targets]
    loss = np.logaddexp.reduce(logits, axis=-1) - (logits * hot).sum(axis=-1)
    return loss.mean(), lambda g: {"logits": p * g / targets.size}


@wrong("ops.softmax_ce_fused", "log of the softmax", keeps=4)
def fused_log_zero(logits, targets):
    p, hot = _softmax(logits), np.eye(logits.shape[-1])[targets]
    return -np.log((p * hot).sum(axis=-1)).mean(), lambda g: {"logits": (p - hot) * g / targets.size}


@wrong("ops.softmax_ce_fused", "one maximum for all rows", keeps=3)
def fused_one_maximum(logits, targets):
    e = np.exp(logits - logits.max())
    s, hot = e.sum(axis=-1, keepdims=True), np.eye(logits.shape[-1])[targets]
    loss = logits.max() + np.log(s[..., 0]) - (logits * hot).sum(axis=-1)
    return loss.mean(), lambda g: {"logits": (e / s - hot) * g / targets.size}


@wrong("ops.softmax_ce_fused", "the maximum is not subtracted first: exp overflows")
def fused_overflows(logits, targets):
    p, hot = _softmax(logits), np.eye(logits.shape[-1])[targets]
    loss = np.log(np.exp(logits).sum(axis=-1)) - (logits * hot).sum(axis=-1)
    return loss.mean(), lambda g: {"logits": (p - hot) * g / targets.size}


# ---------------------------------------------------------------- what a student's part found (a player in 00_ops)


@right("ops.relu")
def relu_of_python_numbers(x):      # whole numbers where all are negative: judged by their values
    out = np.array([max(v, 0) for v in x.ravel()]).reshape(x.shape)
    return out, lambda g: {"x": np.array([a if v > 0 else 0 for a, v in zip(g.ravel(), x.ravel())]).reshape(x.shape)}


_last = []


@wrong("ops.relu", "an answer for a later call", keeps=1)
def relu_global(x):
    _last[:] = [x]
    return np.maximum(x, 0), lambda g: {"x": g * (_last[0] > 0)}


@wrong("ops.relu", "the output modified in place", keeps=1)
def relu_overwrites_output(x):
    out = np.array(np.maximum(x, 0))
    def backward(g):
        out[...] = g * (x > 0)
        return {"x": out}
    return out, backward


@wrong("ops.slice_lastaxis", "an earlier gradient of x modified in place", keeps=1)
def slice_reused_buffer(x, start, stop):
    buffer = np.zeros(x.shape)
    def backward(g):
        buffer[..., start:stop] = g
        return {"x": buffer}
    return x[..., start:stop], backward


@wrong("ops.slice_lastaxis", "wanted", keeps=2)
def slice_through_a_copy(x, start, stop):
    def backward(g):
        whole = np.zeros_like(x)
        whole.reshape(-1, x.shape[-1])[:, start:stop] = g.reshape(-1, stop - start)     # copies where x is in Fortran order
        return {"x": whole}
    return x[..., start:stop], backward


@wrong("ops.slice_lastaxis", "the right numbers in the wrong place", keeps=1)
def slice_ignores_start(x, start, stop):
    def backward(g):
        whole = np.zeros(x.shape)
        whole[..., :stop - start] = g
        return {"x": whole}
    return x[..., start:stop], backward


@wrong("ops.slice_lastaxis", "", keeps=1)
def slice_one_more(x, start, stop):
    def backward(g):
        whole = np.zeros(x.shape)
        whole[..., start:stop + 1] = g
        return {"x": whole}
    return x[..., start:stop], backward


@wrong("ops.mul", "nan", keeps=1)
def mul_by_division(a, b):
    out = a * b
    return out, lambda g: {"a": _sum_to(g * out / a, a.shape), "b": _sum_to(g * out / b, b.shape)}


@wrong("ops.mul", "needs ops.unbroadcast, which is not solved yet", keeps=1)
def mul_without_unbroadcast(a, b):
    def backward(g):
        raise NotImplementedError("ops.unbroadcast: exercise not solved yet, see 00_ops.ipynb")
    return a * b, backward


@wrong("ops.relu", "element [0,", keeps=1)
def relu_threshold(x):
    return np.maximum(x, 0), lambda g: {"x": g * (x > 0.01)}


@wrong("ops.relu", "taken as ½", keeps=3)
def relu_half_at_zero(x):
    return np.maximum(x, 0), lambda g: {"x": g * np.heaviside(x, 0.5)}


@wrong("ops.relu", "with the two swapped", keeps=0)
def relu_swapped(x):
    return lambda g: {"x": g * (x > 0)}, np.maximum(x, 0)


@wrong("ops.relu", "is a return missing?", keeps=0)
def relu_no_return(x):
    np.maximum(x, 0)


@wrong("ops.relu", "np.maximum(x, 0) compares element by element", keeps=2)
def relu_by_max(x):
    return np.max(x, 0), lambda g: {"x": g * (x > 0)}


@wrong("ops.sigmoid", "exp(x) where exp(−x) is wanted")
def sigmoid_exponent(x):
    s = 1 / (1 + np.exp(x))
    return s, lambda g: {"x": g * s * (1 - s)}


@wrong("ops.sigmoid", "not solved yet", keeps=0)
def sigmoid_unsolved(x):
    raise NotImplementedError("ops.sigmoid: exercise not solved yet, see 00_ops.ipynb")


@wrong("ops.unbroadcast", "left over in front", keeps=1)
def unbroadcast_no_reshape(grad, shape):
    front = grad.ndim - len(shape)
    return grad.sum(axis=tuple(i for i in range(grad.ndim) if i < front or shape[i - front] == 1), keepdims=True)


@wrong("ops.mean_lastaxis", "not repeated along the last axis", keeps=1)
def mean_not_repeated(x):
    return x.mean(axis=-1), lambda g: {"x": g[..., None] / x.shape[-1]}


@wrong("ops.mean_lastaxis", "keepdims=True or [..., None] keeps it", keeps=1)
def mean_no_none(x):
    return x.mean(axis=-1), lambda g: {"x": np.broadcast_to(g / x.shape[-1], x.shape)}


@wrong("ops.matmul", "the shapes on the two sides of @ do not fit", keeps=1)
def matmul_not_transposed(x, W):
    def backward(grad, wanted=("x", "W")):
        grads = {}
        if "x" in wanted:
            grads["x"] = grad @ W
        if "W" in wanted:
            grads["W"] = x @ grad
        return grads
    return x @ W, backward


@wrong("ops.softmax_op", "keepdims=True or [..., None] keeps it", keeps=0)
def softmax_no_keepdims(x):
    e = np.exp(x - x.max(axis=-1))
    p = e / e.sum(axis=-1)
    return p, lambda g: {"x": p * (g - (g * p).sum(axis=-1))}


@wrong("ops.softmax_op", "without the factor p in front", keeps=2)
def softmax_no_outer(x):
    p = _softmax(x)
    return p, lambda g: {"x": g - (g * p).sum(axis=-1, keepdims=True)}


@wrong("ops.softmax_op", "the sign of the sum is minus", keeps=2)
def softmax_plus(x):
    p = _softmax(x)
    return p, lambda g: {"x": p * (g + (g * p).sum(axis=-1, keepdims=True))}


@wrong("ops.cross_entropy_from_probs", "a small constant is added to p, or p is clipped", keeps=0)
def ce_constant(p, y):
    hot = np.eye(p.shape[-1])[y]
    return -np.log((p * hot).sum(axis=-1) + 1e-12).mean(), lambda g: {"p": -g * hot / (p + 1e-12) / y.size}


@wrong("ops.cross_entropy_from_probs", "a small constant is added to p, or p is clipped", keeps=2)
def ce_clipped_in_backward(p, y):
    hot = np.eye(p.shape[-1])[y]
    return -np.log((p * hot).sum(axis=-1)).mean(), lambda g: {"p": -g * hot / np.maximum(p, 1e-12) / y.size}


@wrong("ops.softmax_ce_fused", "the maximum is not added back")
def fused_maximum_lost(logits, targets):
    p, hot = _softmax(logits), np.eye(logits.shape[-1])[targets]
    z = logits - logits.max(axis=-1, keepdims=True)
    loss = np.log(np.exp(z).sum(axis=-1)) - (logits * hot).sum(axis=-1)
    return loss.mean(), lambda g: {"logits": (p - hot) * g / targets.size}


@wrong("ops.relu", "wanted a plain NumPy array, was given MaskedArray")
def relu_masked(x):
    return np.ma.masked_less(x, 0).filled(0), lambda g: {"x": np.ma.array(g * (x > 0))}


@wrong("ops.relu", "the slope there is 0", keeps=1)
def relu_by_sign(x):
    return np.maximum(x, 0), lambda g: {"x": g * np.sign(x)}


@wrong("ops.linear", "each element of b has a column of its own", keeps=5)
def linear_b_sum_all(x, W, b):
    flat = lambda a: a.reshape(-1, a.shape[-1])
    return x @ W + b, lambda g: {"x": g @ W.T, "W": flat(x).T @ flat(g), "b": np.full(b.shape, g.sum())}


@right("ops.softmax_op")
def softmax_by_logaddexp(x):
    p = np.exp(x - np.logaddexp.reduce(x, axis=-1, keepdims=True))
    return p, lambda g: {"x": np.stack([p[..., j] * (g[..., j] - (g * p).sum(-1)) for j in range(x.shape[-1])], axis=-1)}


@right("ops.mean_lastaxis")
def mean_by_repeat(x):
    n = x.shape[-1]
    return x.mean(-1), lambda g: {"x": np.repeat(g / n, n).reshape(x.shape)}
