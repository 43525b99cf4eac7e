"""Puzzle races on the real clock: what the tests of their parts share."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from games.puzzles.models import PuzzleRun
from games.puzzles.runs import puzzle_runs
from games.puzzles.runs.puzzle_runs import RunReply
from games.races import reconciler, rooms, seats, starting, storms
from games.races.models import Entrant, Race, Room
from tests.games.puzzles.puzzles import STONEWALL, right, stored_puzzle
from tests.games.races.conftest import House


def house_of_puzzles(count: int, *, public: bool = True) -> House:
    """Open a room for a puzzle race with these many players, and store puzzles for it: three of Stonewall."""
    for mu in (1000, 1200, 1400):
        stored_puzzle(STONEWALL, mu=mu)
    return House.opened(count, "puzzles", public=public)


def counting_room(*players: Any) -> Room:
    """Create a room whose puzzle race starts in an hour."""
    room = rooms.open_room(players[0], "puzzles", limit_s=300, seats=16)
    for player in players:
        seats.sit(room.pk, player)
    starting.start(room.pk, countdown=timedelta(hours=1))
    return room


def finished_room(*players: Any) -> Room:
    """Create a room with a finished puzzle race; each player has solved one puzzle less than the one before."""
    now = timezone.now()
    room = rooms.open_room(players[0], "puzzles", public=True, limit_s=300, seats=16)
    race = Race.objects.get(room=room)
    assert race.puzzles is not None
    for place, player in enumerate(players, 1):
        run = puzzle_runs.begin_for_race(player.pk, race.puzzles, now)
        PuzzleRun.objects.filter(pk=run.pk).update(missed=race.puzzles[:2])
        figures = {"cards_up": len(players) - place, "elapsed_ms": 1000 * place, "tokens": 0}
        Entrant.objects.create(
            race=race, player=player, storm=run, state="timed_out", joined_at=now, place=place, **figures
        )
    Race.objects.filter(pk=race.pk).update(state="finished", starts_at=now, ends_at=now, finished_at=now)
    return room


def racing_house(count: int) -> House:
    """Start a puzzle race; all players have been given the first puzzle."""
    house = house_of_puzzles(count)
    house.start()
    for place in range(count):
        storms.current(house.race.pk, house.players[place].pk)
    reconciler.reconcile()
    return house


def play(house: House, place: int, at: int, turn: int, token: str) -> RunReply:
    return storms.play(house.race.pk, house.players[place].pk, at, turn, token)


def solve(house: House, place: int, at: int) -> None:
    """Play the right moves of the puzzle number `at`."""
    for turn in range(len(STONEWALL.turns)):
        play(house, place, at, turn, right(STONEWALL, turn))


def storm(house: House, place: int) -> PuzzleRun:
    found = house.entrant(place).storm
    assert found is not None
    return found


def pass_time(house: House, seconds: float = 180) -> None:
    """Move the start of the race and of its storms back."""
    race, by = house.race, timedelta(seconds=seconds)
    assert race.starts_at is not None
    assert race.ends_at is not None
    Race.objects.filter(pk=race.pk).update(starts_at=race.starts_at - by, ends_at=race.ends_at - by)
    for run in PuzzleRun.objects.filter(entrant__race=race):
        moved = {"begun_at": race.starts_at - by, "solved_at": run.solved_at and run.solved_at - by}
        PuzzleRun.objects.filter(pk=run.pk).update(**moved)


def end(house: House) -> None:
    """Let the time run out, and take the steps that are due, as a worker does."""
    pass_time(house)
    reconciler.reconcile(timezone.now())
