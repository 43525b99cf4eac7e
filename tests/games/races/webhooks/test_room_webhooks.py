"""Webhooks of rooms: permission to set one, its lifetime, and the results it gets, each once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from accounts.lifecycle.bans import ban_player
from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.core.errors import ErrorCode
from games.models import Attempt
from games.races import reconciler, rooms
from games.races.models import Race, Room, RoomWebhook
from games.races.webhooks import room_webhooks
from leaderboards.verdicts.decisions import decide
from tests.factories import make_account
from tests.games.races.runs import T0, Run, at, refused
from tests.games.races.webhooks.discord import URL, finished_run, host_named, set_by

pytestmark = pytest.mark.django_db(transaction=True)

Asked = list[tuple[Any, ...]]
TASK = "talon.post_result"


@pytest.fixture(autouse=True)
def requests(asked: Asked) -> Asked:
    """The requested tasks, which are not queued."""
    return asked


@pytest.fixture
def host() -> User:
    return host_named()


@pytest.fixture
def other() -> User:
    return host_named("Theseus")


def test_only_the_host_can_set_or_remove_it(host: User, other: User) -> None:
    run = Run.of(2, players=[host, other])
    assert refused(lambda: set_by(other, run.room)) is ErrorCode.NOT_HOST
    set_by(host, run.room)
    assert refused(lambda: room_webhooks.remove_webhook(run.room.pk, other.pk)) is ErrorCode.NOT_HOST
    room_webhooks.remove_webhook(run.room.pk, host.pk)
    assert not RoomWebhook.objects.exists()


def test_guests_and_new_accounts_cannot_set_one() -> None:
    for host in (create_guest(), make_account("Icarus", date_joined=T0 - timedelta(hours=23))):
        room = Run.of(1, players=[host]).room
        assert refused(partial(set_by, host, room)) is ErrorCode.ACCOUNT_REQUIRED
    assert not RoomWebhook.objects.exists()


def test_quick_matches_and_heats_have_none(host: User) -> None:
    for kind in (Room.Kind.QUICK, Room.Kind.HEAT):
        room = rooms.open_room(None, "stonewall", kind=kind, limit_s=300, seats=4, now=T0)
        assert refused(partial(set_by, host, room)) is ErrorCode.NOT_HOST


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
    race = finished_run(host, other).race
    assert [task for task in requests if task[0] == TASK] == [(TASK, race.pk)]
    claimed = room_webhooks.claim_result(race.pk)
    assert claimed is not None
    assert claimed.room.webhook.url == URL
    assert room_webhooks.claim_result(race.pk) is None


def test_of_two_tasks_at_once_one_posts(host: User, other: User, monkeypatch: pytest.MonkeyPatch) -> None:
    race = finished_run(host, other).race
    monkeypatch.setattr(room_webhooks, "_due", lambda _now: Race.objects.all())  # as both read it
    assert [room_webhooks.claim_result(race.pk) is not None for _ in range(2)] == [True, False]


def test_a_correction_is_not_posted(host: User, other: User, requests: Asked) -> None:
    run = finished_run(host, other)
    room_webhooks.claim_result(run.race.pk)
    requests.clear()
    decide(run.attempt(0).pk, Attempt.State.REJECTED, "staff")
    assert Race.objects.get().entrants.get(player=other).place == 1
    assert TASK not in [task[0] for task in requests]
    assert room_webhooks.claim_result(run.race.pk) is None


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


def test_a_lost_task_is_requested_again(host: User, other: User, requests: Asked) -> None:
    race = finished_run(host, other).race
    requests.clear()
    now = timezone.now()
    room_webhooks.request_lost(now)
    assert requests == []
    reconciler.reconcile(now + timedelta(minutes=1))
    assert (TASK, race.pk) in requests
    requests.clear()
    assert room_webhooks.claim_result(race.pk)
    room_webhooks.request_lost(now + timedelta(minutes=1))
    assert requests == []
