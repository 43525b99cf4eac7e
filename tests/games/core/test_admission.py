"""Admission cookies: tickets and passes are signed, bound to one client, and expire."""

from __future__ import annotations

import time
from itertools import count
from typing import Any

import pytest
from django.core import signing
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from accounts.sign_in.guests import create_guest
from games.attempts.lifecycle import close_attempt
from games.core.addresses import UNKNOWN
from games.core.admission_ticket import COOKIE, MAX_AGE, Pass, Ticket, identities, read, set_cookie
from games.models import Attempt
from games.races import rooms, seats
from leaderboards.views import JUST_FINISHED
from tests.games.conftest import Play

MINE = Ticket(1_700_000_000_000, "mine")


HERE = identities("", "192.0.2.1")
KEY = "k" * 32


def written(holding: Ticket | Pass, client: list[str] = HERE) -> str:
    response = HttpResponse()
    set_cookie(response, holding, client)
    return response.cookies[COOKIE].value


def at(monkeypatch: pytest.MonkeyPatch, then: float) -> None:
    monkeypatch.setattr("django.core.signing.time.time", lambda: then)


@pytest.mark.parametrize("holding", [MINE, Pass("mine")])
@pytest.mark.parametrize("client", [HERE, identities(KEY, "192.0.2.1")])
def test_cookie_is_read_back(holding: Ticket | Pass, client: list[str]) -> None:
    assert read(written(holding, client), client) == holding


@pytest.mark.parametrize("holding", [MINE, Pass("mine")])
def test_a_cookie_of_another_client_is_ignored(holding: Ticket | Pass) -> None:
    assert read(written(holding), identities("", "192.0.2.2")) is None
    mine = written(holding, identities(KEY, "192.0.2.1"))
    assert read(mine, identities("other", "192.0.2.1")) is None
    assert read(mine, HERE) is None


def test_client_keeps_its_ticket_when_it_gets_a_session() -> None:
    assert read(written(MINE), identities(KEY, "192.0.2.1")) == MINE


def test_client_with_a_session_may_change_its_network() -> None:
    assert read(written(Pass("mine"), identities(KEY, "192.0.2.1")), identities(KEY, "192.0.2.2")) == Pass("mine")


def test_an_earlier_ticket_comes_first() -> None:
    first, second = Ticket.new(), Ticket.new()
    assert first.name != second.name
    assert first.arrived <= second.arrived
    assert Ticket(1, "z") < Ticket(2, "a")


def test_a_nanosecond_is_earlier(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = count(1_800_000_000_000_000_000)
    monkeypatch.setattr("games.core.admission_ticket.time.time_ns", lambda: next(moments))
    tickets = [Ticket.new() for _ in range(20)]
    assert sorted(tickets) == tickets


@pytest.mark.parametrize(
    "forged",
    [
        "",
        "in",
        "waiting:1:mine",
        "in:1abcde:" + "x" * 43,
        written(MINE).replace("1700000000000", "1500000000000"),
        written(MINE).replace("waiting", "in"),
        written(MINE)[:-1],
        signing.get_cookie_signer(salt="another").sign("in"),
    ],
    ids=["nothing", "bare", "unsigned", "made up", "another time", "another kind", "cut", "another salt"],
)
def test_an_unsigned_cookie_is_ignored(forged: str) -> None:
    assert read(forged, HERE) is None


@pytest.mark.parametrize("holding", [MINE, Pass("mine")])
def test_ticket_and_pass_are_good_for_an_hour(monkeypatch: pytest.MonkeyPatch, holding: Ticket | Pass) -> None:
    begun, value = time.time(), written(holding)
    at(monkeypatch, begun + MAX_AGE.total_seconds() - 1)
    assert read(value, HERE) == holding
    at(monkeypatch, begun + MAX_AGE.total_seconds() + 2)
    assert read(value, HERE) is None


def test_scripts_and_other_sites_cannot_read_it() -> None:
    response = HttpResponse()
    set_cookie(response, MINE, HERE)
    cookie = response.cookies[COOKIE]
    assert cookie["httponly"] is True
    assert cookie["samesite"] == "Lax"
    assert KEY not in written(Pass(), identities(KEY, UNKNOWN))


@pytest.mark.django_db
def test_a_player_in_a_game_has_a_pass(mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at()
    assert has_pass(mine, mine.get(f"/table/{attempt.public_id}/"))


@pytest.mark.django_db
def test_a_finished_game_gives_no_pass(mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at()
    close_attempt(attempt.pk, "resigned")
    page = mine.get(f"/table/{attempt.public_id}/")
    assert page.status_code == 200
    assert COOKIE not in page.cookies


@pytest.mark.django_db(transaction=True)
def test_a_seated_player_has_a_pass_for_the_room(mine: Client) -> None:
    host = create_guest()
    room = rooms.open_room(host, "stonewall", public=False, limit_s=900, seats=2)
    seats.sit(room.pk, host)
    assert has_pass(mine, mine.post(f"/races/{room.code}/sit"))
    other, third, fourth = Client(), Client(), Client()
    assert not has_pass(other, other.post(f"/races/{room.code}/sit")), "all seats are taken"
    assert has_pass(third, third.post("/races/new", {"name": "stonewall", "limit": "900", "seats": "4"}))
    assert has_pass(fourth, fourth.post("/races/quick", {"variant": "stonewall"}))


@pytest.mark.django_db(transaction=True)
def test_a_seat_taken_over_the_socket_gives_a_pass(mine: Client, player: Any) -> None:
    room = rooms.open_room(create_guest(), "stonewall", public=False, limit_s=900, seats=2)
    assert COOKIE not in mine.get(f"/races/{room.code}/").cookies
    seats.sit(room.pk, player)
    assert has_pass(mine, mine.get(f"/races/{room.code}/"))
    assert COOKIE not in Client().get(f"/races/{room.code}/").cookies


@pytest.mark.django_db
def test_finishing_a_game_renews_the_pass(mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at()
    after = f"/table/{attempt.public_id}/after/"
    assert COOKIE not in mine.get(after).cookies
    close_attempt(attempt.pk, "resigned")
    assert has_pass(mine, mine.get(after))
    Attempt.objects.filter(pk=attempt.pk).update(finished_at=timezone.now() - JUST_FINISHED)
    assert COOKIE not in mine.get(after).cookies


def has_pass(client: Client, answer: Any) -> bool:
    if COOKIE not in answer.cookies:
        return False
    session = client.cookies["sessionid"].value
    return isinstance(read(answer.cookies[COOKIE].value, identities(session, "another network")), Pass)
