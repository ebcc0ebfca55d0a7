"""The bank: answers to the exercises of 01_tensor, as students type them.

Each begins with a line `# %% right EXERCISE NAME` or `# %% wrong EXERCISE NAME | mistake: … | keeps: … | says: …`: the name of
the mistake (left out where there is none), the points that it keeps, and a part of the message. What stands before the first of
them, all of them have. To add an answer, write such a line and the function below it.
"""
import inspect
import textwrap
from contextlib import contextmanager

import numpy as np


# ================================================================ tensor.record

# %% right tensor.record by_any
def record(out, backward, *parents):
    t = Tensor(out)
    if _recording and any(parent.requires_grad for parent, _ in parents):
        t.requires_grad, t._parents, t._backward = True, parents, backward
    return t


# %% right tensor.record as_list
def record(out, backward, *parents):
    if not _recording:
        return Tensor(out)
    asked = [(parent, name) for parent, name in parents if parent.requires_grad]
    t = Tensor(out, requires_grad=bool(asked))
    if asked:
        t._parents = asked
        t._backward = lambda grad: {name: backward(grad)[name] for _, name in asked}
    return t


# %% wrong tensor.record always | keeps: 2 | says: keeps its parents and backward, though no parent requires one
def record(out, backward, *parents):
    t = Tensor(out)
    t.requires_grad = any(parent.requires_grad for parent, _ in parents) and _recording
    t._parents, t._backward = parents, backward
    return t


# %% wrong tensor.record under_no_grad | keeps: 3 | says: requires_grad is True, though recording is off
def record(out, backward, *parents):
    t = Tensor(out)
    if any(parent.requires_grad for parent, _ in parents):
        t.requires_grad, t._parents, t._backward = True, parents, backward
    return t


# %% wrong tensor.record parents_under_no_grad | says: keeps its parents, though recording is off
def record(out, backward, *parents):
    t = Tensor(out)
    t._parents = parents
    if _recording and any(parent.requires_grad for parent, _ in parents):
        t.requires_grad, t._backward = True, backward
    return t


# %% wrong tensor.record if_all | keeps: 0 | says: requires_grad is False, though one parent requires a gradient
def record(out, backward, *parents):
    t = Tensor(out)
    if _recording and all(parent.requires_grad for parent, _ in parents):
        t.requires_grad, t._parents, t._backward = True, parents, backward
    return t


# %% wrong tensor.record no_parents | keeps: 0 | says: does not remember its parent x0
def record(out, backward, *parents):
    t = Tensor(out, requires_grad=_recording and any(parent.requires_grad for parent, _ in parents))
    t._backward = backward if t.requires_grad else None
    return t


# %% wrong tensor.record nothing | keeps: 0 | says: requires_grad is False, though
def record(out, backward, *parents):
    return Tensor(out)


# %% wrong tensor.record no_return | keeps: 0 | says: must return a Tensor, it returned None (is a return missing?)
def record(out, backward, *parents):
    t = Tensor(out)
    t.requires_grad, t._parents, t._backward = True, parents, backward


# %% wrong tensor.record unsolved | mistake: not solved | keeps: 0 | says: not solved yet
def record(out, backward, *parents):
    raise NotImplementedError("tensor.record: exercise not solved yet, see 01_tensor.ipynb")


# %% right tensor.record constructor
def record(out, backward, *parents):
    wants = [parent for parent, _ in parents if parent.requires_grad] if _recording else []
    t = Tensor(out, requires_grad=len(wants) > 0)
    if wants:
        t._backward = backward
        t._parents = tuple((parent, name) for parent, name in parents)
    return t


# %% right tensor.record early_return
def record(out, backward, *parents):
    t = Tensor(np.asarray(out))
    if not _recording:
        return t
    for parent, _ in parents:
        if parent.requires_grad:
            t._parents, t._backward, t.requires_grad = tuple(parents), backward, True
            break
    return t


# %% right tensor.record plain
def record(out, backward, *parents):
    t = Tensor(out)
    if _recording and any(parent.requires_grad for parent, name in parents):
        t.requires_grad = True
        t._parents = parents
        t._backward = backward
    return t


# %% right tensor.record sum
def record(out, backward, *parents):
    t = Tensor(out)
    needed = _recording and sum(p[0].requires_grad for p in parents) > 0
    t.requires_grad = bool(needed)
    t._parents, t._backward = (parents, backward) if needed else ((), None)
    return t


# %% wrong tensor.record double_backward | mistake: factor 2 | keeps: 0
def record(out, backward, *parents):
    t = Tensor(out)
    if _recording and any(p.requires_grad for p, _ in parents):
        t.requires_grad, t._parents = True, parents + parents
        t._backward = backward
    return t


# %% wrong tensor.record minus | mistake: sign flipped | keeps: 0
def record(out, backward, *parents):
    t = Tensor(out)
    if _recording and any(p.requires_grad for p, _ in parents):
        t.requires_grad, t._parents = True, parents
        t._backward = lambda grad: backward(-grad)
    return t


# %% wrong tensor.record names_reversed | mistake: gradient of the wrong input | keeps: 0
def record(out, backward, *parents):
    t = Tensor(out)
    if _recording and any(p.requires_grad for p, _ in parents):
        tensors, names = zip(*parents)
        t.requires_grad, t._backward = True, backward
        t._parents = tuple(zip(tensors, reversed(names)))
    return t


# %% wrong tensor.record all | keeps: 0
def record(out, backward, *parents):
    t = Tensor(out)
    if _recording and all(p.requires_grad for p, _ in parents):
        t.requires_grad, t._parents, t._backward = True, parents, backward
    return t


# %% wrong tensor.record always_2 | keeps: 2
def record(out, backward, *parents):
    t = Tensor(out)
    t._parents = parents
    t._backward = backward
    t.requires_grad = True
    return t


# %% wrong tensor.record backward_called | mistake: upstream gradient ignored | keeps: 0
def record(out, backward, *parents):
    t = Tensor(out)
    if _recording and any(p.requires_grad for p, _ in parents):
        grads = backward(np.ones(t.shape, t.dtype))
        t.requires_grad, t._parents = True, parents
        t._backward = lambda grad: grads
    return t


