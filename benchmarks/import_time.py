"""What `import minitorch` costs above `import numpy`, in one run: medians of fresh processes, taken in turn.

Fails where it is over 10 ms and over 15 % of NumPy's own import (issue 2).
"""
import statistics
import subprocess
import sys
import time

ROUNDS = 31
PROGRAMS = {"nothing": "pass", "numpy": "import numpy", "minitorch": "import numpy, minitorch",
            "minitorch.ops": "import numpy, minitorch.ops"}


def seconds(program):
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True)
    return time.perf_counter() - start


def main():
    times = {name: [] for name in PROGRAMS}
    for _ in range(ROUNDS):
        for name, program in PROGRAMS.items():
            times[name].append(seconds(program))
    median = {name: statistics.median(t) for name, t in times.items()}
    numpy = median["numpy"] - median["nothing"]
    ok = True
    for name in ("minitorch", "minitorch.ops"):
        above = statistics.median(a - b for a, b in zip(times[name], times["numpy"], strict=True))
        good = above <= max(0.010, 0.15 * numpy)
        ok &= good
        verdict = "ok" if good else "TOO SLOW"
        print(f"import {name}: {above * 1e3:+.1f} ms above import numpy ({above / numpy:+.1%} of it)  {verdict}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
