"""Query counts of the race pages, which do not grow with the size of room or lobby."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from accounts.sign_in.guests import BACKEND
from games.core import events
from games.ghosts.models import Notice
from games.inbox import notices
from games.races import lobby, rooms, seats
from games.races.models import Room
from leaderboards.ratings import rating_reconciler
from tests.games.races.finished_races import heat
from tests.games.races.runs import LIMIT_S, VARIANT, at

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "request_task", lambda *_task, **_: True)


@pytest.fixture
def people() -> list[User]:
    return [User.objects.create(username=f"Racer {n}", display_name=f"Racer {n}") for n in range(6)]


def statements(work: Callable[[], object]) -> list[str]:
    cache.clear()
    with CaptureQueriesContext(connection) as asked:
        work()
    return [query["sql"] for query in asked.captured_queries]


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
    few = statements(read)
    for player in people[2:]:
        seats.sit(room.pk, player)
    assert len(statements(read)) == len(few) <= 8, "\n".join(few)


def test_queries_of_the_lobby(people: list[User]) -> None:
    room_of(people[:1])
    heat(at(0).date(), 3, {people[0]: 2, people[1]: 1})
    read = page_of(people[0], "/races/lobby.json")
    few, few_at = statements(read), statements(lambda: lobby.read(at(500)))
    for player in people[1:]:
        room_of([player])
    for hour in range(4, 7):
        heat(at(0).date(), hour, dict(zip(people, range(6), strict=True)))
    assert len(statements(read)) == len(few) <= 10, "\n".join(few)
    assert len(statements(lambda: lobby.read(at(500)))) == len(few_at)


@pytest.mark.parametrize("rated", [False, True])
def test_queries_of_a_result(people: list[User], rated: Any) -> None:
    # The first rated race has no earlier ratings to read.
    many_race = heat(at(0).date(), 3, dict(zip(people, range(6), strict=True)), rated=rated)
    few_race = heat(at(0).date(), 11, dict(zip(people[:2], (2, 1), strict=True)), rated=rated)
    if rated:
        assert rating_reconciler.rate_finished() == 2
    few, many = (
        statements(page_of(people[0], f"/races/{race.room.code}/{race.number}/")) for race in (few_race, many_race)
    )
    assert len(many) <= len(few) <= 12, "\n".join(many)


def test_queries_of_joining_with_notices_and_a_coming_race(people: list[User]) -> None:
    read = page_of(people[0], "/")
    few = statements(read)
    room_of(people)
    for n in range(20):
        notices.put(people[0].pk, Notice.Kind.RATING_MOVED, {"address": "/", "before": 1500, "after": 1501 + n})
    for hour in range(4, 7):
        heat(at(0).date(), hour, dict(zip(people, range(6), strict=True)))
    many = statements(read)
    assert len(many) <= len(few) + 1, "\n".join(many)  # the room in which the player has a seat
    assert len(many) <= 16, "\n".join(many)
