"""Concurrent actions in a room, on a database with several connections.

`test_at_once.py` runs `main` with DATABASE_URL set to a migrated, empty database.
"""

from __future__ import annotations

from functools import partial

from accounts.models import User
from accounts.sign_in.guests import create_guest, merge_guest
from games.core.errors import Refusal
from games.models import Attempt, Deal
from games.races import finishing, seats, starting
from games.races.models import Entrant, Race
from games.races.quick_match import matchmaking
from leaderboards.verdicts.settlement import settle
from tests.concurrency import run_together
from tests.games.races.quick_match.queue_players import quick_room
from tests.games.races.runs import Run, at

ROUNDS = 5


def codes(outcomes: list[object]) -> list[str]:
    """Return the codes of the refusals; fail if anything else was raised."""
    raised = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert all(isinstance(error, Refusal) for error in raised), raised
    return [error.code for error in raised if isinstance(error, Refusal)]


def sit_in_two_rooms() -> None:
    """A player sits down in two rooms at once: one seat."""
    one, other, player = Run.of(1), Run.of(1), create_guest()
    outcomes = run_together(*(partial(seats.sit, run.room.pk, player) for run in (one, other)))
    assert codes(outcomes) == ["already_racing"]
    assert Entrant.objects.filter(player=player).count() == 1


def take_the_last_seat() -> None:
    """Two players take the last seat: one gets it."""
    run = Run.of(2, seats=3)
    outcomes = run_together(*(partial(seats.sit, run.room.pk, create_guest()) for _ in range(2)))
    assert codes(outcomes) == ["room_full"]
    assert run.race.entrants.count() == 3


def start_twice() -> None:
    """The host's command arrives twice at once: one countdown, and a table for each player."""
    run = Run.of(3)
    assert codes(run_together(run.host_starts, run.host_starts)) == ["race_not_open"]
    assert run.states() == "countdown seated seated seated"
    assert len(run.attempt_ids) == 3


def leave_while_it_starts() -> None:
    """A player leaves as the host starts: the race is open."""
    run = Run.of(2)
    assert set(codes(run_together(run.host_starts, partial(run.leave, 1)))) <= {"too_few_present"}
    assert run.states() == "open seated"
    assert run.attempt_ids == []


def take_the_step_in_every_process() -> None:
    """Several processes begin the race: one succeeds."""
    run = Run.counting(3)
    outcomes = run_together(*[partial(starting.start_racing, at(15))] * 4)
    assert codes(outcomes) == []
    taken = [race_id for begun in outcomes if isinstance(begun, list) for race_id in begun]
    assert taken.count(run.race.pk) == 1
    assert run.states() == "racing seated seated seated"


def sit_for_the_rematch() -> None:
    """All sit down for a rematch that does not exist yet: one race, of the first two."""
    run = finished_run()
    assert codes(run_together(*(partial(run.sit, place, 100) for place in range(3)))) == ["race_started"]
    assert Race.objects.filter(room=run.room).count() == 2
    assert run.states() == "countdown seated seated"


def finish_at_once() -> None:
    """The last two finish and are judged at once: the race is finished."""
    assert finished_run().states() == "finished retired retired retired"


def finished_run() -> Run:
    """Return a race whose players all resigned at once, and whose verdicts came at once."""
    run = Run.racing(3)
    assert codes(run_together(*(partial(run.resign, place, 20 + place) for place in range(3)))) == []
    assert run.states().startswith("settling")
    assert codes(run_together(*(partial(settle, attempt_id) for attempt_id in run.attempt_ids))) == []
    assert run.states().startswith("finished")
    return run


def merge_while_racing() -> None:
    """A racing guest signs in to an account as the game ends: the account has the entry, with its result."""
    run = Run.racing(2)
    user = User.objects.create_user(f"merger {run.room.code}")
    outcomes = run_together(partial(merge_guest, run.players[0], user), partial(run.leave, 0, 30))
    assert set(codes(outcomes)) <= {"not_entered"}
    entrant = run.race.entrants.order_by("pk").first()
    assert entrant is not None
    assert entrant.player == user
    assert entrant.state == ("retired" if not codes(outcomes) else "racing")


def finish_the_divisions_of_a_heat() -> None:
    """The last two divisions of a deal finish at once: the deal is revealed."""
    runs = [Run.racing(2), Run.racing(2)]
    Race.objects.filter(pk=runs[1].race.pk).update(deal=runs[0].race.deal)
    for run in runs:
        run.resign(0, 20)
        run.resign(1, 21)
        judged = Attempt.objects.filter(pk__in=run.attempt_ids)
        judged.update(state=Attempt.State.VERIFIED, cards_up=0, elapsed_ms=5000, tokens=0)
    assert run_together(*(partial(finishing.finish, run.race.pk, at(30)) for run in runs)) == [True, True]
    assert Deal.objects.get(races=runs[0].race).revealed_at == at(30)


def find_each_other() -> None:
    """Two processes move two seeks to each other's room at once: the players meet in one."""
    found = [quick_room(create_guest()) for _ in range(2)]
    assert run_together(*(partial(matchmaking.advance_room, room.pk, at(1)) for room in found)) == [None, None]
    assert Race.objects.get(room__in=found, state="open").entrants.count() == 2


def main() -> None:
    for scenario in (
        sit_in_two_rooms,
        take_the_last_seat,
        start_twice,
        leave_while_it_starts,
        take_the_step_in_every_process,
        sit_for_the_rematch,
        finish_at_once,
        merge_while_racing,
        finish_the_divisions_of_a_heat,
        find_each_other,
    ):
        for _ in range(ROUNDS):
            scenario()
        print("ok", scenario.__name__)
