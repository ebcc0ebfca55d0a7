"""The student's version of a notebook, by nbgrader's own converter.

Our part is the stub that stands where a solution stood: it names the exercise and the notebook,
so that a student whose later notebook fails reads which blank is still open.
"""
import tempfile
from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearSolutions
from traitlets.config import Config

from .checkout import CourseError, known, module_of, read_notebook
from .markers import strip_text


class NamedStubs(ClearSolutions):
    """ClearSolutions whose stub raises `NotImplementedError("ops.mul: exercise not solved yet, see 00_ops.ipynb")`."""

    def preprocess(self, nb, resources):
        self._module = module_of(nb) or resources["nbgrader"]["notebook"]
        self._notebook = resources["nbgrader"]["notebook"] + ".ipynb"
        return super().preprocess(nb, resources)

    def preprocess_cell(self, cell, resources, cell_index):
        exercise = cell.metadata.get("nbgrader", {}).get("grade_id", cell.get("id", cell_index))
        message = f"{self._module}.{exercise}: exercise not solved yet, see {self._notebook}"
        self.code_stub = {"python": f'# YOUR CODE HERE\nraise NotImplementedError("{message}")'}
        return super().preprocess_cell(cell, resources, cell_index)


class KeepSolutions(ClearSolutions):
    """Takes the solution markers out and leaves the solutions: for `minitorch kit --reference`."""

    def preprocess_cell(self, cell, resources, cell_index):
        cell.source = strip_text(cell.source)
        return cell, resources


def _with(clear):
    """nbgrader's list of preprocessors with `clear` in place of ClearSolutions."""
    return [clear if p is ClearSolutions else p for p in GenerateAssignment.preprocessors.default_args[0]]


preprocessors = _with(NamedStubs)


def release(assignment, course_root, solved=False):
    """The notebook of `assignment` as students get it; with `solved`, with the solutions left in.

    Uses neither gradebook nor folder of the course. Raises CourseError if there is no such assignment,
    or if nbgrader refuses the notebook.
    """
    root = Path(course_root).resolve()
    known(root, assignment)
    with tempfile.TemporaryDirectory() as folder:
        config = Config()
        config.CourseDirectory.root = folder
        config.CourseDirectory.source_directory = str(root / "nbs")
        config.CourseDirectory.assignment_id = assignment
        config.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__"]
        config.GenerateAssignment.preprocessors = _with(KeepSolutions) if solved else preprocessors
        config.GenerateAssignment.no_database = True
        config.SaveCells.enabled = False  # that is the one which writes to the gradebook
        try:
            GenerateAssignment(coursedir=CourseDirectory(config=config), config=config).start()
        except Exception as e:
            raise CourseError(f"nbgrader could not release {assignment}: {e}") from e
        return read_notebook(Path(folder) / "release" / assignment / f"{assignment}.ipynb")
