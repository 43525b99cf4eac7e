"""Winnability study: counts, intervals, resuming."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.core.management import CommandError, call_command

from games.solver import study
from games.solver.study import Judged, State, Study, judge, judge_all, summary


def run(tmp_path: Path, *arguments: str) -> str:
    out = StringIO()
    call_command("winnability", *arguments, "--state", str(tmp_path), "--processes", "1", stdout=out)
    return out.getvalue()


def test_a_study_counts_every_deal_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = run(tmp_path, "labyrinth", "--deals", "12")
    state = next(tmp_path.iterdir())
    kept = state.read_bytes()
    outcomes = [json.loads(line)["outcome"] for line in kept.splitlines()]
    assert len(outcomes) == 12
    assert f"| labyrinth | 12 | {100 * outcomes.count('won') / 12:.1f} % " in table
    # Cut short in the middle of a line, as by a crash: only that deal is judged again.
    state.write_bytes(kept[:-20])
    judged: list[int] = []
    real = study.judge

    def judge(of: Any, number: int) -> Any:
        judged.append(number)
        return real(of, number)

    monkeypatch.setattr(study, "judge", judge)
    again = run(tmp_path, "labyrinth", "--deals", "12")
    assert judged == [json.loads(kept.splitlines()[-1])["number"]]
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


def test_the_plot_is_well_formed(tmp_path: Path) -> None:
    picture = tmp_path / "plot.svg"
    run(tmp_path / "state", "labyrinth", "--deals", "3", "--plot", str(picture))
    assert "labyrinth" in "".join(ET.parse(picture).getroot().itertext())


def test_options_have_their_own_study(tmp_path: Path) -> None:
    run(tmp_path, "tarot", "-o", "draw=1", "--deals", "1", "--nodes", "100")
    assert [path.name for path in tmp_path.iterdir()] == ["tarot_draw=1-100.jsonl"]
    assert State(next(tmp_path.iterdir())).judged.keys() == {0}


@pytest.mark.parametrize("arguments", [["whist"], ["tarot", "-o", "draw=7"], ["braid", "--deals", "0"]])
def test_bad_arguments(arguments: list[str], tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        run(tmp_path, *arguments)
    assert not list(tmp_path.iterdir())
