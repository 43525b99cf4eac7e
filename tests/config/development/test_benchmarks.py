"""Benchmarks: each announces what it switches off, and none has a target that depends on the machine's speed."""

from __future__ import annotations

import ast
import asyncio
import json
import re
from argparse import Namespace
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from django.urls import resolve
from django.utils import timezone

from accounts.sign_in.guests import create_guest
from benchmarks import cheating, cheating_parts, crowd_parts
from benchmarks.cheating_parts import Days, Price
from benchmarks.crowd import growth, is_fault
from benchmarks.crowd_parts import PAGES, Job, page
from benchmarks.references import UNITS, amount, announce, row
from games.attempts.lifecycle import start_attempt
from games.live.loader import load
from games.models import Deal
from tests.factories import make_deal

FOLDER = Path(__file__).parents[3] / "benchmarks"
#: Measured in their own way so far.
OTHERS = {"rush", "hints", "hint_games"}
MODULES = sorted(
    path.stem
    for path in FOLDER.glob("*.py")
    if '__name__ == "__main__"' in path.read_text() and not path.stem.endswith("_parts") and path.stem not in OTHERS
)
_TIME = re.compile(r"(^|_)AIM_(S|MS|US|SECONDS?|MINUTES?)$|(^|_)(MS|SECONDS?)_AIM$")


def calls(tree: ast.AST) -> set[str]:
    return {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}


@pytest.mark.parametrize("name", MODULES)
def test_benchmark_announces_what_it_switches_off(name: str) -> None:
    assert "announce" in calls(ast.parse((FOLDER / f"{name}.py").read_text()))


@pytest.mark.parametrize("name", MODULES)
def test_benchmark_has_no_absolute_time_target(name: str) -> None:
    tree = ast.parse((FOLDER / f"{name}.py").read_text())
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not {one for one in names if _TIME.search(one)}
    judged = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value == "MISSED"]
    assert not judged or name == "capacity_check", "targets belong in the rows of benchmarks.references"


def test_first_line_names_what_is_switched_off(capsys: pytest.CaptureFixture[str]) -> None:
    announce({"ADMISSION": "0", "SEALED_STOCK": "14"}, "beat")
    announce()
    assert capsys.readouterr().out == "switched off: admission, beat\ndefaults\n"


def test_row_compares_only_the_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    assert row("slow machine", 900.0, 300.0, "ms", at_most=3.0)
    assert not row("fast machine", 4.0, 1.0, "ms", at_most=3.0)
    assert not row("rate", 1.0, 4.0, "/s", at_least=0.5)
    assert capsys.readouterr().out.count("MISSED") == 2


@pytest.mark.parametrize("unit", ["ms", "s", "/s"])
def test_absolute_target_in_time_is_refused(unit: str) -> None:
    assert unit not in UNITS
    with pytest.raises(ValueError, match="compare with a reference"):
        amount("a page", 1.0, unit, at_most=2.0)


def test_a_single_rise_in_memory_is_no_growth() -> None:
    samples = [(10.0 * n, min(200.0, 150.0 + 5 * n)) for n in range(1, 31)]
    assert growth(samples, 180) == 0
    assert growth(samples, 300) > 0.1


def test_continuous_memory_growth_is_found() -> None:
    """The threshold is a twentieth between the ends of the window, each the mean of three samples."""
    samples = [(10.0 * n, 200.0 + 0.625 * (n - 12)) for n in range(1, 31)]
    assert growth(samples, 180) == pytest.approx(16 * 0.625 / 200.625)


def test_one_sample_has_no_growth() -> None:
    assert growth([(8.0, 150.0)], 5) == 0


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (json.dumps({"event": "request_finished", "level": "info"}), False),
        (json.dumps({"event": "journal not written", "level": "error"}), True),
        ("Traceback (most recent call last):", True),
    ],
)
def test_a_fault_is_an_error_or_an_unparsable_log_line(line: str, fault: bool) -> None:
    assert is_fault(line) is fault


