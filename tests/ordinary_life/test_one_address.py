"""Many people behind one address: a class in a school, newcomers from a phone carrier."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games.core import limits
from games.core.waiting import COOKIE, PAGE
from games.models import Attempt
from games.races.models import Entrant
from tests.accounts.conftest import PASSWORD
from tests.factories import make_account

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "203.0.113.7"
PRACTICE = "http://testserver/practice/"
PUPILS, NEWCOMERS = 32, 100


def person(**headers: str) -> Client:
    return Client(REMOTE_ADDR=ADDRESS, headers=headers)


def start(client: Client) -> Any:
    return client.post("/practice/start", {"name": "plot"}, headers={"referer": PRACTICE})


def test_a_class_plays_in_rooms_and_at_tables() -> None:
    for n in range(PUPILS):
        pupil = person()
        form = {"name": "stonewall", "limit": "900", "seats": "4", "privacy": ("public", "private")[n % 2]}
        room, table = pupil.post("/races/new", form), start(pupil)
        assert [pupil.get(page["Location"]).status_code for page in (room, table)] == [200, 200]
    assert (Entrant.objects.count(), Attempt.objects.count()) == (PUPILS, PUPILS)


def test_a_class_signs_up_and_in() -> None:
    """Each pupil mistypes the password once."""
    for n in range(PUPILS):
        make_account(f"Pupil {n}", password=PASSWORD)
    pupils = [person() for _ in range(PUPILS)]
    for password in ("wrong", PASSWORD):
        for n, pupil in enumerate(pupils):
            pupil.post(reverse("account_login"), {"login": f"Pupil {n}", "password": password})
    assert all("_auth_user_id" in pupil.session for pupil in pupils)
    for n in range(PUPILS):
        form = {"username": f"New pupil {n}", "password1": PASSWORD}
        assert person().post(reverse("account_signup"), form).status_code == 302
    assert User.objects.count() == 2 * PUPILS


@pytest.mark.usefixtures("stopped_windows")
def test_newcomers_of_a_carrier_all_play_at_once() -> None:
    assert {start(person()).status_code for _ in range(NEWCOMERS)} == {302}


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch, stopped_windows: None) -> list[Client]:
    """Three newcomers for whom their network has no guest left; it gets one every two minutes."""
    monkeypatch.setitem(limits.RATES, "guest", "5/10m")
    clients = [person() for _ in range(8)]
    codes = [start(client).status_code for client in clients]
    assert codes == [302] * 5 + [303] * 3
    return clients[5:]


def poll(client: Client) -> dict[str, Any]:
    """Ask as the queue's page does."""
    return dict(client.get(PAGE, headers={"accept": "application/json"}).json())


def test_further_newcomers_wait_in_the_queue_and_play(late: list[Client], monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    clock = SimpleNamespace(time=lambda: now)
    monkeypatch.setattr("games.core.waiting.time", clock)
    first, second, third = late
    waiting = start(first)
    assert waiting["Location"] == f"{PAGE}?next=%2Fpractice%2F"
    page = first.get(waiting["Location"])
    assert page.status_code == 503
    assert "Too many players on your network right now. About 2 minutes left." in page.content.decode()
    assert first.get("/boards/").status_code == 200, "only starting a game waits"
    assert User.objects.count() == 5
    clock.time = lambda: now + 125
    assert [poll(client)["let_in"] for client in late] == [True, False, False]
    assert first.get(waiting["Location"])["Location"] == "/practice/"
    copy = person()
    copy.cookies[COOKIE] = first.cookies[COOKIE].value
    assert [start(client).status_code for client in (first, copy, second)] == [302, 303, 303], "one guest a turn"
    clock.time = lambda: now + 365
    assert [poll(client)["let_in"] for client in (second, third)] == [True, True]
    assert [start(client).status_code for client in (second, third)] == [302, 302]


def test_a_turn_is_for_its_own_network_and_cannot_be_forged(late: list[Client]) -> None:
    turn = late[0].cookies[COOKIE]
    assert turn["httponly"]
    assert turn["samesite"] == "Lax"
    assert not poll(late[0])["let_in"]
    elsewhere = Client(REMOTE_ADDR="198.51.100.7")
    elsewhere.cookies[COOKIE] = turn.value
    assert poll(elsewhere)["let_in"]
    late[0].cookies[COOKIE] = f"1:{turn.value.partition(':')[2]}"
    assert start(late[0]).status_code == 303


def test_programs_are_told_when_their_turn_comes(late: list[Client]) -> None:
    program = person(accept="application/json")
    program.cookies[COOKIE] = late[2].cookies[COOKIE].value
    response = start(program)
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["data"]["network"]) == (429, "rate_limited", True)
    assert 300 < error["data"]["retry_after"] == int(response["Retry-After"]) <= 360
    assert error["message"] == "Too many players on your network right now. About 6 minutes left."
