"""Build the package from settings.ini; extras: student, course, dev (both, and the tests)."""
import re
from configparser import ConfigParser
from pathlib import Path

from setuptools import setup

here = Path(__file__).parent
config = ConfigParser()
config.read(here / "settings.ini", encoding="utf-8")
cfg = config["DEFAULT"]


def lines(key):
    return [line for line in cfg[key].splitlines() if line.strip()]


version = re.search(r'^__version__ = "(.+)"$', (here / "minitorch/__init__.py").read_text(encoding="utf-8"), re.M)[1]
student, course, test = lines("student_requirements"), lines("course_requirements"), lines("test_requirements")

setup(
    name=cfg["name"],
    version=version,
    description=cfg["description"],
    long_description=(here / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    author=cfg["author"],
    license=cfg["license"],
    keywords=cfg["keywords"],
    python_requires=">=" + cfg["min_python"],
    packages=["minitorch", "minitorch_course"],
    package_data={"minitorch": ["datasets/**/*"], "minitorch_course": ["kit_files/*"]},
    install_requires=lines("requirements"),
    extras_require={"student": student, "course": course, "dev": sorted({*student, *course, *test})},
    entry_points={"console_scripts": ["minitorch=minitorch_course.cli:main"]},
)
