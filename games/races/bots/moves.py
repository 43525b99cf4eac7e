"""Moves of bots: every process that shows their room plays the moves that are due.

A bot's game is planned and stored (`planning`), and its journal shows how far it has got. So any process can play the
next move, and a move that several play at once is written once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from games.attempts.lifecycle import How, close_attempt
from games.bots.game_plan import GamePlan
from games.models import Attempt, Move
from games.races import starting
from games.races.bots import planning
from games.races.finishing import ACTIVE
from games.races.models import Entrant, Race
from games.races.results.places import Figures

_MS: Final = timedelta(milliseconds=1)
#: Time between looks for the plan of a worker.
POLL_MS: Final = 500


@dataclass(frozen=True, slots=True)
class BotProgress:
    """Progress of a room's bots: figures by entrant, and the ms until the next move.

    ``next_ms`` is None if no bot will move any more.
    """

    figures: dict[int, Figures]
    next_ms: int | None


def play_due(room_id: int, now: datetime | None = None) -> BotProgress:
    """Play the moves that are due in the room's running race, and close games that are over.

    Bots stop when no person is racing any more.
    """
    now = now or timezone.now()
    seats = _seats(room_id, Race.State.RACING)
    is_contested = any(not seat.bot for seat in seats)
    figures, waits = {}, []
    for seat in filter(_is_bot, seats):
        if seat.state == Entrant.State.SEATED:
            starting.mark_dealt([seat.attempt_id], now)
        game, elapsed_ms = planning.plan_of(seat.attempt_public_id, now), seat.elapsed_ms(now)
        if game is None:
            waits.append(POLL_MS)
            continue
        played = game.due(elapsed_ms)
        is_written = _write(seat, game, played)
        if played:
            figures[seat.entrant_id] = Figures(game.cards_up[played - 1], played, game.progress_ms[played - 1])
        is_over = played == len(game.tokens) and elapsed_ms >= game.end_ms
        if is_written and (is_over or not is_contested):
            _close(seat, "won" if is_over and game.won else "resigned", game.end_ms if is_over else elapsed_ms)
        elif not is_over:
            following = game.clock[played] if played < len(game.tokens) else game.end_ms
            waits.append(following - elapsed_ms)
    return BotProgress(figures, min(waits, default=None))


class _Seat(NamedTuple):
    """Columns of an entrant that a move needs. Whole rows would cost more than the move."""

    entrant_id: int
    state: str
    bot: str
    attempt_id: int
    attempt_public_id: UUID
    starts_at: datetime
    limit_s: int

    def elapsed_ms(self, now: datetime) -> int:
        return min((now - self.starts_at) // _MS, 1000 * self.limit_s)


_COLUMNS: Final = (
    "pk", "state", "bot", "attempt", "attempt__public_id", "race__starts_at", "race__limit_s",
)  # fmt: skip


def _seats(room_id: int, state: Race.State) -> list[_Seat]:
    """Return the active entrants of the room's race in this state, people included."""
    entrants = Entrant.objects.filter(race__room=room_id, race__state=state, state__in=ACTIVE)
    return [_Seat(*row) for row in entrants.order_by("pk").values_list(*_COLUMNS)]


def _is_bot(seat: _Seat) -> bool:
    return bool(seat.bot)


def _write(seat: _Seat, game: GamePlan, played: int) -> bool:
    """Write the first `played` moves to the journal; return False if another process is doing so, or closed it."""
    key = seat.attempt_id
    with transaction.atomic():
        own = Attempt.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=key)
        if not own.filter(state=Attempt.State.PLAYING).values_list("pk"):
            return False
        written = Move.objects.filter(attempt=key).order_by("-n").values_list("n", flat=True).first() or 0
        due = enumerate(zip(game.tokens[written:played], game.clock[written:played], strict=True), written + 1)
        moves = [Move(attempt_id=key, n=n, token=token, ms=ms) for n, (token, ms) in due]
        Move.objects.bulk_create(moves, ignore_conflicts=True)
    return True


def _close(seat: _Seat, how: How, elapsed_ms: int) -> None:
    close_attempt(seat.attempt_id, how, at=seat.starts_at + elapsed_ms * _MS)
