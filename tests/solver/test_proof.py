"""Result rows of `make proof`."""

from __future__ import annotations

import pytest

from tests.solver.proof import BEGIN, END, HEAD, PAGE, properties, row_of, with_row


def test_a_row_replaces_only_its_variants_row() -> None:
    stonewall = row_of("stonewall", {"won": 3, "lost": 6, "undecided": 1, "seconds": 2})
    labyrinth = row_of("labyrinth", {"won": 1200, "lost": 800, "undecided": 0, "seconds": 4})
    page = with_row(with_row(f"Before\n{BEGIN}{END}After\n", stonewall), labyrinth)
    assert page == f"Before\n{BEGIN}{HEAD}{labyrinth}{stonewall}{END}After\n"
    assert f"| labyrinth | 2,000 | 1,200 | 800 | 0 | 4 | {labyrinth.day} |\n" in page
    newer = row_of("stonewall", {"won": 30, "lost": 60, "undecided": 10, "seconds": 20})
    assert with_row(page, newer) == page.replace(str(stonewall), str(newer))


def test_the_page_has_a_place_for_the_rows() -> None:
    row = row_of("plot", {"won": 1, "lost": 0, "undecided": 0, "seconds": 1})
    assert str(row) in with_row(PAGE.read_text(), row)
    with pytest.raises(ValueError, match="no place"):
        with_row("# Winnability\n", row)


def test_the_recorded_figures_are_read_from_the_report() -> None:
    report = '<testsuites><testcase><properties><property name="won" value="7"/></properties></testcase></testsuites>'
    assert properties(report) == {"won": 7}
