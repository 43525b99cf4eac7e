"""`manage.py make_puzzles` and `shipped_puzzles`: store puzzles, fill a file in several runs, stop, and ship it."""

from __future__ import annotations

import lzma
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
from games.puzzles import shipped_file
from games.puzzles.models import StoredPuzzle
from games.puzzles.puzzle import Puzzle
from games.puzzles.shipped_file import PuzzleRow
from tests.games.puzzles.puzzles import LABYRINTH, STONEWALL, TRIED

HOURS = ("--hours", "1")


@pytest.fixture(autouse=True)
def no_searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Find a puzzle in every second deal of each variant, each of which takes a minute of CPU time.

    Return the variants searched. The priority is left alone.
    """
    searched: list[str] = []
    starts = other_starts()

    def find(variant: str, _chance: Random, *, rich: bool) -> Iterator[Puzzle]:
        searched.append(variant)
        if searched.count(variant) % 2 == 0 and not rich:
            yield replace(LABYRINTH, variant=variant, start=next(starts))

    monkeypatch.setattr(make_puzzles, "puzzles_of_deal", find)
    monkeypatch.setattr(time, "process_time", lambda: 60.0 * len(searched))
    monkeypatch.setattr(os, "nice", lambda _: 0)
    return searched


def other_starts() -> Iterator[str]:
    """Yield starts like the example's in which the last cards of the stock come in other orders."""
    before, _, after = LABYRINTH.start.partition(" | f0 ")
    *first, a, b, c, d, e = before.split(".")
    for last in permutations((a, b, c, d, e)):
        yield f"{'.'.join((*first, *last))} | f0 {after}"


def written(file: Path) -> list[str]:
    return [PuzzleRow.read(line).contents["variant"] for line in file.read_text().splitlines()]


def run_file(file: Path, *options: str, variants: tuple[str, ...] = ("plot", "labyrinth")) -> None:
    chosen = [option for variant in variants for option in ("--variant", variant)]
    call_command("make_puzzles", *HOURS, *chosen, "--file", file, *options)


def test_a_file_is_filled_with_equal_time_in_several_runs(tmp_path: Path, no_searches: list[str], capsys: Any) -> None:
    file = tmp_path / "puzzles.txt"
    run_file(file, "--count", "1")
    assert no_searches == ["plot", "labyrinth"] * 2
    assert "plot: 1 puzzles of 2 deals\nlabyrinth: 1 puzzles of 2 deals\n" in capsys.readouterr().out
    first = file.read_text()
    run_file(file, "--count", "3", variants=("labyrinth",))
    assert written(file) == ["plot", "labyrinth", "labyrinth", "labyrinth"]
    assert file.read_text().startswith(first)
    games = len(no_searches)
    run_file(file, "--count", "1")
    assert len(no_searches) == games, "a full file needs no deals"


def test_time_that_runs_out_leaves_what_was_found(
    tmp_path: Path, no_searches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "puzzles.txt"
    monkeypatch.setattr(time, "monotonic", lambda: 600.0 * len(no_searches))
    with pytest.raises(SystemExit) as stopped:
        run_file(file, "--count", "100")
    assert stopped.value.code == 1
    assert len(no_searches) == 6, "an hour of ten minutes each"
    assert written(file) == ["plot", "labyrinth"]
    with pytest.raises(SystemExit):
        run_file(tmp_path / "rich.txt", "--count", "100", "--rich")
    assert not (tmp_path / "rich.txt").exists()


@pytest.mark.django_db
def test_without_a_file_puzzles_are_stored_next_to_the_shipped(
    no_searches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped_file, "first_rows", lambda _: [PuzzleRow.of(STONEWALL)])
    monkeypatch.setattr(time, "monotonic", lambda: 600.0 * len(no_searches))
    call_command("make_puzzles", *HOURS, "--variant", "tarot")
    assert sorted(StoredPuzzle.objects.values_list("variant", flat=True)) == ["stonewall", "tarot", "tarot", "tarot"]


@pytest.mark.parametrize(
    "options",
    [
        (*HOURS, "--count", "3"),
        (*HOURS, "--file", "puzzles.txt"),
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
    file = tmp_path / "puzzles.txt"
    for text in ("[", '[{"variant": "tarot"}]', "{}", '["a"]'):
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
        run_file(tmp_path / "puzzles.txt", "--count", "100")
    assert (stopped.value.code, capsys.readouterr().out.splitlines()[-1]) == (130, "Interrupted.")
    assert (written(tmp_path / "puzzles.txt"), priorities) == (["plot"], [19])


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ship only two examples."""
    monkeypatch.setattr(shipped_file, "SHIPPED", tmp_path / "shipped.xz")
    shipped_file.write(map(PuzzleRow.of, (LABYRINTH, STONEWALL)))
    return shipped_file.SHIPPED


@pytest.mark.usefixtures("shipped")
def test_puzzles_are_added_to_the_shipped_ones_unless_near(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "puzzles.txt"
    near = replace(LABYRINTH, start=next(other_starts()))
    file.write_text("".join(f"{PuzzleRow.of(puzzle).written()}\n" for puzzle in (near, TRIED, STONEWALL)))
    call_command("shipped_puzzles", "--add", file)
    assert [row.contents["start"] for row in shipped_file.rows()] == [LABYRINTH.start, STONEWALL.start, TRIED.start]
    assert "in all: 3" in capsys.readouterr().out


@pytest.mark.usefixtures("shipped")
def test_shipped_claims_are_checked(capsys: Any) -> None:
    call_command("shipped_puzzles", "--sample", "2")
    assert "2 checked: won by the rules: 2" in capsys.readouterr().out
    short, missing = replace(STONEWALL, finish=STONEWALL.finish[:-1]), replace(STONEWALL, losses=({}, {}))
    for wrong in (short, missing, replace(STONEWALL, seed="00" * 32)):
        rows = [PuzzleRow.of(LABYRINTH), replace(PuzzleRow.of(STONEWALL), contents=wrong.to_json())]
        shipped_file.write(rows)
        with pytest.raises(SystemExit) as stopped:
            call_command("shipped_puzzles")
        assert (stopped.value.code, "wrong: {" in capsys.readouterr().out) == (1, True)


@pytest.mark.parametrize("old", [b'"count": 2', b'"version": 1', b" t0"])
def test_a_damaged_file_is_refused(shipped: Path, old: bytes) -> None:
    text = lzma.decompress(shipped.read_bytes())
    assert old in text
    shipped.write_bytes(lzma.compress(text.replace(old, old + b"0")))
    with pytest.raises(CommandError) as error:
        call_command("shipped_puzzles")
    assert error.value.returncode == 2
