"""Install your minitorch from settings.ini: `pip install -e .`"""
import re
from configparser import ConfigParser
from pathlib import Path

from setuptools import setup

here = Path(__file__).parent
config = ConfigParser()
config.read(here / "settings.ini", encoding="utf-8")
cfg = config["DEFAULT"]
version = re.search(r'^__version__ = "(.+)"$', (here / "minitorch/__init__.py").read_text(encoding="utf-8"), re.M)[1]

setup(
    name=cfg["name"],
    version=version,
    description=cfg["description"],
    python_requires=">=" + cfg["min_python"],
    packages=["minitorch"],
    package_data={"minitorch": ["datasets/**/*"]},
    install_requires=[line for line in cfg["requirements"].splitlines() if line.strip()],
)
