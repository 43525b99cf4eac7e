"""Plans of bots' games, stored with their entrants.

The games of bots that look ahead are planned by a worker during the countdown, in a process of its own, as the solver
takes time and memory. If there is no plan soon after the start, the next process that needs it plans without looking
ahead. The first plan stored is played.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Final
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from games.bots import game_plan
from games.bots.game_plan import GamePlan
from games.bots.lookahead import SECONDS
from games.bots.roster import BOTS
from games.core import events
from games.core.background_threads import run_in_background
from games.core.search_process import SearchProcess
from games.races.finishing import ACTIVE
from games.races.models import Entrant, Race
from games.rules import open_table

#: Time after the start until which a plan may come from a worker.
PATIENCE: Final = timedelta(seconds=5)
#: Plans kept in memory; one takes some kilobytes.
_PLANS: Final = 64

searches: Final = SearchProcess(game_plan.search, niceness=5, idle=600.0)


def request_plans(race: Race) -> None:
    """Have a worker plan the games of the race's bots that look ahead; call it when the countdown begins."""
    if any(BOTS[slug].looks_ahead for slug in race.entrants.exclude(bot="").values_list("bot", flat=True)):
        transaction.on_commit(partial(events.request_task, "talon.plan_bot_games", race.pk))


def start_planning(race_id: int) -> threading.Thread:
    """Start a thread that plans the games of the race's bots that look ahead, and return it."""
    return run_in_background(f"bots-of-race-{race_id}", lambda: plan_games(race_id))


def plan_games(race_id: int) -> None:
    """Search for the games of the race's bots that look ahead, while there is time."""
    for entrant in _unplanned().filter(race=race_id):
        assert entrant.race.starts_at is not None
        left = entrant.race.starts_at + PATIENCE - timezone.now()
        if BOTS[entrant.bot].looks_ahead and left > timedelta(0):
            for game in searches.replies(planner(entrant, SECONDS), seconds=left.total_seconds()):
                store(entrant, game, timezone.now())


def plan_of(attempt_id: UUID, now: datetime) -> GamePlan | None:
    """Return the game of the bot with this attempt; None while a worker may be planning it, or if it is over."""
    try:
        return _stored(attempt_id)
    except Entrant.DoesNotExist:
        entrant = _unplanned().filter(attempt__public_id=attempt_id).first()
    if entrant is None or (BOTS[entrant.bot].looks_ahead and now < (entrant.race.starts_at or now) + PATIENCE):
        return None
    store(entrant, planner(entrant)(), now)
    return plan_of(attempt_id, now)


def planner(entrant: Entrant, seconds: float = 0) -> Callable[[], GamePlan]:
    """Return a function, for this or another process, that plans a bot's game with a search of some CPU seconds."""
    race, attempt, bot = entrant.race, entrant.attempt, BOTS[entrant.bot]
    assert attempt is not None
    deal = attempt.deal
    name, options = deal.variant or deal.game, None if deal.variant else deal.options
    opened = partial(open_table, name, bytes(deal.seed), options, version=deal.rules_version)
    key, limit_ms, free_undo = attempt.public_id.hex, 1000 * race.limit_s, race.free_undo
    return partial(game_plan.plan_game, bot, opened, key, limit_ms, free_undo=free_undo, seconds=seconds)


def store(entrant: Entrant, game: GamePlan, now: datetime) -> None:
    """Store a game unless there is one; if the race has started, the game begins now."""
    late_ms = max(0, (now - (entrant.race.starts_at or now)) // timedelta(milliseconds=1))
    rows = Entrant.objects.filter(pk=entrant.pk, attempt=entrant.attempt, state__in=ACTIVE, plan__isnull=True)
    rows.update(plan=msgspec.to_builtins(game.delayed(late_ms)))


def _unplanned() -> QuerySet[Entrant]:
    playing = Entrant.objects.filter(state__in=ACTIVE, plan__isnull=True, attempt__isnull=False)
    return playing.exclude(bot="").select_related("race", "attempt__deal")


@lru_cache(_PLANS)
def _stored(attempt_id: UUID) -> GamePlan:
    """Read a plan, which never changes.

    :raises Entrant.DoesNotExist: if there is none.
    """
    planned = Entrant.objects.filter(plan__isnull=False).values_list("plan", flat=True)
    return msgspec.convert(planned.get(attempt__public_id=attempt_id), GamePlan)