@pytest.mark.parametrize("what", PAGES)
def test_each_request_is_a_page_from_its_own_address(what: str) -> None:
    job = Job(web=1, tables=2, day="2026-11-23", players=[(str(uuid4()), "key")], accounts=[str(uuid4())])
    looks = [page(job, number, what, is_stranger=number < 2) for number in range(4)]
    assert all(resolve(path) for _, path in looks)
    assert len({visitor.address for visitor, _ in looks}) == len(looks)
    assert {visitor.port for visitor, _ in looks} == {1}
    assert [bool(visitor.cookies) for visitor, _ in looks] == [what == "table"] * 2 + [True] * 2


@pytest.mark.django_db
def test_the_crowd_is_in_the_middle_of_its_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowd_parts, "PLAYED", (12, 12))
    attempt = start_attempt(create_guest(), make_deal("plot"))
    crowd_parts.play_on(attempt)
    read = load(attempt.public_id)
    assert len(read.tokens) == 12
    for token in read.tokens:
        read.table.push(token)


OPTIONS = Namespace(seed="1", variants=["pigtail"], days=12, accounts=13, matches=20)


@pytest.mark.parametrize(("least_age", "least_games"), [(0, 0), (2, 0), (7, 3), (8, 4)])
def test_established_costs_the_least_days_then_the_fewest_games(
    least_age: int, least_games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def reached(_days: Days, age: int, games: int) -> float | None:
        return 20.0 if age >= least_age and games >= least_games else None

    monkeypatch.setattr(Days, "_established", reached)
    price = asyncio.run(Days("pigtail", Random(1)).established(12))
    assert (price.days, price.played, price.is_beyond) == (least_age + 1, least_games, False)
    assert asyncio.run(Days("pigtail", Random(1)).established(least_age - 1)).is_beyond


def test_the_shortest_pace_that_passes_is_found() -> None:
    tokens = ["d"] * 100
    found = cheating_parts.shortest(tokens, Random(1), lambda times: times[-1] >= 20_000)
    assert 20_000 <= found[-1] < 30_000
    with pytest.raises(ValueError, match="no pace passes"):
        cheating_parts.shortest(tokens, Random(1), lambda _times: False)


@pytest.mark.parametrize(
    ("days", "played", "points", "heat", "met"),
    [
        (8, 3, 100, 0, [True, True, True]),
        (7, 3, 100, 0, [False, True, True]),
        (8, 2, 100, 0, [False, True, True]),
        (8, 3, 101, 1, [True, False, False]),
    ],
)
def test_targets(  # noqa: PLR0917 - one argument for each figure
    days: int, played: int, points: int, heat: int, met: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def newcomer(_days: Days) -> Price:
        return Price("newcomers")

    async def established(_days: Days, _most_days: int) -> Price:
        return Price("established", days=days, played=played)

    async def rating(*_: Any) -> list[Price]:
        return [Price("rating", points=points)]

    async def rated_race() -> Price:
        return Price("race")

    async def heats(_chance: Random) -> AsyncIterator[Price]:
        yield Price("heat", points=heat)

    async def targets() -> list[bool]:
        return [price.met async for price in cheating.prices(OPTIONS) if price.met is not None]

    monkeypatch.setattr(Days, "newcomer", newcomer)
    monkeypatch.setattr(Days, "established", established)
    monkeypatch.setattr(cheating_parts, "rating", rating)
    monkeypatch.setattr(cheating_parts, "rated_race", rated_race)
    monkeypatch.setattr(cheating_parts, "heat", heats)
    assert asyncio.run(targets()) == met


@pytest.mark.django_db
def test_passing_days_keep_deals_apart() -> None:
    today = timezone.now().date()
    deals = [make_deal("plot", today - timedelta(days=ago)) for ago in range(3)]
    cheating_parts.pass_days(1)
    days = Deal.objects.filter(pk__in=[deal.pk for deal in deals]).order_by("-day").values_list("day", flat=True)
    assert list(days) == [today - timedelta(days=ago) for ago in range(1, 4)]
