"""Shared by the tests: one thread for BLAS, the folders of the checkout, a tiny course."""
import os
from pathlib import Path

import hypothesis
import mini_course
import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
hypothesis.settings.register_profile("course", deadline=None)       # no test depends on a clock
hypothesis.settings.load_profile("course")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def course(tmp_path):
    """A course of two tiny notebooks, of the test's own."""
    return mini_course.make(tmp_path / "course")
