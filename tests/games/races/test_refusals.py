"""Actions and states: every action in every state of a race, with its refusal."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction

from accounts.sign_in.guests import create_guest
from games.core import limits
from games.core.errors import ErrorCode, Refusal
from games.races import finishing, rooms, seats, starting
from games.races.models import Entrant, Race, Room
from tests.games.races.runs import LIMIT_S, VARIANT, Run, at, refused

pytestmark = pytest.mark.django_db

E = ErrorCode
NOW = at(20)
EITHER_3 = {"direction": "either", "redeals": 3}


def in_state(state: str) -> Run:
    """Return a room whose race of three is in this state."""
    if state == "open":
        return Run.of(3)
    run = Run.counting(3) if state in ("countdown", "begun") else Run.racing(3)
    if state in ("settling", "finished"):
        for place in range(3):
            run.resign(place, 20)
        run.tend(20)
    if state == "finished":
        run.judge()
        run.tend(20)
    if state in ("void", "closed"):
        finishing.void(run.race.pk, Race.Void.SERVER_FAULT, at(16))
    if state == "closed":
        rooms.close(run.room, at(17))
    return run


def settings_of(run: Run, player: int, **other: Any) -> None:
    chosen: dict[str, Any] = {"limit_s": 600, "seats": 4, "public": False, "now": NOW, **other}
    rooms.change(run.room.pk, run.players[player].pk, VARIANT, **chosen)


#: Actions by name. The host is player 0, "other" has a seat, "stranger" has none.
ACTS: dict[str, Callable[[Run], object]] = {
    "stranger sits": lambda run: seats.sit(run.room.pk, create_guest(), now=NOW),
    "other sits": lambda run: seats.sit(run.room.pk, run.players[1], now=NOW),
    "other leaves": lambda run: seats.leave(run.room.pk, run.players[1].pk, NOW),
    "stranger leaves": lambda run: seats.leave(run.room.pk, create_guest().pk, NOW),
    "host starts": lambda run: starting.start(run.room.pk, host_id=run.players[0].pk, now=NOW),
    "other starts": lambda run: starting.start(run.room.pk, host_id=run.players[1].pk, now=NOW),
    "host changes": lambda run: settings_of(run, 0),
    "other changes": lambda run: settings_of(run, 1),
    "host kicks": lambda run: seats.kick(run.room.pk, run.players[0].pk, run.entrant(2).pk, NOW),
    "other kicks": lambda run: seats.kick(run.room.pk, run.players[1].pk, run.entrant(2).pk, NOW),
    "host kicks host": lambda run: seats.kick(run.room.pk, run.players[0].pk, run.entrant(0).pk, NOW),
    "host kicks nobody": lambda run: seats.kick(run.room.pk, run.players[0].pk, 10**6, NOW),
}
STATES = ("open", "countdown", "racing", "settling", "finished", "void", "closed")

#: Refusals in the order of the states; None where the action succeeds.
ANSWERS: dict[str, tuple[ErrorCode | None, ...]] = {
    "stranger sits": (None, E.RACE_STARTED, None, None, None, None, E.ROOM_CLOSED),
    "other sits": (None, None, E.ALREADY_RACING, None, None, None, E.ROOM_CLOSED),
    "other leaves": (None, None, None, *[E.NOT_ENTERED] * 3, E.ROOM_CLOSED),
    "stranger leaves": (*[E.NOT_ENTERED] * 6, E.ROOM_CLOSED),
    "host starts": (None, *[E.RACE_NOT_OPEN] * 5, E.ROOM_CLOSED),
    "other starts": (*[E.NOT_HOST] * 6, E.ROOM_CLOSED),
    "host changes": (None, E.RACE_NOT_OPEN, None, None, None, None, E.ROOM_CLOSED),
    "other changes": (*[E.NOT_HOST] * 6, E.ROOM_CLOSED),
    "host kicks": (None, E.RACE_NOT_OPEN, None, None, None, None, E.ROOM_CLOSED),
    "other kicks": (*[E.NOT_HOST] * 6, E.ROOM_CLOSED),
    "host kicks host": (*[E.BAD_OPTION] * 6, E.ROOM_CLOSED),
    "host kicks nobody": (*[E.NOT_ENTERED] * 6, E.ROOM_CLOSED),
}


@pytest.mark.parametrize("state", STATES)
def test_every_act_in_a_state(state: str) -> None:
    run = in_state(state)
    if state == "countdown":
        Race.objects.update(starts_at=at(30))
    before = [list(model.objects.order_by("pk").values()) for model in (Room, Race, Entrant)]
    for act, answers in ANSWERS.items():
        with transaction.atomic():
            if expected := answers[STATES.index(state)]:
                assert refused(partial(ACTS[act], run)) == expected, act
                assert [list(model.objects.order_by("pk").values()) for model in (Room, Race, Entrant)] == before, act
            else:
                ACTS[act](run)
            transaction.set_rollback(True)


def test_a_room_that_does_not_exist() -> None:
    assert refused(lambda: seats.sit(10**6, create_guest())) == E.NOT_FOUND


def test_a_full_room() -> None:
    run = Run.of(2, seats=2)
    assert refused(lambda: seats.sit(run.room.pk, create_guest())) == E.ROOM_FULL
    run.leave(1)
    seats.sit(run.room.pk, create_guest())


def test_a_player_in_another_room_is_told_which() -> None:
    run, other = Run.of(2), Run.of(1)
    with pytest.raises(Refusal) as refusal:
        seats.sit(other.room.pk, run.players[1])
    assert (refusal.value.code, refusal.value.data) == (E.ALREADY_RACING, {"room": run.room.code})
    run.leave(1)
    seats.sit(other.room.pk, run.players[1])


def test_a_kicked_player_cannot_return() -> None:
    run = Run.of(3)
    seats.kick(run.room.pk, run.players[0].pk, run.entrant(1).pk)
    assert run.states() == "open seated seated"
    assert refused(lambda: run.sit(1)) == E.KICKED
    assert Room.objects.get().kicked == [run.players[1].pk]


def test_a_host_kicks_only_from_their_own_room() -> None:
    run, other = Run.of(2), Run.of(2)
    assert refused(lambda: seats.kick(run.room.pk, run.players[0].pk, other.entrant(1).pk)) == E.NOT_ENTERED
    assert other.states() == "open seated seated"


def test_a_player_kicked_in_mid_race_may_only_finish() -> None:
    """They neither become the host nor return to the room."""
    run = Run.racing(3)
    for _twice in range(2):
        seats.kick(run.room.pk, run.players[0].pk, run.entrant(1).pk, at(20))
    assert Room.objects.get().kicked == [run.players[1].pk]
    assert run.states() == "racing racing racing racing"
    run.leave(0, 21)
    assert Room.objects.get().host_id == run.players[2].pk
    run.play(1)
    assert refused(lambda: run.sit(1, 80)) == E.KICKED


def test_kicks_leaves_and_settings_start_no_race() -> None:
    run = Run.of(4)
    seats.kick(run.room.pk, run.players[0].pk, run.entrant(3).pk, at(5))
    run.leave(2, 6)
    settings_of(run, 0)
    run.tend(30)
    assert run.states() == "open seated seated"


@pytest.mark.parametrize(
    ("name", "options", "limit_s", "seats"),
    [
        ("nonesuch", None, LIMIT_S, 4),
        ("braid", {"redeals": "many"}, LIMIT_S, 4),
        ("braid", {"colour": 1}, LIMIT_S, 4),
        ("braid-either", {"redeals": 3}, LIMIT_S, 4),
        ("plot", None, 301, 4),
        ("plot", None, 86_400, 4),
        ("plot", None, LIMIT_S, 1),
        ("plot", None, LIMIT_S, 17),
    ],
)
def test_unknown_rooms(name: str, options: Any, limit_s: int, seats: int) -> None:
    host = create_guest()
    with pytest.raises(Refusal) as refusal:
        rooms.open_room(host, name, options, public=True, limit_s=limit_s, seats=seats)
    assert refusal.value.code == E.BAD_OPTION
    assert not Room.objects.exists()


def test_too_few_present_and_no_deal() -> None:
    run = Run.of(3)
    run.stay_except(1, 2)
    assert refused(run.host_starts) == E.TOO_FEW_PRESENT
    run.stay_except(2)
    deal = run.race.deal_id
    Race.objects.update(deal=None)
    assert refused(run.host_starts) == E.NO_DEAL
    Race.objects.update(deal=deal)
    run.host_starts()
    assert run.states() == "countdown seated seated absent"


def test_a_new_game_changes_the_deal() -> None:
    run = Run.of(3)
    before = run.race.deal_id
    assert refused(lambda: settings_of(run, 0, seats=2)) == E.BAD_OPTION
    settings_of(run, 0, limit_s=600, seats=6, public=True)
    assert (run.states(), run.race.deal_id) == ("open seated seated seated", before)
    rooms.change(run.room.pk, run.players[0].pk, "braid", EITHER_3, limit_s=600, seats=6, public=True)
    race = run.race
    assert run.states() == "open seated seated seated"
    assert race.deal is not None
    assert race.deal_id != before
    assert (race.variant, race.game, race.options["redeals"], race.deal.options["redeals"]) == ("", "braid", 3, 3)
    assert Room.objects.get().kind == Room.Kind.PUBLIC


def test_changes_of_game_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each may take a deal from the stock or order one; changes that keep the deal do not count."""
    monkeypatch.setitem(limits.RATES, "room", "2/h")
    cache.clear()
    run = Run.of(1)
    for name in ("plot", "braid"):
        rooms.change(run.room.pk, run.players[0].pk, name, limit_s=LIMIT_S, seats=6, public=False)
    before = run.race.deal_id
    with pytest.raises(Refusal) as refusal:
        rooms.change(run.room.pk, run.players[0].pk, "plot", limit_s=LIMIT_S, seats=6, public=False)
    assert refusal.value.code == E.RATE_LIMITED
    assert (run.race.variant, run.race.deal_id, Room.objects.get().variant) == ("braid", before, "braid")
    rooms.change(run.room.pk, run.players[0].pk, "braid", limit_s=LIMIT_S, seats=7, public=False)


