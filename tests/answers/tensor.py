"""Answers to the exercises of 01_tensor.

Their globals are this module's, so it has all that the notebook has: `_recording` here is the one that they see.
"""
import inspect
import textwrap
from contextlib import contextmanager

import numpy as np

import minitorch.tensor
from minitorch.tensor import *  # noqa: F403
from minitorch.tensor import Tensor, unbroadcast

from . import right, wrong

_recording = True

# ---------------------------------------------------------------- record


@right("tensor.record")
def record_by_any(out, backward, *parents):
    t = Tensor(out)
    if _recording and any(parent.requires_grad for parent, _ in parents):
        t.requires_grad, t._parents, t._backward = True, parents, backward
    return t


@right("tensor.record")
def record_as_list(out, backward, *parents):
    if not _recording:
        return Tensor(out)
    asked = [(parent, name) for parent, name in parents if parent.requires_grad]
    t = Tensor(out, requires_grad=bool(asked))
    if asked:
        t._parents = asked
        t._backward = lambda grad: {name: backward(grad)[name] for _, name in asked}
    return t


@wrong("tensor.record", "keeps its parents and backward, though no parent requires one", 2)
def record_always(out, backward, *parents):
    t = Tensor(out)
    t.requires_grad = any(parent.requires_grad for parent, _ in parents) and _recording
    t._parents, t._backward = parents, backward
    return t


@wrong("tensor.record", "requires_grad is True, though recording is off", 3)
def record_under_no_grad(out, backward, *parents):
    t = Tensor(out)
    if any(parent.requires_grad for parent, _ in parents):
        t.requires_grad, t._parents, t._backward = True, parents, backward
    return t


@wrong("tensor.record", "keeps its parents, though recording is off")
def record_parents_under_no_grad(out, backward, *parents):
    t = Tensor(out)
    t._parents = parents
    if _recording and any(parent.requires_grad for parent, _ in parents):
        t.requires_grad, t._backward = True, backward
    return t


@wrong("tensor.record", "requires_grad is False, though one parent requires a gradient", 0)
def record_if_all(out, backward, *parents):
    t = Tensor(out)
    if _recording and all(parent.requires_grad for parent, _ in parents):
        t.requires_grad, t._parents, t._backward = True, parents, backward
    return t


@wrong("tensor.record", "does not remember its parent x0", 0)
def record_no_parents(out, backward, *parents):
    t = Tensor(out, requires_grad=_recording and any(parent.requires_grad for parent, _ in parents))
    t._backward = backward if t.requires_grad else None
    return t


@wrong("tensor.record", "requires_grad is False, though", 0)
def record_nothing(out, backward, *parents):
    return Tensor(out)


@wrong("tensor.record", "must return a Tensor, it returned None (is a return missing?)", 0)
def record_no_return(out, backward, *parents):
    t = Tensor(out)
    t.requires_grad, t._parents, t._backward = True, parents, backward


@wrong("tensor.record", "not solved yet", 0)
def record_unsolved(out, backward, *parents):
    raise NotImplementedError("tensor.record: exercise not solved yet, see 01_tensor.ipynb")


# ---------------------------------------------------------------- accumulate


@right("tensor.accumulate")
def accumulate_in_a_copy(tensor, grad):
    if tensor.grad is None:
        tensor.grad = np.zeros_like(tensor.data)
    tensor.grad += grad


@right("tensor.accumulate")
def accumulate_copied(tensor, grad):
    tensor.grad = grad.copy() if tensor.grad is None else np.add(tensor.grad, grad)


@wrong("tensor.accumulate", "the last one alone: overwritten, where it should add up", 1)
def accumulate_overwrites(tensor, grad):
    tensor.grad = grad


@wrong("tensor.accumulate", "+= writes into it, and it may belong to somebody else", 1)
def accumulate_in_place(tensor, grad):
    if tensor.grad is None:
        tensor.grad = grad
    else:
        tensor.grad += grad


@wrong("tensor.accumulate", "the first one alone: what comes later is lost", 1)
def accumulate_first(tensor, grad):
    if tensor.grad is None:
        tensor.grad = grad


@wrong("tensor.accumulate", "wanted an array, was given None", 0)
def accumulate_lost(tensor, grad):
    tensor = grad  # noqa: F841


