"""Certified practice deals: handed out, and searched for within limits without using sealed deals."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from games import housekeeping
from games.attempts.lifecycle import start_attempt
from games.core import events, retention
from games.deals import first_game, numbered_deals, practice_deals, publishing, search_process
from games.deals.certification import Certificate, CertificateError
from games.models import Deal, PracticeOrder, SealedDeal
from games.rules import CATALOGUE, Record, Variant
from tests.factories import seal_deal, won_records

STONEWALL = CATALOGUE["stonewall"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("asked")]


def said(index: int, grade: int) -> dict[str, Any]:
    return {"record": b64encode(won_records("stonewall")[index].to_bytes()).decode(), "grade": grade}


def saying(*lines: dict[str, Any]) -> Callable[..., Iterator[dict[str, Any]]]:
    def search(wanted: Variant, seconds: float, *, seeds: list[str], grade: int | None) -> Iterator[dict[str, Any]]:
        assert (wanted.game, seconds <= practice_deals.SECONDS, len(seeds)) == ("stonewall", True, practice_deals.TRIES)
        deals = {numbered_deals.seed_of(wanted, int.from_bytes(bytes.fromhex(seed)[24:])).hex() for seed in seeds}
        assert deals == set(seeds), "only numbered deals are tried"
        yield from lines

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
    assert practice_deals.deal_for(player.pk, STONEWALL) == gentle
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
    player: Any, rival: Any, asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    wish = practice_deals.order(player, STONEWALL, 4)
    assert asked == [("talon.find_practice_deal", wish.pk)]
    lines = [{"tried": 1}, {"tried": 1}, said(0, 2), {"tried": 1}, said(1, 4)]
    monkeypatch.setattr(practice_deals, "search", saying(*lines))
    practice_deals.find(wish.pk)
    wish.refresh_from_db()
    assert (wish.tried, wish.ended, wish.deal and wish.deal.grade, practice_deals.fits(wish)) == (3, True, 4, True)
    assert practice_deals.deal_for(rival.pk, STONEWALL, 2) is not None
    assert not SealedDeal.objects.exists()


def test_the_nearest_grade_is_used_when_time_is_up(player: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wish = practice_deals.order(player, STONEWALL, 5)
    monkeypatch.setattr(practice_deals, "search", saying(said(0, 1), said(1, 3)))
    practice_deals.find(wish.pk)
    wish.refresh_from_db()
    assert (wish.deal and wish.deal.grade, practice_deals.fits(wish), practice_deals.is_over(wish)) == (3, False, True)


def test_a_withdrawn_order_stops_its_search(player: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wish = practice_deals.order(player, STONEWALL)
    again = practice_deals.order(player, STONEWALL)
    assert PracticeOrder.objects.get() == again
    monkeypatch.setattr(practice_deals, "search", lambda *_, **__: pytest.fail("nobody wishes this"))
    practice_deals.find(wish.pk)

    def withdrawn(*_: Any, **__: Any) -> Iterator[dict[str, Any]]:
        PracticeOrder.objects.all().delete()
        yield {"tried": 1}
        pytest.fail("nobody listens any more")

    monkeypatch.setattr(practice_deals, "search", withdrawn)
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
    assert looks == [practice_deals.GLANCE]


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


def test_the_process_tries_seeds_until_one_has_the_grade(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    records = won_records("stonewall")
    outcomes = {records[0].seed: Certificate(records[0], None, 1), records[1].seed: Certificate(records[1], None, 3)}
    seeds = [bytes(32), records[0].seed, records[1].seed, bytes(32)]
    monkeypatch.setattr(search_process, "certify", lambda _name, seed, *_, **__: outcomes.get(seed))
    asked = {"name": "stonewall", "options": None, "seeds": [seed.hex() for seed in seeds], "grade": 3, "seconds": 60}
    search_process.search(asked)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line.get("grade", "tried") for line in lines] == ["tried", "tried", 1, "tried", 3]


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


def test_records_of_found_deals_replay(player: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    record = won_records("stonewall")[0]
    false = Record(record.version, record.name, None, record.seed, record.tokens[:-1], record.clock[:-1], record.end)
    lie = {"record": b64encode(false.to_bytes()).decode(), "grade": 2}
    monkeypatch.setattr(practice_deals, "search", saying(lie))
    wish = practice_deals.order(player, STONEWALL)
    with pytest.raises(CertificateError):
        practice_deals.find(wish.pk)
    assert not Deal.objects.exists()
    assert PracticeOrder.objects.get().ended
