"""Winnability figures: they are stored in one file, from which every document and page is made."""

from __future__ import annotations

import shutil
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.rules import CATALOGUE
from games.solver import winnability_figures
from games.solver.winnability_figures import StudySummary, as_plot, as_table, interval, read, renewed, with_table, write

ROOT = Path(__file__).resolve().parents[2]
SMALL = StudySummary("labyrinth", deals=10, won=4, lost=5, undecided=1, line=52.5, nodes=28, budget=300)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Path:
    """Return a folder with the figures and the documents that show them, for commands that write them."""
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "winnability.md", tmp_path / "docs")
    monkeypatch.setattr(winnability_figures, "KEPT", tmp_path / "winnability.csv")
    settings.BASE_DIR = tmp_path
    write([SMALL])
    return tmp_path


def study(tree: Path, *arguments: str) -> None:
    call_command("winnability", *arguments, "--state", str(tree / "state"), "--processes", "1", stdout=StringIO())


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        (0, 0, 0.0, 1.0),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (50, 100, 0.4038, 0.5962),
        (1, 1000, 0.0002, 0.0056),
    ],
)
def test_wilson_intervals(count: int, total: int, low: float, high: float) -> None:
    assert interval(count, total) == pytest.approx((low, high), abs=1e-4)


def test_every_variant_has_a_study_of_a_thousand_deals() -> None:
    kept = read()
    assert [row.variant for row in kept] == list(CATALOGUE)
    assert all(row.deals >= 1000 for row in kept)
    assert all(row.won + row.lost + row.undecided == row.deals for row in kept)


def test_the_documents_show_the_stored_figures() -> None:
    page = (ROOT / "docs" / "winnability.md").read_text()
    assert with_table(page, read()) == page
    assert (ROOT / "docs" / "winnability.svg").read_text() == as_plot(read())


def test_a_page_without_a_place_for_figures_is_refused() -> None:
    with pytest.raises(ValueError, match="no place"):
        with_table("# Winnability\n", [SMALL])


def test_figures_round_trip(tree: Path) -> None:
    assert read() == [SMALL]


def test_a_row_with_inconsistent_outcomes_is_refused(tree: Path) -> None:
    winnability_figures.KEPT.write_text(winnability_figures.KEPT.read_text().replace(",4,5,1,", ",4,5,2,"))
    with pytest.raises(ValueError, match="labyrinth"):
        read()


def test_shares_and_intervals_are_of_all_deals() -> None:
    assert SMALL.share("won", "undecided").value == 0.5
    assert [(outcome, round(begin, 3), length) for outcome, begin, length in SMALL.stretches()] == [
        ("won", 0.0, 0.4),
        ("undecided", 0.4, 0.1),
        ("lost", 0.5, 0.5),
    ]


def test_new_figures_replace_only_their_variants() -> None:
    braid = StudySummary("braid", 3, 1, 1, 1, 100, 10, 300)
    newer = StudySummary("labyrinth", 20, 9, 11, 0, 53, 30, 300)
    assert renewed([SMALL], [braid]) == [braid, SMALL]
    assert renewed([braid, SMALL], [newer]) == [braid, newer]


def test_the_command_stores_a_study_and_rewrites_the_documents(tree: Path) -> None:
    study(tree, "labyrinth", "--deals", "12", "--keep")
    (row,) = read()
    assert (row.deals, row.won + row.lost + row.undecided, row.budget) == (12, 12, 1_000_000)
    assert as_table([row]) in (tree / "docs" / "winnability.md").read_text()
    assert (tree / "docs" / "winnability.svg").read_text() == as_plot([row])


def test_without_keep_nothing_is_stored(tree: Path) -> None:
    study(tree, "labyrinth", "--deals", "12")
    assert read() == [SMALL]
    assert not (tree / "docs" / "winnability.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["labyrinth", "--deals", "9"], "10 deals of labyrinth"),
        (["tarot", "-o", "draw=1", "--deals", "20"], "variants of the catalogue"),
    ],
)
def test_smaller_or_custom_studies_are_not_stored(tree: Path, arguments: list[str], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        study(tree, *arguments, "--keep")
    assert read() == [SMALL]
    assert not (tree / "state").exists()
