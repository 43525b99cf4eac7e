"""Read replicas: their freshness, and the views and players that are served from them."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.db import OperationalError, transaction
from django.http import HttpRequest
from django.test import RequestFactory
from pytest_django import Settings

from games.attempts import lifecycle as attempts
from games.db import shared_cache
from games.db.replicas import lag_monitor, replica_choice, write_positions
from games.db.replicas.lag_monitor import LagMonitor, end_of
from games.db.replicas.replica_choice import from_replica, replica_for
from games.db.replicas.router import PRIMARY, Router, reading_from, reading_primary, source
from games.db.shared_cache import SharedCache
from games.models import Attempt, Deal
from leaderboards.verdicts import settlement
from tests.factories import DAY, NOON, make_account, make_deal
from tests.games.db.test_shared_cache import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(lag_monitor, "time", clock)
    return clock


@pytest.fixture
def watches(monkeypatch: pytest.MonkeyPatch, clock: Clock, settings: Settings) -> dict[str, LagMonitor]:
    settings.REPLICAS = ["replica1", "replica2"]
    found = {alias: LagMonitor(alias) for alias in settings.REPLICAS}
    for one in found.values():
        one.add_sample(clock.now, 100, 100)
    for module in (replica_choice, lag_monitor):
        monkeypatch.setattr(module, "watch", found.__getitem__)
    monkeypatch.setattr(
        replica_choice, "connections", {alias: type("Closed", (), {"close": print})() for alias in found}
    )
    return found


def stranger() -> HttpRequest:
    return RequestFactory().get("/")


def visitor(player: Any, settings: Settings) -> HttpRequest:
    request = RequestFactory().get("/")
    request.COOKIES[settings.SESSION_COOKIE_NAME] = "of a test"
    request.user = player
    return request


def test_freshness_counts_from_the_last_replayed_primary_state(clock: Clock) -> None:
    one = LagMonitor("replica1")
    assert not one.is_fit(), "never seen"
    one.add_sample(1000, 500, 400)
    assert not one.is_fit(), "no replayed position known"
    one.add_sample(1001, 600, 500)
    clock.now = 1002
    assert one.lag == 2
    assert one.is_fit()
    one.add_sample(1002, 700, 700)
    assert one.lag == 0
    assert (one.has(700), one.has(701)) == (True, False)


def test_a_standing_replica_is_fit_until_the_limit(clock: Clock, settings: Settings) -> None:
    settings.REPLICA_LAG = 5.0
    one = LagMonitor("replica1")
    for second in range(6):
        clock.now = 1000 + second
        one.add_sample(clock.now, 100 + second, 100)
        assert one.is_fit()
    clock.now = 1005.5
    assert not one.is_fit()
    one.add_sample(clock.now, 200, 200)
    assert one.is_fit(), "it has caught up"


def test_a_replica_of_an_idle_database_is_not_late(clock: Clock) -> None:
    one = LagMonitor("replica1")
    for second in range(100):
        clock.now = 1000 + second
        one.add_sample(clock.now, 100, 100)
    assert one.lag == 0


def test_a_replica_that_cannot_be_compared_is_late(clock: Clock) -> None:
    one = LagMonitor("replica1")
    one.add_sample(1000, 100, 100)
    clock.now = 1006
    assert not one.is_fit()


def test_a_failed_replica_recovers_with_its_next_answer(clock: Clock) -> None:
    one = LagMonitor("replica1")
    one.add_sample(1000, 100, 100)
    clock.now = 1001
    one.fail(OperationalError("gone"))
    assert not one.is_fit()
    one.add_sample(1001, 100, 100)
    assert not one.is_fit(), "that reading began before the failure ended"
    one.add_sample(1002, 100, 100)
    assert one.is_fit()


@pytest.mark.parametrize(
    ("position", "end"), [(8192 * 3 + 24, 8192 * 3), (8192 * 3 + 40, 8192 * 3), (8192 * 3 + 48, 8192 * 3 + 48)]
)
def test_a_position_after_a_page_header_is_the_page_start(position: int, end: int) -> None:
    assert end_of(position) == end


def test_only_marked_views_read_from_replicas(watches: dict[str, LagMonitor]) -> None:
    @from_replica("boards")
    def view(_request: HttpRequest) -> str:
        return source()

    assert view(stranger()) in watches
    assert source() == PRIMARY
    with reading_from("replica1"):
        assert (Router().db_for_read(Deal), Router().db_for_write(Deal)) == ("replica1", PRIMARY)
        with reading_primary():
            assert source() == PRIMARY


def test_without_replicas_views_read_from_the_primary(settings: Settings) -> None:
    settings.REPLICAS = []
    assert from_replica("boards")(lambda request: (request, source()))("of nobody") == ("of nobody", PRIMARY)


@pytest.mark.django_db
def test_transactions_read_from_the_primary(watches: dict[str, LagMonitor]) -> None:
    assert watches
    with transaction.atomic(), reading_from("replica1"):
        assert source() == PRIMARY


def test_a_view_that_fails_on_a_replica_is_repeated(watches: dict[str, LagMonitor], clock: Clock) -> None:
    tried: list[str] = []

    @from_replica("boards")
    def view(_request: HttpRequest) -> str:
        tried.append(source())
        if source() != PRIMARY:
            raise OperationalError("gone")
        return "shown"

    clock.now += 1
    assert [view(stranger()) for _ in range(4)] == ["shown"] * 4
    assert sorted(tried) == [PRIMARY, PRIMARY, PRIMARY, PRIMARY, *watches], "each was tried once"


def test_a_views_own_errors_are_raised(watches: dict[str, LagMonitor]) -> None:
    @from_replica("boards")
    def view(_request: HttpRequest) -> str:
        raise LookupError

    with pytest.raises(LookupError):
        view(stranger())
    assert all(one.is_fit() for one in watches.values())


@pytest.mark.django_db
def test_writers_read_from_the_primary_until_replayed(watches: dict[str, LagMonitor], settings: Settings) -> None:
    one, other = make_account(), make_account()
    own = replica_for(visitor(one, settings))
    assert own in watches
    assert {replica_for(visitor(one, settings)) for _ in range(9)} == {own}, "the same each time"
    cache.set(write_positions._key(one.pk), 150)
    assert replica_for(visitor(one, settings)) is None
    assert replica_for(visitor(other, settings)) is not None
    watches[own].add_sample(1000, 150, 150)
    assert replica_for(visitor(one, settings)) == own


@pytest.mark.django_db
def test_finished_games_and_verdicts_count_as_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    for module in (attempts, settlement):
        monkeypatch.setattr(module, "wrote", lambda *ids: written.extend(ids))
    player, deal = make_account(), make_deal("braid", DAY)
    attempt = Attempt.objects.create(player=player, deal=deal, ranked=True, started_at=NOON)
    attempts.close_attempt(attempt.pk, "resigned")
    assert written == [player.pk]
    settlement.settle(attempt.pk)
    assert written == [player.pk, player.pk]


@pytest.mark.django_db(transaction=True)
def test_an_unknown_write_position_does_no_harm(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REPLICAS = ["replica1"]
    monkeypatch.setattr(write_positions, "_END", "SELECT the_end_of_nothing()")
    with transaction.atomic():
        write_positions.wrote(1)
    assert write_positions.position_of(1) is None


@pytest.mark.django_db
def test_without_the_shared_cache_writers_are_unknown(
    watches: dict[str, LagMonitor], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert watches
    monkeypatch.setattr(write_positions, "is_known", lambda: False)
    assert replica_for(visitor(make_account(), settings)) is None
    assert replica_for(stranger()) is not None


def test_replica_data_is_cached_for_replica_readers_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.db.transaction.get_connection", lambda _: type("Free", (), {"in_atomic_block": False}))
    monkeypatch.setattr(shared_cache, "CACHES", {})
    copies = SharedCache("of_a_test", str, fresh=60)
    with reading_from("replica1"):
        assert copies.get("key", lambda: "old") == "old"
    assert copies.get("key", lambda: "new") == "new"
    with reading_from("replica2"):
        assert copies.get("key", lambda: "newer") == "old"
    assert copies.get("key", lambda: "newer") == "new"
