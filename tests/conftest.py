"""Shared by the tests: one thread for BLAS, and the folders of the checkout."""
import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parent.parent
