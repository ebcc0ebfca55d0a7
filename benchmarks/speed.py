"""The same training steps in hand-written NumPy, minitorch, PyTorch and HIPS autograd: RESULTS.md and its chart.

Every figure is a ratio to hand-written NumPy in the same round: processor time on one thread, implementations in turn,
fresh processes several times over, the median of all rounds. A peer that is not installed (make bench installs them) is
left out with a line. Fails where the losses of two implementations differ, or a goal is missed.

    python benchmarks/speed.py [--starts 5] [--rounds 8] [--only a:10:float64,d]
"""

import argparse
import datetime
import json
import os
import platform
import random
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PEERS = HERE.parent / ".venv-bench"
PYTHON = next((str(p) for p in (PEERS / "bin/python", PEERS / "Scripts/python.exe") if p.exists()), sys.executable)
NAMES = {
    "hand": "NumPy by hand",
    "mini": "minitorch",
    "mini_fused": "minitorch, fused",
    "pytorch": "PyTorch",
    "hips": "HIPS autograd",
}
SECONDS = 0.05  # what one measurement takes
STEPS = {  # workload:batch:dtype[:keep_memory] → what it is
    "a:10:float64": "sigmoid MLP, batch 10, float64",
    "a:1000:float64": "sigmoid MLP, batch 1000, float64",
    "b:64:float32": "ReLU MLP, batch 64, float32",
    "b:64:float64": "ReLU MLP, batch 64, float64",
    "b:512:float32": "ReLU MLP, batch 512, float32",
    "b:512:float64": "ReLU MLP, batch 512, float64",
    "c:8:float32": "GPT, float32",
    "c:8:float32:keep_memory": "GPT, float32, memory kept",
    "d:1:float64": "chain of 1000 small ops",
}
GOALS = {  # at most this much of hand-written NumPy
    ("mini", "a:10:float64"): 1.30,
    ("mini", "a:1000:float64"): 1.10,
    ("mini", "b:64:float32"): 1.05,
    ("mini", "b:64:float64"): 1.05,
    ("mini", "b:512:float32"): 1.05,
    ("mini", "b:512:float64"): 1.05,
    ("mini_fused", "a:10:float64"): 1.0,
    ("mini", "c:8:float32"): 0.90,
    ("mini", "d:1:float64"): 3.2,
}
MEMORY_GOAL, NODE_GOAL = 1.1, 650
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def environment():
    """One thread, and the kernels that BLAS chooses by itself."""
    env = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**env, **threads, "PYTHONPATH": str(HERE.parent)}


def run(*arguments):
    return subprocess.run([PYTHON, *arguments], cwd=HERE, env=environment(), capture_output=True, text=True)


class Worker:
    """One implementation in a process of its own."""

    def __init__(self, implementation, step):
        workload, batch, dtype, *more = step.split(":")
        self.process = subprocess.Popen(
            [PYTHON, "-m", "steps.worker", implementation, workload, dtype, batch, *more],
            cwd=HERE,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.losses = json.loads(self.process.stdout.readline() or "null")

    def time(self, steps):
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline()) / steps

    def stop(self):
        self.process.stdin.close()
        error = self.process.stderr.read()
        self.process.wait()
        return error.strip().splitlines()[-1] if error.strip() else ""


def measure(step, implementations, starts, rounds):
    """Returns ({implementation: ratios to hand}, {implementation: losses})."""
    ratios, losses = {i: [] for i in implementations}, {}
    for _ in range(starts):
        workers = {i: Worker(i, step) for i in implementations}
        for i in [i for i, w in workers.items() if w.losses is None]:
            raise SystemExit(f"{NAMES[i]}, {step}: {workers[i].stop()}")
        losses = {i: w.losses for i, w in workers.items()}
        count = {i: max(1, round(SECONDS / max(w.time(3), 1e-6))) for i, w in workers.items()}
        for _ in range(rounds):
            turn = random.sample(implementations, len(implementations))     # who was before leaves the cache as it is
            times = {i: workers[i].time(count[i]) for i in turn}
            for i in implementations:
                ratios[i].append(times[i] / times["hand"])
        for w in workers.values():
            w.stop()
    return ratios, losses


