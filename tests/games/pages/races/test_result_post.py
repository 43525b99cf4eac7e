"""Posts of results: content, escaping, limits, and what the service's answer leads to."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.conf import settings as site

from accounts.lifecycle.bans import ban_player
from accounts.sign_in.guests import create_guest
from games.core import limits
from games.models import Attempt
from games.presentation.durations import duration
from games.races.models import Entrant, Race, RoomWebhook
from games.races.webhooks import result_post
from games.races.webhooks.result_post import escaped, post_result, result_message
from games.tasks import post_result as post_result_task
from tests.games.races.runs import Run
from tests.games.races.webhooks.discord import TOKEN, URL, Discord, finished_run, host_named

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("requested_tasks")]


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_post, "_PAUSE", 0)


@pytest.fixture
def run() -> Run:
    return finished_run(host_named("A_riadne."), create_guest())


def state() -> str:
    return RoomWebhook.objects.get().state


def message_of(run: Run, language: str = "en-gb") -> Any:
    message = result_message(run.race, language)
    assert message is not None
    return message


def test_a_result_is_posted_in_discords_form(run: Run, discord: Discord) -> None:
    post_result_task(run.race.pk)
    post_result_task(run.race.pk)
    [(path, message)] = discord.posted
    assert path == URL.removeprefix("https://discord.com")
    race, guest = run.race, run.entrant(1)
    assert race.finished_at is not None
    assert message["content"] == r"A\_riadne\. won the race"
    assert message["allowed_mentions"] == {"parse": []}
    [embed] = message["embeds"]
    assert embed["description"].splitlines() == [
        rf"**1.** A\_riadne\.: Won in {duration(run.entrant(0).elapsed_ms)}",
        f"**2.** {escaped(run.players[1].display_name)}: {guest.cards_up} cards up in {duration(guest.elapsed_ms)}",
    ]
    assert embed | {"description": ""} == {
        "title": "Race 1: Stonewall",
        "url": f"{site.PUBLIC_URL}/races/{run.room.code}/1/",
        "description": "",
        "timestamp": race.finished_at.isoformat(),
    }
    assert state() == "posted"


def test_the_message_is_in_the_hosts_language(run: Run) -> None:
    message = message_of(run, "de")
    assert message["content"] == r"A\_riadne\. hat das Rennen gewonnen"
    assert message["embeds"][0]["title"] == "Rennen 1: Steinmauer"


def test_markdown_in_names_is_escaped() -> None:
    name = r"@everyone **_~`|>#-[a](https://b.example)<@1>:x:\ "
    shown = escaped(name)
    assert shown.replace("\\", "") == name.replace("\\", "")
    assert all(shown[at - 1] == "\\" for at, letter in enumerate(shown) if letter in "@*_~`|>#-[]()<:/.")
    assert escaped("Zoë 3 Łukasz 日本") == "Zoë 3 Łukasz 日本"


def test_banned_removed_and_disqualified_racers_are_shown_as_such(run: Run) -> None:
    ban_player(run.players[0])
    Entrant.objects.filter(player=run.players[1]).update(state=Entrant.State.DISQUALIFIED)
    run.players[1].delete()
    lines = message_of(run)["embeds"][0]["description"]
    assert "riadne" not in lines
    assert "A guest" in lines
    assert lines.endswith(": Disqualified")


def test_records_under_review_are_not_mentioned(run: Run, discord: Discord) -> None:
    Attempt.objects.filter(entrant__race=run.race).update(state=Attempt.State.REVIEW)
    Entrant.objects.filter(player=run.players[1]).update(place=None)
    assert len(message_of(run)["embeds"][0]["description"].splitlines()) == 1
    Entrant.objects.update(place=None)
    post_result(run.race.pk)
    assert discord.posted == []


def test_the_services_answer_decides(run: Run, discord: Discord) -> None:
    for statuses, posts, outcome in (
        ([200], 1, "posted"),
        ([404], 1, "gone"),
        ([410], 1, "gone"),
        ([302], 1, "failed"),
        ([307], 1, "failed"),
        ([401], 1, "failed"),
        ([429], 2, "posted"),
        ([500], 2, "posted"),
        ([503, 429], 2, "failed"),
        ([502, 404], 2, "gone"),
    ):
        Race.objects.update(posted_at=None)
        RoomWebhook.objects.update(url=URL, state="unused")
        discord.requests.clear()
        discord.statuses = list(statuses)
        post_result(run.race.pk)
        assert [path for path, _ in discord.posted] == [URL.removeprefix("https://discord.com")] * posts, statuses
        assert (state(), RoomWebhook.objects.get().url) == (outcome, "" if outcome == "gone" else URL), statuses


def test_a_service_that_does_not_answer_costs_one_post(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    def refuses(host: str) -> Any:
        raise AssertionError(host)

    class Closed:
        def request(self, *_: object) -> None:
            raise ConnectionRefusedError

        def close(self) -> None:
            pass

    with caplog.at_level(logging.DEBUG):
        post_result(run.race.pk, lambda _host: Closed())  # type: ignore[arg-type, return-value]
    assert state() == "failed"
    assert TOKEN not in str([record.__dict__ for record in caplog.records])
    post_result(run.race.pk, refuses)


def test_a_service_no_longer_allowed_gets_nothing(run: Run, discord: Discord, settings: Any) -> None:
    settings.WEBHOOK_SERVICES = ["hooks.example"]
    post_result(run.race.pk)
    assert (discord.posted, state()) == ([], "failed")


def test_results_beyond_a_rooms_limit_are_dropped(run: Run, discord: Discord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "webhook_room", "1/h")
    for _ in range(2):
        post_result(run.race.pk)
        Race.objects.update(posted_at=None)
    assert (len(discord.posted), state()) == (1, "dropped")


def test_the_limit_of_a_host_spans_rooms(discord: Discord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "webhook", "1/h")
    host = host_named()
    for _ in range(2):
        post_result(finished_run(host, create_guest()).race.pk)
    assert list(RoomWebhook.objects.order_by("pk").values_list("state", flat=True)) == ["posted", "dropped"]
    assert len(discord.posted) == 1


def test_a_replaced_webhook_keeps_its_own_state(run: Run, discord: Discord) -> None:
    old = RoomWebhook.objects.get()
    RoomWebhook.objects.update(url=f"{URL}2")
    discord.statuses = [404]
    result_post.send(old, {})
    assert (state(), RoomWebhook.objects.get().url) == ("unused", f"{URL}2")
