"""Shared by the tests: one thread for BLAS, the folders of the checkout, a tiny course."""
import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def course(tmp_path):
    """A course of two tiny notebooks, of the test's own."""
    from tests import mini_course

    return mini_course.make(tmp_path / "course")