# %% wrong tensor.record first_parent_only | keeps: 0
def record(out, backward, *parents):
    t = Tensor(out)
    if _recording and parents and parents[0][0].requires_grad:
        t.requires_grad, t._parents, t._backward = True, parents, backward
    return t


# %% wrong tensor.record graph_of_constants | keeps: 2
def record(out, backward, *parents):
    t = Tensor(out)
    t._parents, t._backward = parents, backward
    if _recording:
        t.requires_grad = any(p.requires_grad for p, _ in parents)
    return t


# %% wrong tensor.record no_backward | keeps: 0
def record(out, backward, *parents):
    t = Tensor(out)
    if _recording and any(p.requires_grad for p, _ in parents):
        t.requires_grad, t._parents = True, parents
    return t


# %% wrong tensor.record no_requires_grad | keeps: 0
def record(out, backward, *parents):
    t = Tensor(out)
    if _recording and any(p.requires_grad for p, _ in parents):
        t._parents, t._backward = parents, backward
    return t


# %% wrong tensor.record one_parent | keeps: 0
def record(out, backward, *parents):
    t = Tensor(out)
    wanted = tuple((p, name) for p, name in parents if p.requires_grad)
    if _recording and wanted:
        t.requires_grad, t._parents, t._backward = True, wanted[:1], backward
    return t



# ================================================================ tensor.accumulate

# %% right tensor.accumulate in_a_copy
def accumulate(tensor, grad):
    if tensor.grad is None:
        tensor.grad = np.zeros_like(tensor.data)
    tensor.grad += grad


# %% right tensor.accumulate copied
def accumulate(tensor, grad):
    tensor.grad = grad.copy() if tensor.grad is None else np.add(tensor.grad, grad)


# %% wrong tensor.accumulate overwrites | mistake: overwritten instead of accumulated | keeps: 1 | says: the last one alone: overwritten, where it should add up
def accumulate(tensor, grad):
    tensor.grad = grad


# %% wrong tensor.accumulate in_place | mistake: input or upstream modified in place | keeps: 1 | says: += writes into it, and it may belong to somebody else
def accumulate(tensor, grad):
    if tensor.grad is None:
        tensor.grad = grad
    else:
        tensor.grad += grad


# %% wrong tensor.accumulate first | mistake: later ones lost | keeps: 1 | says: the first one alone: what comes later is lost
def accumulate(tensor, grad):
    if tensor.grad is None:
        tensor.grad = grad


# %% wrong tensor.accumulate lost | keeps: 0 | says: wanted an array, was given None
def accumulate(tensor, grad):
    tensor = grad  # noqa: F841


# %% wrong tensor.accumulate without_none | keeps: 0 | says: TypeError
def accumulate(tensor, grad):
    tensor.grad = tensor.grad + grad


# %% wrong tensor.accumulate averages | keeps: 1 | says: several add up
def accumulate(tensor, grad):
    tensor.grad = grad if tensor.grad is None else (tensor.grad + grad) / 2


# %% wrong tensor.accumulate unsolved | mistake: not solved | keeps: 0 | says: not solved yet
def accumulate(tensor, grad):
    raise NotImplementedError("tensor.accumulate: exercise not solved yet, see 01_tensor.ipynb")


# %% right tensor.accumulate copy
def accumulate(tensor, grad):
    if tensor.grad is None:
        tensor.grad = np.array(grad)
    else:
        tensor.grad = tensor.grad + grad


# %% right tensor.accumulate if
def accumulate(tensor, grad):
    if tensor.grad is not None:
        tensor.grad = np.add(tensor.grad, grad)
    else:
        tensor.grad = grad


# %% right tensor.accumulate new_array_inplace
def accumulate(tensor, grad):
    new = np.array(grad, copy=True)
    if tensor.grad is not None:
        new += tensor.grad
    tensor.grad = new


# %% right tensor.accumulate sum_list
def accumulate(tensor, grad):
    tensor.grad = sum([g for g in (tensor.grad,) if g is not None], start=np.array(grad))


# %% right tensor.accumulate zeros
def accumulate(tensor, grad):
    start = np.zeros_like(grad) if tensor.grad is None else tensor.grad
    tensor.grad = start + grad


# %% wrong tensor.accumulate doubled | mistake: factor 2 | keeps: 0
def accumulate(tensor, grad):
    if tensor.grad is None:
        tensor.grad = 2 * grad
    else:
        tensor.grad = tensor.grad + 2 * grad


# %% wrong tensor.accumulate first_twice | mistake: factor 2 | keeps: 0
def accumulate(tensor, grad):
    if tensor.grad is None:
        tensor.grad = grad
    tensor.grad = tensor.grad + grad


# %% wrong tensor.accumulate into_grad | mistake: input or upstream modified in place | keeps: 2
def accumulate(tensor, grad):
    if tensor.grad is not None:
        np.add(grad, tensor.grad, out=grad)
    tensor.grad = grad


# %% wrong tensor.accumulate minus | mistake: sign flipped | keeps: 0
def accumulate(tensor, grad):
    if tensor.grad is None:
        tensor.grad = -grad
    else:
        tensor.grad = tensor.grad - grad


# %% wrong tensor.accumulate ones | mistake: upstream gradient ignored | keeps: 0
def accumulate(tensor, grad):
    ones = np.ones_like(grad)
    tensor.grad = ones if tensor.grad is None else tensor.grad + ones


# %% wrong tensor.accumulate overwrite | mistake: overwritten instead of accumulated | keeps: 1
def accumulate(tensor, grad):
    tensor.grad = grad


# %% wrong tensor.accumulate average | keeps: 1
def accumulate(tensor, grad):
    if tensor.grad is None:
        tensor.grad = grad
    else:
        tensor.grad = (tensor.grad + grad) / 2


# %% wrong tensor.accumulate clip | keeps: 0
def accumulate(tensor, grad):
    total = grad if tensor.grad is None else tensor.grad + grad
    tensor.grad = np.clip(total, -10, 10)


# %% wrong tensor.accumulate first_stays | mistake: later ones lost | keeps: 1
def accumulate(tensor, grad):
    if tensor.grad is None:
        tensor.grad = grad


