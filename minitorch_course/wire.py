"""Arrays and plain numbers as bytes, for two processes that do not trust each other: nothing is unpickled.

A message is two lengths (of the JSON and of the arrays' bytes), the JSON, and the bytes. In the JSON an array is
{"array": [dtype, shape]} and a tuple is {"tuple": [...]}. This file is also sent, as text, into the sandbox: it needs
NumPy alone.
"""
import json
import math
import re
import struct
import time

import numpy as np

HEAD = struct.Struct(">II")
MOST = 8 << 20      # bytes of a message


def pack(value):
    """The message for `value`: dicts with text as keys, lists, tuples, numbers, text, None and arrays of numbers.

    Raises TypeError for anything else.
    """
    arrays = []

    def plain(v):
        if isinstance(v, np.ndarray):
            if v.dtype.kind not in "fciub":
                raise TypeError(f"cannot send an array of {v.dtype}")
            arrays.append(v.tobytes())
            return {"array": [v.dtype.str, list(v.shape)]}
        if isinstance(v, dict):
            return {"dict": {str(k): plain(x) for k, x in v.items()}}
        if isinstance(v, (list, tuple)):
            items = [plain(x) for x in v]
            return {"tuple": items} if isinstance(v, tuple) else items
        if v is None or isinstance(v, (bool, int, float, str)):
            return v
        raise TypeError(f"cannot send {type(v).__name__}")

    text = json.dumps(plain(value)).encode("utf-8", "replace")
    body = b"".join(arrays)
    return HEAD.pack(len(text), len(body)) + text + body


def unpack(text, body):
    """The value of a message, given its JSON and its arrays' bytes; ValueError for whatever is not one."""
    at = 0

    def value(v):
        nonlocal at
        if isinstance(v, list):
            return [value(x) for x in v]
        if not isinstance(v, dict):
            return v
        [(kind, inner)] = v.items()
        if kind == "dict":
            return {k: value(x) for k, x in inner.items()}
        if kind == "tuple":
            return tuple(value(x) for x in inner)
        dtype, shape = inner
        named = kind == "array" and isinstance(dtype, str) and re.fullmatch(r"[<>|=][fciub]\d{1,2}", dtype)
        dtype = np.dtype(dtype) if named else None
        good = len(shape) <= 32 and all(type(n) is int and n >= 0 for n in shape)
        if dtype is None or dtype.kind not in "fciub" or not good:
            raise ValueError("no array of numbers")
        size = math.prod(shape) * dtype.itemsize
        if size > len(body) - at:
            raise ValueError("an array without its bytes")
        at += size
        return np.frombuffer(body, dtype, math.prod(shape), at - size).reshape(shape).copy()

    try:
        return value(json.loads(text))
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"not a message: {error}") from None


def send(connection, value):
    connection.sendall(pack(value))


def receive(connection, seconds=None):
    """The next value. EOFError: the other side is gone. ValueError: it is no message. TimeoutError: it is late."""
    end = seconds and time.monotonic() + seconds
    text, body = HEAD.unpack(_exactly(connection, HEAD.size, end))
    if text + body > MOST:
        raise ValueError(f"a message of {(text + body) >> 20} MiB")
    return unpack(_exactly(connection, text, end), _exactly(connection, body, end))


def _exactly(connection, n, end):
    parts = []
    while n:
        if end:
            connection.settimeout(max(end - time.monotonic(), 1e-3))
        part = connection.recv(min(n, 1 << 20))
        if not part:
            raise EOFError("the other side is gone")
        parts.append(part)
        n -= len(part)
    return b"".join(parts)
