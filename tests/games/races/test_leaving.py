"""Leaving a room or race, and the rooms and players notified of each step."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.sign_in.guests import create_guest, merge_guest
from games.core.errors import ErrorCode
from games.core.events import notifier
from games.models import Attempt
from games.races import finishing, rooms, seats, starting
from games.races.models import Entrant, Race, Room
from leaderboards.models import ProvisionalRating
from leaderboards.ratings import audit, folding
from leaderboards.verdicts.decisions import decide
from tests.games.races.runs import Run, at, refused

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_deleted_guest_leaves_an_entry_without_a_name() -> None:
    run = Run.ended("won", "retired").judge()
    gone = run.players[0]
    User.objects.filter(pk=gone.pk).delete()
    entrant = run.race.entrants.get(state="won")
    assert (entrant.player, entrant.attempt, entrant.place, entrant.elapsed_ms is None) == (None, None, 1, False)


def test_a_guest_deleted_in_mid_race_delays_no_one() -> None:
    run = Run.racing(2)
    User.objects.filter(pk=run.players[0].pk).delete()
    run.play(1)
    run.tend(100)
    run.judge()
    run.tend(101)
    assert run.states() == "finished retired won"
    assert [place for _, place, _ in run.placed()] == [2, 1]


def test_a_deleted_players_seat_is_freed() -> None:
    run = Run.of(3)
    User.objects.filter(pk=run.players[0].pk).delete()
    assert run.states() == "open seated seated seated"
    run.tend(10)
    assert run.states() == "open seated seated"
    assert Room.objects.get().host == run.players[1]


def test_a_deleted_player_does_not_count_for_a_start() -> None:
    run = Run.of(2)
    User.objects.filter(pk=run.players[1].pk).delete()
    assert refused(lambda: run.host_starts(5)) == ErrorCode.TOO_FEW_PRESENT
    run.players.append(create_guest())
    run.sit(2, 5)
    run.host_starts(6)
    assert run.states() == "countdown seated seated"
    assert run.race.entrants.filter(player=None).count() == 0


def test_a_player_left_with_a_deleted_one_does_not_race() -> None:
    run = Run.counting(3)
    User.objects.filter(pk=run.players[2].pk).delete()
    run.leave(1, 5)
    run.tend(6)
    assert run.states() == "open seated"


def test_a_room_of_deleted_players_goes_to_the_next() -> None:
    run = Run.of(1)
    erase_player(run.players[0])
    assert Room.objects.get().host is None
    run.players.append(create_guest())
    run.sit(1, 5)
    assert Room.objects.get().host == run.players[1]


@pytest.mark.parametrize(
    ("start", "expected"), [("of", "open seated seated"), ("racing", "racing timed_out racing racing")]
)
def test_a_deleted_account_leaves_its_room(start: str, expected: str) -> None:
    run: Run = getattr(Run, start)(3)
    erase_player(run.players[0])
    assert run.states() == expected


def test_a_deleted_accounts_race_record_stays() -> None:
    run = Run.ended("won", "retired", players=[User.objects.create_user("racer"), create_guest()]).judge()
    erase_player(run.players[0])
    assert run.entrant(0).attempt is not None
    assert run.placed()[0] == ("won", 1, 2)


def test_signing_in_transfers_entry_attempt_and_room() -> None:
    run = Run.counting(2)
    user = User.objects.create_user("racer")
    merge_guest(run.players[0], user)
    entrant = Entrant.objects.get(player=user)
    assert entrant.attempt is not None
    assert entrant.attempt.player == user
    assert Room.objects.get().host == user
    seats.leave(run.room.pk, user.pk, at(20))
    assert run.states() == "countdown retired seated"


def test_a_guest_who_signs_in_later_is_not_rated() -> None:
    """Otherwise a player could decide after the race whether it counts."""
    host, other, account = (User.objects.create_user(name) for name in ("Ariadne", "Theseus", "Minos"))
    run = Run.ended(None, None, "won", players=[host, other, create_guest()])
    Race.objects.filter(pk=run.race.pk).update(rated=True)
    merge_guest(run.players[2], account)
    run.resign(0, 50)
    run.resign(1, 60)
    run.judge()
    folding.rate_finished()
    entrant = run.race.entrants.get(player=account)
    assert (entrant.state, entrant.place) == ("won", 1)
    assert sorted(ProvisionalRating.objects.values_list("player", flat=True)) == [host.pk, other.pk]
    assert not list(audit.faults())


def test_a_player_who_signs_in_before_the_start_is_rated() -> None:
    run, account = Run.of(2), User.objects.create_user("Minos")
    merge_guest(run.players[1], account)
    assert [run.race.entrants.get(player=account).as_guest] == [False]


def test_signing_in_never_leads_to_two_races() -> None:
    one, other = Run.of(1), Run.racing(2)
    user = User.objects.create_user("racer")
    merge_guest(other.players[0], user)
    merge_guest(one.players[0], user)
    assert Entrant.objects.filter(player=user).count() == 1
    assert one.states() == "open"
    third = Run.racing(2)
    merge_guest(third.players[0], user)
    assert Entrant.objects.filter(player=user).count() == 1
    assert Attempt.objects.filter(player=user, entrant__race=third.race).exists(), "the game can be continued"
    assert third.states() == "racing racing racing"
    seats.sit(one.room.pk, create_guest(), now=at(1))


Act = Callable[[Run], object]
FAULT = Race.Void.SERVER_FAULT


@pytest.fixture
def notified(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    found: set[int] = set()

    def send(_group: str, message: dict[str, Any], **_about: Any) -> None:
        found.update(message.get("rooms", [message["room"]] if "room" in message else []))

    monkeypatch.setattr(notifier, "send", send)
    return found


settling = partial(Run.ended, "won", "won")


def verified() -> Run:
    run = settling()
    Attempt.objects.filter(entrant__race=run.race).update(state=Attempt.State.VERIFIED)
    return run


#: Actions of players, at second 20 unless stated otherwise, with the room they need.
DEEDS: dict[str, tuple[Callable[[], Run], Act]] = {
    "sits": (lambda: Run.of(1), lambda run: seats.sit(run.room.pk, create_guest(), now=at(20))),
    "leaves": (partial(Run.of, 3), lambda run: run.leave(1, 20)),
    "goes on the way": (lambda: Run.counting(3), lambda run: run.leave(1, 5)),
    "resigns": (lambda: Run.racing(3), lambda run: run.leave(1, 20)),
    "sends away": (
        partial(Run.of, 3),
        lambda run: seats.kick(run.room.pk, run.players[0].pk, run.entrant(1).pk, at(20)),
    ),
    "starts": (partial(Run.of, 3), lambda run: run.host_starts(20)),
}
#: Events without a player.
EVENTS: dict[str, tuple[Callable[[], Run], Act]] = {
    "the countdown ends": (lambda: Run.counting(2), lambda run: starting.start_racing(at(15))),
    "the cards are seen": (
        lambda: Run.begun(3, dealt=1),
        lambda run: starting.mark_dealt(run.attempt_ids, at(16)),
    ),
    "somebody does not come": (lambda: Run.begun(3, dealt=1), lambda _: starting.mark_absent(at(25))),
    "the last game ends": (partial(Run.ended, "retired", None), lambda run: run.resign(1, 30)),
    "a game of several ends": (lambda: Run.racing(3), lambda run: run.resign(0, 20)),
    "the race opens again": (lambda: Run.counting(2), lambda run: starting.cancel_start(run.room.pk, at(5))),
    "the race is void": (lambda: Run.racing(2), lambda run: finishing.void(run.race.pk, FAULT, at(20))),
    "the places are given": (verified, lambda run: finishing.finish(run.race.pk, at(20))),
    "a record is rejected": (
        lambda: settling().judge(),
        lambda run: decide(run.attempt(0).pk, Attempt.State.REJECTED, "staff"),
    ),
}


def rows() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in (Room, Race, Entrant)]


@pytest.mark.parametrize("name", [*DEEDS, *EVENTS])
def test_a_step_notifies_its_room_or_is_rolled_back(
    name: str, notified: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A player's action also marks the room, and no other, as used."""

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    make, act = (DEEDS | EVENTS)[name]
    run, other = make(), Run.of(2)
    Room.objects.update(used_at=at(-100))
    before = rows()
    if name not in {"a game of several ends", "the last game ends"}:
        with monkeypatch.context() as patch:
            for module in (finishing, rooms, seats, starting):
                patch.setattr(module, "notify_room", fail)
            patch.setattr(starting, "notify_rooms", fail)
            with suppress(RuntimeError):
                act(run)
        assert rows() == before
    notified.clear()
    act(run)
    assert notified == {run.room.pk}
    if name in DEEDS:
        assert Room.objects.get(pk=run.room.pk).used_at == at(5 if name == "goes on the way" else 20)
    assert Room.objects.get(pk=other.room.pk).used_at == at(-100)


def test_a_finished_race_marks_its_room_as_used() -> None:
    run, other = verified(), Run.of(2)
    assert finishing.finish(run.race.pk, at(500))
    assert not finishing.finish(run.race.pk, at(600))
    deal = run.race.deal
    assert deal is not None
    used_at = Room.objects.get(pk=run.room.pk).used_at
    assert {used_at, run.race.finished_at, deal.revealed_at} == {at(500)}
    assert Room.objects.get(pk=other.room.pk).used_at == at(0)


def test_a_takeover_by_an_account_notifies_the_hosted_room(notified: set[int]) -> None:
    run, guest = Run.of(2), create_guest()
    notified.clear()
    seats.hand_over(run.players[0].pk, guest.pk)
    assert notified == {run.room.pk}
    assert Entrant.objects.get(player=guest).race == run.race