def test_the_longest_seated_player_becomes_host() -> None:
    run = Run.of(3)
    run.leave(0, 1)
    assert Room.objects.get().host_id == run.players[1].pk
    run.sit(0, 2)
    run.leave(1, 3)
    assert Room.objects.get().host_id == run.players[2].pk
    run.leave(0, 4)
    run.leave(2, 5)
    assert Room.objects.get().host_id == run.players[2].pk
    run.sit(0, 6)
    run.sit(1, 6)
    first, second, host = (player.pk for player in run.players)
    assert not rooms.pass_host(run.room.pk, first, [second])
    assert not rooms.pass_host(run.room.pk, host, [])
    assert rooms.pass_host(run.room.pk, host, [second])
    assert Room.objects.get().host_id == second


def test_leaving_a_countdown() -> None:
    run = Run.counting(3)
    attempt = run.attempt(1)
    run.leave(1, 5)
    assert run.states() == "countdown seated absent seated"
    assert not type(attempt).objects.filter(pk=attempt.pk).exists()
    run.leave(2, 6)
    assert run.states() == "open seated"
    assert run.attempt_ids == []
    assert run.race.starts_at is None
    run.sit(1, 7)
    run.host_starts(8)
    assert run.states() == "countdown seated seated"


def test_leaving_does_not_cancel_a_heat() -> None:
    run = Run.of(2, kind="heat")
    starting.start(run.room.pk, countdown=starting.COUNTDOWN, now=at(0))
    run.leave(1, 5)
    assert run.states() == "countdown seated absent"
    with pytest.raises(Refusal):
        run.sit(1, 20)


def test_a_room_idle_for_half_an_hour_is_closed() -> None:
    run, heat = Run.of(2), Run.of(0, kind="heat")
    Race.objects.filter(room=heat.room).update(scheduled_at=at(7200))
    deal = run.race.deal
    assert rooms.close_idle(at(1800)) == 0
    rooms.touch(run.room.pk, at(600))
    assert rooms.close_idle(at(2000)) == 0
    assert rooms.close_idle(at(2401)) == 1
    assert run.states() == "void"
    assert run.race.void == Race.Void.NOT_STARTED
    again = Run.of(1)
    assert again.race.deal == deal, "an unseen deal is reused by the next race"
    seats.sit(again.room.pk, run.players[0])


def test_a_room_with_a_running_race_is_not_closed() -> None:
    run = Run.racing(2)
    assert rooms.close_idle(at(7200)) == 0
    assert not rooms.close(run.room, at(7200))
    run.resign(0, 20)
    run.resign(1, 20)
    run.tend(20)
    assert rooms.close(run.room, at(7200))
    assert not rooms.close(run.room, at(7300))
    run.judge()
    run.tend(20)
    assert run.states() == "finished retired retired"
