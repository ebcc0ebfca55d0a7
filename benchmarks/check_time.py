"""What a check costs in the notebook, and beside a check by central differences, element by element, in one run.

Fails where the median over the exercises is above 150 ms for a right answer, or above 500 ms for wrong ones (issue 4).
"""
import importlib
import statistics
import sys
import time
from pathlib import Path

import numpy as np

from minitorch.check import Check, in_kernel, judge
from minitorch_course.bank import function_of, read_bank
from minitorch_course.judge import exercises

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 5


def seconds(work, *arguments):
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def run(check, function):
    judge(check, lambda calls: in_kernel(function, calls, check.program), 0)


def central_differences(check, function):
    """As such a check is usually written: for each case, input and element two calls, for one upstream gradient."""
    for case in check.cases(np.random.default_rng(0)):
        out, backward = function(**case.inputs, **case.const)
        g = np.ones_like(out)
        grads = backward(g)
        for name, x in case.inputs.items():
            numerical = np.zeros_like(x)
            for i in np.ndindex(x.shape):
                up, down = x.copy(), x.copy()
                up[i] += 1e-5
                down[i] -= 1e-5
                more, less = (function(**{**case.inputs, name: v}, **case.const)[0] for v in (up, down))
                numerical[i] = np.sum(g * (more - less)) / 2e-5
            np.allclose(grads[name], numerical, atol=1e-5)


def main():
    bank = read_bank(ROOT)
    rights, wrongs, ratios = [], [], []
    with np.errstate(all="ignore"):
        for name, check in exercises().items():
            module, function = name.split(".")
            reference = getattr(importlib.import_module(f"minitorch.{module}"), function)
            right = statistics.median(seconds(run, check, reference) for _ in range(ROUNDS))
            answers = [function_of(ROOT, a) for a in bank if a.exercise == name and not a.right]
            wrong = statistics.median(seconds(run, check, answer) for answer in answers)
            rights.append(right)
            wrongs.append(wrong)
            beside = ""
            if isinstance(check, Check) and check.form == "op":
                by_hand = [seconds(central_differences, check, reference) for _ in range(ROUNDS)]
                ratios.append(right / statistics.median(by_hand))
                beside = f"   {ratios[-1]:.2f} of central differences"
            print(f"{name:28} right {1e3 * right:4.0f} ms   wrong {1e3 * wrong:4.0f} ms{beside}")
    right, wrong = statistics.median(rights), statistics.median(wrongs)
    good = right <= 0.150 and wrong <= 0.500
    print(f"median over the exercises: right {1e3 * right:.0f} ms, wrong {1e3 * wrong:.0f} ms, "
          f"{statistics.median(ratios):.2f} of central differences  {'ok' if good else 'TOO SLOW'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
