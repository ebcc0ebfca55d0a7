# Every exercise tried, each with a mistake that students make.

# %% record
def record(out, backward, *parents):
    """Under no_grad as well."""
    t = Tensor(out)
    if any(parent.requires_grad for parent, _ in parents):
        t.requires_grad, t._parents, t._backward = True, parents, backward
    return t

def _wanting(backward, names):
    """`backward` for these names alone, if it can be told: what nobody wants is not computed."""
    takes_names = getattr(getattr(backward, "__code__", None), "co_argcount", 1) > 1
    return partial(backward, wanted=names) if takes_names else backward

# %% accumulate
def accumulate(tensor, grad):
    """In place."""
    if tensor.grad is None:
        tensor.grad = grad
    else:
        tensor.grad += grad

# %% topological_order
def topological_order(root):
    """Without remembering what was seen."""
    order = [root]
    for t in order:
        for parent, _ in t._parents:
            order.append(parent)
    return sorted(order, key=lambda t: t._order)

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
        while order:
            t = order.pop()
            if t._backward is None:
                continue
            grads = t._backward(t.grad)
            for parent, name in t._parents:
                if parent.requires_grad:
                    accumulate(parent, grads[name])
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
    return self + -other

def rsub(self, other):
    """The wrong way round."""
    return self + -other
Tensor.__sub__, Tensor.__rsub__ = sub, rsub

# %% div
def div(a, b):
    """a/b, element by element, broadcast as NumPy does. Gradients: a, b."""
    ops._same_shape("div", a, b)        # refuses what does not fit
    out = a / b
    def backward(grad, wanted=("a", "b")):
        grads = {}
        if "a" in wanted:
            grads["a"] = grad / b
        if "b" in wanted:
            grads["b"] = -grad * out / b
        return grads
    return out, backward
Tensor.__truediv__ = lambda self, other: _binary(div, operator.truediv, self, other)
Tensor.__rtruediv__ = lambda self, other: _binary(div, operator.truediv, other, self)

# %% no_grad
@contextmanager
def no_grad():
    """Without a finally."""
    global _recording
    before = _recording
    _recording = False
    yield
    _recording = before