@wrong("tensor.accumulate", "TypeError", 0)
def accumulate_without_none(tensor, grad):
    tensor.grad = tensor.grad + grad


@wrong("tensor.accumulate", "several add up", 1)
def accumulate_averages(tensor, grad):
    tensor.grad = grad if tensor.grad is None else (tensor.grad + grad) / 2


@wrong("tensor.accumulate", "not solved yet", 0)
def accumulate_unsolved(tensor, grad):
    raise NotImplementedError("tensor.accumulate: exercise not solved yet, see 01_tensor.ipynb")


# ---------------------------------------------------------------- topological_order


@right("tensor.topological_order")
def order_by_stack(root):
    order, seen, stack = [], set(), [(root, False)]
    while stack:
        t, done = stack.pop()
        if done:
            order.append(t)
        elif t not in seen:
            seen.add(t)
            stack.append((t, True))
            stack.extend((parent, False) for parent, _ in t._parents)
    return order


@right("tensor.topological_order")
def order_by_counting(root):
    """Kahn (1962): a tensor comes when all its users have come."""
    users, stack, seen = {}, [root], {root}
    while stack:
        for parent, _ in stack.pop()._parents:
            users[parent] = users.get(parent, 0) + 1
            if parent not in seen:
                seen.add(parent)
                stack.append(parent)
    order, ready = [], [root]
    while ready:
        t = ready.pop()
        order.append(t)
        for parent, _ in t._parents:
            users[parent] -= 1
            if not users[parent]:
                ready.append(parent)
    return order[::-1]


@right("tensor.topological_order")
def order_by_sorted_set(root):
    seen, todo = set(), {root}
    while todo:
        seen |= todo
        todo = {parent for t in todo for parent, _ in t._parents} - seen
    return sorted(seen, key=lambda t: t._order)


@wrong("tensor.topological_order", "recursion: Python gives up at a depth of 1000", 4)
def order_recursive(root):
    order, seen = [], set()
    def build(t):
        if t not in seen:
            seen.add(t)
            for parent, _ in t._parents:
                build(parent)
            order.append(t)
    build(root)
    return order


@wrong("tensor.topological_order", "comes before one of its parents", 3)
def order_by_levels(root):
    order, seen = [root], {root}
    for t in order:
        order += [parent for parent in dict.fromkeys(p for p, _ in t._parents) if parent not in seen]
        seen.update(order)
    return order[::-1]


@wrong("tensor.topological_order", "`in` was asked of a list, which compares by ==", 0)
def order_in_list(root):
    order = [root]
    for t in order:
        for parent, _ in t._parents:
            if parent not in order:
                order.append(parent)
    return sorted(order, key=lambda t: t._order)


@wrong("tensor.topological_order", "a tensor with two users is visited from each", 4)
def order_visits_twice(root):
    order = [root]
    for t in order:
        order.extend(parent for parent, _ in t._parents)
    return sorted(order, key=lambda t: t._order)


@wrong("tensor.topological_order", "the root comes first", 2)
def order_reversed(root):
    return order_by_stack(root)[::-1]


@wrong("tensor.topological_order", "tensors are missing", 0)
def order_without_leaves(root):
    return [t for t in order_by_stack(root) if t._backward is not None]


@wrong("tensor.topological_order", "1 tensors are missing", 0)
def order_without_root(root):
    return order_by_stack(root)[:-1]


@wrong("tensor.topological_order", "must return a list, it returned None (is a return missing?)", 0)
def order_no_return(root):
    order_by_stack(root)


@wrong("tensor.topological_order", "tensors are missing", 0)
def order_empty(root):
    return []


@wrong("tensor.topological_order", "not solved yet", 0)
def order_unsolved(root):
    raise NotImplementedError("tensor.topological_order: exercise not solved yet, see 01_tensor.ipynb")


# ---------------------------------------------------------------- backward: the lines of the exercise alone differ

SOURCE = inspect.getsource(minitorch.tensor.backward)
LINES = SOURCE[SOURCE.index("        while order:"):SOURCE.index("        _own(leaves)")]