# %% wrong tensor.accumulate float32 | keeps: 1
def accumulate(tensor, grad):
    if tensor.grad is None:
        tensor.grad = grad
    else:
        tensor.grad = (tensor.grad.astype(np.float32) + grad.astype(np.float32)).astype(grad.dtype)


# %% wrong tensor.accumulate into_data | mistake: overwritten instead of accumulated | keeps: 1
def accumulate(tensor, grad):
    if tensor.grad is None:
        tensor.grad = grad
    else:
        tensor.grad = tensor._data + grad


# %% wrong tensor.accumulate maximum | keeps: 1
def accumulate(tensor, grad):
    tensor.grad = grad if tensor.grad is None else np.maximum(tensor.grad, grad)


# %% wrong tensor.accumulate or | mistake: if on an array | keeps: 1
def accumulate(tensor, grad):
    tensor.grad = (tensor.grad or 0) + grad


# %% wrong tensor.accumulate product | keeps: 1
def accumulate(tensor, grad):
    tensor.grad = grad if tensor.grad is None else tensor.grad * grad



# ================================================================ tensor.topological_order

# %% right tensor.topological_order order_by_stack
def topological_order(root):
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


# %% right tensor.topological_order order_by_counting
def topological_order(root):
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


# %% right tensor.topological_order order_by_sorted_set
def topological_order(root):
    seen, todo = set(), {root}
    while todo:
        seen |= todo
        todo = {parent for t in todo for parent, _ in t._parents} - seen
    return sorted(seen, key=lambda t: t._order)


# %% wrong tensor.topological_order order_recursive | mistake: recursion | keeps: 4 | says: recursion: Python gives up at a depth of 1000
def topological_order(root):
    order, seen = [], set()
    def build(t):
        if t not in seen:
            seen.add(t)
            for parent, _ in t._parents:
                build(parent)
            order.append(t)
    build(root)
    return order


# %% wrong tensor.topological_order order_by_levels | keeps: 3 | says: comes before one of its parents
def topological_order(root):
    order, seen = [root], {root}
    for t in order:
        order += [parent for parent in dict.fromkeys(p for p, _ in t._parents) if parent not in seen]
        seen.update(order)
    return order[::-1]


# %% wrong tensor.topological_order order_in_list | mistake: tensors missing | keeps: 0 | says: `in` was asked of a list, which compares by ==
def topological_order(root):
    order = [root]
    for t in order:
        for parent, _ in t._parents:
            if parent not in order:
                order.append(parent)
    return sorted(order, key=lambda t: t._order)


# %% wrong tensor.topological_order order_visits_twice | mistake: visited twice | keeps: 4 | says: a tensor with two users is visited from each
def topological_order(root):
    order = [root]
    for t in order:
        order.extend(parent for parent, _ in t._parents)
    return sorted(order, key=lambda t: t._order)


# %% wrong tensor.topological_order order_reversed | mistake: order the wrong way round | keeps: 2 | says: the root comes first
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


def topological_order(root):
    return order_by_stack(root)[::-1]


# %% wrong tensor.topological_order order_without_leaves | mistake: tensors missing | keeps: 0 | says: tensors are missing
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


def topological_order(root):
    return [t for t in order_by_stack(root) if t._backward is not None]


# %% wrong tensor.topological_order order_without_root | mistake: tensors missing | keeps: 0 | says: 1 tensors are missing
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


def topological_order(root):
    return order_by_stack(root)[:-1]


# %% wrong tensor.topological_order order_no_return | keeps: 0 | says: must return a list, it returned None (is a return missing?)
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


def topological_order(root):
    order_by_stack(root)


# %% wrong tensor.topological_order order_empty | mistake: tensors missing | keeps: 0 | says: tensors are missing
def topological_order(root):
    return []


# %% wrong tensor.topological_order order_unsolved | mistake: not solved | keeps: 0 | says: not solved yet
def topological_order(root):
    raise NotImplementedError("tensor.topological_order: exercise not solved yet, see 01_tensor.ipynb")


# %% right tensor.topological_order heap
import heapq

def topological_order(root):
    heap, seen, order = [(-root._order, 0, root)], {root}, []
    n = 0
    while heap:
        t = heapq.heappop(heap)[2]
        order.append(t)
        for parent, _ in t._parents:
            if parent not in seen:
                seen.add(parent)
                n += 1
                heapq.heappush(heap, (-parent._order, n, parent))
    order.reverse()
    return order


# %% right tensor.topological_order iterators
def topological_order(root):
    order, seen = [], {id(root)}
    stack = [(root, iter(root._parents))]
    while stack:
        t, rest = stack[-1]
        for parent, _ in rest:
            if id(parent) not in seen:
                seen.add(id(parent))
                stack.append((parent, iter(parent._parents)))
                break
        else:
            order.append(t)
            stack.pop()
    return order


# %% right tensor.topological_order kahn
def topological_order(root):
    # count the uses of each tensor, then take off those without uses left
    uses, todo = {root: 0}, [root]
    while todo:
        for parent, _ in todo.pop()._parents:
            if parent not in uses:
                uses[parent] = 0
                todo.append(parent)
            uses[parent] += 1
    ready, order = [root], []
    while ready:
        t = ready.pop()
        order.append(t)
        for parent, _ in t._parents:
            uses[parent] -= 1
            if uses[parent] == 0:
                ready.append(parent)
    return order[::-1]


# %% right tensor.topological_order sort_order
def topological_order(root):
    todo, seen = [root], set()
    while todo:
        t = todo.pop()
        if t not in seen:
            seen.add(t)
            todo.extend(parent for parent, name in t._parents)
    return sorted(seen, key=lambda t: t._order)


# %% right tensor.topological_order stack_flags
def topological_order(root):
    result, seen, stack = [], set(), [(root, False)]
    while stack:
        t, parents_done = stack.pop()
        if parents_done:
            result.append(t)
        elif t not in seen:
            seen.add(t)
            stack.append((t, True))
            for parent, _ in t._parents:
                stack.append((parent, False))
    return result


# %% wrong tensor.topological_order bfs_reversed | keeps: 3
def topological_order(root):
    order, seen = [root], {root}
    for t in order:
        for parent, _ in t._parents:
            if parent not in seen:
                seen.add(parent)
                order.append(parent)
    return order[::-1]


