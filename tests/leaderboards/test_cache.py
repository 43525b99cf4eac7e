"""The board cache on a real Redis, which may lose everything or a part at any time."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.utils import timezone

from leaderboards import boards, cache, entries, ranking, reading
from leaderboards.cache import BoardCache, _keys
from leaderboards.keys import BOARDS, Score
from leaderboards.ladders import deal_ladder
from leaderboards.models import DealBoard
from tests.leaderboards import factory
from tests.requirements import need
from tests.services.servers import Redis

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture(scope="module")
def server() -> Iterator[Redis]:
    need(Redis.is_installed(), "redis-server")
    server = Redis()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def client(server: Redis) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(server.url) as client:
        client.flushall()
        yield client


@pytest.fixture
def fills(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The deals whose copy was asked to be made anew."""
    found: list[int] = []
    monkeypatch.setattr(cache, "request_fill", found.append)
    return found


@pytest.fixture
def copy(client: redis.Redis, fills: list[int], monkeypatch: pytest.MonkeyPatch) -> BoardCache:
    """The cache, in use by the boards and by every change."""
    copy = BoardCache(client)
    monkeypatch.setattr(cache, "CHECK_EVERY", 0.0)
    monkeypatch.setattr(boards, "board_cache", lambda: copy)
    monkeypatch.setattr(entries, "board_cache", lambda: copy)
    return copy


@pytest.fixture
def deal(copy: BoardCache, django_capture_on_commit_callbacks: Any) -> Any:
    """A deal whose boards have some entries, ties among them, and a copy that is up to date."""
    deal = factory.deal()
    for ms in (100, 100, 200, 300, 300, 400):
        factory.listed(deal, Score(20, ms, 40), finished_at=factory.NOON + timedelta(microseconds=ms % 3))
    assert copy.fill(deal.pk)
    return deal


def assert_equal_to_sql(copy: BoardCache, deal: Any) -> None:
    """Every page, rank and neighbourhood of the copy is what SQL has."""
    for board in BOARDS:
        ladder = deal_ladder(deal.pk, board)
        truth = boards.sql_page(ladder, None, 100)
        found = copy.page(deal.pk, board, 0, 100)
        assert found == truth
        for entry in truth.entries:
            for backwards in (False, True):
                side = copy.beside(deal.pk, board, entry.position, 2, backwards=backwards)
                assert side is not None
                start = max(0, (entry.rank or 0) - 3) if backwards else entry.rank or 0
                end = (entry.rank or 0) - 1 if backwards else start + 2
                assert side.entries == truth.entries[start:end]
            player = type(factory.player()).objects.get(public_id=entry.player)
            assert copy.rank(deal.pk, board, player.pk) == entry.rank
            near = copy.around(deal.pk, board, player.pk, 1)
            assert near is not None
            assert near.entries == reading.entries_around(ladder, player.pk, 1)


def list_one(deal: Any, capture: Any, ms: int = 250) -> Any:
    with capture(execute=True):
        return factory.listed(deal, Score(20, ms, 40))


def test_a_filled_copy_is_equal_to_sql(copy: BoardCache, deal: Any) -> None:
    assert_equal_to_sql(copy, deal)


def test_the_boards_are_read_from_the_copy(copy: BoardCache, deal: Any, django_assert_num_queries: Any) -> None:
    copy._keep = lambda *_args, **_options: None  # type: ignore[method-assign] # the check of versions asks the database
    first = boards.page(deal, limit=2)
    with django_assert_num_queries(0):
        assert boards.page(deal, limit=2).entries == first.entries
        assert [e.rank for e in boards.page(deal, "race", first.after, 2).entries] == [3, 4]


def test_changes_follow_in_the_copy(copy: BoardCache, deal: Any, django_capture_on_commit_callbacks: Any) -> None:
    result = list_one(deal, django_capture_on_commit_callbacks)
    assert_equal_to_sql(copy, deal)
    for listed in (False, True):
        with django_capture_on_commit_callbacks(execute=True):
            entries.set_listed(result, listed=listed)
        assert_equal_to_sql(copy, deal)
    with django_capture_on_commit_callbacks(execute=True):
        entries.remove(result)
    assert_equal_to_sql(copy, deal)
    assert boards.rank_of(deal, "race", result.player) is None