def backward_of(name, lines):
    """The function `backward` with these lines in the place of the solution."""
    space = dict(vars(minitorch.tensor))
    exec(SOURCE.replace(LINES, textwrap.indent(textwrap.dedent(lines).strip("\n"), " " * 8) + "\n"), space)
    space["backward"].__name__ = name
    return space["backward"]


right("tensor.backward")(backward_of("backward_reversed", """
    for t in reversed(order):
        if t._backward is not None:
            for name, g in t._backward(t.grad).items():
                for parent, its_name in t._parents:
                    if name == its_name and parent.requires_grad:
                        accumulate(parent, g)
            t._parents, t._backward = (), _spent
            t.grad = t.grad if t._kept else None
"""))
right("tensor.backward")(backward_of("backward_that_keeps_the_graph", """
    for t in order[::-1]:
        if t._backward:
            g = t._backward(t.grad)
            for p, n in t._parents:
                if p.requires_grad:
                    p.grad = g[n] if p.grad is None else p.grad + g[n]
            if not t._kept:
                t.grad = None
"""))


def wrong_lines(says, keeps, name, old, new):
    assert old in LINES
    wrong("tensor.backward", says, keeps)(backward_of(name, LINES.replace(old, new)))


ACCUMULATE = "accumulate(parent, grads[name])"
CLEAR = "            if not t._kept:\n                t.grad = None\n"
FREE = "            t._parents, t._backward = (), _spent\n"
wrong_lines("shared parts", 3, "backward_overwrites", ACCUMULATE, "parent.grad = grads[name]")
wrong_lines("shared parts", None, "backward_in_place", ACCUMULATE,
            "parent.grad = grads[name] if parent.grad is None else np.add(parent.grad, grads[name], out=parent.grad)")
wrong_lines("requires no gradient and got one", 7, "backward_without_asking", "if parent.requires_grad:", "if True:")
wrong_lines("still have a gradient", 7, "backward_leaves_gradients", CLEAR, "")
wrong_lines("asked to keep it", 7, "backward_clears_all", CLEAR, "            t.grad = None\n")
wrong_lines("counted again", 6, "backward_double_counts", CLEAR + FREE, "")
wrong_lines("wanted", None, "backward_ignores_upstream", "t._backward(t.grad)", "t._backward(np.ones_like(t.grad))")
wrong_lines("no gradient has arrived", 0, "backward_from_the_front", "order.pop()", "order.pop(0)")
wrong_lines("no gradient has arrived", 0, "backward_forwards", "while order:\n            t = order.pop()", "for t in list(order):")
wrong_lines("got no gradient", 0, "backward_stops_at_once", "continue", "break")
wrong_lines("", 0, "backward_to_itself", ACCUMULATE, "accumulate(t, grads[name])")
wrong_lines("TypeError", 0, "backward_calls_leaves", "            if t._backward is None:\n                continue\n", "")
wrong("tensor.backward", "got no gradient", 0)(backward_of("backward_does_nothing", "pass"))
wrong("tensor.backward", "not solved yet", 0)(backward_of(
    "backward_unsolved", "raise NotImplementedError('tensor.backward: exercise not solved yet, see 01_tensor.ipynb')"))


# ---------------------------------------------------------------- sub and rsub: the module has one rsub, so each answer its own


def pair(sub, rsub):
    """A `sub` whose globals hold its `rsub`."""
    space = dict(vars(minitorch.tensor))
    exec(f"sub = lambda self, other: {sub}\nrsub = lambda self, other: {rsub}", space)
    space["sub"].__name__ = f"sub[{sub}][{rsub}]"
    return space["sub"]


right("tensor.sub")(pair("self + (-1) * other", "(-1) * self + other"))
right("tensor.sub")(pair("-(-self + other)", "-(self + -other)"))
wrong("tensor.sub", "swapped, the other one minus this one", 2)(pair("self + -other", "self + -other"))
wrong("tensor.sub", "swapped, the other one minus this one", 2)(pair("-self + other", "-self + other"))
wrong("tensor.sub", "wanted", 0)(pair("self + other", "self + other"))
wrong("tensor.sub", "gradient of", 2)(pair("Tensor(self.data - _raw(other))", "Tensor(other - self.data)"))
wrong("tensor.sub", "gradient of other", 3)(pair("self + -_raw(other)", "-self + other"))
wrong("tensor.sub", "must return a Tensor, it returned an array", 0)(pair("self.data - _raw(other)", "other - self.data"))