# %% wrong tensor.topological_order by_equal_values | mistake: tensors missing | keeps: 0
def topological_order(root):
    seen, todo = {}, [root]
    while todo:
        t = todo.pop()
        key = (t.shape, t._data.tobytes())
        if key not in seen or seen[key] is t:
            seen[key] = t
            todo += [parent for parent, _ in t._parents]
    return sorted(seen.values(), key=lambda t: t._order)


# %% wrong tensor.topological_order depth_limit | keeps: 4
def topological_order(root):
    found, seen = [root], {root}
    for t in found:
        if len(found) > 1000:
            break
        for parent, _ in t._parents:
            if parent not in seen:
                seen.add(parent)
                found.append(parent)
    return sorted(found, key=lambda t: t._order)


# %% wrong tensor.topological_order duplicates | mistake: visited twice | keeps: 4
def topological_order(root):
    order = [root]
    for t in order:
        if len(order) > 200_000:
            break
        order.extend(parent for parent, _ in t._parents)
    return sorted(order, key=lambda t: t._order)


# %% wrong tensor.topological_order first_parent | mistake: tensors missing | keeps: 0
def topological_order(root):
    order = [root]
    while order[-1]._parents:
        order.append(order[-1]._parents[0][0])
    return order[::-1]


# %% wrong tensor.topological_order graph_eaten | keeps: 0
def topological_order(root):
    order, todo, seen = [root], [root], {root}
    while todo:
        t = todo.pop()
        for parent, _ in t._parents:
            if parent not in seen:
                seen.add(parent)
                todo.append(parent)
                order.append(parent)
        t._parents = ()
    return sorted(order, key=lambda t: t._order)


# %% wrong tensor.topological_order in_list | mistake: tensors missing | keeps: 0
def topological_order(root):
    order, todo = [], [root]
    while todo:
        t = todo.pop()
        if t in order:
            continue
        order.append(t)
        todo += [parent for parent, _ in t._parents]
    order.sort(key=lambda t: t._order)
    return order


# %% wrong tensor.topological_order names_too | mistake: tensors missing | keeps: 0
def topological_order(root):
    seen, todo, order = {root}, [root], [(root, "")]
    while todo:
        for parent, name in todo.pop()._parents:
            if parent not in seen:
                seen.add(parent)
                todo.append(parent)
                order.append((parent, name))
    return sorted(order, key=lambda pair: pair[0]._order)



# ================================================================ tensor.backward

# %% right tensor.backward reversed
def backward(self, grad=None):
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
            if t._backward is not None:
                for name, g in t._backward(t.grad).items():
                    for parent, its_name in t._parents:
                        if name == its_name and parent.requires_grad:
                            accumulate(parent, g)
                t._parents, t._backward = (), _spent
                t.grad = t.grad if t._kept else None
        _own(leaves)
    except BaseException:
        for node in (self, t, *order):
            node.grad = None
        for leaf, grad in zip(leaves, before):
            leaf.grad = grad
        raise
    if self._backward is _spent:
        self._parents = tuple([(t, "") for t in leaves])        # zero_grad still finds them


# %% right tensor.backward that_keeps_the_graph
def backward(self, grad=None):
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
        for t in order[::-1]:
            if t._backward:
                g = t._backward(t.grad)
                for p, n in t._parents:
                    if p.requires_grad:
                        p.grad = g[n] if p.grad is None else p.grad + g[n]
                if not t._kept:
                    t.grad = None
        _own(leaves)
    except BaseException:
        for node in (self, t, *order):
            node.grad = None
        for leaf, grad in zip(leaves, before):
            leaf.grad = grad
        raise
    if self._backward is _spent:
        self._parents = tuple([(t, "") for t in leaves])        # zero_grad still finds them


# %% wrong tensor.backward overwrites | mistake: overwritten instead of accumulated | keeps: 3 | says: shared parts
def backward(self, grad=None):
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
                    parent.grad = grads[name]
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


# %% wrong tensor.backward in_place | mistake: input or upstream modified in place | says: shared parts
def backward(self, grad=None):
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
                    parent.grad = grads[name] if parent.grad is None else np.add(parent.grad, grads[name], out=parent.grad)
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


# %% wrong tensor.backward without_asking | keeps: 7 | says: requires no gradient and got one
def backward(self, grad=None):
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
                if True:
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


# %% wrong tensor.backward leaves_gradients | keeps: 7 | says: still have a gradient
def backward(self, grad=None):
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


# %% wrong tensor.backward clears_all | keeps: 7 | says: asked to keep it
def backward(self, grad=None):
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


# %% wrong tensor.backward double_counts | mistake: counted twice | keeps: 6 | says: counted again
def backward(self, grad=None):
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


# %% wrong tensor.backward ignores_upstream | says: wanted
def backward(self, grad=None):
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
            grads = t._backward(np.ones_like(t.grad))
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


# %% wrong tensor.backward from_the_front | keeps: 0 | says: no gradient has arrived
def backward(self, grad=None):
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
            t = order.pop(0)
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


# %% wrong tensor.backward forwards | keeps: 0 | says: no gradient has arrived
def backward(self, grad=None):
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
        for t in list(order):
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


# %% wrong tensor.backward stops_at_once | keeps: 0 | says: got no gradient
def backward(self, grad=None):
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
                break
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


# %% wrong tensor.backward to_itself | keeps: 0
def backward(self, grad=None):
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
                    accumulate(t, grads[name])
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


# %% wrong tensor.backward calls_leaves | keeps: 0 | says: TypeError
def backward(self, grad=None):
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


# %% wrong tensor.backward does_nothing | keeps: 0 | says: got no gradient
def backward(self, grad=None):
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
        pass
        _own(leaves)
    except BaseException:
        for node in (self, t, *order):
            node.grad = None
        for leaf, grad in zip(leaves, before):
            leaf.grad = grad
        raise
    if self._backward is _spent:
        self._parents = tuple([(t, "") for t in leaves])        # zero_grad still finds them


