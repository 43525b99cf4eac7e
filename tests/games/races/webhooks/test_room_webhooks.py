"""Webhooks of rooms: permission to set one, its lifetime, and the results it gets, each once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.lifecycle.bans import ban_player
from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from games.core.errors import ErrorCode
from games.models import Attempt
from games.races import reconciler, rooms
from games.races.models import Race, Room, RoomWebhook
from games.races.webhooks import room_webhooks
from leaderboards.verdicts.decisions import decide
from tests.games.races.runs import T0, Run, at, refused
from tests.games.races.webhooks.discord import URL, finished_run, host_named, set_by

pytestmark = pytest.mark.django_db(transaction=True)

Asked = list[tuple[Any, ...]]
TASK = "talon.post_result"


@pytest.fixture(autouse=True)
def requests(requested_tasks: Asked) -> Asked:
    """The requested tasks, which are not queued."""
    return requested_tasks


@pytest.fixture
def host() -> User:
    return host_named()


@pytest.fixture
def other() -> User:
    return host_named("Theseus")


def test_a_bad_url_leaves_the_old_one(host: User) -> None:
    room = Run.of(1, players=[host]).room
    set_by(host, room)
    assert refused(lambda: set_by(host, room, "https://evil.example/a")) is ErrorCode.BAD_WEBHOOK
    assert RoomWebhook.objects.get().url == URL


def leaves(run: Run) -> None:
    run.leave(0, 1)


def disappears(run: Run) -> None:
    assert rooms.pass_host(run.room.pk, run.players[0].pk, [run.players[1].pk])


def is_erased(run: Run) -> None:
    erase_player(run.players[0])


def closes(run: Run) -> None:
    assert rooms.close(run.room, at(1))


def idles(_run: Run) -> None:
    reconciler.reconcile(T0 + rooms.IDLE + timedelta(minutes=1))


@pytest.mark.parametrize("end", [leaves, disappears, is_erased, closes, idles])
def test_it_ends_with_the_host_role_and_the_room(host: User, other: User, end: Callable[[Run], None]) -> None:
    run = Run.of(2, players=[host, other])
    set_by(host, run.room)
    end(run)
    assert not RoomWebhook.objects.exists()


def test_a_new_host_does_not_see_it(host: User, other: User) -> None:
    run = Run.of(2, players=[host, other])
    set_by(host, run.room)
    Room.objects.filter(pk=run.room.pk).update(host=other)  # however the role has changed
    assert room_webhooks.own_webhook(run.room, other.pk) is None
    assert room_webhooks.own_webhook(run.room, host.pk) is None


def test_a_finished_race_is_posted_once(host: User, other: User, requests: Asked) -> None:
    run = finished_run(host, other)
    race = run.race
    assert [task for task in requests if task[0] == TASK] == [(TASK, race.pk)]
    requests.clear()
    now = timezone.now()
    room_webhooks.request_lost(now)
    assert requests == []
    reconciler.reconcile(now + timedelta(minutes=1))
    assert (TASK, race.pk) in requests, "a lost task is requested again"
    claimed = room_webhooks.claim_result(race.pk)
    assert claimed is not None
    assert claimed.room.webhook.url == URL
    requests.clear()
    room_webhooks.request_lost(now + timedelta(minutes=1))
    decide(run.attempt(0).pk, Attempt.State.REJECTED, "staff")
    assert run.race.entrants.get(player=other).place == 1
    assert TASK not in [task[0] for task in requests], "nor is a correction posted"
    assert room_webhooks.claim_result(race.pk) is None


def test_of_two_tasks_at_once_one_posts(host: User, other: User, monkeypatch: pytest.MonkeyPatch) -> None:
    race = finished_run(host, other).race
    monkeypatch.setattr(room_webhooks, "_due", lambda _now: Race.objects.all())  # as both read it
    assert [room_webhooks.claim_result(race.pk) is not None for _ in range(2)] == [True, False]


def test_races_without_webhook_request_nothing(host: User, other: User, requests: Asked) -> None:
    race = Run.ended("won", "retired", players=[host, other]).judge().race
    assert TASK not in [task[0] for task in requests]
    assert room_webhooks.claim_result(race.pk) is None


def becomes_former_host(run: Run) -> None:
    Room.objects.filter(pk=run.room.pk).update(host=run.players[1])


def is_banned(run: Run) -> None:
    ban_player(run.players[0])


def sets_it_afterwards(_run: Run) -> None:
    RoomWebhook.objects.update(made_at=timezone.now())


def is_void(run: Run) -> None:
    Race.objects.filter(pk=run.race.pk).update(state=Race.State.VOID)


def is_old(run: Run) -> None:
    Race.objects.filter(pk=run.race.pk).update(finished_at=timezone.now() - room_webhooks.LATEST)


@pytest.mark.parametrize("change", [becomes_former_host, is_banned, sets_it_afterwards, is_void, is_old])
def test_results_that_are_not_the_hosts_to_post_stay_here(
    host: User, other: User, change: Callable[[Run], None]
) -> None:
    run = finished_run(host, other)
    change(run)
    assert room_webhooks.claim_result(run.race.pk) is None
    assert run.race.posted_at is None
