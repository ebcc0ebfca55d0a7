"""The package: light to import, one version, nothing bound under a module's name."""
import subprocess
import sys

import pytest

import minitorch


def modules(program):
    done = subprocess.run([sys.executable, "-c", f"{program}\nimport sys\nprint(*sys.modules)"], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("name", ["minitorch", "minitorch.ops"])
def test_importing_loads_numpy_and_itself_alone(name):
    """The time of it is measured in benchmarks/import_time.py; this is what the time depends on."""
    extra = modules(f"import numpy, {name}") - modules("import numpy")
    assert {m for m in extra if not m.startswith("minitorch")} == set()


def test_all_modules_need_numpy_alone():
    program = "import minitorch\nfor m in minitorch._MODULES: getattr(minitorch, m)"
    extra = modules(program) - modules("import numpy")
    roots = {m.split(".")[0] for m in extra} - set(sys.stdlib_module_names)
    assert roots <= {"minitorch", "numpy"}


def test_names():
    assert minitorch.numerical_gradient is minitorch.gradcheck.numerical_gradient
    assert not set(minitorch._NAMES) & set(minitorch._MODULES)
    assert set(minitorch.__all__) <= set(dir(minitorch))
    with pytest.raises(AttributeError, match="module 'minitorch' has no attribute 'nothing'"):
        getattr(minitorch, "nothing")  # noqa: B009


def test_a_broken_module_does_not_stop_the_others(tmp_path):
    import shutil
    from pathlib import Path
    shutil.copytree(Path(minitorch.__file__).parent, tmp_path / "minitorch", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "minitorch" / "check.py").write_text("this is not python")
    done = subprocess.run([sys.executable, "-c", "import minitorch.ops; print(minitorch.ops.__file__)"],
                          cwd=tmp_path, capture_output=True, text=True)
    assert str(tmp_path) in done.stdout, done.stderr


def test_the_command_without_its_extras_says_what_to_install():
    program = "import sys; sys.modules['typer'] = None; from minitorch_course.cli import main"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1 and "pip install 'minitorch-course[course]'" in done.stderr and "Traceback" not in done.stderr