# %% wrong tensor.backward unsolved | mistake: not solved | keeps: 0 | says: not solved yet
def backward(self, grad=None):
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
        raise NotImplementedError('tensor.backward: exercise not solved yet, see 01_tensor.ipynb')
        _own(leaves)
    except BaseException:
        for node in (self, t, *order):
            node.grad = None
        for leaf, grad in zip(leaves, before):
            leaf.grad = grad
        raise
    if self._backward is _spent:
        self._parents = tuple([(t, "") for t in leaves])        # zero_grad still finds them


# %% right tensor.backward clear_first
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
        while len(order) > 0:
            t = order.pop(-1)
            if t._backward is None:
                continue
            upstream, step, parents = t.grad, t._backward, t._parents
            grads = step(upstream)
            if not t._kept:
                t.grad = None
            t._backward, t._parents = _spent, ()
            due = [(parent, grads[name]) for parent, name in parents if parent.requires_grad]
            for parent, share in due:
                accumulate(parent, share)
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


# %% right tensor.backward collected_shares
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
            total = {}
            for parent, name in t._parents:
                if parent.requires_grad:
                    total[parent] = total[parent] + grads[name] if parent in total else grads[name]
            for parent in total:
                accumulate(parent, total[parent])
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


# %% right tensor.backward own_sum
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
                    parent.grad = grads[name] if parent.grad is None else parent.grad + grads[name]
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


# %% right tensor.backward pop
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
            if t._backward is not None:
                grads = t._backward(t.grad)
                for parent, name in t._parents:
                    if parent.requires_grad:
                        accumulate(parent, grads[name])
                if not t._kept:
                    t.grad = None
                t._parents = ()
                t._backward = _spent
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


# %% right tensor.backward reversed_2
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
            parents, grads = t._parents, t._backward(t.grad)
            for parent, name in parents:
                if not parent.requires_grad:
                    continue
                accumulate(parent, grads[name])
            t._parents, t._backward = (), _spent
            t.grad = t.grad if t._kept else None
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


# %% wrong tensor.backward inplace_sum | mistake: input or upstream modified in place | keeps: 6
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
                    if parent.grad is None:
                        parent.grad = grads[name]
                    else:
                        parent.grad += grads[name]
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


# %% wrong tensor.backward minus | mistake: sign flipped | keeps: 0
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
                    share = -grads[name] if parent._backward is None else grads[name]
                    accumulate(parent, share)
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


# %% wrong tensor.backward names_by_position | mistake: gradient of the wrong input | keeps: 0
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
            shares = list(grads.values())
            for (parent, name), share in zip(t._parents, reversed(shares)):
                if parent.requires_grad:
                    accumulate(parent, share)
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


# %% wrong tensor.backward overwritten | mistake: overwritten instead of accumulated | keeps: 3
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
                    parent.grad = grads[name]
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


# %% wrong tensor.backward seed_everywhere | mistake: upstream gradient ignored | keeps: 0
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
            grads = t._backward(np.ones(t.shape, t.dtype))
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


# %% wrong tensor.backward twice | mistake: factor 2 | keeps: 0
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
                if t.requires_grad and t.grad is not None:
                    accumulate(t, t.grad)       # its own share
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


# %% wrong tensor.backward break_at_leaf | keeps: 0
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
                break
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


# %% wrong tensor.backward constants_too | keeps: 7
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
                if name in grads:
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


# %% wrong tensor.backward depth_first
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
        stack = [self]
        while stack:
            t = stack.pop()
            if t._backward is None or t._backward is _spent:
                continue
            grads = t._backward(t.grad)
            for parent, name in t._parents:
                if parent.requires_grad:
                    accumulate(parent, grads[name])
                    stack.append(parent)
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


# %% wrong tensor.backward dict_of_parents
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
            names = dict(t._parents)
            for parent in names:
                if parent.requires_grad:
                    accumulate(parent, grads[names[parent]])
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


# %% wrong tensor.backward first_parent_only | keeps: 0
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
            parent, name = t._parents[0]
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


# %% wrong tensor.backward first_value | keeps: 0
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
            first = next(iter(grads.values()))
            for parent, name in t._parents:
                if parent.requires_grad:
                    accumulate(parent, first)
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


# %% wrong tensor.backward from_the_front_2 | keeps: 0
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
            t = order.pop(0)
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


# %% wrong tensor.backward grad_not_cleared | keeps: 7
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


# %% wrong tensor.backward leaves_reset | mistake: overwritten instead of accumulated | keeps: 7
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
        for leaf in leaves:
            leaf.grad = None
        while order:
            t = order.pop()
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



# ================================================================ tensor.sub

# %% right tensor.sub as self + (-1) * other
def sub(self, other):
    return self + (-1) * other


def rsub(self, other):
    return (-1) * self + other


# %% right tensor.sub as -(-self + other)
def sub(self, other):
    return -(-self + other)


def rsub(self, other):
    return -(self + -other)


# %% wrong tensor.sub as self + -other | mistake: sign flipped | keeps: 2 | says: swapped, the other one minus this one
def sub(self, other):
    return self + -other


def rsub(self, other):
    return self + -other


# %% wrong tensor.sub as -self + other | mistake: sign flipped | keeps: 2 | says: swapped, the other one minus this one
def sub(self, other):
    return -self + other


def rsub(self, other):
    return -self + other


# %% wrong tensor.sub as self + other | mistake: plus for minus | keeps: 0 | says: wanted
def sub(self, other):
    return self + other


def rsub(self, other):
    return self + other


# %% wrong tensor.sub as Tensor(self.data - _raw(other)) | keeps: 2 | says: gradient of
def sub(self, other):
    return Tensor(self.data - _raw(other))


def rsub(self, other):
    return Tensor(other - self.data)


# %% wrong tensor.sub as self + -_raw(other) | keeps: 3 | says: gradient of other
def sub(self, other):
    return self + -_raw(other)


def rsub(self, other):
    return -self + other


# %% wrong tensor.sub as self.data - _raw(other) | keeps: 0 | says: must return a Tensor, it returned an array
def sub(self, other):
    return self.data - _raw(other)


def rsub(self, other):
    return other - self.data


# %% wrong tensor.sub unsolved | mistake: not solved | keeps: 0 | says: not solved yet
def sub(self, other):
    raise NotImplementedError("tensor.sub: exercise not solved yet, see 01_tensor.ipynb")


