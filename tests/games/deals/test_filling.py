"""Filling the stock as a process: killed anywhere it leaves no half-made deal, and it ends when it should."""

from __future__ import annotations

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from games.deals import filling, sealed
from games.management.commands.fill_sealed import Command
from games.models import AwaitedDeal
from games.rules import Record, commitment, replay
from tests.config.running import ROOT, environment, run

MANAGE = [sys.executable, "manage.py", "fill_sealed"]
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def var(migrated_var: Path) -> Path:
    return migrated_var


@pytest.fixture
def start(var: Path) -> Iterator[Start]:
    """Start `fill_sealed` with these options; whatever still runs in the end is killed."""
    begun: list[subprocess.Popen[str]] = []

    def begin(*options: str, **variables: str) -> subprocess.Popen[str]:
        settings = {"SEALED_STOCK": "3", "DEAL_PATIENCE": "900", "TALON_NO_NUMBA": "1", **variables}
        pipe = subprocess.PIPE
        begun.append(
            subprocess.Popen(
                [*MANAGE, *options],
                cwd=ROOT,
                env=environment(var, **settings),
                stdin=pipe,
                stdout=pipe,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        return begun[-1]

    yield begin
    for process in begun:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream:
                stream.close()


def rows(var: Path, query: str) -> list[Any]:
    database = sqlite3.connect(var / "talon.sqlite3", timeout=20)
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def count(var: Path) -> int:
    """Deals sealed so far, those published already included."""
    return int(rows(var, "SELECT (SELECT count(*) FROM games_sealeddeal) + (SELECT count(*) FROM games_deal)")[0][0])


def await_count(var: Path, least: int, seconds: float = 300) -> None:
    latest = time.monotonic() + seconds
    while count(var) < least:
        assert time.monotonic() < latest, "nothing was sealed"
        time.sleep(0.02)


def check_whole(var: Path) -> None:
    """Every deal there is, in stock or published, is whole, and every published one has its line."""
    kept = rows(var, "SELECT variant, seed, solution, par, NULL FROM games_sealeddeal")
    out = rows(var, "SELECT variant, seed, solution, par, commitment FROM games_deal")
    for variant, seed, solution, par, committed in kept + out:
        record = Record.from_bytes(solution)
        played = replay(record)
        assert (record.name, record.seed, played.ok, played.won, played.tokens) == (variant, seed, True, True, par)
        assert committed in {None, commitment(seed)}
    seeds = [seed for _, seed, *_ in kept + out]
    assert len(seeds) == len(set(seeds)), "a sealed deal was dealt and kept"
    lines = rows(var, "SELECT commitment FROM games_ledgerentry")
    assert sorted(lines) == sorted((committed,) for *_, committed in out)


def test_fills_so_many_of_each_and_says_so(var: Path, start: Start) -> None:
    process = start("--variant", "labyrinth", "--variant", "stonewall", "--count", "2")
    output, _ = process.communicate(timeout=600)
    assert process.returncode == 0, output
    assert "4 sealed." in output
    assert not re.search("[0-9a-f]{64}", output)
    assert count(var) == 4
    check_whole(var)


def test_todays_deals_go_out_as_they_are_certified(var: Path, start: Start) -> None:
    start("--variant", "labyrinth", "--count", "1").communicate(timeout=600)
    assert rows(var, "SELECT variant, proven FROM games_deal") == [("labyrinth", 1)]
    assert rows(var, "SELECT count(*) FROM games_sealeddeal") == [(0,)]


def test_killed_anywhere_it_leaves_no_half_made_deal(var: Path, start: Start) -> None:
    chance = random.Random()
    for _ in range(3):
        before = count(var)
        process = start("--variant", "labyrinth", "--count", "1000000")
        await_count(var, before + 1)
        time.sleep(chance.random() * 0.3)  # not for anything: to hit it anywhere
        process.kill()
        process.communicate()
        check_whole(var)
    held = run("manage.py", "check_ledger", var=var)
    assert (held.returncode, held.stdout.count(", 0 faults")) == (0, 1), held.stdout


def test_it_can_be_interrupted(var: Path, start: Start) -> None:
    process = start("--variant", "labyrinth", "--count", "1000000")
    await_count(var, 1)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 130
    assert re.search(r"Interrupted; \d+ sealed\.", output)
    assert "Traceback" not in output


def test_out_of_time_is_said_by_the_exit_code(var: Path, start: Start) -> None:
    process = start("--variant", "labyrinth", "--count", "1000000", "--seconds", "1")
    output, _ = process.communicate(timeout=600)
    assert process.returncode == 1, output


@pytest.mark.parametrize(
    "options", [["--variant", "patience"], ["--count", "0"], ["--seconds", "-1"], ["--count", "x"]]
)
def test_unusable_options_are_refused(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert asked_for(*options) == 2
    assert "error: argument" in capsys.readouterr().err


def test_help_tells_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked_for("--help") == 0
    assert "130 interrupted" in " ".join(capsys.readouterr().out.split())


def asked_for(*options: str) -> int:
    """The exit status of a command that ends when it has read its options."""
    with pytest.raises(SystemExit) as ended:
        Command().run_from_argv([*MANAGE[1:], *options])
    code = ended.value.code
    assert isinstance(code, int)
    return code


def test_in_the_background_it_ends_with_its_parent_and_runs_once(var: Path, start: Start) -> None:
    process = start("--background", "--variant", "labyrinth", SEALED_STOCK="1000")
    await_count(var, 4)  # three of the days, then the stock
    assert os.getpriority(os.PRIO_PROCESS, process.pid) >= filling.WAITED_FOR
    second = start("--background", "--variant", "labyrinth", SEALED_STOCK="1000")
    assert second.wait(300) == 0
    assert process.poll() is None
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(120) == 0
    check_whole(var)


def test_it_takes_the_lowest_priority_once_nobody_waits(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    monkeypatch.setattr("games.deals.filling.os.getpriority", lambda *_: taken[-1] if taken else 0)
    monkeypatch.setattr("games.deals.filling.os.setpriority", lambda _which, _who, value: taken.append(value))
    today = timezone.now().date()
    AwaitedDeal.objects.create(variant="braid", day=today, since=timezone.now())
    filling.step_back()
    AwaitedDeal.objects.update(day=today + timedelta(days=1))
    filling.step_back()
    AwaitedDeal.objects.update(day=today)
    filling.step_back()
    assert taken == [filling.WAITED_FOR, filling.LOWEST]


def test_no_process_is_started_while_nothing_is_short_or_another_runs(
    db: None, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VAR_DIR = tmp_path
    started: list[list[str]] = []

    class Child:
        def __init__(self, command: list[str], **_: Any) -> None:
            started.append(command)

        def poll(self) -> None:
            return None

    monkeypatch.setattr(filling, "_running", None)
    monkeypatch.setattr("games.deals.filling.subprocess.Popen", Child)
    assert not filling.keep_filling(), "SEALED_STOCK is 0"
    monkeypatch.setattr(sealed, "next_variant", lambda: "braid")
    with filling.filling_lock() as free:
        assert free
        assert not filling.keep_filling()
    assert filling.keep_filling()
    assert not filling.keep_filling()
    assert [command[-2:] for command in started] == [["fill_sealed", "--background"]]