def test_changes_that_arrive_in_any_order_are_played_in_theirs(
    copy: BoardCache, deal: Any, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        result = factory.listed(deal, Score(20, 50, 40))
        entries.set_listed(result, listed=False)
        entries.set_listed(result, listed=True)
        factory.listed(deal, Score(20, 60, 40))
    for callback in reversed(callbacks):
        callback()
    assert_equal_to_sql(copy, deal)
    for callback in callbacks:  # delivered again
        callback()
    assert_equal_to_sql(copy, deal)


@pytest.mark.parametrize("part", range(4))
def test_a_copy_that_lost_a_part_of_itself_is_not_used_and_made_anew(
    copy: BoardCache, deal: Any, client: redis.Redis, fills: list[int], part: int
) -> None:
    truth = boards.sql_page(deal_ladder(deal.pk, "race"), None, 100).entries
    client.delete(_keys(deal.pk)[part])
    if part in (0, 1):
        assert copy.page(deal.pk, "race", 0, 10) is None
    if part in (0, 2):
        assert copy.page(deal.pk, "fewest", 0, 10) is None
    if part == 3:
        assert copy.rank(deal.pk, "race", 1) is None
    assert boards.page(deal).entries == truth
    assert deal.pk in fills
    copy.drop(deal.pk)
    assert copy.fill(deal.pk)
    assert_equal_to_sql(copy, deal)


def test_a_lost_change_is_noticed_and_the_copy_made_anew(
    copy: BoardCache, deal: Any, fills: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    assert boards.page(deal).total == 6
    with django_capture_on_commit_callbacks():  # the process died between its commit and the cache
        factory.listed(deal, Score(20, 50, 40))
    assert boards.page(deal).total == 6  # behind for a moment
    assert fills == []
    boards.page(deal)  # behind, and standing still
    assert fills == [deal.pk]
    assert boards.page(deal).total == 7  # SQL serves
    assert copy.fill(deal.pk)
    assert_equal_to_sql(copy, deal)


def test_a_stale_fill_does_not_overwrite_what_is_newer(
    copy: BoardCache,
    deal: Any,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
    client: redis.Redis,
) -> None:
    chunks = cache._chunks

    def slow(deal_id: int) -> Any:
        """While this fill reads, its lock expires, an entry is removed, and another fill is made."""
        yield from chunks(deal_id)
        client.delete(_keys(deal_id)[5])
        with django_capture_on_commit_callbacks(execute=True):
            entries.remove(deal.results.first())
        monkeypatch.setattr(cache, "_chunks", chunks)
        copy.drop(deal_id)
        assert copy.fill(deal_id)

    monkeypatch.setattr(cache, "_chunks", slow)
    assert not copy.fill(deal.pk)
    assert_equal_to_sql(copy, deal)
    assert not client.keys("*:race:*")


def test_a_fill_older_than_the_copy_is_thrown_away(copy: BoardCache, deal: Any, client: redis.Redis) -> None:
    DealBoard.objects.filter(deal=deal).update(version=2)
    assert not copy.fill(deal.pk)
    assert client.hget(_keys(deal.pk)[0], "version") == b"6"


def test_changes_during_a_fill_are_not_lost(
    copy: BoardCache, deal: Any, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    chunks = cache._chunks
    copy.drop(deal.pk)

    def busy(deal_id: int) -> Any:
        yield from list(chunks(deal_id))
        with django_capture_on_commit_callbacks(execute=True):
            entries.remove(deal.results.first())
            factory.listed(deal, Score(20, 50, 40))

    monkeypatch.setattr(cache, "_chunks", busy)
    assert copy.fill(deal.pk)
    assert_equal_to_sql(copy, deal)


def test_one_fill_at_a_time(copy: BoardCache, deal: Any, client: redis.Redis) -> None:
    client.set(_keys(deal.pk)[5], b"somebody")
    assert not copy.fill(deal.pk)


def test_boards_are_served_while_redis_is_away(monkeypatch: pytest.MonkeyPatch, fills: list[int]) -> None:
    away = BoardCache(redis.Redis(port=1, socket_connect_timeout=0.2))
    monkeypatch.setattr(boards, "board_cache", lambda: away)
    monkeypatch.setattr(entries, "board_cache", lambda: away)
    deal = factory.deal()
    result = factory.listed(deal, Score(20, 50, 40))
    assert [e.rank for e in boards.page(deal).entries] == [1]
    assert boards.rank_of(deal, "race", result.player) == 1
    assert [e.rank for e in boards.around(deal, "race", result.player)] == [1]


def test_a_changed_name_and_public_id_are_shown_at_once(
    copy: BoardCache, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(ranking, "board_cache", lambda: copy)
    deal = factory.deal(day=timezone.now().date())
    result = factory.listed(deal, Score(20, 100, 40))
    factory.listed(deal, Score(20, 200, 40))
    assert copy.fill(deal.pk)
    who = result.player
    who.display_name, who.public_id = "Émile", uuid.uuid4()
    who.save()
    with django_capture_on_commit_callbacks(execute=True):
        ranking.rename_player(who)
    first = boards.page(deal).entries[0]
    assert (first.name, first.player) == ("Émile", who.public_id)
    assert_equal_to_sql(copy, deal)


def test_an_empty_board_is_copied_too(copy: BoardCache, deal: Any) -> None:
    empty = factory.deal("braid")
    assert copy.fill(empty.pk)
    assert boards.page(empty).entries == []
    assert copy.page(empty.pk, "race", 0, 10) is not None
