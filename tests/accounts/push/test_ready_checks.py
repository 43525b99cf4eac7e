"""Ready checks of quick matches by push: for waiting players who are not in the room, at most once a minute."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction

from accounts.models import User
from accounts.push.ready_checks import send_ready_checks
from games.core import events
from games.races import seats
from games.races.models import Entrant
from games.races.quick_match import matchmaking, roll_call
from tests.accounts.conftest import MakeUser, SignIn
from tests.accounts.push.browsers import Browser, Service, turn_on
from tests.games.races.quick_match.queue_players import confirm, enter, quick_room, room_of, state_of
from tests.games.races.runs import at

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def arrivals(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The entrants whose arrival was announced to the workers."""
    found: list[int] = []

    def request_task(name: str, *args: int, **_: Any) -> bool:
        if name == "talon.send_ready_checks":
            found.extend(args)
        return True

    monkeypatch.setattr(events, "request_task", request_task)
    return found


@pytest.fixture
def browser(user: User, sign_in: SignIn) -> Browser:
    """A browser whose player waits alone for a game of Plot."""
    browser = turn_on(sign_in(user))
    matchmaking.enter(user, ["plot"], at(0))
    return browser


def work(arrivals: list[int], service: Service, second: float) -> int:
    """Run the tasks requested so far."""
    sent = sum(send_ready_checks(arrival, service.send, lambda: at(second)) for arrival in arrivals)
    arrivals.clear()
    return sent


def test_a_waiting_player_is_asked_once(user: User, browser: Browser, service: Service, arrivals: list[int]) -> None:
    assert work(arrivals, service, 0) == 0
    opponent = enter(20, "plot")
    again = list(arrivals)
    assert work(arrivals, service, 20) == 1
    [(_, headers, body)] = service.requests
    assert browser.read(body) == {
        "title": "Your race is ready",
        "body": "Opponent found. Confirm within 15 seconds.",
        "path": f"/races/{room_of(user).code}/",
        "topic": "ready",
        "lang": "en-gb",
    }
    assert (headers["TTL"], headers["Topic"], headers["Urgency"]) == ("15", "ready", "high")
    enter(21, "plot")
    matchmaking.advance_all(at(22))
    assert work(arrivals, service, 22) == 0, "the deadline is still that of the first opponent"
    assert work(again, service, 22) == 0, "a task runs twice"
    seats.leave(room_of(opponent).pk, opponent.pk, at(23))


@pytest.mark.usefixtures("browser")
def test_a_connected_player_is_not_asked(user: User, service: Service, arrivals: list[int]) -> None:
    seat = Entrant.objects.get(player=user)
    roll_call.record_connected(room_of(user).pk, [seat.pk], at(18))
    enter(20, "plot")
    assert work(arrivals, service, 20) == 0
    assert state_of(user) == "joined"


@pytest.mark.usefixtures("browser")
def test_a_player_who_has_closed_the_page_is_asked(user: User, service: Service, arrivals: list[int]) -> None:
    seat = Entrant.objects.get(player=user)
    roll_call.record_connected(room_of(user).pk, [seat.pk], at(18))
    roll_call.record_disconnected(seat.pk, at(18.5))
    enter(20, "plot")
    assert work(arrivals, service, 20) == 1


@pytest.mark.usefixtures("browser")
def test_a_new_opponent_asks_again_after_a_minute(user: User, service: Service, arrivals: list[int]) -> None:
    first = enter(20, "plot")
    assert work(arrivals, service, 20) == 1
    seats.leave(room_of(first).pk, first.pk, at(22))
    second = enter(30, "plot")
    assert work(arrivals, service, 30.4) == 0, "opponents who come and go"
    seats.leave(room_of(second).pk, second.pk, at(31))
    cache.clear()  # a minute later
    enter(90, "plot")
    assert work(arrivals, service, 90.4) == 1
    assert service.requests[1][1]["TTL"] == "15"


@pytest.mark.usefixtures("browser")
def test_two_lone_players_are_both_asked(
    user: User, make_user: MakeUser, sign_in: SignIn, service: Service, arrivals: list[int]
) -> None:
    """Two processes have each made a room at the same moment."""
    other = make_user()
    theirs = turn_on(sign_in(other))
    quick_room(other)
    matchmaking.advance_all(at(1))
    assert room_of(user) == room_of(other)
    assert work(arrivals, service, 1) == 2
    assert any(theirs.endpoint.endswith(path) for path, *_ in service.requests)


@pytest.mark.usefixtures("browser")
@pytest.mark.parametrize("reason", ["confirmed", "late", "opponent gone"])
def test_an_answered_or_late_check_is_dropped(user: User, service: Service, arrivals: list[int], reason: str) -> None:
    opponent = enter(20, "plot")
    if reason == "confirmed":
        confirm(user, 21)
    elif reason == "opponent gone":
        seats.leave(room_of(opponent).pk, opponent.pk, at(21))
    assert work(arrivals, service, 35 if reason == "late" else 22) == 0
    assert service.requests == []


@pytest.mark.usefixtures("browser")
def test_it_is_requested_after_the_commit(arrivals: list[int]) -> None:
    arrivals.clear()
    with transaction.atomic():
        enter(20, "plot")
        assert arrivals == []
    assert len(arrivals) == 1


def test_players_without_a_device_are_not_asked(service: Service, arrivals: list[int]) -> None:
    enter(0, "plot")
    enter(20, "plot")
    assert len(arrivals) == 2
    assert work(arrivals, service, 20) == 0
