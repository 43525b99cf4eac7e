"""Tickets and passes are what this site has signed, and for no longer than they are good."""

from __future__ import annotations

import time
from itertools import count
from typing import Any

import pytest
from django.core import signing
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from accounts.guests import BACKEND, create_guest
from games.admission import COOKIE, PASS_KEPT, TICKET_KEPT, Pass, Ticket, cookie_of, give_pass, read
from games.attempts import close_attempt
from games.models import Attempt
from games.races import rooms, seats
from leaderboards.views import JUST_FINISHED
from tests.games.conftest import Play

MINE = Ticket(1_700_000_000_000, "mine")


def written(holding: Ticket | Pass) -> str:
    return cookie_of(holding)[COOKIE].value


def at(monkeypatch: pytest.MonkeyPatch, then: float) -> None:
    monkeypatch.setattr("django.core.signing.time.time", lambda: then)


@pytest.mark.parametrize("holding", [MINE, Pass()])
def test_what_was_written_is_read(holding: Ticket | Pass) -> None:
    assert read(written(holding)) == holding


def test_an_earlier_ticket_comes_first() -> None:
    first, second = Ticket.new(), Ticket.new()
    assert first.name != second.name
    assert first.arrived <= second.arrived
    assert Ticket(1, "z") < Ticket(2, "a")


def test_a_nanosecond_is_earlier(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = count(1_800_000_000_000_000_000)
    monkeypatch.setattr("games.admission.time.time_ns", lambda: next(moments))
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
def test_what_this_site_has_not_signed_is_nothing(forged: str) -> None:
    assert read(forged) is None


def test_a_ticket_that_is_not_shown_is_void_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = time.time()
    ticket, pass_ = written(MINE), written(Pass())
    at(monkeypatch, begun + TICKET_KEPT.total_seconds() - 1)
    assert read(ticket) == MINE
    shown_again = written(MINE)
    at(monkeypatch, begun + TICKET_KEPT.total_seconds() + 2)
    assert read(ticket) is None
    assert read(shown_again) == MINE
    assert read(pass_) == Pass()
    at(monkeypatch, begun + PASS_KEPT.total_seconds() + 2)
    assert read(pass_) is None


def test_scripts_and_other_sites_get_nothing_of_it() -> None:
    response = HttpResponse()
    give_pass(response)
    kept = response.cookies[COOKIE]
    assert kept["httponly"] is True
    assert kept["samesite"] == "Lax"
    assert read(kept.value) == Pass()


@pytest.fixture
def mine(player: Any) -> Client:
    client = Client()
    client.force_login(player, backend=BACKEND)
    return client


@pytest.mark.django_db
def test_who_has_a_game_in_play_has_a_pass(mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at()
    page = mine.get(f"/table/{attempt.public_id}/")
    assert read(page.cookies[COOKIE].value) == Pass()


@pytest.mark.django_db
def test_a_game_that_is_over_gives_none(mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at()
    close_attempt(attempt.pk, "resigned")
    page = mine.get(f"/table/{attempt.public_id}/")
    assert page.status_code == 200
    assert COOKIE not in page.cookies


@pytest.mark.django_db(transaction=True)
def test_who_has_taken_a_seat_in_a_race_gets_to_the_room(mine: Client) -> None:
    host = create_guest()
    room = rooms.open_room(host, "stonewall", public=False, limit_s=900, seats=2)
    seats.sit(room.pk, host)
    assert holding(mine.post(f"/races/{room.code}/sit")) == Pass()
    assert holding(Client().post(f"/races/{room.code}/sit")) is None, "every seat is taken"
    assert holding(Client().post("/races/new", {"name": "stonewall", "limit": "900", "seats": "4"})) == Pass()
    assert holding(Client().post("/races/quick", {"variant": "stonewall"})) == Pass()


@pytest.mark.django_db(transaction=True)
def test_who_took_a_seat_over_the_socket_keeps_the_room(mine: Client, player: Any) -> None:
    room = rooms.open_room(create_guest(), "stonewall", public=False, limit_s=900, seats=2)
    assert COOKIE not in mine.get(f"/races/{room.code}/").cookies
    seats.sit(room.pk, player)
    assert read(mine.get(f"/races/{room.code}/").cookies[COOKIE].value) == Pass()
    assert COOKIE not in Client().get(f"/races/{room.code}/").cookies


@pytest.mark.django_db
def test_who_has_just_finished_has_a_new_pass(mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at()
    after = f"/table/{attempt.public_id}/after/"
    assert COOKIE not in mine.get(after).cookies
    close_attempt(attempt.pk, "resigned")
    assert read(mine.get(after).cookies[COOKIE].value) == Pass()
    Attempt.objects.filter(pk=attempt.pk).update(finished_at=timezone.now() - JUST_FINISHED)
    assert COOKIE not in mine.get(after).cookies


def holding(answer: Any) -> Ticket | Pass | None:
    """What a player has after this answer, which leads to a room."""
    assert answer["Location"].startswith("/races/")
    return read(answer.cookies[COOKIE].value) if COOKIE in answer.cookies else None