@wrong("tensor.sub", "not solved yet", 0)
def sub_unsolved(self, other):
    raise NotImplementedError("tensor.sub: exercise not solved yet, see 01_tensor.ipynb")


def rsub(self, other):
    raise NotImplementedError("tensor.sub: exercise not solved yet, see 01_tensor.ipynb")


sub = sub_unsolved

# ---------------------------------------------------------------- div


@right("tensor.div")
def div_by_reciprocal(a, b):
    r = 1 / b
    return a * r, lambda grad: {"b": unbroadcast(-grad * a * r * r, b.shape), "a": unbroadcast(grad * r, a.shape)}


@right("tensor.div")
def div_by_square(a, b):
    def backward(grad):
        return {"a": unbroadcast(np.asarray(grad / b), a.shape), "b": unbroadcast(np.asarray(-grad * a / b**2), b.shape)}
    return np.true_divide(a, b), backward


@wrong("tensor.div", "not summed over the axes that broadcasting added", 3)
def div_not_reduced(a, b):
    return a / b, lambda grad: {"a": grad / b, "b": -grad * a / b**2}


@wrong("tensor.div", "the sign is flipped", 3)
def div_sign(a, b):
    return a / b, lambda grad: {"a": unbroadcast(grad / b, a.shape), "b": unbroadcast(grad * a / b**2, b.shape)}


@wrong("tensor.div", "b where 1/b is wanted", 3)
def div_as_product(a, b):
    return a / b, lambda grad: {"a": unbroadcast(grad * b, a.shape), "b": unbroadcast(-grad * a / b**2, b.shape)}


@wrong("tensor.div", "the b below is squared", 3)
def div_not_squared(a, b):
    return a / b, lambda grad: {"a": unbroadcast(grad / b, a.shape), "b": unbroadcast(-grad * a / b, b.shape)}


@wrong("tensor.div", "the factor a is missing", 3)
def div_without_a(a, b):
    return a / b, lambda grad: {"a": unbroadcast(grad / b, a.shape), "b": unbroadcast(-grad / b**2, b.shape)}


@wrong("tensor.div", "the upstream gradient is ignored", 1)
def div_no_upstream(a, b):
    return a / b, lambda grad: {"a": unbroadcast(np.ones_like(grad) / b, a.shape), "b": unbroadcast(-np.ones_like(grad) * a / b**2, b.shape)}


@wrong("tensor.div", "", 4)
def div_of_whole_numbers(a, b):
    return a // b, lambda grad: {"a": unbroadcast(grad / b, a.shape), "b": unbroadcast(-grad * a / b**2, b.shape)}


# ---------------------------------------------------------------- no_grad


@right("tensor.no_grad")
@contextmanager
def no_grad_by_stack(stack=[]):  # noqa: B006
    global _recording
    stack.append(_recording)
    try:
        _recording = False
        yield
    finally:
        _recording = stack.pop()


@wrong("tensor.no_grad", "what stands after yield is skipped by an exception", 3)
@contextmanager
def no_grad_without_finally():
    global _recording
    before = _recording
    _recording = False
    yield
    _recording = before


@wrong("tensor.no_grad", "True at the end, whatever it was before", 3)
@contextmanager
def no_grad_true_afterwards():
    global _recording
    _recording = False
    try:
        yield
    finally:
        _recording = True


@wrong("tensor.no_grad", "inside, _recording should be False and is True", 0)
@contextmanager
def no_grad_without_global():
    _recording = False  # noqa: F841
    yield


@wrong("tensor.no_grad", "afterwards, _recording should be True and is False", 0)
@contextmanager
def no_grad_for_ever():
    global _recording
    _recording = False
    yield


@wrong("tensor.no_grad", "an exception raised inside was swallowed", 3)
@contextmanager
def no_grad_swallows():
    global _recording
    before, _recording = _recording, False
    try:  # noqa: SIM105
        yield
    except Exception:
        pass
    _recording = before


@wrong("tensor.no_grad", "not solved yet", 0)
@contextmanager
def no_grad_unsolved():
    raise NotImplementedError("tensor.no_grad: exercise not solved yet, see 01_tensor.ipynb")
    yield
