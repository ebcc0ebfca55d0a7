"""One implementation in a process of its own.

    python -m steps.worker IMPLEMENTATION WORKLOAD DTYPE BATCH [keep_memory]

Prints the losses of the first six steps, then for each number n read, the processor time of n steps in seconds.
"""

import importlib
import json
import sys
import time

import numpy as np


def main(implementation, workload, dtype, batch, *more):
    if "keep_memory" in more:
        from minitorch.fused import keep_memory

        keep_memory()
    step = importlib.import_module(f"steps.{implementation}").build(workload, getattr(np, dtype), int(batch))
    print(json.dumps([step() for _ in range(6)]), flush=True)
    for line in sys.stdin:
        start = time.process_time()
        for _ in range(int(line)):
            step()
        print(time.process_time() - start, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
