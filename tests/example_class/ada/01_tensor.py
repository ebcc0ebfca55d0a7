# Everything right, in ways of her own.

# %% record
def record(out, backward, *parents):
    """The Tensor of an op's output."""
    t = Tensor(out)
    if _recording and any([parent.requires_grad for parent, name in parents]):
        t.requires_grad = True
        t._parents = parents
        t._backward = backward
    return t

def _wanting(backward, names):
    """`backward` for these names alone, if it can be told: what nobody wants is not computed."""
    takes_names = getattr(getattr(backward, "__code__", None), "co_argcount", 1) > 1
    return partial(backward, wanted=names) if takes_names else backward

# %% accumulate
def accumulate(tensor, grad):
    print("accumulate", np.shape(grad))
    tensor.grad = np.copy(grad) if tensor.grad is None else tensor.grad + grad

# %% topological_order
def topological_order(root):
    """Depth first, with a stack of its own."""
    order, seen, stack = [], set(), [(root, False)]
    while stack:
        t, done = stack.pop()
        if done:
            order.append(t)
        elif t not in seen:
            seen.add(t)
            stack.append((t, True))
            for parent, name in t._parents:
                stack.append((parent, False))
    return order

# %% backward
def backward(self, grad=None):
    """Add ∂(Σ grad · self)/∂leaf to the `.grad` of every leaf that requires a gradient.

    grad  an array of the shape of self; not needed for a single number, the loss.
    The graph is freed on the way. Raises RuntimeError where there is no graph, where it was freed before, where
    self is not one number and no grad is given, and where a tensor's .data was assigned to since it was used.
    """
    grad = _upstream(self, grad)
    order, leaves = topological_order(self), []
    for t in order:
        if t._backward is None:
            if t.requires_grad:
                leaves.append(t)
        elif t._order < _changed:
            _need_unchanged(t)
    before = [t.grad for t in leaves]
    self.grad, t = grad, self
    try:
        for t in reversed(order):
            if t._backward is None:
                continue
            grads = t._backward(t.grad)
            for parent, name in t._parents:
                if parent.requires_grad:
                    accumulate(parent, grads[name])
            if not t._kept:
                t.grad = None
            t._parents, t._backward = (), _spent
        _own(leaves)
    except BaseException:
        for node in (self, t, *order):
            node.grad = None
        for leaf, grad in zip(leaves, before):
            leaf.grad = grad
        raise
    if self._backward is _spent:
        self._parents = tuple([(t, "") for t in leaves])        # zero_grad still finds them
Tensor.backward = backward

# %% sub
def sub(self, other):
    return self + (-1.0) * other

def rsub(self, other):
    return (-1.0) * self + other

Tensor.__sub__, Tensor.__rsub__ = sub, rsub

# %% div
def div(a, b):
    """By the reciprocal."""
    r = 1 / b
    def backward(grad):
        return {"b": unbroadcast(-grad * a * r * r, b.shape), "a": unbroadcast(grad * r, a.shape)}
    return a * r, backward

Tensor.__truediv__ = lambda self, other: _binary(div, operator.truediv, self, other)
Tensor.__rtruediv__ = lambda self, other: _binary(div, operator.truediv, other, self)

# %% no_grad
@contextmanager
def no_grad():
    global _recording
    before, _recording = _recording, False
    try:
        yield
    finally:
        _recording = before
