"""Moves of house racers: every process that shows their room plays the moves that are due.

A racer's game is computed, not stored (`games.house_racers.game_plan`), and its journal shows how far it has got. So
any process can play the next move, and a move that several play at once is written once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Final

from django.db import transaction
from django.utils import timezone

from games.attempts.lifecycle import How, close_attempt, deal_table
from games.house_racers.game_plan import GamePlan, plan_game
from games.house_racers.racers import HOUSE_RACERS
from games.models import Attempt, Deal, Move
from games.races import race_start
from games.races.models import Entrant, Race
from games.races.race_finish import ACTIVE

_MS: Final = timedelta(milliseconds=1)
#: Games kept in memory; one takes some kilobytes, and up to a second to compute.
_GAMES: Final = 64


class DifferentGameError(Exception):
    """The journal has moves of another game: it was begun by a release that plays differently."""


@dataclass(frozen=True, slots=True)
class HouseProgress:
    """Progress of a room's house racers: cards up and tokens by entrant, and the ms until the next move.

    ``next_ms`` is None if no racer will move any more.
    """

    figures: dict[int, tuple[int, int]]
    next_ms: int | None


def prepare_games(room_id: int) -> None:
    """Compute the games of the room's next race in advance, during its countdown."""
    for entrant in _entrants(room_id, Race.State.COUNTDOWN):
        _game(entrant)


def play_due(room_id: int, now: datetime | None = None) -> HouseProgress:
    """Play the moves that are due in the room's running race, and close games that are over.

    House racers stop when no person is racing any more.
    """
    now = now or timezone.now()
    entrants = _entrants(room_id, Race.State.RACING)
    figures, waits = {}, []
    is_contested = Entrant.objects.filter(
        race__room=room_id, race__state=Race.State.RACING, state__in=ACTIVE, house_racer=""
    ).exists()
    for entrant in entrants:
        game = _game(entrant)
        elapsed_ms = _elapsed_ms(entrant, now)
        played = game.due(elapsed_ms)
        try:
            is_written = _write(entrant, game, played, now)
        except DifferentGameError:
            _close(entrant, "resigned", elapsed_ms)
            continue
        if played:
            figures[entrant.pk] = (game.cards_up[played - 1], played)
        is_over = played == len(game.tokens) and elapsed_ms >= game.end_ms
        if is_written and (is_over or not is_contested):
            _close(entrant, "won" if is_over and game.won else "resigned", game.end_ms if is_over else elapsed_ms)
        elif not is_over:
            following = game.clock[played] if played < len(game.tokens) else game.end_ms
            waits.append(following - elapsed_ms)
    return HouseProgress(figures, min(waits, default=None))


def _entrants(room_id: int, state: Race.State) -> list[Entrant]:
    racers = Entrant.objects.filter(race__room=room_id, race__state=state, state__in=ACTIVE).exclude(house_racer="")
    return list(racers.select_related("race", "attempt__deal").order_by("pk"))


def _elapsed_ms(entrant: Entrant, now: datetime) -> int:
    race = entrant.race
    assert race.starts_at is not None
    return min((now - race.starts_at) // _MS, 1000 * race.limit_s)


def _game(entrant: Entrant) -> GamePlan:
    attempt, race = entrant.attempt, entrant.race
    assert attempt is not None
    return _computed(entrant.house_racer, attempt.deal, attempt.public_id.hex, 1000 * race.limit_s)


@lru_cache(_GAMES)
def _computed(slug: str, deal: Deal, seed: str, limit_ms: int) -> GamePlan:
    return plan_game(HOUSE_RACERS[slug], partial(deal_table, deal), seed, limit_ms)


def _write(entrant: Entrant, game: GamePlan, played: int, now: datetime) -> bool:
    """Write the first `played` moves to the journal; return False if another process is doing so, or closed it.

    :raises DifferentGameError: if the journal is not the beginning of this game.
    """
    assert entrant.attempt_id is not None
    if entrant.state == Entrant.State.READY:
        race_start.mark_dealt([entrant.attempt_id], now)
    with transaction.atomic():
        own = Attempt.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=entrant.attempt_id)
        attempt = own.filter(state=Attempt.State.PLAYING).first()
        if attempt is None:
            return False
        last = Move.objects.filter(attempt=attempt).order_by("-n").first()
        written = last.n if last else 0
        if last and [(last.token, last.ms)] != list(zip(game.tokens, game.clock, strict=True))[written - 1 : written]:
            raise DifferentGameError
        due = enumerate(zip(game.tokens[written:played], game.clock[written:played], strict=True), written + 1)
        moves = [Move(attempt=attempt, n=n, token=token, ms=ms) for n, (token, ms) in due]
        Move.objects.bulk_create(moves, ignore_conflicts=True)
    return True


def _close(entrant: Entrant, how: How, elapsed_ms: int) -> None:
    assert entrant.attempt_id is not None
    assert entrant.race.starts_at is not None
    close_attempt(entrant.attempt_id, how, at=entrant.race.starts_at + elapsed_ms * _MS)
