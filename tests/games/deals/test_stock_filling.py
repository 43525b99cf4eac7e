"""Filling the stock by command and in the background; a kill at any moment leaves no half-made deal."""

from __future__ import annotations

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from games.core.registry import Providers
from games.core.search_process import SearchProcess
from games.deals import deal_search, sealed_stock, stock_filling
from games.deals.certification import Certificate
from games.management.commands.fill_sealed import Command
from games.models import AwaitedDeal, Deal, SealedDeal
from games.rules import CATALOGUE, Record, Variant, commitment, replay
from tests.config.running import ROOT, environment, run
from tests.factories import seal_deal, won_records

MANAGE = [sys.executable, "manage.py", "fill_sealed"]


def rows(var: Path, query: str) -> list[Any]:
    database = sqlite3.connect(var / "talon.sqlite3", timeout=20)
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def await_sealed(var: Path, number: int) -> None:
    """Wait until this many deals have been sealed, those already published included."""
    query = "SELECT (SELECT count(*) FROM games_sealeddeal) + (SELECT count(*) FROM games_deal)"
    latest = time.monotonic() + 300
    while rows(var, query)[0][0] < number:
        assert time.monotonic() < latest, "nothing was sealed"
        time.sleep(0.02)


def check_whole(var: Path) -> None:
    sealed = rows(var, "SELECT variant, seed, solution, par, NULL FROM games_sealeddeal")
    out = rows(var, "SELECT variant, seed, solution, par, commitment FROM games_deal")
    for variant, seed, solution, par, committed in sealed + out:
        record = Record.from_bytes(solution)
        played = replay(record)
        assert (record.name, record.seed, played.ok, played.won, played.tokens) == (variant, seed, True, True, par)
        assert committed in {None, commitment(seed)}
    seeds = [seed for _, seed, *_ in sealed + out]
    assert len(seeds) == len(set(seeds)), "a sealed deal was dealt but not removed"
    lines = rows(var, "SELECT commitment FROM games_ledgerentry")
    assert sorted(lines) == sorted((committed,) for *_, committed in out)


def test_a_kill_leaves_no_half_made_deal(migrated_var: Path) -> None:
    command = [*MANAGE, "--variant", "labyrinth", "--count", "1000000"]
    settings = environment(migrated_var, SEALED_STOCK="3", DEAL_PATIENCE="900", TALON_NO_NUMBA="1")
    with subprocess.Popen(command, cwd=ROOT, env=settings, stdout=subprocess.DEVNULL) as process:
        await_sealed(migrated_var, 1)
        time.sleep(random.random() * 0.3)  # a random moment is the point
        process.kill()
    check_whole(migrated_var)
    checked = run("manage.py", "check_ledger", var=migrated_var)
    assert (checked.returncode, checked.stdout.count(", 0 faults")) == (0, 1), checked.stdout


@pytest.mark.django_db(transaction=True)
def test_the_command_fills_the_stock_and_publishes_todays_deal(
    settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.SEALED_STOCK, settings.DEAL_PATIENCE = 3, 900
    call_command("fill_sealed", "--variant", "labyrinth", "--count", "2")
    output = capsys.readouterr().out
    assert "2 sealed." in output
    assert not re.search("[0-9a-f]{64}", output)
    published = Deal.objects.filter(variant="labyrinth")
    assert published.first() is not None
    assert all(deal.proven for deal in published)
    assert SealedDeal.objects.count() + published.count() == 2


@pytest.mark.django_db(transaction=True)
def test_an_interrupt_ends_the_command_after_the_deal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def seal_one(variant: str, *, stop: sealed_stock.Stop) -> SealedDeal | None:
        if stop():
            return None
        signal.raise_signal(signal.SIGINT)
        return seal_deal(variant)

    monkeypatch.setattr(sealed_stock, "seal_one", seal_one)
    with pytest.raises(SystemExit) as stopped:
        call_command("fill_sealed", "--variant", "labyrinth", "--count", "100")
    assert (stopped.value.code, capsys.readouterr().out) == (130, "Interrupted; 1 sealed.\n")


@pytest.mark.django_db(transaction=True)
def test_running_out_of_time_has_its_own_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed_stock, "stop_after", lambda _seconds: lambda: True)
    with pytest.raises(SystemExit) as stopped:
        call_command("fill_sealed", "--variant", "labyrinth", "--count", "100", "--seconds", "1")
    assert stopped.value.code == 1


