"""nbgrader for this course: sources in nbs/, everything that nbgrader writes in course/ (ignored by git)."""
from pathlib import Path

from minitorch_course.release import preprocessors

c = get_config()  # noqa: F821  (nbgrader provides it)

here = Path(__file__).resolve().parent
c.CourseDirectory.course_id = "minitorch"
c.CourseDirectory.root = str(here / "course")
c.CourseDirectory.source_directory = str(here / "nbs")
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__"]
c.GenerateAssignment.preprocessors = preprocessors
c.ExecutePreprocessor.timeout = 60
c.Execute.timeout = 60
