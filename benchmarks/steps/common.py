"""What all implementations share: sizes, first values, data."""
import gzip
import os
from pathlib import Path

import numpy as np

SIZES = {"a": [784, 16, 16, 10], "b": [784, 256, 128, 10]}
RATE = {"a": 3.0, "b": 0.1, "c": 0.1}
LAYERS, WIDTH, HEADS, TOKENS, BATCH, VOCABULARY = 2, 64, 4, 64, 8, 65
CHAIN = 500


def mnist():
    """The test images (rows of 784 bytes) and labels of MNIST; random ones where the files are not there."""
    root = Path(__file__).parents[2]
    places = [os.environ.get("MNIST", ""), root / "nbs/datasets", root.parent / "shared/data/mnist"]
    for folder in map(Path, filter(None, places)):
        files = [folder / f"t10k-{name}-ubyte.gz" for name in ("images-idx3", "labels-idx1")]
        if all(f.is_file() for f in files):
            images, labels = (np.frombuffer(gzip.decompress(f.read_bytes()), np.uint8) for f in files)
            return images[16:].reshape(-1, 784), labels[8:], "MNIST"
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (10_000, 784)) * (rng.random((10_000, 784)) < 0.2)
    return images.astype(np.uint8), rng.integers(0, 10, 10_000), "random numbers"


def batch_of(size, dtype):
    """Images (size, 784) in [0, 1], labels (size,), one-hot labels (size, 10)."""
    images, labels, _ = mnist()
    chosen = np.random.default_rng(0).permutation(len(images))[:size]
    y = labels[chosen].astype(np.int64)
    return (images[chosen] / 255).astype(dtype), y, np.eye(10, dtype=dtype)[y]


def mlp(workload, dtype):
    """Weights (in, out) and biases."""
    rng, sizes = np.random.default_rng(0), SIZES[workload]
    weights = [(rng.standard_normal((n, m)) / np.sqrt(n)).astype(dtype) for n, m in zip(sizes, sizes[1:], strict=False)]
    return weights, [np.zeros(m, dtype) for m in sizes[1:]]


def gpt(dtype):
    """The parameters by name."""
    rng = np.random.default_rng(0)
    normal = lambda *shape: (rng.standard_normal(shape) * 0.02).astype(dtype)
    zeros, ones, d = (lambda n: np.zeros(n, dtype)), (lambda n: np.ones(n, dtype)), WIDTH
    P = {"We": normal(VOCABULARY, d), "Wp": normal(TOKENS, d)}
    for i in range(LAYERS):
        P |= {f"g1{i}": ones(d), f"b1{i}": zeros(d), f"Wqkv{i}": normal(d, 3 * d), f"bqkv{i}": zeros(3 * d),
              f"Wo{i}": normal(d, d), f"bo{i}": zeros(d), f"g2{i}": ones(d), f"b2{i}": zeros(d),
              f"W1{i}": normal(d, 4 * d), f"c1{i}": zeros(4 * d), f"W2{i}": normal(4 * d, d), f"c2{i}": zeros(d)}
    return P | {"gf": ones(d), "bf": zeros(d)}


def text():
    """Tokens and the tokens that follow them, both (BATCH, TOKENS)."""
    tokens = np.random.default_rng(1).integers(0, VOCABULARY, (BATCH, TOKENS + 1))
    return np.ascontiguousarray(tokens[:, :-1]), np.ascontiguousarray(tokens[:, 1:])


def chain_start(dtype):
    return np.full(4, 0.5, dtype), np.full(4, 1e-3, dtype)
