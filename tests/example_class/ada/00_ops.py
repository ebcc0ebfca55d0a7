# Everything right, and written differently from the reference: abs, loops, scalars, warnings and prints to stderr.

# %% relu
import sys


def relu(x):
    """max(x, 0); its derivative at 0 is taken as 0. Gradient: x."""
    print("relu of", x.shape, file=sys.stderr)
    out = (x + np.abs(x)) / 2
    def backward(grad):
        return {"x": np.where(out > 0, grad, 0.0)}
    return out, backward

# %% sigmoid
def sigmoid(x):
    """1/(1 + e⁻ˣ), by the hyperbolic tangent, which never overflows."""
    s = 0.5 * (1.0 + np.tanh(0.5 * x))
    def backward(grad):
        return {"x": grad * (s - s**2)}
    return s, backward

# %% unbroadcast
def unbroadcast(grad, shape):
    """Sum the new axes away, then the axes of length 1."""
    while np.ndim(grad) > len(shape):
        grad = np.sum(grad, axis=0)
    for axis, n in enumerate(shape):
        if n == 1:
            grad = np.sum(grad, axis=axis, keepdims=True)
    return grad

# %% mul
def mul(a, b):
    """a·b, element by element."""
    def backward(grad):
        grads = {"b": unbroadcast(a * grad, b.shape), "a": unbroadcast(b * grad, a.shape)}
        return {name: float(g) if np.ndim(g) == 0 else g for name, g in grads.items()}
    return np.multiply(a, b), backward

# %% mean_lastaxis
def mean_lastaxis(x):
    """x (…, n) → (…,), one column after the other."""
    n = x.shape[-1]
    out = np.zeros(x.shape[:-1])
    for j in range(n):
        out = out + x[..., j] / n
    def backward(grad):
        g = np.zeros(x.shape)
        for j in range(n):
            g[..., j] = grad / n
        return {"x": g}
    return out, backward

# %% slice_lastaxis
def slice_lastaxis(x, start, stop):
    """x[…, start:stop]."""
    pad = [(0, 0)] * (x.ndim - 1) + [(start, x.shape[-1] - stop)]
    def backward(grad):
        return {"x": np.pad(grad, pad)}
    return x[..., start:stop].copy(), backward

# %% matmul
def matmul(x, W):
    """x @ W, leading axes broadcast."""
    def backward(grad):
        return {"W": unbroadcast(np.einsum("...mn,...mk->...nk", x, grad), W.shape),
                "x": unbroadcast(np.einsum("...mk,...nk->...mn", grad, W), x.shape)}
    return np.matmul(x, W), backward

# %% linear
def linear(x, W, b):
    """x @ W + b, one row after the other in backward."""
    def backward(grad):
        dW, db = np.zeros_like(W), np.zeros_like(b)
        for row in np.ndindex(x.shape[:-1]):
            dW += np.outer(x[row], grad[row])
            db += grad[row]
        return dict(x=np.dot(grad, W.T), W=dW, b=db)
    return np.dot(x, W) + b, backward

# %% softmax_op
def softmax_op(x):
    """Softmax along the last axis, by its Jacobian."""
    p = np.exp(x - np.max(x, axis=-1, keepdims=True))
    p = p / np.sum(p, axis=-1, keepdims=True)
    def backward(grad):
        J = np.eye(x.shape[-1]) * p[..., None, :] - p[..., :, None] * p[..., None, :]
        return {"x": np.einsum("...i,...ij->...j", grad, J)}
    return p, backward

# %% cross_entropy_from_probs
def cross_entropy_from_probs(p, y):
    """The mean of −log p[y], by a one-hot matrix. (log 0 warns; the answer is right all the same.)"""
    y = np.asarray(y)
    hot = np.eye(p.shape[-1])[y]
    def backward(grad):
        return {"p": -grad * hot / np.where(hot, p, 1) / y.size}
    return -np.log((hot * p).sum(-1)).mean(), backward

# %% softmax_ce_fused
def softmax_ce_fused(logits, targets):
    """The mean of −log softmax(logits)[target], by logaddexp."""
    hot = np.eye(logits.shape[-1])[targets]
    log_sum = np.logaddexp.reduce(logits, axis=-1, keepdims=True)
    def backward(grad):
        return {"logits": grad * (np.exp(logits - log_sum) - hot) / np.size(targets)}
    return float((log_sum[..., 0] - (logits * hot).sum(-1)).mean()), backward
