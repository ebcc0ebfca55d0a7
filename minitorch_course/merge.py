"""Bring a corrected notebook into a student's: their cells stay theirs, all others become the new ones."""
import copy
import uuid
from dataclasses import dataclass, field


@dataclass
class Merge:
    """A merged notebook, and what was done, as lists of the names of cells."""

    notebook: object
    kept: list = field(default_factory=list)  # the student's, left as they are
    replaced: list = field(default_factory=list)  # given, and different in the new version
    inserted: list = field(default_factory=list)  # new in the course, or put back
    removed: list = field(default_factory=list)  # gone from the course, and never written in
    conflicts: list = field(default_factory=list)  # kept, although the course changed the cell too


def _grading(cell):
    return cell.metadata.get("nbgrader", {})


def _locked(cell):
    """A cell that nbgrader locks (a check): a student's change to it never counts."""
    return bool(_grading(cell).get("grade") or _grading(cell).get("locked")) and not _grading(cell).get("solution")


def _names(cell):
    """What a cell may be found by, best first: its nbgrader id survives every editor, its cell id most."""
    names = [("grade_id", _grading(cell).get("grade_id")), ("id", cell.get("id"))]
    return [name for name in names if name[1]]


def name_of(cell):
    return _grading(cell).get("grade_id") or cell.get("id") or cell.source[:20]


def _text(cell):
    return cell.cell_type, cell.source


def _counterparts(cells, others):
    """For each of `cells` its counterpart among `others`, as {index: index}; each of `others` at most once.

    By name first; then, for cells that lost their ids (Colab drops them), by text.
    """
    pairs, taken = {}, set()
    for keys in (_names, lambda cell: [_text(cell)] if cell.source.strip() else []):
        index = {}
        for j, other in enumerate(others):
            for key in keys(other):
                index.setdefault(key, []).append(j)
        for i, cell in enumerate(cells):
            if i not in pairs:
                free = [j for key in keys(cell) for j in index.get(key, []) if j not in taken]
                if free:
                    pairs[i] = free[0]
                    taken.add(free[0])
    return pairs


def _own_cell(cell):
    """A copy of a student's cell as an ordinary one: without what nbgrader would look for (a pasted copy of an
    exercise has its grade_id, and two cells with one grade_id stop the grading)."""
    cell = copy.deepcopy(cell)
    for key in ("nbgrader", "deletable", "editable"):
        cell.metadata.pop(key, None)
    return cell


def merge(mine, old, new):
    """Merge the student's notebook `mine`, released as `old`, with the course's `new`. Returns a Merge.

    A cell is the student's if it differs from the released one, or was not released at all. Of the course's cells
    the new version and order are taken; the student's own are put behind the cell that they stood behind. Checks
    are always the course's.
    `old` may be None (not known): then every cell that differs from the new one counts as the student's.
    """
    result = Merge(copy.deepcopy(new))
    result.notebook.metadata = copy.deepcopy(mine.metadata)
    old_cells = old.cells if old is not None else []
    released = _counterparts(mine.cells, old_cells)
    moved = _counterparts(old_cells, new.cells)
    direct = _counterparts(mine.cells, new.cells)
    at, extra, behind = {}, {}, -1  # index in new → the student's cell; → own cells to put behind it (-1: the top)
    for i, cell in enumerate(mine.cells):
        before = old_cells[released[i]] if i in released else None
        j = moved.get(released[i]) if i in released else direct.get(i)
        if j is not None and j not in at:
            at[j], behind = (cell, before), j
        elif before is None or (_text(cell) != _text(before) and not _locked(before)):
            result.kept.append(name_of(cell))
            if before is not None:  # written in, and gone from the course
                result.conflicts.append(name_of(cell))
            extra.setdefault(behind, []).append(_own_cell(cell))
        else:
            result.removed.append(name_of(before))

    cells = list(extra.get(-1, []))
    for j, cell in enumerate(result.notebook.cells):
        cells.append(cell)
        if j not in at:
            result.inserted.append(name_of(cell))
        else:
            own, before = at[j]
            cell.metadata = copy.deepcopy({**own.metadata, **cell.metadata})
            untouched = before is not None and _text(own) == _text(before)
            if _text(own) == _text(cell):
                _copy_outputs(own, cell)
            elif untouched or _locked(cell):
                result.replaced.append(name_of(cell))
            else:
                result.kept.append(name_of(cell))
                if before is None or _text(before) != _text(cell):
                    result.conflicts.append(name_of(cell))
                if own.cell_type == cell.cell_type:  # the text is the student's, the metadata the course's
                    cell.source = own.source
                    _copy_outputs(own, cell)
                else:
                    cells.append(_own_cell(own))
        cells += extra.get(j, [])

    used = {cell["id"] for cell in result.notebook.cells}  # a notebook's ids must be unique, and the course's stay
    for cell in cells:
        if all(cell is not given for given in result.notebook.cells):
            if cell.get("id", "") in used | {""}:
                cell["id"] = uuid.uuid4().hex[:8]
            used.add(cell["id"])
    result.notebook.cells = cells
    return result


def _copy_outputs(source, target):
    if target.cell_type == "code":
        target.outputs, target.execution_count = source.get("outputs", []), source.get("execution_count")