def differing(losses, dtype):
    """The implementations whose losses are not those of hand-written NumPy."""
    far = lambda ours: max(abs(a - b) / max(abs(b), 1e-300) for a, b in zip(ours, losses["hand"], strict=True))
    return [f"{NAMES[i]} ({far(ours):.0e})" for i, ours in losses.items() if far(ours) > TOLERANCE[dtype]]


def available():
    """The implementations that can be imported; says which cannot."""
    found = []
    for i, module in {
        "hand": "numpy",
        "mini": "numpy",
        "mini_fused": "numpy",
        "pytorch": "torch",
        "hips": "autograd",
    }.items():
        if run("-c", f"import {module}").returncode == 0:
            found.append(i)
        else:
            print(
                f"{NAMES[i]} is not installed for {Path(PYTHON).parent.parent.name}: left out (make bench installs it)"
            )
    return found


def implementations_of(step, all_of_them):
    return [i for i in all_of_them if i != "mini_fused" or step[0] in "ab"]


def summary(values):
    low, median, high = statistics.quantiles(values, n=4)
    return median, low, high


def ratio(values):
    """The median, and the quartiles in brackets."""
    median, low, high = summary(values)
    return f"{median:.2f} ({low:.2f}–{high:.2f})"


def machine():
    told = json.loads(run("-m", "steps.where").stdout)
    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    versions = ", ".join(f"{name} {version}" for name, version in told["versions"].items())
    return {
        "Processor": f"{model}, {os.cpu_count()} cores, one of them used",
        "BLAS": told["blas"],
        "Versions": f"Python {platform.python_version()}, {versions}",
        "System": f"{platform.system()} {platform.machine()}",
        "Data": told["data"],
        "Date": datetime.date.today().isoformat(),
    }


def memory():
    """Peak of a step of b at batch 512 over that of hand-written NumPy, by type; bytes that a recorded op holds."""
    peak = lambda i, dtype: int(run("-m", "steps.memory", i, "b", dtype, "512").stdout)
    return {d: peak("mini", d) / peak("hand", d) for d in TOLERANCE}, float(run("-m", "steps.memory", "node").stdout)


def verdicts(medians, peaks, node):
    """Every goal as (what, figure, goal, met)."""
    for (i, step), goal in GOALS.items():
        if step in medians:
            yield f"{NAMES[i]}: {STEPS[step]}", f"{medians[step][i]:.2f}", f"≤ {goal:.2f}", medians[step][i] <= goal
    for step, row in medians.items():
        if "pytorch" in row:
            ours = row["mini"] / row["pytorch"]
            wanted = "keep_memory" in step or not step.startswith("c")
            if wanted:
                yield f"minitorch against PyTorch: {STEPS[step]}", f"{ours:.2f} of its time", "≤ 1", ours <= 1
    for dtype, ratio in peaks.items():
        yield (
            f"peak memory of a step of the ReLU MLP, batch 512, {dtype}",
            f"{ratio:.2f}",
            f"≤ {MEMORY_GOAL}",
            ratio <= MEMORY_GOAL,
        )
    yield "bytes a recorded op holds, in a chain of 1,000,000", f"{node:.0f}", f"≤ {NODE_GOAL}", node <= NODE_GOAL


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def write(results, told, peaks, node, folder=HERE):
    """RESULTS.md and speed.svg; returns what was missed."""
    used = [i for i in NAMES if any(i in row for row in results.values())]
    medians = {step: {i: summary(v)[0] for i, v in row.items()} for step, row in results.items()}
    cell = lambda row, i: (
        "–" if i not in row else "1" if i == "hand" else ratio(row[i])
    )
    rows = [[STEPS[s], *(cell(row, i) for i in used)] for s, row in results.items()]
    goals = list(verdicts(medians, peaks, node))
    missed = [what for what, _, _, met in goals if not met]
    chart(medians, used, folder / "speed.svg")
    fastest = [STEPS[s] for s, row in medians.items() if "pytorch" in row and row["mini"] <= row["pytorch"]]
    rivals = sum("pytorch" in row for row in medians.values())
    alt = (
        "Bars: processor time of a training step, by implementation, relative to NumPy by hand, which is 1; "
        "logarithmic. minitorch lies between "
        f"{min(r['mini'] for r in medians.values()):.2f} and {max(r['mini'] for r in medians.values()):.2f}."
    )
    text = f"""# Speed

Processor time of one training step, forward, backward and update, as a ratio to the same step in hand-written NumPy in
the same run: the median, and the quartiles in brackets. Lower is faster. One thread. Written by `make bench`.

{table(["step", *(NAMES[i] for i in used)], rows)}

![{alt}](speed.svg)

minitorch is at least as fast as PyTorch in {len(fastest)} of {rivals} steps. Their losses agreed over six steps, to
{TOLERANCE["float64"]:g} in float64 and {TOLERANCE["float32"]:g} in float32, or this file would not have been written.

## Goals

{table(["what", "measured", "goal", ""], [[w, m, g, "met" if ok else "**missed**"] for w, m, g, ok in goals])}

## Where

{table(["", ""], [[k, v] for k, v in told.items()])}
"""
    (folder / "RESULTS.md").write_text(text, encoding="utf-8")
    return missed


