"""Change notices of rooms: viewers are notified of each change, and changes are atomic.

Actions of players also keep the room from being closed as idle.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from accounts.sign_in.guests import create_guest
from games.core.events import notifier
from games.models import Attempt
from games.races import race_finish, race_start, rooms, seats
from games.races.models import Entrant, Race, Room
from leaderboards.verdicts.decisions import decide
from tests.games.races.runs import Run, at

pytestmark = pytest.mark.django_db(transaction=True)

Act = Callable[[Run], object]
FAULT = Race.Void.SERVER_FAULT


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    found: set[int] = set()

    def send(_group: str, message: dict[str, Any], **_about: Any) -> None:
        found.update(message.get("rooms", [message["room"]] if "room" in message else []))

    monkeypatch.setattr(notifier, "send", send)
    return found


half_ready = partial(Run.of, 3, ready=1)
settling = partial(Run.ended, "won", "won")
#: Actions of players, at second 20 unless stated otherwise, with the room they need.
DEEDS: dict[str, tuple[Callable[[], Run], Act]] = {
    "sits": (lambda: Run.of(1), lambda run: seats.sit(run.room.pk, create_guest(), now=at(20))),
    "is ready": (half_ready, lambda run: run.ready(1, second=20)),
    "is ready no more": (half_ready, lambda run: run.ready(0, ready=False, second=20)),
    "leaves": (half_ready, lambda run: run.leave(1, 20)),
    "goes on the way": (lambda: Run.counting(3), lambda run: run.leave(1, 5)),
    "resigns": (lambda: Run.racing(3), lambda run: run.leave(1, 20)),
    "sends away": (half_ready, lambda run: seats.kick(run.room.pk, run.players[0].pk, run.entrant(1).pk, at(20))),
    "starts": (partial(Run.of, 3, ready=2), lambda run: race_start.start(run.room.pk, run.players[0].pk, at(20))),
}
#: Events without a player.
EVENTS: dict[str, tuple[Callable[[], Run], Act]] = {
    "the countdown ends": (lambda: Run.counting(2), lambda run: race_start.begin_due(at(15))),
    "the cards are seen": (
        lambda: Run.begun(3, dealt=1),
        lambda run: race_start.mark_dealt(run.attempt_ids, at(16)),
    ),
    "somebody does not come": (lambda: Run.begun(3, dealt=1), lambda _: race_start.mark_absent(at(25))),
    "the last game ends": (partial(Run.ended, "retired", None), lambda run: run.resign(1, 30)),
    "a game of several ends": (lambda: Run.racing(3), lambda run: run.resign(0, 20)),
    "the race opens again": (lambda: Run.counting(2), lambda run: race_start.unfreeze(run.race.pk, at(5))),
    "the race is void": (lambda: Run.racing(2), lambda run: race_finish.void(run.race.pk, FAULT, at(20))),
    "the places are given": (settling, lambda run: run.judge()),
    "a record is rejected": (
        lambda: settling().judge(),
        lambda run: decide(run.attempt(0).pk, Attempt.State.REJECTED, "staff"),
    ),
}


@pytest.mark.parametrize("name", [*DEEDS, *EVENTS])
def test_the_room_is_notified(name: str, told: set[int]) -> None:
    make, act = (DEEDS | EVENTS)[name]
    run = make()
    told.clear()
    act(run)
    assert told == {run.room.pk}


@pytest.mark.parametrize("name", sorted({*DEEDS, *EVENTS} - {"a game of several ends", "the last game ends"}))
def test_a_failing_step_is_rolled_back(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    make, act = (DEEDS | EVENTS)[name]
    run = make()
    before = [list(model.objects.order_by("pk").values()) for model in (Room, Race, Entrant)]
    for module in (race_finish, rooms, seats, race_start):
        monkeypatch.setattr(module, "notify_room", fail)
    monkeypatch.setattr(race_start, "notify_rooms", fail)
    with suppress(RuntimeError):
        act(run)
    assert [list(model.objects.order_by("pk").values()) for model in (Room, Race, Entrant)] == before


@pytest.mark.parametrize("name", DEEDS)
def test_a_players_action_marks_the_room_as_used(name: str) -> None:
    make, act = DEEDS[name]
    run, other = make(), Run.of(2)
    Room.objects.update(used_at=at(-100))
    act(run)
    assert Room.objects.get(pk=run.room.pk).used_at == at(5 if name == "goes on the way" else 20)
    assert Room.objects.get(pk=other.room.pk).used_at == at(-100)


def test_a_finished_race_marks_its_room_as_used() -> None:
    run, other = settling(), Run.of(2)
    Attempt.objects.update(state=Attempt.State.VERIFIED)
    assert race_finish.finish(run.race.pk, at(500))
    assert not race_finish.finish(run.race.pk, at(600))
    deal = run.race.deal
    assert deal is not None
    used_at = Room.objects.get(pk=run.room.pk).used_at
    assert {used_at, run.race.finished_at, deal.revealed_at} == {at(500)}
    assert Room.objects.get(pk=other.room.pk).used_at == at(0)


def test_a_takeover_by_an_account_notifies_the_hosted_room(told: set[int]) -> None:
    run, guest = Run.of(2), create_guest()
    told.clear()
    seats.hand_over(run.players[0].pk, guest.pk)
    assert told == {run.room.pk}
    assert Entrant.objects.get(player=guest).race == run.race