# %% right tensor.sub dunder
def sub(self, other):
    return self.__add__(-other)

def rsub(self, other):
    return (-self).__radd__(other)
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% right tensor.sub minus_one
def sub(self, other):
    return self + other * -1

def rsub(self, other):
    return self * -1 + other
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% right tensor.sub outer_minus
def sub(self, other):
    return -(-self + other)

def rsub(self, other):
    return -(self + -other)
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% right tensor.sub own_op
def _minus(a, b):
    ops._same_shape("sub", a, b)
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad, a.shape), "b": unbroadcast(-grad, b.shape)}
    return a - b, backward

def sub(self, other):
    return _binary(_minus, operator.sub, self, other)

def rsub(self, other):
    return _binary(_minus, operator.sub, other, self)
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% right tensor.sub rsub_through_sub
def sub(self, other):
    negative = -other
    return negative + self

def rsub(self, other):
    return -sub(self, other)
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% wrong tensor.sub inplace | mistake: input or upstream modified in place | keeps: 2
def sub(self, other):
    out = self + -other
    self._data[...] = out._data
    return out

def rsub(self, other):
    return -self + other
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% wrong tensor.sub own_op_broadcast | mistake: not summed over a broadcast axis | keeps: 2
def _minus(a, b):
    def backward(grad, wanted=("a", "b")):
        return {"a": grad, "b": -grad}
    return a - b, backward

def sub(self, other):
    return _binary(_minus, operator.sub, self, other)

def rsub(self, other):
    return _binary(_minus, operator.sub, other, self)
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% wrong tensor.sub own_op_ones | mistake: upstream gradient ignored | keeps: 2
def _minus(a, b):
    one = np.ones(np.broadcast_shapes(a.shape, b.shape), a.dtype)
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(one, a.shape), "b": unbroadcast(-one, b.shape)}
    return a - b, backward

def sub(self, other):
    return _binary(_minus, operator.sub, self, other)

def rsub(self, other):
    return _binary(_minus, operator.sub, other, self)
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% wrong tensor.sub abs_difference | keeps: 2
def sub(self, other):
    d = self + -other
    return Tensor(np.sign(d._data)) * d

def rsub(self, other):
    return -self + other
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% wrong tensor.sub double_minus | keeps: 2
def sub(self, other):
    return self + -other

def rsub(self, other):
    return -self + -other
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% wrong tensor.sub no_history | keeps: 2
def sub(self, other):
    return Tensor(self._data - _raw(other))

def rsub(self, other):
    return Tensor(_raw(other) - self._data)
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% wrong tensor.sub other_raw | keeps: 3
def sub(self, other):
    return self + -_raw(other)

def rsub(self, other):
    return -self + other
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% wrong tensor.sub plus | mistake: plus for minus | keeps: 0
def sub(self, other):
    return self + other

def rsub(self, other):
    return other + self
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% wrong tensor.sub rsub_number_only | keeps: 2
def sub(self, other):
    return self + -other

def rsub(self, other):
    return -self + float(np.ravel(other)[0])
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% wrong tensor.sub rsub_same | mistake: sign flipped | keeps: 2
def sub(self, other):
    return self + -other

def rsub(self, other):
    return self + -other
Tensor.__sub__, Tensor.__rsub__ = sub, rsub


# %% wrong tensor.sub same | mistake: sign flipped | keeps: 2
def sub(self, other):
    return -self + other

def rsub(self, other):
    return -self + other
Tensor.__sub__, Tensor.__rsub__ = sub, rsub



# ================================================================ tensor.div

# %% right tensor.div by_reciprocal
def div(a, b):
    r = 1 / b
    return a * r, lambda grad: {"b": unbroadcast(-grad * a * r * r, b.shape), "a": unbroadcast(grad * r, a.shape)}


# %% right tensor.div by_square
def div(a, b):
    def backward(grad):
        return {"a": unbroadcast(np.asarray(grad / b), a.shape), "b": unbroadcast(np.asarray(-grad * a / b**2), b.shape)}
    return np.true_divide(a, b), backward


# %% wrong tensor.div not_reduced | mistake: not summed over a broadcast axis | keeps: 3 | says: not summed over the axes that broadcasting added
def div(a, b):
    return a / b, lambda grad: {"a": grad / b, "b": -grad * a / b**2}


# %% wrong tensor.div sign | mistake: sign flipped | keeps: 3 | says: the sign is flipped
def div(a, b):
    return a / b, lambda grad: {"a": unbroadcast(grad / b, a.shape), "b": unbroadcast(grad * a / b**2, b.shape)}


# %% wrong tensor.div as_product | mistake: factor inverted | keeps: 3 | says: b where 1/b is wanted
def div(a, b):
    return a / b, lambda grad: {"a": unbroadcast(grad * b, a.shape), "b": unbroadcast(-grad * a / b**2, b.shape)}


# %% wrong tensor.div not_squared | mistake: power missing | keeps: 3 | says: the b below is squared
def div(a, b):
    return a / b, lambda grad: {"a": unbroadcast(grad / b, a.shape), "b": unbroadcast(-grad * a / b, b.shape)}


# %% wrong tensor.div without_a | mistake: factor missing | keeps: 3 | says: the factor a is missing
def div(a, b):
    return a / b, lambda grad: {"a": unbroadcast(grad / b, a.shape), "b": unbroadcast(-grad / b**2, b.shape)}


# %% wrong tensor.div no_upstream | mistake: upstream gradient ignored | keeps: 1 | says: the upstream gradient is ignored
def div(a, b):
    return a / b, lambda grad: {"a": unbroadcast(np.ones_like(grad) / b, a.shape), "b": unbroadcast(-np.ones_like(grad) * a / b**2, b.shape)}


# %% wrong tensor.div of_whole_numbers | keeps: 4
def div(a, b):
    return a // b, lambda grad: {"a": unbroadcast(grad / b, a.shape), "b": unbroadcast(-grad * a / b**2, b.shape)}


