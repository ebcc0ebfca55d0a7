"""MNIST: what comes with the package, an own folder, and every way in which a file can be wrong."""
import gzip
import re
import struct

import numpy as np
import pytest

from minitorch import data
from minitorch.data import FILES, FOLDER, batches, mnist, one_hot


def idx(array):
    return struct.pack(f">{'IIII' if array.ndim == 3 else 'II'}", 2051 if array.ndim == 3 else 2049, *array.shape) + array.tobytes()


@pytest.fixture
def own(tmp_path):
    """A folder with five images for training, packed, and three for the test, unpacked; and their arrays."""
    rng = np.random.default_rng(0)
    arrays = {}
    for split, n in ("train", 5), ("test", 3):
        arrays[split] = rng.integers(0, 256, (n, 28, 28), np.uint8), rng.integers(0, 10, n).astype(np.uint8)
        for name, array in zip(FILES[split], arrays[split]):
            packed = split == "train"
            (tmp_path / (f"{name}.gz" if packed else name)).write_bytes(gzip.compress(idx(array)) if packed else idx(array))
    return tmp_path, arrays


@pytest.mark.parametrize("split, n, first", [("train", 60_000, [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]), ("test", 10_000, [7, 2, 1, 0, 4, 1, 4, 9, 5, 9])])
def test_what_comes_with_the_package(split, n, first):
    images, labels = mnist(split)
    assert images.shape == (n, 784) and images.dtype == np.float64 and images.min() == 0 and images.max() == 1
    assert labels.shape == (n,) and labels.dtype.kind == "i" and labels[:10].tolist() == first
    raw, again = mnist(split, scale=False)
    assert raw.dtype == np.uint8 and raw.max() == 255 and np.array_equal(raw / 255, images) and np.array_equal(labels, again)
    raw[0] = 1      # it is the caller's own


def test_an_own_folder_packed_or_not(own):
    folder, arrays = own
    for split, (images, labels) in arrays.items():
        got, y = mnist(split, folder, scale=False)
        assert np.array_equal(got, images.reshape(-1, 784)) and np.array_equal(y, labels)
        assert np.array_equal(mnist(split, str(folder))[0], images.reshape(-1, 784) / 255)


IMAGES, LABELS = FILES["test"]


@pytest.mark.parametrize("change, error, says", [
    (lambda f: (f / LABELS).unlink(), FileNotFoundError, f"wanted {LABELS} or {LABELS}.gz in .*, which has t10k-images"),
    (lambda f: (f / IMAGES).write_bytes((f / IMAGES).read_bytes()[:-1]), ValueError, r"t10k-images.* should have 2368 bytes .* it has 2367: is it cut off"),
    (lambda f: (f / IMAGES).write_bytes((f / IMAGES).read_bytes() + b"x"), ValueError, "should have 2368 bytes .* it has 2369"),
    (lambda f: (f / IMAGES).write_bytes(b""), ValueError, "should begin with the number 2051, for images; it begins with nothing"),
    (lambda f: (f / IMAGES).write_bytes(b"\0\0\x08\x03\0"), ValueError, "should have 16 or more bytes .* it has 5"),
    (lambda f: (f / LABELS).write_bytes(b"\0\0\x08\x01\0\0"), ValueError, "should have 8 or more bytes"),
    (lambda f: (f / IMAGES).write_bytes((f / LABELS).read_bytes()), ValueError, "begins with 2049: those are labels, are two files swapped"),
    (lambda f: (f / LABELS).write_bytes((f / IMAGES).read_bytes()), ValueError, "begins with 2051: those are images, are two files swapped"),
    (lambda f: (f / IMAGES).write_text("<html>403 Forbidden</html>"), ValueError, "should begin with the number 2051"),
    (lambda f: (f / IMAGES).write_bytes(idx(np.zeros((3, 32, 32), np.uint8))), ValueError, "images of 28×28 pixels; it says 32 × 32"),
    (lambda f: (f / LABELS).write_bytes(idx(np.zeros(4, np.uint8))), ValueError, "3 images and 4 labels"),
    (lambda f: (f / LABELS).write_bytes(idx(np.array([1, 2, 10], np.uint8))), ValueError, "labels from 0 to 9; it has 10"),
    (lambda f: (f / IMAGES).write_bytes(gzip.compress((f / IMAGES).read_bytes())[:-9]), ValueError, "is damaged: gzip cannot unpack it"),
    (lambda f: (f / IMAGES).write_bytes(gzip.compress((f / IMAGES).read_bytes())[:50] + b"x" * 500), ValueError, "is damaged: gzip"),
])
def test_a_file_that_is_wrong_is_named(own, change, error, says):
    folder, _ = own
    change(folder)
    with pytest.raises(error, match=says):
        mnist("test", folder)


def test_a_damaged_file_of_ours_is_seen_by_its_sum(tmp_path, monkeypatch):
    for name in FILES["test"]:
        raw = bytearray(gzip.decompress((FOLDER / f"{name}.gz").read_bytes()))
        raw[-1] ^= 1
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(bytes(raw), 1))
    mnist("test", tmp_path)         # an own folder is taken as it is
    monkeypatch.setattr(data, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match="SHA-256 should be 0fa7898d509279e4…, it is"):
        mnist("test")


def test_wrong_use(tmp_path):
    with pytest.raises(ValueError, match="wanted the split 'train' or 'test', was given 'valid'"):
        mnist("valid")
    with pytest.raises(FileNotFoundError, match="is no folder"):
        mnist("test", tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="which has no files"):
        mnist("test", tmp_path)


def test_one_hot():
    assert np.array_equal(one_hot(np.array([[1, 0], [2, 2]]), 3), np.eye(3)[[[1, 0], [2, 2]]])
    for labels, error, says in [([10], ValueError, "from 0 to 9, was given 10 to 10"), ([-1], ValueError, "was given -1"), ([0.5], TypeError, "whole numbers, was given float64")]:
        with pytest.raises(error, match=says):
            one_hot(labels)


def test_batches():
    for size in (1, 3, 10):
        parts = list(batches(10, size, np.random.default_rng(1)))
        assert sorted(np.concatenate(parts)) == list(range(10)) and {len(p) for p in parts[:-1]} <= {size}
        assert all(np.array_equal(a, b) for a, b in zip(parts, batches(10, size, np.random.default_rng(1))))
    for size in (0, 11, -1):
        with pytest.raises(ValueError, match=re.escape(f"wanted a size from 1 to 10, the number of examples; was given {size}")):
            batches(10, size)
