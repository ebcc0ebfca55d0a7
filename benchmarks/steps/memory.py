"""Bytes, by tracemalloc: what a step takes at its peak, or with the argument `node`, what a recorded op holds.

    python -m steps.memory IMPLEMENTATION WORKLOAD DTYPE BATCH
"""

import importlib
import sys
import tracemalloc

import numpy as np


def peak(implementation, workload, dtype, batch):
    step = importlib.import_module(f"steps.{implementation}").build(workload, getattr(np, dtype), int(batch))
    step()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    step()
    return tracemalloc.get_traced_memory()[1] - before


def node(ops=1_000_000):
    """Bytes that a recorded op holds, in a chain of that many, which is then walked and freed."""
    from minitorch.tensor import Tensor

    x, y = Tensor(np.full(4, 0.5), requires_grad=True), Tensor(np.full(4, 1e-7), requires_grad=True)
    tracemalloc.start()
    h = x
    for _ in range(ops // 2):
        h = h * y + h
    held = tracemalloc.get_traced_memory()[0] / ops
    tracemalloc.stop()
    h.sum().backward()
    assert np.all(np.isfinite(y.grad))
    return held


if __name__ == "__main__":
    print(node() if sys.argv[1] == "node" else peak(*sys.argv[1:]))
