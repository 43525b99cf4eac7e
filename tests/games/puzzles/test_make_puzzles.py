"""`manage.py make_puzzles`: storing puzzles, filling a file in several runs, and stopping."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.management.commands import make_puzzles
from games.puzzles import store
from games.puzzles.models import StoredPuzzle
from games.puzzles.puzzle import Puzzle
from tests.games.puzzles.puzzles import LABYRINTH, STONEWALL

HOURS = ("--hours", "1")


@pytest.fixture(autouse=True)
def no_searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Find a puzzle in every second game of each variant; return the variants searched. The priority is left alone."""
    searched: list[str] = []
    starts = other_starts()

    def find(variant: str, _chance: Random) -> Puzzle | None:
        searched.append(variant)
        found = searched.count(variant) % 2 == 0
        return replace(LABYRINTH, variant=variant, start=next(starts)) if found else None

    monkeypatch.setattr(make_puzzles, "find_puzzle", find)
    monkeypatch.setattr(os, "nice", lambda _: 0)
    return searched


def other_starts() -> Iterator[str]:
    """Yield starts like the example's in which the last cards of the stock come in other orders."""
    before, _, after = LABYRINTH.start.partition(" | f0 ")
    *first, a, b, c, d, e = before.split(".")
    for last in permutations((a, b, c, d, e)):
        yield f"{'.'.join((*first, *last))} | f0 {after}"


def written(file: Path) -> list[str]:
    return [Puzzle.from_json(row).variant for row in json.loads(file.read_text())]


def run_file(file: Path, *options: str, variants: tuple[str, ...] = ("tarot", "labyrinth")) -> None:
    chosen = [option for variant in variants for option in ("--variant", variant)]
    call_command("make_puzzles", *HOURS, *chosen, "--file", file, *options)


def test_a_file_is_filled_round_robin_in_several_runs(tmp_path: Path, no_searches: list[str], capsys: Any) -> None:
    file = tmp_path / "puzzles.json"
    run_file(file, "--count", "1")
    assert no_searches == ["tarot", "labyrinth"] * 2
    assert "tarot: 1 puzzles in 2 games\nlabyrinth: 1 puzzles in 2 games\n" in capsys.readouterr().out
    first = set(file.read_text().splitlines()[1:-1])
    run_file(file, "--count", "3", variants=("labyrinth",))
    assert written(file) == ["labyrinth"] * 3 + ["tarot"], "in the order of the catalogue"
    assert {line.rstrip(",") for line in first} <= {line.rstrip(",") for line in file.read_text().splitlines()}
    assert len(file.read_text().splitlines()) == 4 + 2, "one puzzle a line"
    assert [path.name for path in tmp_path.iterdir()] == ["puzzles.json"]


def test_a_full_file_needs_no_games(tmp_path: Path, no_searches: list[str]) -> None:
    file = tmp_path / "puzzles.json"
    run_file(file, "--count", "1")
    before, games = file.read_text(), len(no_searches)
    run_file(file, "--count", "1")
    assert (file.read_text(), len(no_searches)) == (before, games)


def test_time_that_runs_out_leaves_what_was_found(
    tmp_path: Path, no_searches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "puzzles.json"
    monkeypatch.setattr(time, "monotonic", lambda: 600.0 * len(no_searches))
    with pytest.raises(SystemExit) as stopped:
        run_file(file, "--count", "100")
    assert stopped.value.code == 1
    assert len(no_searches) == 6, "an hour of ten minutes each"
    assert written(file) == ["labyrinth", "tarot"]


@pytest.mark.django_db
def test_without_a_file_puzzles_are_stored_next_to_the_shipped(
    no_searches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "starters", lambda: (STONEWALL,))
    monkeypatch.setattr(time, "monotonic", lambda: 600.0 * len(no_searches))
    call_command("make_puzzles", *HOURS, "--variant", "tarot")
    assert sorted(StoredPuzzle.objects.values_list("variant", flat=True)) == ["stonewall", "tarot", "tarot", "tarot"]


@pytest.mark.parametrize(
    "options",
    [
        (*HOURS, "--count", "3"),
        (*HOURS, "--file", "puzzles.json"),
        ("--hours", "0"),
        ("--hours", "nan"),
        ("--hours", "x"),
        (*HOURS, "--variant", "chess"),
        (),
    ],
)
def test_invalid_options_are_refused(options: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        call_command("make_puzzles", *options)


def test_an_unreadable_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.json"
    for text in ("[", '[{"variant": "tarot"}]', "{}x", '["a"]'):
        file.write_text(text)
        with pytest.raises(CommandError) as error:
            run_file(file, "--count", "1")
        assert error.value.returncode == 2
        assert file.read_text() == text


def test_an_interrupt_ends_the_command_with_what_it_has(
    tmp_path: Path, no_searches: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    priorities: list[int] = []

    def clock() -> float:
        if len(no_searches) == 2:
            signal.raise_signal(signal.SIGINT)
        return 0.0

    monkeypatch.setattr(time, "monotonic", clock)
    monkeypatch.setattr(os, "nice", priorities.append)
    with pytest.raises(SystemExit) as stopped:
        run_file(tmp_path / "puzzles.json", "--count", "100")
    assert (stopped.value.code, capsys.readouterr().out.splitlines()[-1]) == (130, "Interrupted.")
    assert (written(tmp_path / "puzzles.json"), priorities) == (["tarot"], [19])