def chart(medians, used, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "minitorch", "svg.fonttype": "none"})
    from matplotlib import pyplot as plt

    sys.path.insert(0, str(HERE.parent))
    from minitorch.plot import COLOURS

    fig, ax = plt.subplots(figsize=(9, 0.72 * len(medians) + 1.2), layout="constrained")
    others = [i for i in used if i != "hand"]
    height, hatches = 0.8 / len(others), ["", "//", "..", "xx"]
    for k, i in enumerate(others):
        rows = [(y, row[i]) for y, row in enumerate(medians.values()) if i in row]
        places = [y + (k - (len(others) - 1) / 2) * height for y, _ in rows]
        ax.barh(
            places,
            [v - 1 for _, v in rows],
            height,
            left=1,
            color=COLOURS[k],
            hatch=hatches[k % 4],
            edgecolor="white",
            label=NAMES[i],
        )
        for place, (_, v) in zip(places, rows, strict=True):
            ax.annotate(
                f"{v:.2f}",
                (v, place),
                xytext=(4 if v >= 1 else -4, 0),
                textcoords="offset points",
                va="center",
                ha="left" if v >= 1 else "right",
                fontsize=7,
            )
    ax.axvline(1, color="black", lw=1)
    ax.set(
        xscale="log",
        xlabel="processor time relative to NumPy by hand (ratio, logarithmic; less is faster)",
        yticks=range(len(medians)),
        yticklabels=[STEPS[s] for s in medians],
        xlim=(0.3, 45),
    )
    ax.set_xticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
    ax.minorticks_off()
    ax.invert_yaxis()
    ax.legend(loc="center right")
    fig.savefig(path, metadata={"Date": None})
    plt.close(fig)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    wanted = [s for s in STEPS if not options.only or any(s.startswith(o) for o in options.only.split(","))]
    implementations, results = available(), {}
    for step in wanted:
        results[step], losses = measure(step, implementations_of(step, implementations), options.starts, options.rounds)
        if problem := differing(losses, step.split(":")[2]):
            print(f"{STEPS[step]}: the losses differ from those of NumPy by hand: {', '.join(problem)}")
            return 1
        print(
            f"{STEPS[step]:36}"
            + "  ".join(f"{NAMES[i]} {summary(v)[0]:.2f}" for i, v in results[step].items() if i != "hand"),
            flush=True,
        )
    peaks, node = memory()
    if options.only:
        return 0
    missed = write(results, machine(), peaks, node)
    print(
        f"benchmarks/RESULTS.md is written. {len(missed)} goals missed"
        + "".join(f"\n  missed: {what}" for what in missed)
    )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