# %% right tensor.div loop
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    A, B = np.broadcast_arrays(a, b)
    out = np.empty(A.shape, np.result_type(a, b))
    for i in np.ndindex(out.shape):
        out[i] = A[i] / B[i]
    def backward(grad, wanted=("a", "b")):
        da, db = np.zeros(A.shape, out.dtype), np.zeros(A.shape, out.dtype)
        for i in np.ndindex(out.shape):
            da[i] = grad[i] / B[i]
            db[i] = -grad[i] * A[i] / (B[i] * B[i])
        full = {"a": unbroadcast(da, a.shape), "b": unbroadcast(db, b.shape)}
        return {name: full[name] for name in wanted}
    return out, backward


# %% right tensor.div own_sums
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    out = a / b
    def sums(g, like):
        g = g.sum(axis=tuple(range(g.ndim - like.ndim)))
        for i, n in enumerate(like.shape):
            if n == 1:
                g = g.sum(axis=i, keepdims=True)
        return g
    def backward(grad, wanted=("a", "b")):
        first = grad / b
        return {"b": sums(-first * out, b), "a": sums(first, a)}
    return out, backward


# %% right tensor.div reciprocal
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    r = 1 / b
    out = a * r
    def backward(grad, wanted=("a", "b")):
        grads = {}
        if "b" in wanted:
            grads["b"] = unbroadcast(-grad * a * r * r, b.shape)
        if "a" in wanted:
            grads["a"] = unbroadcast(grad * r, a.shape)
        return grads
    return out, backward


# %% right tensor.div square
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    def backward(grad, wanted=("a", "b")):
        grads = {}
        if "a" in wanted:
            grads["a"] = unbroadcast(np.divide(grad, b), a.shape)
        if "b" in wanted:
            grads["b"] = -unbroadcast(grad * a / b ** 2, b.shape)
        return grads
    return np.true_divide(a, b), backward


# %% right tensor.div through_mul
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    r = 1 / b
    out, mul_back = ops.mul(a, r)
    def backward(grad, wanted=("a", "b")):
        g = mul_back(grad, ("a", "b"))
        return {"a": g["a"], "b": g["b"] * -r * r}
    return out, backward


# %% wrong tensor.div a_inplace | mistake: input or upstream modified in place | keeps: 4
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    if a.ndim and a.shape == np.broadcast_shapes(a.shape, b.shape):
        a /= b
        out = a
    else:
        out = a / b
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad / b, a.shape), "b": unbroadcast(-grad * out / b, b.shape)}
    return out, backward


# %% wrong tensor.div complex | mistake: numerical derivative instead of a formula | keeps: 1
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    def backward(grad, wanted=("a", "b")):
        h = 1e-30
        db = (a / (b + 1j * h)).imag / h
        return {"a": unbroadcast(grad / b, a.shape), "b": unbroadcast(grad * db, b.shape)}
    return a / b, backward


# %% wrong tensor.div inplace | mistake: input or upstream modified in place | keeps: 1
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    out = a / b
    def backward(grad, wanted=("a", "b")):
        grad /= b
        return {"a": unbroadcast(grad, a.shape), "b": unbroadcast(-grad * out, b.shape)}
    return out, backward


# %% wrong tensor.div inputs | mistake: gradient of the wrong input | keeps: 1
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    out = a / b
    def backward(grad, wanted=("a", "b")):
        grads = {}
        if "a" in wanted:
            grads["a"] = unbroadcast(-grad * out / b, a.shape)
        if "b" in wanted:
            grads["b"] = unbroadcast(grad / b, b.shape)
        return grads
    return out, backward


# %% wrong tensor.div keepdims | mistake: keepdims lost | keeps: 3
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    out = a / b
    def fit(g, shape):
        extra = g.ndim - len(shape)
        return g.sum(axis=tuple(i for i in range(g.ndim) if i < extra or shape[i - extra] == 1))
    def backward(grad, wanted=("a", "b")):
        return {"a": fit(grad / b, a.shape), "b": fit(-grad * out / b, b.shape)}
    return out, backward


# %% wrong tensor.div no_upstream_2 | mistake: upstream gradient ignored | keeps: 1
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    out = a / b
    def backward(grad, wanted=("a", "b")):
        grads = {}
        if "a" in wanted:
            grads["a"] = unbroadcast(np.ones_like(grad) / b, a.shape)
        if "b" in wanted:
            grads["b"] = unbroadcast(-np.ones_like(grad) * out / b, b.shape)
        return grads
    return out, backward


# %% wrong tensor.div not_summed | mistake: not summed over a broadcast axis | keeps: 3
def div(a, b):
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


# %% wrong tensor.div numerical | mistake: numerical derivative instead of a formula | keeps: 1
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    f = lambda a, b: a / b
    def backward(grad, wanted=("a", "b")):
        h = 1e-5
        da = (f(a + h, b) - f(a - h, b)) / (2 * h)
        db = (f(a, b + h) - f(a, b - h)) / (2 * h)
        return {"a": unbroadcast(grad * da, a.shape), "b": unbroadcast(grad * db, b.shape)}
    return f(a, b), backward


# %% wrong tensor.div own_axis | mistake: summed over the wrong axis | keeps: 3
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    out = a / b
    def fit(g, shape):
        while g.ndim > len(shape):
            g = g.sum(axis=-1)
        for i, n in enumerate(shape):
            if n == 1:
                g = g.sum(axis=i, keepdims=True)
        return g
    def backward(grad, wanted=("a", "b")):
        return {"a": fit(grad / b, a.shape), "b": fit(-grad * out / b, b.shape)}
    return out, backward


# %% wrong tensor.div sign_2 | mistake: sign flipped | keeps: 3
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    out = a / b
    def backward(grad, wanted=("a", "b")):
        grads = {}
        if "a" in wanted:
            grads["a"] = unbroadcast(grad / b, a.shape)
        if "b" in wanted:
            grads["b"] = unbroadcast(grad * a / b ** 2, b.shape)
        return grads
    return out, backward


# %% wrong tensor.div two | mistake: factor 2 | keeps: 3
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    out = a / b
    def backward(grad, wanted=("a", "b")):
        grads = {}
        if "a" in wanted:
            grads["a"] = unbroadcast(grad / b, a.shape)
        if "b" in wanted:
            grads["b"] = unbroadcast(-2 * grad * a / b ** 2, b.shape)
        return grads
    return out, backward


