"""The first day: all deals are certified with the day's grades before the site opens, within a time limit."""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from celery.signals import worker_ready
from django.utils import timezone

from config import celery
from config.processes import release
from games.deals import difficulty, first_day, publishing, sealed_stock
from games.models import AwaitedDeal, SealedDeal
from games.rules import CATALOGUE
from tests.config.running import run
from tests.factories import seal_deal

SUNDAY = datetime(2026, 11, 22, 9, tzinfo=UTC)


@pytest.fixture
def sunday(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first day of a site that certifies."""
    settings.DEAL_PATIENCE, settings.SEALED_STOCK, settings.RELEASE_PATIENCE = 300, 5, 100
    monkeypatch.setattr(timezone, "now", lambda: SUNDAY)


def wanted_on(day: datetime) -> dict[str, int]:
    return {name: difficulty.target_grade(name, day.date()) for name in CATALOGUE}


@pytest.fixture
def solver(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A solver whose first deal of each variant has another grade; returns the variants it worked on."""
    variants: list[str] = []

    def seal_one(variant: str, **_: Any) -> SealedDeal:
        variants.append(variant)
        wanted = wanted_on(SUNDAY)[variant]
        return seal_deal(
            variant, variants.count(variant) - 1, grade=(1 + wanted % 5, wanted)[variants.count(variant) - 1]
        )

    monkeypatch.setattr(sealed_stock, "seal_one", seal_one)
    return variants


def test_todays_deals_are_certified_before_the_site_opens(
    db: None, sunday: None, solver: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    release.certify_today()
    assert sorted(solver[:9]) == sorted(CATALOGUE), "each has one before any has two"
    assert not AwaitedDeal.objects.exists(), "no waiting time has started"
    dealt = publishing.todays_deals(SUNDAY)
    assert [(deal.variant, deal.proven, deal.grade) for deal in dealt] == [
        (name, True, grade) for name, grade in wanted_on(SUNDAY).items()
    ]
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("1 of today's 9 deals certified, 0 of the wanted grade (")
    assert lines[-1].startswith("9 of today's 9 deals certified, 9 of the wanted grade (")
    assert lines[-1].endswith("of 100 s).")


def test_waiting_for_certificates_is_limited(db: None, sunday: None, solver: list[str]) -> None:
    answers = iter([False, False, True])
    steps = list(first_day.certify_today(lambda: next(answers)))
    assert [ready.certified for ready in steps] == [1, 2]
    assert len(solver) == 2
    dealt = publishing.todays_deals(SUNDAY)
    assert {deal.variant for deal in dealt} == set(solver), "the others are still awaited"


def test_a_site_with_deals_does_not_wait(db: None, sunday: None, solver: list[str]) -> None:
    for variant in CATALOGUE:
        seal_deal(variant, grade=wanted_on(SUNDAY)[variant])
    release.certify_today()
    publishing.todays_deals(SUNDAY)
    release.certify_today()
    assert not solver


def test_certification_can_be_switched_off(db: None, settings: Any, sunday: None, solver: list[str]) -> None:
    settings.SEALED_STOCK = 0
    release.certify_today()
    assert not solver
    assert len(publishing.todays_deals(SUNDAY)) == len(CATALOGUE), "and none waits for a proof without a search"


def test_a_coming_day_waits_for_a_deal_of_its_grade(db: None, sunday: None) -> None:
    monday = datetime(2026, 11, 23, tzinfo=UTC)
    wanted = wanted_on(monday)
    seal_deal("stonewall", 0, grade=1 + wanted["stonewall"] % 5)
    assert publishing.ensure_deals(monday.date(), ahead=0, now=SUNDAY) == []
    for variant in set(CATALOGUE) - {"stonewall"}:
        seal_deal(variant, grade=wanted[variant])
    assert sealed_stock.next_variant() == "stonewall"
    seal_deal("stonewall", 1, grade=wanted["stonewall"])
    published = publishing.ensure_deals(monday.date(), ahead=0, now=SUNDAY)
    assert {deal.variant: deal.grade for deal in published} == wanted


@pytest.mark.parametrize("after", [0, 2])
def test_the_first_days_follow_the_plan(db: None, sunday: None, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Today and tomorrow take the deals of their grades and leave the third day's."""
    opening = SUNDAY + timedelta(days=after)
    monkeypatch.setattr(timezone, "now", lambda: opening)
    days = [opening, opening + timedelta(days=1)]
    for variant in CATALOGUE:
        wanted = [wanted_on(day)[variant] for day in days]
        other = next(grade for grade in difficulty.GRADES if grade not in wanted)
        for index, grade in enumerate([other, *wanted]):
            seal_deal(variant, index, grade=grade)
    published = publishing.ensure_deals(days[0].date(), ahead=1, now=opening)
    assert [(deal.day, deal.grade) for deal in published] == [
        (day.date(), grade) for day in days for grade in wanted_on(day).values()
    ]


def test_two_coming_days_do_not_share_a_deal(db: None, sunday: None) -> None:
    tuesday = datetime(2026, 11, 24, tzinfo=UTC)
    wanted, following = wanted_on(tuesday)["stonewall"], wanted_on(tuesday + timedelta(days=1))["stonewall"]
    seal_deal("stonewall", 0, grade=wanted)
    seal_deal("stonewall", 1, grade=next(grade for grade in difficulty.GRADES if grade not in {wanted, following}))
    published = publishing.ensure_deals(tuesday.date(), ahead=1, now=SUNDAY)
    assert [(deal.day, deal.grade) for deal in published] == [(tuesday.date(), wanted)]


def test_a_worker_starts_filling_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr(celery.app, "send_task", sent.append)
    worker_ready.send(sender=None)
    assert sent == ["talon.fill_sealed"]


def test_the_release_step_certifies_within_its_limit(migrated_var: Path) -> None:
    """Runs the real command: it publishes exactly the deals that it has proven, and leaves the rest to wait."""
    settings = {"SEALED_STOCK": "1", "DEAL_PATIENCE": "900", "RELEASE_PATIENCE": "3", "TALON_NO_NUMBA": "1"}
    done = run("-m", "config.processes.release", var=migrated_var, **settings)
    assert done.returncode == 0, done.stderr
    reported = re.findall(r"^(\d) of today's 9 deals certified", done.stdout, re.MULTILINE)
    with sqlite3.connect(migrated_var / "talon.sqlite3") as database:
        proven = [bool(value) for (value,) in database.execute("SELECT proven FROM games_deal")]
        (waiting,) = database.execute("SELECT count(*) FROM games_awaiteddeal").fetchone()
    database.close()
    assert all(proven)
    assert len(proven) == int(reported[-1] if reported else 0)
    assert len(proven) + waiting == len(CATALOGUE)
