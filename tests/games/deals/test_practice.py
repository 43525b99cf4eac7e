"""Certified practice deals: handed out, and searched for within limits without using sealed deals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from games import housekeeping
from games.attempts.lifecycle import start_attempt
from games.core import events, retention
from games.deals import deal_search, first_game, numbered_deals, practice_deals, publishing
from games.deals.certification import Certificate
from games.models import Deal, PracticeOrder, SealedDeal
from games.rules import CATALOGUE, Variant
from tests.factories import seal_deal, won_records

STONEWALL = CATALOGUE["stonewall"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("requested_tasks")]


def certificate(index: int, grade: int) -> Certificate:
    return Certificate(won_records("stonewall")[index], None, grade)


def finding(*found: Certificate | None) -> Callable[..., Iterator[Certificate | None]]:
    """Return a search that tries seeds with these results."""

    def search(
        variant: Variant, seeds: list[bytes], seconds: float, *, grade: int | None
    ) -> Iterator[Certificate | None]:
        assert (variant.game, seconds <= practice_deals.SECONDS) == ("stonewall", True)
        assert len(seeds) == practice_deals.TRIES
        numbered = {numbered_deals.seed_of(variant, int.from_bytes(seed[24:])) for seed in seeds}
        assert numbered == set(seeds), "only numbered deals are tried"
        yield from found

    return search


def proven(index: int, grade: int | None) -> Deal:
    record = won_records("stonewall")[index]
    return publishing.seeded_deal(STONEWALL, record.seed, Certificate(record, None, grade))


def test_orders_from_two_tabs_are_one(player: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = practice_deals.order(player, STONEWALL)
    monkeypatch.setattr(PracticeOrder.objects, "filter", lambda **_: PracticeOrder.objects.none())
    assert practice_deals.order(player, STONEWALL).pk == first.pk


def test_a_deal_is_handed_out_once_per_player(player: Any, rival: Any) -> None:
    gentle, hard = proven(0, 1), proven(1, 4)
    publishing.practice_deal("stonewall")  # not proven
    seal_deal("stonewall", 2)
    assert {practice_deals.deal_for(player.pk, STONEWALL) for _ in range(40)} == {gentle, hard}, "at random"
    assert practice_deals.deal_for(player.pk, STONEWALL, 4) == hard
    start_attempt(player, gentle)
    assert practice_deals.deal_for(player.pk, STONEWALL) == hard
    assert practice_deals.deal_for(player.pk, STONEWALL, 1) is None
    assert practice_deals.deal_for(rival.pk, STONEWALL, 1) == gentle
    assert practice_deals.deal_for(None, STONEWALL, 1) == gentle


def test_a_newcomers_deal_is_not_handed_out(player: Any) -> None:
    assert first_game.deal_for(None).proven
    assert practice_deals.deal_for(player.pk, STONEWALL) is None


def test_the_search_ends_with_the_wanted_grade_and_stores_others(
    player: Any, rival: Any, requested_tasks: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    wish = practice_deals.order(player, STONEWALL, 4)
    assert requested_tasks == [("talon.find_practice_deal", wish.pk)]
    monkeypatch.setattr(practice_deals, "search_deals", finding(None, certificate(0, 2), certificate(1, 4)))
    practice_deals.find(wish.pk)
    wish.refresh_from_db()
    assert (wish.tried, wish.ended, wish.deal and wish.deal.grade, practice_deals.fits(wish)) == (3, True, 4, True)
    assert practice_deals.deal_for(rival.pk, STONEWALL, 2) is not None
    assert not SealedDeal.objects.exists()


def test_the_nearest_grade_is_used_when_time_is_up(player: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wish = practice_deals.order(player, STONEWALL, 5)
    monkeypatch.setattr(practice_deals, "search_deals", finding(certificate(0, 1), certificate(1, 3)))
    practice_deals.find(wish.pk)
    wish.refresh_from_db()
    assert (wish.deal and wish.deal.grade, practice_deals.fits(wish), practice_deals.is_over(wish)) == (3, False, True)


def test_a_withdrawn_order_stops_its_search(player: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wish = practice_deals.order(player, STONEWALL)
    again = practice_deals.order(player, STONEWALL)
    assert PracticeOrder.objects.get() == again
    monkeypatch.setattr(practice_deals, "search_deals", lambda *_, **__: pytest.fail("the order was withdrawn"))
    practice_deals.find(wish.pk)

    def withdrawn(*_: Any, **__: Any) -> Iterator[None]:
        PracticeOrder.objects.all().delete()
        yield None
        pytest.fail("the search was not stopped")

    monkeypatch.setattr(practice_deals, "search_deals", withdrawn)
    practice_deals.find(again.pk)


def test_a_withdrawn_order_does_not_queue(player: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise each changed order would hold a worker thread until its time is up."""
    wish = practice_deals.order(player, STONEWALL)
    looks: list[float] = []

    class Taken:
        def acquire(self, timeout: float) -> bool:
            looks.append(timeout)
            PracticeOrder.objects.all().delete()
            return False

    monkeypatch.setattr(practice_deals, "_search_slots", Taken())
    practice_deals.find(wish.pk)
    assert looks == [practice_deals.POLL_SECONDS]


def test_an_order_expires_even_if_its_search_died(player: Any) -> None:
    wish = practice_deals.order(player, STONEWALL)
    assert not practice_deals.is_over(wish)
    assert practice_deals.is_over(wish, wish.made_at + practice_deals.PATIENCE)
    PracticeOrder.objects.update(made_at=timezone.now() - practice_deals.PATIENCE)
    practice_deals.find(wish.pk)  # too late: no process starts
    assert not PracticeOrder.objects.get().ended


def test_an_unreachable_queue_ends_the_order(player: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "request_task", lambda *_, **__: False)
    practice_deals.order(player, STONEWALL)
    assert PracticeOrder.objects.get().ended


def test_seeds_are_tried_until_one_has_the_grade(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {bytes([1]) * 32: certificate(0, 1), bytes([2]) * 32: certificate(1, 3)}
    seeds = [bytes(32), *found, bytes(32)]
    monkeypatch.setattr(deal_search, "certify", lambda _name, seed, *_, **__: found.get(seed))
    request = deal_search.DealRequest("stonewall", None, seeds, 60.0, grade=3, patience=0)
    assert list(deal_search.try_seeds(request)) == [None, *found.values()]
    assert list(deal_search.try_seeds(replace(request, grade=None))) == [None, certificate(0, 1)]
    assert list(deal_search.try_seeds(replace(request, seconds=0))) == [None]


def test_deals_are_kept_a_month_and_orders_a_day(player: Any) -> None:
    kept, plain = proven(0, 1), publishing.practice_deal("stonewall")
    practice_deals.order(player, STONEWALL)
    ago = timezone.now() - timedelta(days=2)
    Deal.objects.update(created_at=ago)
    PracticeOrder.objects.update(made_at=ago)
    retention.remove_aged(housekeeping.KINDS)
    assert set(Deal.objects.all()) == {kept}, plain
    assert not PracticeOrder.objects.exists()
    Deal.objects.update(created_at=timezone.now() - timedelta(days=31))
    retention.remove_aged(housekeeping.KINDS)
    assert not Deal.objects.exists()
