# Half done: what comes after mean_lastaxis is as released.

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
