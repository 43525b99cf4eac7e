"""Reminder calendar: private, renewable, and deleted with its player."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from icalendar import Calendar
from pytest_django import Settings

from accounts.lifecycle.bans import ban_player
from accounts.lifecycle.erasure import erase_player
from accounts.models import CalendarLink
from accounts.profile.calendar_feed import address_of
from accounts.sign_in.guests import BACKEND
from tests.accounts.conftest import exported
from tests.factories import make_account, signed_in

pytestmark = pytest.mark.django_db(transaction=True)
CHANGE = "/players/me/calendar/"


@pytest.fixture
def who() -> Any:
    return make_account()


@pytest.fixture
def mine(who: Any) -> Client:
    return signed_in(who)


def path(who: Any, settings: Any) -> str:
    return address_of(CalendarLink.objects.get(player=who)).removeprefix(settings.PUBLIC_URL)


def test_it_can_be_created_renewed_and_turned_off(who: Any, mine: Client, settings: Settings) -> None:
    assert "Create calendar" in mine.get("/players/me/settings/").content.decode()
    assert mine.post(CHANGE, {"do": "set", "hour": "7"}).status_code == 302
    address = path(who, settings)
    assert settings.PUBLIC_URL + address in mine.get("/players/me/settings/").content.decode()
    answer = Client().get(address)
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    event: Any = Calendar.from_ical(answer.content).walk("VEVENT")[0]
    assert event["rrule"]["freq"] == ["DAILY"]
    assert (event["dtstart"].dt.hour, event["dtstart"].dt.tzinfo) == (7, None)
    assert len(event.walk("VALARM")) == 1
    mine.post(CHANGE, {"do": "set", "hour": "23"})
    assert path(who, settings) == address
    mine.post(CHANGE, {"do": "renew", "hour": "23"})
    assert Client().get(address).status_code == 404
    renewed = path(who, settings)
    assert Client().get(renewed).status_code == 200
    mine.post(CHANGE, {"do": "stop", "hour": "23"})
    assert Client().get(renewed).status_code == 404


def test_it_uses_the_players_language(who: Any, mine: Client, settings: Settings) -> None:
    who.preferences = {"language": "de"}
    who.save()
    mine.post(CHANGE, {"do": "set", "hour": "7"})
    assert "neun neue Spiele" in Client().get(path(who, settings)).content.decode()


def test_unknown_addresses_are_not_found(client: Client) -> None:
    for token in ("", "00", "0" * 32, f"{'0' * 32}:forged", "é:x"):
        assert client.get(f"/calendar/{token}.ics").status_code == 404


def test_wrong_settings_are_refused_and_guests_redirected(mine: Client, client: Client) -> None:
    wrong_hours = [{"do": "set", "hour": hour} for hour in ("24", "²", "0199999", "-1")]
    for data in (*wrong_hours, {"do": "set"}, {"do": "go", "hour": "1"}):
        assert mine.post(CHANGE, data).status_code == 400
    guest = make_account(is_guest=True)
    client.force_login(guest, backend=BACKEND)
    client.post(CHANGE, {"do": "set", "hour": "7"})
    assert CalendarLink.objects.count() == 0


def test_bans_and_deletion_end_it_and_exports_include_it(who: Any, mine: Client, settings: Settings) -> None:
    mine.post(CHANGE, {"do": "set", "hour": "7"})
    address = path(who, settings)
    found = exported(who)
    assert found["calendar"][0]["hour"] == 7
    assert CalendarLink.objects.get().key.hex not in json.dumps(found)
    ban_player(who)
    assert Client().get(address).status_code == 404
    who.refresh_from_db()
    erase_player(who)
    assert CalendarLink.objects.count() == 0
