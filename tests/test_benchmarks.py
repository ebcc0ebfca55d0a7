"""The benchmark compares equals: same losses, right gradients; and what it writes follows from the numbers."""
import gc
import sys
import tracemalloc

import numpy as np
import pytest
from mini_course import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
import speed  # noqa: E402
from steps import gpt_ops, hand, mini, mini_fused  # noqa: E402

from minitorch.gradcheck import direction, gradcheck  # noqa: E402

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("step", list(speed.STEPS))
def test_the_losses_are_those_of_numpy_by_hand(step):
    workload, batch, dtype, *_ = step.split(":")
    if "keep_memory" in step:
        return
    modules = {"hand": hand, "mini": mini} | ({"mini_fused": mini_fused} if workload in "ab" else {})
    losses = {}
    for name, module in modules.items():
        train = module.build(workload, getattr(np, dtype), int(batch))
        losses[name] = [train() for _ in range(6)]
    assert speed.differing(losses, dtype) == []
    losses["mini"] = [loss * (1 + 2 * speed.TOLERANCE[dtype]) for loss in losses["mini"]]
    assert len(speed.differing(losses, dtype)) == 1


def x(*shape):
    return np.asarray(direction(RNG, shape))


@pytest.mark.parametrize("op, inputs, const", [
    (gpt_ops.layernorm, {"x": x(2, 3, 4), "gamma": x(4), "beta": x(4)}, {}),
    (gpt_ops.embedding, {"W_e": x(5, 3)}, {"ids": np.array([[0, 4, 4], [1, 0, 4]])}),
    (gpt_ops.positional_embedding, {"W_p": x(5, 3)}, {"T": 4, "B": 2}),
    (gpt_ops.permute_bhtd, {"x": x(2, 3, 4, 5)}, {}),
    (gpt_ops.attention_scores, {"Q": x(2, 3, 4, 5), "K": x(2, 3, 6, 5)}, {}),
    (gpt_ops.causal_mask, {"S": x(2, 4, 4)}, {"fill": -3.0}),
    (gpt_ops.attention_output, {"P": x(2, 3, 4, 6), "V": x(2, 3, 6, 5)}, {}),
    (gpt_ops.lm_head, {"h": x(2, 3, 4), "W_e": x(5, 4)}, {})], ids=lambda v: getattr(v, "__name__", ""))
def test_the_ops_of_the_transformer(op, inputs, const):
    report = gradcheck(op, inputs, const)
    assert report, report


def test_transformer_steps_leave_nothing_without_the_collector():
    train = mini.build("c", np.float32, 8)
    gc.collect()
    gc.disable()
    try:
        tracemalloc.start()
        train()
        train()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(98):
            train()
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
    finally:
        gc.enable()
    assert abs(grown) < 20_000


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_step_takes_no_more_memory_than_by_hand(dtype):
    peaks = []
    for module in (mini, hand):
        train = module.build("b", getattr(np, dtype), 512)
        train()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        train()
        peaks.append(tracemalloc.get_traced_memory()[1] - before)
        tracemalloc.stop()
    assert peaks[0] <= 1.1 * peaks[1]


def test_results_follow_from_the_numbers(tmp_path):
    results = {"a:10:float64": {"hand": [1.0] * 5, "mini": [1.1, 1.2, 1.25, 1.3, 1.5], "mini_fused": [1.2] * 5, "pytorch": [4.0] * 5},
               "d:1:float64": {"hand": [1.0] * 5, "mini": [3.5] * 5, "pytorch": [3.0] * 5}}
    missed = speed.write(results, {"Processor": "none"}, {"float32": 1.2, "float64": 1.0}, 500.0, tmp_path)
    text = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "1.25 (1.15–1.40)" in text and "in 1 of 2 steps" in text and "sigmoid MLP, batch 10, float64 | 1.25 | ≤ 1.30 | met" in text
    assert len(missed) == text.count("**missed**") == 4        # fused, the chain, the chain against PyTorch, memory in float32
    assert "<svg" in (tmp_path / "speed.svg").read_text(encoding="utf-8")
