"""The solution markers of nbgrader, and an nbdev processor that keeps them out of the exported library."""
import re

# The end eats its own newline only: \s* there would eat the indentation of the next line.
MARKER = re.compile(r"^[ \t]*#+[ \t]*(?:BEGIN|END) SOLUTION[^\n]*\n?", re.MULTILINE)


def strip_text(source):
    """`source` without the lines `### BEGIN SOLUTION` and `### END SOLUTION`."""
    return MARKER.sub("", source).rstrip("\n")


def strip_markers(cell):
    """nbdev export processor, named in pyproject.toml's `export_procs`."""
    if cell.cell_type == "code" and "SOLUTION" in cell.source:
        cell.set_source(strip_text(cell.source))
