"""Query limits of the most visited pages, the page header, and the race pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import BACKEND, create_guest
from games.attempts.lifecycle import start_attempt
from games.inbox import notices
from games.inbox.models import Notice
from games.models import Deal
from games.races import lobby, rooms, seats
from games.races.models import Entrant, Room
from games.races.quick_match import matchmaking, roll_call
from leaderboards.ratings import folding
from tests.games.races.finished_races import heat
from tests.games.races.runs import LIMIT_S, VARIANT, at

pytestmark = pytest.mark.django_db(transaction=True)

_CONTROL = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")


def statements(client: Client, path: str, method: str = "get") -> int:
    cache.clear()
    with CaptureQueriesContext(connection) as captured:
        assert getattr(client, method)(path).status_code in {200, 302}
    return sum(not query["sql"].startswith(_CONTROL) for query in captured.captured_queries)


@pytest.mark.parametrize(
    ("path", "most"),
    [("/play/braid/", 1), ("/rules/plot/", 0), ("/deals/", 4)],
)
def test_queries_of_a_visitor(client: Client, today: list[Deal], path: str, most: int) -> None:
    client.get(path)
    # Twice: the first page after midnight also makes the new day's deals.
    assert min(statements(client, path) for _ in range(2)) <= most


def test_queries_of_a_start_page(mine: Client, player: Any, today: list[Deal]) -> None:
    start_attempt(player, today[0])
    assert statements(mine, f"/play/{today[1].variant}/") <= 6


def test_queries_of_a_board(mine: Client, today: list[Deal]) -> None:
    assert today[0].day is not None
    assert statements(mine, f"/boards/{today[0].day}/{today[0].variant}/") <= 15


PLAIN = "/rules/braid/"  # makes no queries of its own


def test_a_player_costs_session_player_and_notices(mine: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(3):
        mine.get(PLAIN)


def test_the_notice_count_is_always_current(mine: Client, player: Any) -> None:
    assert "inbox-link" not in mine.get(PLAIN).content.decode()
    notices.put(player.pk, Notice.Kind.RATING_MOVED, {"before": 1500, "after": 1510})
    assert re.search(r"<b>1</b>\s*</a>", mine.get(PLAIN).content.decode())
    mine.get("/inbox/")
    assert "inbox-link" not in mine.get(PLAIN).content.decode()


def test_notices_move_to_the_account_at_once(mine: Client, player: Any, rival: Any) -> None:
    assert notices.unread(player.pk) == 0
    notices.put(rival.pk, Notice.Kind.RATING_MOVED, {})
    notices.hand_over(rival.pk, player.pk, since=rival.date_joined)
    assert notices.unread(player.pk) == 1


def test_a_missed_quick_match_is_reported_once(mine: Client, player: Any) -> None:
    now = timezone.now()
    matchmaking.pop_note(player.pk)
    mine.post("/races/quick", {"variant": "plot"})
    matchmaking.enter(create_guest(), ["plot"], now)
    assert "You missed a quick match" not in mine.get(PLAIN).content.decode()
    matchmaking.advance_all(now + timedelta(seconds=16))
    assert "You missed a quick match" in mine.get(PLAIN).content.decode()
    assert "You missed a quick match" not in mine.get(PLAIN).content.decode()


@pytest.mark.parametrize("left", [False, True])
def test_missing_player_and_opponent_are_told_why(mine: Client, player: Any, left: bool) -> None:
    now = timezone.now()
    matchmaking.pop_note(player.pk)
    mine.post("/races/quick", {"variant": "plot"})
    room = matchmaking.enter(create_guest(), ["plot"], now)
    seats.set_ready(room.pk, player.pk, ready=True, now=now)
    matchmaking.advance_all(now)
    matchmaking.advance_all(now + timedelta(seconds=8))
    here = Entrant.objects.exclude(player=player) if left else Entrant.objects.filter(player=player)
    roll_call.record_connected(room.pk, [one.pk for one in here], now + timedelta(seconds=14))
    told = "You missed a quick match" if left else "first in line"
    assert told in mine.get(PLAIN).content.decode()
    assert told not in mine.get(PLAIN).content.decode()


def test_leaving_the_queue_is_no_missed_match(mine: Client, player: Any) -> None:
    matchmaking.pop_note(player.pk)
    mine.post("/races/quick", {"variant": "plot"})
    seats.leave_all(player.pk)
    assert "You missed a quick match" not in mine.get(PLAIN).content.decode()


def test_only_players_in_the_quick_queue_are_looked_up(mine: Client, django_assert_num_queries: Any) -> None:
    mine.get(PLAIN)
    session = mine.session
    session["waits_for_race"] = True
    session.save()
    mine.get(PLAIN)  # the seat is given up, and its mark deleted
    with django_assert_num_queries(3):
        mine.get(PLAIN)


@pytest.fixture
def people(requested_tasks: list[Any]) -> list[User]:
    return [User.objects.create(username=f"Racer {n}", display_name=f"Racer {n}") for n in range(6)]


def statements_of(work: Callable[[], object]) -> list[str]:
    cache.clear()
    with CaptureQueriesContext(connection) as captured:
        work()
    return [query["sql"] for query in captured.captured_queries]


def page_of(user: User, path: str) -> Callable[[], object]:
    browser = Client()
    browser.force_login(user, backend=BACKEND)

    def read() -> None:
        assert browser.get(path).status_code == 200

    read()  # fills the caches of the process
    return read


def room_of(people: list[User], *, public: bool = True) -> Room:
    room = rooms.open_room(people[0], VARIANT, public=public, limit_s=LIMIT_S, seats=16)
    for player in people:
        seats.sit(room.pk, player)
    return room


def test_queries_of_a_room(people: list[User]) -> None:
    room = room_of(people[:2])
    read = page_of(people[0], f"/races/{room.code}/")
    few = statements_of(read)
    for player in people[2:]:
        seats.sit(room.pk, player)
    assert len(statements_of(read)) == len(few) <= 8, "\n".join(few)


def test_queries_of_the_lobby(people: list[User]) -> None:
    room_of(people[:1])
    heat(at(0).date(), 3, {people[0]: 2, people[1]: 1})
    read = page_of(people[0], "/races/lobby.json")
    few, few_at = statements_of(read), statements_of(lambda: lobby.read(at(500)))
    for player in people[1:]:
        room_of([player])
    for hour in range(4, 7):
        heat(at(0).date(), hour, dict(zip(people, range(6), strict=True)))
    assert len(statements_of(read)) == len(few) <= 12, "\n".join(few)
    assert len(statements_of(lambda: lobby.read(at(500)))) == len(few_at)


@pytest.mark.parametrize("rated", [False, True])
def test_queries_of_a_result(people: list[User], rated: Any) -> None:
    # The first rated race has no earlier ratings to read.
    many_race = heat(at(0).date(), 3, dict(zip(people, range(6), strict=True)), rated=rated)
    few_race = heat(at(0).date(), 11, dict(zip(people[:2], (2, 1), strict=True)), rated=rated)
    if rated:
        assert folding.rate_finished() == 2
    few, many = (
        statements_of(page_of(people[0], f"/races/{race.room.code}/{race.number}/")) for race in (few_race, many_race)
    )
    assert len(many) <= len(few) <= 12, "\n".join(many)


def test_queries_of_joining_with_notices_and_a_coming_race(people: list[User]) -> None:
    read = page_of(people[0], "/")
    few = statements_of(read)
    room_of(people)
    for n in range(20):
        notices.put(people[0].pk, Notice.Kind.RATING_MOVED, {"address": "/", "before": 1500, "after": 1501 + n})
    for hour in range(4, 7):
        heat(at(0).date(), hour, dict(zip(people, range(6), strict=True)))
    many = statements_of(read)
    assert len(many) <= len(few) + 1, "\n".join(many)  # the room in which the player has a seat
    assert len(many) <= 16, "\n".join(many)
