"""Relaxed deals of the day: practice deals that everyone shares, gentle to fair and never ranked."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from games import housekeeping, tasks
from games.attempts.lifecycle import DealClosedError, close_attempt, start_attempt
from games.attempts.pausing import may_pause
from games.deals import practice_deals, publishing, relaxed_deals, sealed_stock
from games.deals.difficulty import FAIR
from games.hints import questions
from games.models import Attempt, Deal, SealedDeal
from games.rules import CATALOGUE
from tests.factories import seal_all_variants, seal_deal

pytestmark = pytest.mark.django_db(transaction=True)

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
TODAY = NOW.date()


@pytest.fixture
def certifying(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.SEALED_STOCK = 5
    monkeypatch.setattr(timezone, "now", lambda: NOW)


@pytest.fixture
def deal(certifying: None) -> Deal:
    seal_deal("stonewall")
    relaxed_deals.ensure_relaxed(TODAY, ahead=0)
    return Deal.objects.get(relaxed_day=TODAY)


def test_each_variant_gets_one_certified_deal_a_day(certifying: None) -> None:
    seal_all_variants()
    relaxed_deals.ensure_relaxed(TODAY, ahead=0)
    relaxed_deals.ensure_relaxed(TODAY, ahead=0)
    deals = relaxed_deals.todays_relaxed(TODAY)
    assert [deal.variant for deal in deals] == list(CATALOGUE)
    assert all(deal.proven and deal.day is None and not deal.for_race for deal in deals)
    assert not SealedDeal.objects.exists()


def test_a_relaxed_deal_is_never_harder_than_fair(certifying: None) -> None:
    seal_deal("stonewall", 0, grade=4)
    seal_deal("stonewall", 1, grade=5)
    assert relaxed_deals.todays_relaxed(TODAY) == []
    assert sealed_stock.is_short(sealed_stock.levels()["stonewall"]), "so one is searched"
    seal_deal("stonewall", 2, grade=FAIR)
    assert [deal.grade for deal in relaxed_deals.todays_relaxed(TODAY)] == [FAIR]


def test_starter_deals_stand_in_and_without_certification_any_deal_does(settings: Any) -> None:
    settings.STARTER_DEALS, settings.SEALED_STOCK = True, 1
    deals = relaxed_deals.todays_relaxed(TODAY)
    assert len(deals) == len(CATALOGUE)
    assert all(deal.proven and deal.grade and deal.grade <= FAIR for deal in deals)
    settings.STARTER_DEALS, settings.SEALED_STOCK = False, 0
    assert len(relaxed_deals.todays_relaxed(TODAY + timedelta(days=1))) == len(CATALOGUE)


def test_the_schedule_chooses_for_today_and_tomorrow(certifying: None, settings: Any) -> None:
    settings.SEALED_STOCK = 0
    tasks.keep_deals()
    days = Counter(Deal.objects.filter(relaxed_day__isnull=False).values_list("relaxed_day", flat=True))
    assert days == {TODAY + timedelta(days=n): len(CATALOGUE) for n in range(2)}


def test_it_is_played_as_practice_again_and_again(deal: Deal, mine: Client, player: User) -> None:
    tables = []
    for _ in range(2):
        tables.append(mine.post("/practice/start", {"deal": deal.pk})["Location"])
        attempt = Attempt.objects.get(state="playing")
        assert (attempt.ranked, may_pause(attempt), attempt.free_undo) == (False, True, True)
        assert questions.may_ask(attempt, player.pk, NOW)
        assert "Relaxed ·" in mine.get(tables[-1]).content.decode()
        close_attempt(attempt.pk, "resigned")
    assert len(set(tables)) == 2


def test_a_relaxed_game_goes_on_after_its_day(
    deal: Deal, mine: Client, player: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = mine.post("/practice/start", {"deal": deal.pk})["Location"]
    monkeypatch.setattr(timezone, "now", lambda: NOW + timedelta(days=2))
    assert mine.get(table).status_code == 200
    assert mine.post("/practice/start", {"deal": deal.pk})["Location"] == table


@pytest.mark.parametrize(("days", "is_playable"), [(0, True), (364, True), (365, False)])
def test_a_year_of_past_ones_can_be_played(
    deal: Deal, mine: Client, monkeypatch: pytest.MonkeyPatch, days: int, is_playable: bool
) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOW + timedelta(days=days))
    location = mine.post("/practice/start", {"deal": deal.pk})["Location"]
    assert location.startswith("/table/") == is_playable


def test_tomorrows_cannot_be_played_and_none_is_handed_out_as_practice(
    certifying: None, mine: Client, player: User
) -> None:
    seal_deal("stonewall")
    relaxed_deals.ensure_relaxed(TODAY + timedelta(days=1), ahead=0)
    deal = Deal.objects.get()
    assert mine.post("/practice/start", {"deal": deal.pk})["Location"] == "/practice/"
    with pytest.raises(DealClosedError):
        start_attempt(player, deal)
    assert practice_deals.deal_for(player.pk, CATALOGUE["stonewall"]) is None


def test_unplayed_ones_are_not_deleted(deal: Deal) -> None:
    practice = publishing.practice_deal("braid")
    Deal.objects.update(created_at=NOW - timedelta(days=90))
    for kind in housekeeping.KINDS:
        if kind.model is Deal:
            kind.remove_batch(NOW)
    assert Deal.objects.filter(pk=deal.pk).exists()
    assert not Deal.objects.filter(pk=practice.pk).exists()
