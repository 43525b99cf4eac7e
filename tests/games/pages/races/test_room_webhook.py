"""Webhook form on the room page: its errors, its permissions, and the secrecy of the URL."""

from __future__ import annotations

import json
import logging
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.core import limits
from games.races import rooms
from games.races.models import Race, Room, RoomWebhook
from games.races.webhooks.result_post import post_result
from tests.accounts.conftest import exported
from tests.factories import make_account, signed_in
from tests.games.races.runs import Run
from tests.games.races.webhooks.discord import TOKEN, URL, Discord, finished_run, host_named, set_by
from tests.games.test_secrecy import addresses, body, written

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("requested_tasks")]

SHORT = f"discord.com/…{TOKEN[-4:]}"
FIELD = 'name="webhook_url"'


@pytest.fixture
def host() -> User:
    return host_named()


@pytest.fixture
def room(host: User) -> Room:
    return Run.of(2, players=[host, make_account("Theseus", date_joined=host.date_joined)]).room


@pytest.fixture
def other(room: Room) -> User:
    return User.objects.get(username="Theseus")


def send(client: Client, room: Room, do: str, **fields: Any) -> Any:
    return client.post(reverse("games:race_webhook", args=[room.code]), {"do": do, **fields})


def page(player: User, room: Room) -> str:
    return signed_in(player).get(f"/races/{room.code}/").content.decode()


def panel(text: str) -> str:
    """Return the panel's tag, empty without a panel."""
    found = re.search(r'<section class="panel webhook"[^>]*>', text)
    return found[0] if found else ""


def test_the_host_sets_and_removes_it(host: User, room: Room) -> None:
    client = signed_in(host)
    answer = send(client, room, "set", webhook_url=URL)
    assert (answer.status_code, answer["Location"]) == (302, f"/races/{room.code}/#webhook")
    assert RoomWebhook.objects.get().url == URL
    text = page(host, room)
    assert SHORT in text
    assert TOKEN not in text
    assert FIELD not in text
    send(client, room, "remove")
    assert not RoomWebhook.objects.exists()
    assert FIELD in page(host, room)


def test_a_refused_url_stays_in_the_form_with_the_reason(host: User, room: Room) -> None:
    typed = "https://evil.example/a"
    answer = send(signed_in(host), room, "set", webhook_url=typed)
    text = answer.content.decode()
    assert answer.status_code == 422
    assert f'value="{typed}"' in text
    assert "This site doesn&#x27;t post to that service." in text
    assert "hidden" not in panel(text)
    assert not RoomWebhook.objects.exists()
    assert signed_in(host).get(f"/races/{room.code}/webhook")["Location"] == f"/races/{room.code}/"
    program = signed_in(host).post(
        f"/races/{room.code}/webhook", {"do": "set", "webhook_url": typed}, headers={"accept": "application/json"}
    )
    assert (program.status_code, program.json()["error"]["code"]) == (422, "bad_webhook")


def test_only_the_host_may_use_the_form(host: User, other: User, room: Room, discord: Discord) -> None:
    set_by(host, room)
    for client in (Client(), signed_in(other), signed_in(create_guest())):
        for do in ("set", "try", "remove"):
            assert send(client, room, do, webhook_url=f"{URL}2").status_code == 403
    assert RoomWebhook.objects.get().url == URL
    assert discord.posted == []


def test_an_unknown_action_and_a_closed_room_are_refused(host: User, room: Room) -> None:
    assert send(signed_in(host), room, "").status_code == 400
    rooms.close(room)
    assert send(signed_in(host), room, "set", webhook_url=URL).status_code == 410


def test_players_who_may_not_set_one_see_no_panel(host: User, other: User, room: Room, settings: Any) -> None:
    new, guest = make_account("Icarus", date_joined=timezone.now() - timedelta(hours=23)), create_guest()
    for player in (new, guest):
        assert panel(page(player, room)) == ""
        own = rooms.open_room(player, "stonewall", limit_s=300, seats=2)
        assert panel(page(player, own)) == ""
        answer = send(signed_in(player), own, "set", webhook_url=URL)
        assert answer.status_code == 403
    assert "hidden" not in panel(page(host, room))
    assert "hidden" in panel(page(other, room)), "shown when they become host"
    quick = rooms.open_room(None, "stonewall", kind=Room.Kind.QUICK, limit_s=300, seats=2)
    assert panel(page(host, quick)) == ""
    settings.WEBHOOK_SERVICES = []
    assert panel(page(host, room)) == ""