@pytest.mark.parametrize(
    "options", [["--variant", "patience"], ["--count", "0"], ["--seconds", "-1"], ["--count", "x"]]
)
def test_unusable_options_are_refused(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of(*options) == 2
    assert "error: argument" in capsys.readouterr().err


def test_help_lists_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of("--help") == 0
    assert "130 interrupted" in " ".join(capsys.readouterr().out.split())


def exit_code_of(*options: str) -> int:
    with pytest.raises(SystemExit) as ended:
        Command().run_from_argv([*MANAGE[1:], *options])
    code = ended.value.code
    assert isinstance(code, int)
    return code


@pytest.fixture
def short(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A stock that lacks one deal of Labyrinth, and no reason to pause."""
    settings.VAR_DIR, settings.SEALED_STOCK, settings.DEAL_PATIENCE = tmp_path, 1, 300
    monkeypatch.setattr(sealed_stock, "next_variant", lambda *_: None if SealedDeal.objects.exists() else "labyrinth")
    monkeypatch.setattr(stock_filling, "pauses", Providers())
    monkeypatch.setenv("TALON_NO_NUMBA", "1")
    yield
    assert stock_filling._filling._running.acquire(timeout=60), "the lock was not released"
    stock_filling._filling._running.release()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("short")
def test_a_small_process_fills_the_stock_beside_the_worker() -> None:
    filler = stock_filling.start_filling()
    assert filler is not None
    assert stock_filling.start_filling() is None, "one at a time"
    filler.join(300)
    sealed = SealedDeal.objects.get()
    played = replay(Record.from_bytes(bytes(sealed.solution)))
    assert (sealed.variant, played.won, played.tokens) == ("labyrinth", True, sealed.par)
    assert stock_filling.start_filling() is None, "nothing is short"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("short")
def test_certification_pauses_for_players_and_other_fillers() -> None:
    searched: list[str] = []

    def search(variant: Variant, *_: object, **__: object) -> Iterator[Certificate | None]:
        searched.append(variant.name)
        yield from ()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stock_filling, "search_deals", search)
        stock_filling.pauses.register(lambda: True)
        assert stock_filling.start_filling() is None
        AwaitedDeal.objects.create(variant="braid", day=timezone.now().date(), since=timezone.now())
        assert not stock_filling.is_paused(), "a deal is awaited today"
        AwaitedDeal.objects.all().delete()
        stock_filling.pauses.clear()
        with stock_filling.filling_lock() as free:
            assert free
            second = stock_filling.start_filling()
            assert second is not None
            second.join(60)
        assert searched == []
        again = stock_filling.start_filling()
        assert again is not None
        again.join(60)
        assert searched == ["labyrinth"]


def test_search_stops_on_request() -> None:
    seeds = deal_search.random_seeds(1000)
    assert list(deal_search.search_deals(CATALOGUE["braid"], seeds, 600.0, stop=lambda: True)) == []


@pytest.mark.django_db
def test_search_has_the_lowest_priority_if_no_deal_is_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    priorities: list[int] = []

    def search(*_: object, niceness: int, **__: object) -> Iterator[Certificate | None]:
        priorities.append(niceness)
        yield from ()

    monkeypatch.setattr(stock_filling, "search_deals", search)
    today = timezone.now().date()
    AwaitedDeal.objects.create(variant="braid", day=today, since=timezone.now())
    stock_filling.seal_in_process("braid", stop=lambda: False, patience=0)
    AwaitedDeal.objects.update(day=today + timedelta(days=1))
    stock_filling.seal_in_process("braid", stop=lambda: False, patience=0)
    assert priorities == [deal_search.NICENESS, deal_search.STOCK_NICENESS]


@pytest.mark.django_db
def test_a_wrong_line_is_discarded(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    record = won_records("labyrinth")[0]
    losing = replace(record, tokens=record.tokens[:-1], clock=record.clock[:-1])
    monkeypatch.setattr(deal_search, "run_search", lambda *_, **__: iter([None, Certificate(losing, None, 3)]))
    assert stock_filling.seal_in_process("labyrinth", stop=lambda: False, patience=0) is None
    assert "not certified" in caplog.text


def test_the_search_process_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TALON_NO_NUMBA", "1")
    process = SearchProcess(deal_search.try_seeds, niceness=0)
    request = deal_search.DealRequest("braid", None, deal_search.random_seeds(1000), 600.0, grade=0, patience=0)
    replies = process.replies(request, seconds=600)
    next(replies)
    assert process._process is not None
    pages = int(Path(f"/proc/{process._process.pid}/statm").read_text().split()[1])
    assert pages * os.sysconf("SC_PAGE_SIZE") < 60 * 1024 * 1024
    process.kill()
