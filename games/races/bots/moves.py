"""Moves of bots: every process that shows their room plays the moves that are due.

A bot's game is planned and stored (`planning`), and its journal shows how far it has got. So any process can play the
next move, and a move that several play at once is written once.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, NamedTuple

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
_COLUMNS: Final = ("attempt", "attempt__public_id", "race__starts_at", "race__limit_s")


class BotProgress(NamedTuple):
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
    racing = Entrant.objects.filter(race__room=room_id, race__state=Race.State.RACING, state__in=ACTIVE)
    # Whole rows would cost more than the move.
    seats = list(racing.order_by("pk").values_list("bot", "pk", "state", *_COLUMNS))
    is_contested = any(not bot for bot, *_rest in seats)
    figures, waits = {}, []
    for bot, entrant, state, attempt, public_id, starts_at, limit_s in seats:
        if not bot or attempt is None or starts_at is None:
            continue
        if state == Entrant.State.SEATED:
            starting.mark_dealt([attempt], now)
        game, elapsed_ms = planning.plan_of(public_id, now), min((now - starts_at) // _MS, 1000 * limit_s)
        if game is None:
            waits.append(POLL_MS)
            continue
        played = game.due(elapsed_ms)
        is_written = _write(attempt, game, played)
        if played:
            figures[entrant] = Figures(game.cards_up[played - 1], played, game.progress_ms[played - 1])
        is_over = played == len(game.tokens) and elapsed_ms >= game.end_ms
        if is_written and (is_over or not is_contested):
            how: How = "won" if is_over and game.won else "resigned"
            close_attempt(attempt, how, at=starts_at + (game.end_ms if is_over else elapsed_ms) * _MS)
        elif not is_over:
            following = game.clock[played] if played < len(game.tokens) else game.end_ms
            waits.append(following - elapsed_ms)
    return BotProgress(figures, min(waits, default=None))


def _write(key: int, game: GamePlan, played: int) -> bool:
    """Write the first `played` moves to the journal; return False if another process is doing so, or closed it."""
    with transaction.atomic():
        own = Attempt.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=key)
        if not own.filter(state=Attempt.State.PLAYING).values_list("pk"):
            return False
        written = Move.objects.filter(attempt=key).order_by("-n").values_list("n", flat=True).first() or 0
        due = enumerate(zip(game.tokens[written:played], game.clock[written:played], strict=True), written + 1)
        moves = [Move(attempt_id=key, n=n, token=token, ms=ms) for n, (token, ms) in due]
        Move.objects.bulk_create(moves, ignore_conflicts=True)
    return True
