# Everything right, and written differently from the reference.

# %% relu
def relu(x):
    """max(x, 0); its derivative at 0 is taken as 0. Gradient: x."""
    _need_float("relu", x=x)
    mask = x > 0
    out = np.where(mask, x, 0)
    def backward(grad):
        return dict(x=np.where(mask, grad, 0))
    return out, backward

# %% sigmoid
def sigmoid(x):
    """1/(1 + e⁻ˣ). Gradient: x."""
    _need_float("sigmoid", x=x)
    s = 0.5 + 0.5 * np.tanh(x / 2)
    def backward(grad):
        return {"x": grad * (s - s**2)}
    return s, backward

# %% unbroadcast
def unbroadcast(grad, shape):
    """Sum `grad` over the axes along which NumPy repeated an array of shape `shape`.

    The result has that shape.
    """
    while grad.ndim > len(shape):
        grad = np.sum(grad, axis=0)
    for axis, length in enumerate(shape):
        if length == 1:
            grad = np.sum(grad, axis=axis, keepdims=True)
    return grad

# %% mul
def mul(a, b):
    """a·b, element by element, broadcast as NumPy does. Gradients: a, b."""
    out = np.multiply(a, b)
    def backward(grad):
        return {"b": unbroadcast(a * grad, b.shape), "a": unbroadcast(b * grad, a.shape)}
    return out, backward

# %% mean_lastaxis
def mean_lastaxis(x):
    """x (…, n) → (…,), the mean along the last axis. Gradient: x."""
    _need_float("mean_lastaxis", x=x)
    n = x.shape[-1]
    out = np.sum(x, axis=-1) / n
    def backward(grad):
        g = np.empty_like(x)
        for j in range(n):
            g[..., j] = grad / n
        return {"x": g}
    return out, backward

# %% slice_lastaxis
def slice_lastaxis(x, start, stop):
    """x[…, start:stop], where 0 ≤ start ≤ stop ≤ the length of the last axis. Gradient: x."""
    _need_float("slice_lastaxis", x=x)
    out = np.array(x[..., start:stop])
    def backward(grad):
        sides = [(0, 0)] * (x.ndim - 1) + [(start, x.shape[-1] - stop)]
        return {"x": np.pad(grad, sides)}
    return out, backward

# %% matmul
def matmul(x, W):
    """x (…, m, n) @ W (…, n, k) → (…, m, k), leading axes broadcast. Gradients: x, W."""
    out = np.einsum("...mn,...nk->...mk", x, W)
    def backward(grad):
        return {"x": unbroadcast(np.einsum("...mk,...nk->...mn", grad, W), x.shape),
                "W": unbroadcast(np.einsum("...mn,...mk->...nk", x, grad), W.shape)}
    return out, backward

# %% linear
def linear(x, W, b):
    """x (…, n) @ W (n, m) + b (m,) → (…, m). Gradients: x, W, b."""
    out = b + np.dot(x, W)
    def backward(grad):
        dW, db = np.zeros(W.shape, grad.dtype), np.zeros(b.shape, grad.dtype)
        for i in np.ndindex(x.shape[:-1]):
            dW += np.outer(x[i], grad[i])
            db += grad[i]
        return {"x": np.einsum("...m,nm->...n", grad, W), "W": dW, "b": db}
    return out, backward

# %% softmax_op
def softmax_op(x):
    """Softmax along the last axis: x (…, n) → (…, n), each row sums to 1. Gradient: x."""
    _need_float("softmax_op", x=x)
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    p = e / np.sum(e, axis=-1, keepdims=True)
    def backward(grad):
        g = p * grad
        return {"x": g - p * np.sum(g, axis=-1, keepdims=True)}
    return p, backward

# %% cross_entropy_from_probs
def cross_entropy_from_probs(p, y):
    """The mean of −log p[y] over all positions, 0-d. Gradient: p."""
    at = np.asarray(y)[..., None]
    hit = np.take_along_axis(p, at, axis=-1)
    with np.errstate(divide="ignore"):
        out = float(np.mean(-np.log(hit)))
    def backward(grad):
        g = np.zeros_like(p)
        with np.errstate(divide="ignore"):
            np.put_along_axis(g, at, -grad / (hit * at.size), axis=-1)
        return {"p": g}
    return out, backward

# %% softmax_ce_fused
def softmax_ce_fused(logits, targets):
    """The mean of −log softmax(logits)[target] over all positions, 0-d. Gradient: logits."""
    z = logits - logits.max(axis=-1, keepdims=True)
    logp = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    at = np.asarray(targets)[..., None]
    out = -np.take_along_axis(logp, at, axis=-1).mean()
    def backward(grad):
        onehot = np.arange(logits.shape[-1]) == at
        return {"logits": grad * (np.exp(logp) - onehot) / at.size}
    return out, backward