def test_a_test_message_shows_its_outcome(host: User, room: Room, discord: Discord) -> None:
    client = signed_in(host)
    send(client, room, "try")
    assert discord.posted == []
    set_by(host, room, language="de")
    send(client, room, "try")
    [(_, message)] = discord.posted
    assert message["content"].startswith("Testnachricht von Talon")
    assert message["allowed_mentions"] == {"parse": []}
    assert "The last message was posted." in page(host, room)
    discord.statuses = [500]
    send(client, room, "try")
    assert "The last message was not delivered." in page(host, room)
    discord.statuses = [404]
    send(client, room, "try")
    text = page(host, room)
    assert "The webhook was removed, because Discord no longer knows it." in text
    assert FIELD in text
    assert len(discord.posted) == 3


def test_test_messages_count_towards_the_limit(
    host: User, room: Room, discord: Discord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.RATES, "webhook_room", "1/h")
    set_by(host, room)
    client = signed_in(host)
    send(client, room, "try")
    assert "Too many requests." in client.get(send(client, room, "try")["Location"]).content.decode()
    assert (len(discord.posted), RoomWebhook.objects.get().state) == (1, "posted")


def test_the_host_reads_that_a_result_was_dropped(discord: Discord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "webhook", "0/h")
    host = host_named("Pasiphae")
    run = finished_run(host, create_guest())
    post_result(run.race.pk)
    assert discord.posted == []
    assert "The last result was not posted: there were too many within an hour." in page(host, run.room)


def test_no_page_or_frame_contains_the_url(discord: Discord, caplog: pytest.LogCaptureFixture) -> None:
    """Everyone visits every address with the room, its race and the host as subjects; so does the host."""
    caplog.set_level(logging.INFO)
    host, other = host_named(), make_account("Theseus")
    run = finished_run(host, other)
    post_result(run.race.pk)
    webhook = RoomWebhook.objects.get()
    values = {"code": run.room.code, "number": "1", "public_id": str(host.public_id), "race": str(run.race.public_id)}
    root = User.objects.create_superuser("root")
    clients = {"stranger": Client(), "other": signed_in(other), "host": signed_in(host), "root": signed_in(root)}
    pages = [
        "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda part: values[part[1]], text)
        for text, names in addresses()
        if "(?P" not in text and names and set(names) <= set(values)
    ]
    staff = ["/admin/races/room/", f"/admin/races/room/{run.room.pk}/change/", "/admin/races/race/"]
    staff += [f"/admin/races/race/{run.race.pk}/change/", f"/admin/accounts/user/{host.pk}/change/"]
    shown = dict.fromkeys(clients, 0)
    for who, client in clients.items():
        for address in [*pages, *staff]:
            answer = client.get(address)
            text = body(answer)
            assert TOKEN not in text, (who, address)
            assert who == "host" or webhook.url[-4:] not in text, (who, address)
            shown[who] += answer.status_code == 200
    assert min(shown.values()) >= 5
    assert "discord.com" in body(clients["root"].get("/admin/races/room/"))
    assert TOKEN not in written(caplog)
    assert TOKEN not in json.dumps([str(entry) for entry in LogEntry.objects.all()])
    assert TOKEN not in str(webhook)


def test_the_export_names_the_service_only(host: User, room: Room, other: User) -> None:
    set_by(host, room)
    found = exported(host)
    assert [(entry["room"], entry["service"]) for entry in found["webhooks"]] == [(room.code, "discord.com")]
    assert TOKEN not in json.dumps(found)
    assert exported(other)["webhooks"] == []


def test_posting_does_not_change_the_race_file(room: Room) -> None:
    race = finished_run(host_named("Minos"), create_guest()).race
    before = Client().get(f"/races/{race.room.code}/1/race.json").json()
    Race.objects.filter(pk=race.pk).update(posted_at=timezone.now())
    assert Client().get(f"/races/{race.room.code}/1/race.json").json() == before
