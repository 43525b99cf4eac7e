"""Commands inside the site that a browser uses (`tests.control`)."""

from __future__ import annotations

import os
import secrets
from datetime import UTC, datetime, time, timedelta
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from accounts.models import User
from games.attempts.lifecycle import deal_table
from games.deals import ledger
from games.deals.publishing import todays_deals
from games.explorer import building
from games.explorer.trails import PlayedGame
from games.models import Attempt, Deal
from games.puzzles import daily
from games.puzzles.models import PuzzleRun
from games.puzzles.runs import puzzle_runs
from games.races import rooms, seats, starting
from games.races.models import Entrant, Race, Room
from games.rules import CATALOGUE, Record, commitment
from tests.browser.players import inhabit
from tests.control import QUICK_HASHERS, serve
from tests.factories import make_deal, session_of
from tests.games.explorer.played import finished, winner
from tests.games.puzzles.puzzles import TAROT, stored_puzzle
from tests.games.races import storms

settings.PASSWORD_HASHERS = QUICK_HASHERS


def make_deals(seeds: dict[str, str], old: dict[str, Any], old_day: str) -> None:
    """Create deals of today and tomorrow with the seeds, by variant, and one of a past day with its winning line."""
    today = timezone.now().date()
    for variant, seed in seeds.items():
        make_deal(variant, today, seed=bytes.fromhex(seed))
        # The same cards, but no two deals have the same commitment.
        another = commitment(bytes.fromhex(seed)[::-1])
        make_deal(variant, today + timedelta(days=1), seed=bytes.fromhex(seed), commitment=another)
    won = Record.from_json(old)
    day = datetime.fromisoformat(old_day).date()
    proof: dict[str, Any] = {"proven": True, "grade": 2, "par": len(won.tokens), "solution": won.to_bytes()}
    deal = make_deal("labyrinth", day, seed=won.seed, **proof)
    ledger.append(deal, datetime.combine(day, time(), UTC) - timedelta(days=2))


def winning_lines() -> dict[str, list[str]]:
    """Return the winning lines of today's deals."""
    deals = {deal.variant: deal for deal in todays_deals() if deal.proven}
    assert deals.keys() == CATALOGUE.keys(), "some deals are not proven"
    return {name: list(Record.from_bytes(bytes(deal.solution or b"")).tokens) for name, deal in deals.items()}


def start_afresh() -> None:
    """Free the names of all players and close their rooms."""
    for pk in User.objects.filter(is_guest=False).values_list("pk", flat=True):
        User.objects.filter(pk=pk).update(username=f"once-{pk}", name_key=f"once{pk}")
    Room.objects.filter(closed_at=None).update(closed_at=timezone.now())


def _player(name: str) -> User:
    return User.objects.filter(username=name).first() or User.objects.create_user(name)


def race(
    *, names: list[str], variant: str, seed: str, seconds: float, limit_s: int, free_undo: bool, public: bool
) -> dict[str, Any]:
    """Create a race of these players whose cards are dealt in this many seconds."""
    players, now = [_player(name) for name in names], timezone.now()
    room = rooms.open_room(
        players[0], variant, limit_s=limit_s, seats=max(2, len(players)), free_undo=free_undo, public=public
    )
    other = commitment(secrets.token_bytes(32))  # many races have the same cards
    deal = make_deal(
        variant, practice=True, seed=bytes.fromhex(seed), commitment=other, opens_at=now, for_race=True, proven=True
    )
    race = rooms.next_race(room, now)
    Race.objects.filter(pk=race.pk).update(deal=deal)
    for player in players:
        seats.sit(room.pk, player)
    starting.start(room.pk, countdown=timedelta(seconds=seconds))
    racers = []
    for player in players:
        entrant = Entrant.objects.select_related("attempt").get(race=race, player=player)
        assert entrant.attempt is not None
        table = f"/table/{entrant.attempt.public_id}/"
        racer = {"name": player.display_name, "session": session_of(player), "entrant": entrant.pk}
        racers.append(racer | {"table": table, "attempt": entrant.attempt.pk})
    return {"seconds": seconds, "code": room.code, "number": race.number, "race": race.pk, "racers": racers}


def end_races() -> None:
    """Let the time of all races that have a start run out, and that of their storms."""
    races = Race.objects.filter(state__in=["countdown", "racing"])
    PuzzleRun.objects.filter(entrant__race__in=races).update(begun_at=F("begun_at") - timedelta(minutes=3))
    races.update(ends_at=F("starts_at") + timedelta(seconds=1))


def age_accounts() -> None:
    """Make all accounts two days old."""
    User.objects.update(date_joined=timezone.now() - timedelta(days=2))


def explored_game() -> tuple[str, int]:
    """Play the past deal five times; return the public id of a won game, and the number of moves before they part."""
    deal = Deal.objects.get(solution__isnull=False, day__isnull=False)
    Attempt.objects.filter(deal=deal).delete()
    line = Record.from_bytes(bytes(deal.solution or b""))
    table, n = deal_table(deal), 0
    while line.tokens[n] == "d" or not table.is_legal("d"):
        table.push(line.tokens[n])
        n += 1
    astray = PlayedGame([*line.tokens[:n], "d"], [9] * (n + 1), 90_000, won=False)
    games = [winner(line), winner(line), *[astray] * 3]
    attempts = [finished(_player(secrets.token_hex(8)), deal, line, game) for game in games]
    building.SECONDS = 0.0  # type: ignore[misc]
    building.expire(Deal.objects.filter(pk=deal.pk))
    building.build_due()
    return str(attempts[0].public_id), n


def live_pages() -> dict[str, str]:
    """Create what the pages that follow the server show: puzzle races, a storm, and a player who waits for a race."""
    mark = secrets.token_hex(3)
    minos, pasiphae, talos = (_player(f"{name}{mark}") for name in ("Minos", "Pasiphae", "Talos"))
    daily.puzzle_of(timezone.now().date())
    puzzles = storms.counting_room(minos, pasiphae)
    storm = puzzle_runs.begin(pasiphae.pk, "storm")
    puzzle_runs.show(storm.pk)
    PuzzleRun.objects.filter(pk=storm.pk).update(
        begun_at=timezone.now() + timedelta(hours=1)
    )  # it lasts all tests long
    seats.sit(rooms.open_room(talos, "stonewall", limit_s=900, seats=8).pk, talos)
    return {
        "puzzles": f"/races/{puzzles.code}/1/puzzles/",
        "puzzle_player": session_of(minos),
        "storm": f"/puzzles/storm/{storm.public_id}/",
        "storm_player": session_of(pasiphae),
        "waiting_player": session_of(talos, waits_for_race=True),
        "day": str(timezone.now().date()),
    }


def tarot_puzzle() -> int:
    """Store a puzzle that asks for the move that loses, and return its number."""
    return int(stored_puzzle(TAROT).pk)


if __name__ == "__main__":
    serve(
        *(make_deals, winning_lines, inhabit, start_afresh, race),
        *(end_races, age_accounts, explored_game, live_pages, tarot_puzzle),
    )
