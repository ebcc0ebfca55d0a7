# Every exercise tried, each with a mistake that students make.

# %% relu
def relu(x):
    """The slope at 0 taken as 1."""
    out = np.maximum(x, 0)
    def backward(grad):
        return {"x": grad * (x >= 0)}
    return out, backward

# %% sigmoid
def sigmoid(x):
    """The upstream gradient forgotten."""
    s = 1 / (1 + np.exp(-x))
    def backward(grad):
        return {"x": s * (1 - s)}
    return s, backward

# %% unbroadcast
def unbroadcast(grad, shape):
    """keepdims forgotten."""
    front = grad.ndim - len(shape)
    axes = tuple(i for i in range(grad.ndim) if i < front or shape[i - front] == 1 != grad.shape[i])
    return grad.sum(axis=axes)

# %% mul
def mul(a, b):
    """Not summed where broadcast."""
    out = a * b
    def backward(grad):
        return {"a": grad * b, "b": grad * a}
    return out, backward

# %% mean_lastaxis
def mean_lastaxis(x):
    """The derivative of the sum."""
    out = x.mean(axis=-1)
    def backward(grad):
        return {"x": np.broadcast_to(grad[..., None], x.shape)}
    return out, backward

# %% slice_lastaxis
def slice_lastaxis(x, start, stop):
    """The upstream gradient as it is."""
    out = x[..., start:stop]
    def backward(grad):
        return {"x": grad}
    return out, backward

# %% matmul
def matmul(x, W):
    """Right for two axes; leading axes not summed."""
    out = x @ W
    def backward(grad):
        return {"x": grad @ W.swapaxes(-1, -2), "W": x.swapaxes(-1, -2) @ grad}
    return out, backward

# %% linear
def linear(x, W, b):
    """The mean over the rows for b."""
    out = x @ W + b
    def backward(grad):
        g = grad.reshape(-1, grad.shape[-1])
        return {"x": grad @ W.T, "W": x.reshape(-1, x.shape[-1]).T @ g, "b": g.sum(axis=0) / len(g)}
    return out, backward

# %% softmax_op
def softmax_op(x):
    """Elementwise, and the maximum not subtracted."""
    p = np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)
    def backward(grad):
        return {"x": grad * p * (1 - p)}
    return p, backward

# %% cross_entropy_from_probs
def cross_entropy_from_probs(p, y):
    """The probability clipped, and the sum for the mean in backward."""
    flat, rows, y = p.reshape(-1, p.shape[-1]), np.arange(np.size(y)), np.ravel(y)
    picked = np.clip(flat[rows, y], 1e-9, 1)
    def backward(grad):
        g = np.zeros_like(flat)
        g[rows, y] = -grad / picked
        return {"p": g.reshape(p.shape)}
    return -np.log(picked).mean(), backward

# %% softmax_ce_fused
def softmax_ce_fused(logits, targets):
    """The log of a softmax that can be 0."""
    p, _ = softmax_op(logits)
    picked = np.take_along_axis(p, targets[..., None], axis=-1)
    def backward(grad):
        g = p.copy()
        np.put_along_axis(g, targets[..., None], picked - 1, axis=-1)
        return {"logits": g * grad / targets.size}
    return -np.log(picked).mean(), backward
