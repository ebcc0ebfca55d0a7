# Typical mistakes.

# %% relu
def relu(x):
    # the upstream gradient is ignored
    out = np.maximum(x, 0)
    def backward(grad):
        return {"x": 1.0 * (x > 0)}
    return out, backward

# %% sigmoid
def sigmoid(x):
    # s(1 − s) taken at the input
    s = 1 / (1 + np.exp(-x))
    def backward(grad):
        return {"x": grad * x * (1 - x)}
    return s, backward

# %% unbroadcast
def unbroadcast(grad, shape):
    # axes of length 1 are forgotten
    return grad.sum(axis=tuple(range(grad.ndim - len(shape))))

# %% mul
def mul(a, b):
    # not summed over what broadcasting added
    out = a * b
    def backward(grad):
        return {"a": grad * b, "b": grad * a}
    return out, backward

# %% mean_lastaxis
def mean_lastaxis(x):
    # the derivative of the sum
    out = x.mean(axis=-1)
    def backward(grad):
        return {"x": np.broadcast_to(grad[..., None], x.shape)}
    return out, backward

# %% slice_lastaxis
def slice_lastaxis(x, start, stop):
    # the gradient is as short as the slice
    out = x[..., start:stop]
    def backward(grad):
        return {"x": grad}
    return out, backward

# %% matmul
def matmul(x, W):
    # right for two matrices, not summed over leading axes
    out = x @ W
    def backward(grad):
        return {"x": grad @ W.swapaxes(-1, -2), "W": x.swapaxes(-1, -2) @ grad}
    return out, backward

# %% linear
def linear(x, W, b):
    # the bias gets the gradient of every position, not their sum
    out = x @ W + b
    def backward(grad):
        return {"x": grad @ W.T, "W": _rows(x).T @ _rows(grad), "b": grad}
    return out, backward

# %% softmax_op
def softmax_op(x):
    # overflows, and its backward takes each output for itself
    e = np.exp(x)
    p = e / e.sum(axis=-1, keepdims=True)
    def backward(grad):
        return {"x": grad * p * (1 - p)}
    return p, backward

# %% cross_entropy_from_probs
def cross_entropy_from_probs(p, y):
    # a mean whose derivative is that of a sum
    flat, rows = _rows(p), np.arange(np.size(y))
    out = -np.log(flat[rows, np.ravel(y)]).mean()
    def backward(grad):
        g = np.zeros_like(flat)
        g[rows, np.ravel(y)] = -grad / flat[rows, np.ravel(y)]
        return {"p": g.reshape(p.shape)}
    return out, backward
