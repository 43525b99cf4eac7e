"""Race deals: certified, from the stock or made to order, and secret until the race is over."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from accounts.lifecycle.export import _attempt
from games.core.player_networks import remember_network
from games.deals import sealed_stock
from games.deals.certification import Certificate, certify
from games.deals.deal_search import random_seeds, search_deals
from games.hints.questions import may_ask
from games.models import Deal, SealedDeal
from games.races import made_to_order, reconciler, rooms, unseen_deals
from games.races.models import Race
from games.rules import CATALOGUE, Variant
from games.solver import Budget
from tests.factories import seal_deal
from tests.games.races.runs import Run, at, winning

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stocked(settings: Any, requested_tasks: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    settings.SEALED_STOCK = 14
    cache.clear()
    return requested_tasks


def test_races_get_the_stock_that_the_days_can_spare(
    stocked: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealed_stock, "RESERVED_FOR_DAYS", 1)
    for index in range(2):
        seal_deal("stonewall", index)
    run = Run.of(1)
    deal = run.race.deal
    assert deal is not None
    assert (deal.for_race, deal.proven, deal.day, deal.closes_at) == (True, True, None, None)
    assert not stocked
    other = Run.of(1)
    assert (other.race.deal, SealedDeal.objects.count()) == (None, 1)
    assert stocked == [("talon.prepare_race_deal", other.race.pk)]


def finding(*found: Certificate | None) -> Any:
    """Return a search that tries seeds with these results."""

    def search(_variant: Variant, seeds: list[bytes], _seconds: float) -> Iterator[Certificate | None]:
        assert seeds
        yield from found

    return search


def certificate() -> Certificate:
    return Certificate(winning(), None, 3)


def test_waiting_players_start_with_a_deal_made_to_order(
    stocked: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.of(2)
    Race.objects.filter(pk=run.race.pk).update(gathers_until=at(0))
    monkeypatch.setattr(made_to_order, "search_deals", finding(None, certificate()))
    assert made_to_order.prepare(run.race.pk)
    run.tend(1)
    assert (run.states(), run.race.deal_tries) == ("countdown seated seated", 2)
    deal = run.race.deal
    assert deal is not None
    assert (bytes(deal.seed), deal.proven, deal.grade, deal.for_race) == (winning().seed, True, 3, True)
    assert not made_to_order.prepare(run.race.pk)


def test_a_failed_search_needs_another_choice_of_game(
    stocked: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.of(2)
    monkeypatch.setattr(made_to_order, "search_deals", finding(None, None))
    assert not made_to_order.prepare(run.race.pk)
    assert (run.race.deal_failed, run.race.deal_tries) == (True, 2)
    stocked.clear()
    reconciler.reconcile(at(10))
    assert not made_to_order.prepare(run.race.pk)
    assert not [task for task in stocked if task[0] == "talon.prepare_race_deal"]
    rooms.change(run.room.pk, run.players[0].pk, "plot", limit_s=300, seats=4, public=False)
    assert (run.race.deal_failed, run.race.deal_tries) == (False, 0)
    assert ("talon.prepare_race_deal", run.race.pk) in stocked


def test_a_deal_of_a_game_no_longer_wanted_is_not_used(
    stocked: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.of(1)
    stocked.clear()
    reconciler.reconcile(at(5))
    assert ("talon.prepare_race_deal", run.race.pk) in stocked, "a lost task is requested again"

    def search(*_: object) -> Iterator[Certificate | None]:
        rooms.change(run.room.pk, run.players[0].pk, "plot", limit_s=300, seats=4, public=False)
        yield None
        yield certificate()

    monkeypatch.setattr(made_to_order, "search_deals", search)
    assert not made_to_order.prepare(run.race.pk)
    assert (run.race.deal, run.race.variant, run.race.deal_tries) == (None, "plot", 0)


def test_the_rooms_of_a_network_take_turns_to_search(
    stocked: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, other = (Run.of(1) for _ in range(3))
    for run, address in ((first, "203.0.113.7"), (second, "203.0.113.7"), (other, "198.51.100.9")):
        remember_network(run.players[0].pk, address)
    found = threading.Event()
    monkeypatch.setattr(made_to_order, "prepare", lambda _: found.wait(60))
    running = [made_to_order.start_search(run.race.pk) for run in (first, first, second, other)]
    assert [thread is not None for thread in running] == [True, False, False, True]
    found.set()
    for thread in filter(None, running):
        thread.join()
    again = made_to_order.start_search(second.race.pk)
    assert again is not None
    again.join()


def test_the_search_runs_in_its_own_process() -> None:
    *lost, found = search_deals(CATALOGUE["labyrinth"], random_seeds(20), 120)
    assert not any(lost)
    assert found is not None
    assert found.record.name == "labyrinth"
    assert found.grade in range(1, 6)


def test_any_options_are_certified() -> None:
    options: dict[str, bool | int | str] = {"direction": "either", "redeals": 3}
    certificate = certify("braid", bytes([2]) * 32, options, budget=Budget(nodes=20_000))
    assert certificate is not None
    assert (certificate.record.name, certificate.record.options) == ("braid", options)
    assert (certificate.grade, certificate.figures) == (None, None)


def test_secrets_are_kept_until_the_race_is_finished() -> None:
    run = Run.ended("won", None)
    attempt, player = run.attempt(0), run.players[0]
    now = timezone.now()

    def exported() -> bool:
        return "record" in _attempt(run.attempt(0), timezone.now())

    assert not may_ask(attempt, player.pk, now)
    assert not exported()
    run.resign(1, 100)
    assert run.judge().states() == "finished won retired"
    later = run.attempt(0)
    assert may_ask(later, player.pk, timezone.now())
    assert exported()


def test_a_deal_is_used_once() -> None:
    run = Run.of(1)
    race = run.race
    before = race.deal
    assert unseen_deals.assign_deal(race)
    assert race.deal == before
    assert Deal.objects.count() == 1
    assert Race.objects.get().deal_tries == 0