# %% wrong tensor.div a_forgotten | mistake: factor missing | keeps: 3
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    out = a / b
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad / b, a.shape), "b": unbroadcast(-grad / b ** 2, b.shape)}
    return out, backward


# %% wrong tensor.div a_over_a | keeps: 3
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    out = a / b
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad * out / a, a.shape), "b": unbroadcast(-grad * out / b, b.shape)}
    return out, backward


# %% wrong tensor.div abs | keeps: 1
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    out = a / b
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad / abs(b), a.shape), "b": unbroadcast(-grad * out / abs(b), b.shape)}
    return out, backward


# %% wrong tensor.div eps | mistake: derivative of a wrong output | keeps: 0
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    safe = b + 1e-6
    out = a / safe
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad / safe, a.shape), "b": unbroadcast(-grad * out / safe, b.shape)}
    return out, backward


# %% wrong tensor.div like_mul | mistake: factor inverted | keeps: 1
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    out = a / b
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad * b, a.shape), "b": unbroadcast(-grad * a, b.shape)}
    return out, backward


# %% wrong tensor.div not_squared_2 | mistake: power missing | keeps: 3
def div(a, b):
    ops._same_shape("div", a, b)        # refuses what does not fit
    out = a / b
    def backward(grad, wanted=("a", "b")):
        return {"a": unbroadcast(grad / b, a.shape), "b": unbroadcast(-grad * out, b.shape)}
    return out, backward



# ================================================================ tensor.no_grad

# %% right tensor.no_grad by_stack
@contextmanager
def no_grad(stack=[]):  # noqa: B006
    global _recording
    stack.append(_recording)
    try:
        _recording = False
        yield
    finally:
        _recording = stack.pop()


# %% wrong tensor.no_grad without_finally | mistake: no finally | keeps: 3 | says: nothing puts it back when an exception passes
@contextmanager
def no_grad():
    global _recording
    before = _recording
    _recording = False
    yield
    _recording = before


# %% wrong tensor.no_grad true_afterwards | mistake: not put back | keeps: 3 | says: True at the end, whatever it was before
@contextmanager
def no_grad():
    global _recording
    _recording = False
    try:
        yield
    finally:
        _recording = True


# %% wrong tensor.no_grad without_global | keeps: 0 | says: inside, _recording should be False and is True
@contextmanager
def no_grad():
    _recording = False  # noqa: F841
    yield


# %% wrong tensor.no_grad for_ever | mistake: no finally | keeps: 0 | says: afterwards, _recording should be True and is False
@contextmanager
def no_grad():
    global _recording
    _recording = False
    yield


# %% wrong tensor.no_grad swallows | keeps: 3 | says: an exception raised inside was swallowed
@contextmanager
def no_grad():
    global _recording
    before, _recording = _recording, False
    try:  # noqa: SIM105
        yield
    except Exception:
        pass
    _recording = before


# %% wrong tensor.no_grad unsolved | mistake: not solved | keeps: 0 | says: not solved yet
@contextmanager
def no_grad():
    raise NotImplementedError("tensor.no_grad: exercise not solved yet, see 01_tensor.ipynb")
    yield


# %% right tensor.no_grad class
from contextlib import ContextDecorator


class _Off(ContextDecorator):
    def __init__(self):
        self.before = []

    def __enter__(self):
        global _recording
        self.before.append(_recording)
        _recording = False

    def __exit__(self, *error):
        global _recording
        _recording = self.before.pop()
        return False


def no_grad():
    return _Off()


# %% right tensor.no_grad except_else
@contextmanager
def no_grad():
    global _recording
    before = _recording
    _recording = False
    try:
        yield
    except BaseException:
        _recording = before
        raise
    else:
        _recording = before


# %% right tensor.no_grad exit_stack
from contextlib import ExitStack

@contextmanager
def no_grad():
    global _recording
    def restore(value):
        global _recording
        _recording = value
    with ExitStack() as stack:
        stack.callback(restore, _recording)
        _recording = False
        yield


# %% right tensor.no_grad globals
@contextmanager
def no_grad():
    names = globals()
    saved = names["_recording"]
    try:
        names["_recording"] = False
        yield
    finally:
        names["_recording"] = saved


# %% right tensor.no_grad try
@contextmanager
def no_grad():
    global _recording
    old, _recording = _recording, False
    try:
        yield
    finally:
        _recording = old


# %% wrong tensor.no_grad default_argument | mistake: not put back | keeps: 3
@contextmanager
def no_grad(before=_recording):
    global _recording
    _recording = False
    try:
        yield
    finally:
        _recording = before


# %% wrong tensor.no_grad exception_only | mistake: no finally | keeps: 3
@contextmanager
def no_grad():
    global _recording
    before = _recording
    _recording = False
    try:
        yield
    except Exception:
        _recording = before
        raise
    else:
        _recording = before


# %% wrong tensor.no_grad local | keeps: 0
@contextmanager
def no_grad():
    _recording = False
    try:
        yield
    finally:
        _recording = True


# %% wrong tensor.no_grad never_restored | mistake: no finally | keeps: 0
@contextmanager
def no_grad():
    global _recording
    _recording = False
    yield


# %% wrong tensor.no_grad no_finally | mistake: no finally | keeps: 3
@contextmanager
def no_grad():
    global _recording
    before = _recording
    _recording = False
    yield
    _recording = before


# %% wrong tensor.no_grad only_value_error | mistake: no finally | keeps: 3
@contextmanager
def no_grad():
    global _recording
    before = _recording
    _recording = False
    try:
        yield
    except ValueError:
        _recording = before
        raise
    _recording = before


# %% wrong tensor.no_grad requires_grad_class | keeps: 3
class _Off:
    def __enter__(self):
        global _recording
        self.before, _recording = _recording, False

    def __exit__(self, *error):
        global _recording
        _recording = self.before


def no_grad():
    return _Off()


# %% wrong tensor.no_grad restored_before_yield | keeps: 0
@contextmanager
def no_grad():
    global _recording
    before = _recording
    _recording = False
    try:
        pass
    finally:
        _recording = before
    yield
