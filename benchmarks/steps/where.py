"""The versions and the BLAS kernel of the interpreter that the implementations run in, as JSON."""
import contextlib
import importlib.metadata
import json

import numpy as np

from .common import mnist


def blas():
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    used = [i for i in threadpool_info() if i["user_api"] == "blas"]
    return ", ".join(f"{i['internal_api']} {i['version']}, kernel {i.get('architecture', '?')}" for i in used)


versions = {}
for package in ("numpy", "torch", "autograd"):
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        versions[package] = importlib.metadata.version(package)
print(json.dumps({"versions": versions, "blas": blas(), "data": mnist()[2]}))
