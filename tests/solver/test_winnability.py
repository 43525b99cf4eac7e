"""Winnability: the study's counts, and its figures in one file, from which the page is made."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.rules import CATALOGUE
from games.solver import study as winnability_study
from games.solver import winnability_figures
from games.solver.study import Judged, State, Study, judge, judge_all, summary
from games.solver.winnability_figures import StudySummary, interval, read, renewed, write

SMALL = StudySummary("labyrinth", deals=10, won=4, lost=5, undecided=1, line=52.5, nodes=28, budget=300)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the figures, for commands that write them."""
    monkeypatch.setattr(winnability_figures, "FILE", tmp_path / "winnability.csv")
    write([SMALL])
    return tmp_path


def run(state: Path, *arguments: str) -> str:
    """Run a study in one process, and return the table that it prints."""
    out = StringIO()
    call_command("winnability", *arguments, "--state", str(state), "--processes", "1", stdout=out)
    return out.getvalue()


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
    stored = read()
    assert [row.variant for row in stored] == list(CATALOGUE)
    assert all(row.deals >= 1000 for row in stored)
    assert all(row.won + row.lost + row.undecided == row.deals for row in stored)


def test_figures_round_trip(tree: Path) -> None:
    assert read() == [SMALL]


def test_a_row_with_inconsistent_outcomes_is_refused(tree: Path) -> None:
    winnability_figures.FILE.write_text(winnability_figures.FILE.read_text().replace(",4,5,1,", ",4,5,2,"))
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


def test_the_command_stores_a_study(tree: Path) -> None:
    run(tree / "state", "labyrinth", "--deals", "12", "--keep")
    (row,) = read()
    assert (row.deals, row.won + row.lost + row.undecided, row.budget) == (12, 12, 1_000_000)


def test_without_keep_nothing_is_stored(tree: Path) -> None:
    run(tree / "state", "labyrinth", "--deals", "12")
    assert read() == [SMALL]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["labyrinth", "--deals", "9"], "10 deals of labyrinth"),
        (["tarot", "-o", "draw=1", "--deals", "20"], "variants of the catalogue"),
    ],
)
def test_smaller_or_custom_studies_are_not_stored(tree: Path, arguments: list[str], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        run(tree / "state", *arguments, "--keep")
    assert read() == [SMALL]
    assert not (tree / "state").exists()


def test_a_study_counts_every_deal_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = run(tmp_path, "labyrinth", "--deals", "12")
    state = next(tmp_path.iterdir())
    stored = state.read_bytes()
    outcomes = [json.loads(line)["outcome"] for line in stored.splitlines()]
    assert len(outcomes) == 12
    assert f"| labyrinth | 12 | {100 * outcomes.count('won') / 12:.1f} % " in table
    # Cut short in the middle of a line, as by a crash: only that deal is judged again.
    state.write_bytes(stored[:-20])
    judged: list[int] = []
    real = winnability_study.judge

    def judge(of: Any, number: int) -> Any:
        judged.append(number)
        return real(of, number)

    monkeypatch.setattr(winnability_study, "judge", judge)
    again = run(tmp_path, "labyrinth", "--deals", "12")
    assert judged == [json.loads(stored.splitlines()[-1])["number"]]
    assert again == table
    judged.clear()
    assert run(tmp_path, "labyrinth", "--deals", "12") == table
    assert not judged


def test_several_processes_judge_the_same_deals() -> None:
    subject = Study("labyrinth", None, 100_000)
    outcomes = {deal.number: deal.outcome for deal in judge_all(subject, range(9), 2)}
    assert outcomes == {number: judge(subject, number).outcome for number in range(9)}


def test_outcomes_and_medians() -> None:
    deals = [Judged(0, "won", 10, 0.1, 50), Judged(1, "won", 30, 0.1, 70), Judged(2, "lost", 20, 0.1, 0)]
    found = summary(Study("braid", None, 1), deals)
    assert (found.won, found.lost, found.undecided, found.line, found.nodes) == (2, 1, 0, 60, 20)


def test_options_have_their_own_study(tmp_path: Path) -> None:
    run(tmp_path, "tarot", "-o", "draw=1", "--deals", "1", "--nodes", "100")
    assert [path.name for path in tmp_path.iterdir()] == ["tarot_draw=1-100.jsonl"]
    assert State(next(tmp_path.iterdir())).judged.keys() == {0}


@pytest.mark.parametrize("arguments", [["whist"], ["tarot", "-o", "draw=7"], ["braid", "--deals", "0"]])
def test_bad_arguments(arguments: list[str], tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        run(tmp_path, *arguments)
    assert not list(tmp_path.iterdir())
