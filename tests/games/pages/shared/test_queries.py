"""Query limits of the most visited pages, the page header, and the race pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from games.attempts.lifecycle import start_attempt
from games.daily.page_header import header_of
from games.inbox import notices
from games.inbox.models import Notice
from games.models import Deal
from games.pages.races import lobby
from games.races import rooms, seats
from games.races.attendance import roll_call
from games.races.models import Room
from leaderboards.ratings import folding
from tests.factories import signed_in
from tests.games.races.finished_races import heat
from tests.games.races.runs import LIMIT_S, VARIANT, at

pytestmark = pytest.mark.django_db(transaction=True)


def statements_of(work: Callable[[], object]) -> list[str]:
    """Return the SQL statements of some work with empty caches, without transaction control."""
    cache.clear()
    with CaptureQueriesContext(connection) as captured:
        work()
    control = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
    return [query["sql"] for query in captured.captured_queries if not query["sql"].startswith(control)]


def visit(client: Client, path: str) -> Callable[[], object]:
    """Return the visit of a page that has been visited before, which fills the caches of the process."""

    def read() -> None:
        assert client.get(path).status_code == 200

    read()
    return read


def test_queries_of_the_most_visited_pages(client: Client, mine: Client, player: Any, today: list[Deal]) -> None:
    start_attempt(player, today[0])
    for visitor, path, most in (
        (client, "/play/braid/", 1),
        (client, "/rules/plot/", 0),
        (client, "/deals/", 4),
        (mine, "/", 17),
        (mine, "/deals/", 7),
        (mine, f"/play/{today[1].variant}/", 5),
        (mine, f"/boards/{today[0].day}/{today[0].variant}/", 15),
    ):
        read = visit(visitor, path)
        # Twice: the first page after midnight also makes the new day's deals.
        assert min(len(statements_of(read)) for _ in range(2)) <= most, path


PLAIN = "/rules/braid/"  # makes no queries of its own


def test_the_notice_count_is_always_current(mine: Client, player: Any) -> None:
    assert "inbox-link" not in mine.get(PLAIN).content.decode()
    notices.put(player.pk, Notice.Kind.RATING_MOVED, {"before": 1500, "after": 1510})
    assert re.search(r"<b>1</b>\s*</a>", mine.get(PLAIN).content.decode())
    mine.get("/inbox/")
    assert "inbox-link" not in mine.get(PLAIN).content.decode()


def test_notices_move_to_the_account_at_once(mine: Client, player: Any, rival: Any) -> None:
    assert header_of(player.pk).unread == 0
    notices.put(rival.pk, Notice.Kind.RATING_MOVED, {})
    notices.hand_over(rival.pk, player.pk, since=rival.date_joined)
    assert header_of(player.pk).unread == 1


def test_the_end_of_a_quick_match_is_reported_until_seen(
    mine: Client, player: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for note, shown in (
        (roll_call.Note.MISSED, "You missed a quick match: you didn"),
        (roll_call.Note.ABSENT, "You missed a race: you weren"),
        (roll_call.Note.ALONE, "first in line for the next match"),
    ):
        mine.post("/races/quick", {"variant": "plot"})
        seats.leave_all(player.pk)
        roll_call.leave_note([player.pk], note)
        for _lost_reply in range(2):
            assert mine.get(PLAIN).content.decode().count(shown) == 1
        room = mine.post("/races/quick", {"variant": "plot"})["Location"]
        assert shown not in mine.get(PLAIN).content.decode()
        roll_call.leave_note([player.pk], note)
        assert mine.get(room).content.decode().count(shown) == 1
        seats.leave_all(player.pk)
    monkeypatch.setattr(roll_call, "SHOWN_FOR", -1)
    roll_call.leave_note([player.pk], note)
    assert [roll_call.note_for(player.pk) for _ in range(2)] == [note, None], "expired"


def test_a_player_costs_three_reads(mine: Client, django_assert_num_queries: Any) -> None:
    """Only players in the quick queue are looked up in races, too."""
    with django_assert_num_queries(3):
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


def room_of(people: list[User], *, public: bool = True) -> Room:
    room = rooms.open_room(people[0], VARIANT, public=public, limit_s=LIMIT_S, seats=16)
    for player in people:
        seats.sit(room.pk, player)
    return room


def test_queries_of_a_room(people: list[User]) -> None:
    room = room_of(people[:2])
    read = visit(signed_in(people[0]), f"/races/{room.code}/")
    few = statements_of(read)
    for player in people[2:]:
        seats.sit(room.pk, player)
    assert len(statements_of(read)) == len(few) <= 8, "\n".join(few)


def test_queries_of_the_lobby(people: list[User]) -> None:
    room_of(people[:1])
    heat(at(0).date(), 3, {people[0]: 2, people[1]: 1})
    read = visit(signed_in(people[0]), "/races/lobby.json")
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
        statements_of(visit(signed_in(people[0]), f"/races/{race.room.code}/{race.number}/"))
        for race in (few_race, many_race)
    )
    assert len(many) <= len(few) <= 13, "\n".join(many)


def test_queries_of_joining_with_notices_and_a_coming_race(people: list[User]) -> None:
    read = visit(signed_in(people[0]), "/")
    few = statements_of(read)
    room_of(people)
    for n in range(20):
        notices.put(people[0].pk, Notice.Kind.RATING_MOVED, {"address": "/", "before": 1500, "after": 1501 + n})
    for hour in range(4, 7):
        heat(at(0).date(), hour, dict(zip(people, range(6), strict=True)))
    many = statements_of(read)
    assert len(many) <= len(few) + 1, "\n".join(many)  # the room in which the player has a seat
    assert len(many) <= 18, "\n".join(many)
