# Half done: three exercises and a half; the rest is as released.

# %% record
def record(out, backward, *parents):
    """The Tensor of an op's output. `parents`: pairs (tensor, its name in what `backward` returns)."""
    needed = 0
    for parent, _ in parents:
        if parent.requires_grad:
            needed += 1
    if not (needed and _recording):
        return Tensor(np.asarray(out))
    if needed < len(parents):
        backward = _wanting(backward, [name for parent, name in parents if parent.requires_grad])
    t = _new(Tensor)        # without __init__ and its checks: this line runs for every op
    t._data = out if out.__class__ is _ndarray else np.asarray(out)
    t.grad, t.requires_grad, t._parents, t._backward = None, True, parents, backward
    t._order, t._kept = _clock(), False
    return t

def _wanting(backward, names):
    """`backward` for these names alone, if it can be told: what nobody wants is not computed."""
    takes_names = getattr(getattr(backward, "__code__", None), "co_argcount", 1) > 1
    return partial(backward, wanted=names) if takes_names else backward

# %% accumulate
def accumulate(tensor, grad):
    """Added up."""
    if tensor.grad is None:
        tensor.grad = grad
    else:
        tensor.grad = grad + tensor.grad

# %% topological_order
def topological_order(root):
    """By recursion."""
    order, seen = [], set()
    def build(t):
        if t not in seen:
            seen.add(t)
            for parent, _ in t._parents:
                build(parent)
            order.append(t)
    build(root)
    return order

# %% no_grad
@contextmanager
def no_grad():
    """On again at the end, whatever it was before."""
    global _recording
    _recording = False
    try:
        yield
    finally:
        _recording = True
