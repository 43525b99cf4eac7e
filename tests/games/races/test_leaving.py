"""Players deleted or merged while they are in races."""

from __future__ import annotations

import pytest

from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.sign_in.guests import create_guest, merge_guest
from games.core.errors import ErrorCode
from games.models import Attempt
from games.races import race_start, seats
from games.races.models import Entrant, Race, Room
from leaderboards.models import Rating
from leaderboards.ratings import proof, rating_reconciler
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
    run.ready(1, 2)
    assert run.states() == "open joined ready ready"
    run.tend(10)
    assert run.states() == "countdown ready ready"
    assert Room.objects.get().host == run.players[1]


def test_a_deleted_player_does_not_count_for_a_start() -> None:
    run = Run.of(4, ready=2)
    User.objects.filter(pk=run.players[1].pk).delete()
    assert refused(lambda: race_start.start(run.room.pk, run.players[0].pk, at(5))) == ErrorCode.TOO_FEW_READY
    assert not race_start.freeze(run.race.pk, countdown=race_start.COUNTDOWN, now=at(5))
    run.ready(2)
    race_start.start(run.room.pk, run.players[0].pk, at(6))
    assert run.states() == "countdown ready ready"
    assert run.race.entrants.filter(player=None).count() == 0


def test_a_player_left_with_a_deleted_one_does_not_race() -> None:
    run = Run.counting(3)
    User.objects.filter(pk=run.players[2].pk).delete()
    run.leave(1, 5)
    run.tend(6)
    assert run.states() == "open ready"


def test_a_room_of_deleted_players_goes_to_the_next() -> None:
    run = Run.of(1)
    erase_player(run.players[0])
    assert Room.objects.get().host is None
    run.players.append(create_guest())
    run.sit(1, 5)
    assert Room.objects.get().host == run.players[1]


@pytest.mark.parametrize(
    ("start", "expected"), [("of", "open joined joined"), ("racing", "racing timed_out racing racing")]
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
    assert run.states() == "countdown retired ready"


def test_a_guest_who_signs_in_later_is_not_rated() -> None:
    """Otherwise a player could decide after the race whether it counts."""
    host, other, account = (User.objects.create_user(name) for name in ("Ariadne", "Theseus", "Minos"))
    run = Run.ended(None, None, "won", players=[host, other, create_guest()])
    Race.objects.filter(pk=run.race.pk).update(rated=True)
    merge_guest(run.players[2], account)
    run.resign(0, 50)
    run.resign(1, 60)
    run.judge()
    rating_reconciler.rate_finished()
    entrant = run.race.entrants.get(player=account)
    assert (entrant.state, entrant.place) == ("won", 1)
    assert sorted(Rating.objects.values_list("player", flat=True)) == [host.pk, other.pk]
    assert not list(proof.faults())


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
