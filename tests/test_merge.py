"""What an update does with each kind of cell."""
import copy

from mini_course import check, code, exercise, text
from nbformat import v4

from minitorch_course.merge import merge


def notebook(*cells):
    return v4.new_notebook(cells=copy.deepcopy(list(cells)))


def sources(nb):
    return [cell.source for cell in nb.cells]


A, B, C = text("a", "old a"), exercise("b", "old b"), check("c", 2, "old c")
STUDENT_B = exercise("b", "the student's b")


def test_untouched_cells_become_the_new_ones():
    done = merge(notebook(A, B, C), notebook(A, B, C), notebook(text("a", "new a"), exercise("b", "new b"), C))
    assert sources(done.notebook) == ["new a", "new b", "old c"]
    assert done.replaced == ["a", "b"] and not done.kept and not done.conflicts


def test_a_cell_the_student_wrote_in_stays_and_gets_the_new_metadata():
    new = exercise("b", "old b")
    new.metadata.nbgrader.checksum = "new"
    done = merge(notebook(A, STUDENT_B, C), notebook(A, B, C), notebook(A, new, C))
    assert sources(done.notebook) == ["old a", "the student's b", "old c"]
    assert done.notebook.cells[1].metadata.nbgrader.checksum == "new"
    assert done.kept == ["b"] and not done.conflicts


def test_a_cell_both_changed_stays_and_is_told():
    done = merge(notebook(A, STUDENT_B, C), notebook(A, B, C), notebook(A, exercise("b", "new b"), C))
    assert sources(done.notebook)[1] == "the student's b"
    assert done.kept == done.conflicts == ["b"]


def test_a_changed_prediction_stays():
    done = merge(notebook(code("p", "p = 12")), notebook(code("p", "p = None")), notebook(code("p", "p = None"), A))
    assert sources(done.notebook) == ["p = 12", "old a"]


def test_a_check_is_the_courses_even_if_the_student_changed_it():
    done = merge(notebook(check("c", 2, "float(2)")), notebook(C), notebook(check("c", 3, "new c")))
    assert sources(done.notebook) == ["new c"] and done.notebook.cells[0].metadata.nbgrader.points == 3


def test_the_students_own_cells_stay_where_they_were():
    mine = notebook(code("top", "0"), A, code("s1", "1"), code("s2", "2"), B, C, code("s3", "3"))
    done = merge(mine, notebook(A, B, C), notebook(A, text("n", "new"), B, C, text("z", "last")))
    assert sources(done.notebook) == ["0", "old a", "1", "2", "new", "old b", "old c", "3", "last"]
    assert done.inserted == ["n", "z"]


def test_a_cell_gone_from_the_course_goes_unless_it_was_written_in():
    assert sources(merge(notebook(A, B, C), notebook(A, B, C), notebook(A, C)).notebook) == ["old a", "old c"]
    done = merge(notebook(A, STUDENT_B, C), notebook(A, B, C), notebook(A, C))
    assert sources(done.notebook) == ["old a", "the student's b", "old c"]
    assert "nbgrader" not in done.notebook.cells[1].metadata  # or nbgrader would look for it


def test_a_deleted_check_is_put_back():
    done = merge(notebook(A, B), notebook(A, B, C), notebook(A, B, C))
    assert sources(done.notebook) == ["old a", "old b", "old c"] and done.inserted == ["c"]


def test_a_pasted_copy_of_an_exercise_is_kept_without_its_grade_id():
    pasted = exercise("b", "another try")
    pasted["id"] = "fresh"
    done = merge(notebook(A, STUDENT_B, pasted, C), notebook(A, B, C), notebook(A, B, C))
    assert sources(done.notebook) == ["old a", "the student's b", "another try", "old c"]
    assert [c.metadata.get("nbgrader", {}).get("grade_id") for c in done.notebook.cells] == [None, "b", None, "c"]


def test_notebook_that_lost_its_ids():
    mine = notebook(A, STUDENT_B, code("p", "p = None"), C)
    for cell in mine.cells:
        del cell["id"]
    done = merge(mine, notebook(A, B, code("p", "p = None"), C),
                 notebook(text("a", "new a"), B, code("p", "p = None"), C))
    assert sources(done.notebook) == ["new a", "the student's b", "p = None", "old c"]


def test_ids_stay_unique():
    done = merge(notebook(A, code("n", "the student's")), notebook(A), notebook(A, text("n", "the course's")))
    assert len({cell["id"] for cell in done.notebook.cells}) == len(done.notebook.cells)
    assert "the student's" in sources(done.notebook) and "the course's" in sources(done.notebook)


def test_without_the_released_notebook_what_differs_is_the_students():
    done = merge(notebook(A, STUDENT_B, C), None, notebook(A, B, check("c", 2, "new c")))
    assert sources(done.notebook) == ["old a", "the student's b", "new c"]


def test_outputs_stay_with_a_cell_that_stays_and_go_with_one_that_is_replaced():
    ran = [code("x", "1 + 1"), code("y", "2 + 2")]
    for cell in ran:
        cell.execution_count = 5
    done = merge(notebook(*ran), notebook(*ran), notebook(code("x", "1 + 1"), code("y", "3 + 3")))
    assert [cell.execution_count for cell in done.notebook.cells] == [5, None]


def test_merging_again_changes_nothing():
    new = notebook(text("n", "new"), A, exercise("b", "new b"), C)
    once = merge(notebook(code("s", "1"), A, STUDENT_B, C), notebook(A, B, C), new).notebook
    assert merge(once, new, new).notebook == once
    assert merge(once, notebook(A, B, C), new).notebook == once  # cut short before .released/ was written


def test_the_notebooks_own_metadata_are_the_students():
    mine = notebook(A)
    mine.metadata["language_info"] = {"name": "python"}  # Jupyter writes it when it saves
    assert merge(mine, notebook(A), notebook(text("a", "new a"))).notebook.metadata == mine.metadata
