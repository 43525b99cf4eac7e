"""Backfill of progress times: computes them for older results from their records, and ranks these again.

Until then, they rank by total time, then fewer tokens. A record that does not replay is left to `manage.py verify`.
"""

from __future__ import annotations

import logging
from typing import Final

from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.db import DatabaseError, transaction
from django.db.models import F, Q

from games.attempts.verification import judge_record
from games.core import events
from games.models import Attempt
from games.races.finishing import recompute_places
from games.races.models import Entrant, Race
from games.rules import NO_PROGRESS
from leaderboards.boards import entries
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.models import Result
from leaderboards.verdicts.reverification import finished_attempts

log = logging.getLogger(__name__)

BATCH: Final = 200
#: Seconds until a finished backfill looks again: a worker of the release before may have judged a game since.
DONE_FOR: Final = 24 * 3600
_DONE: Final = "progress-times-filled"


def is_done() -> bool:
    """Return whether a search found nothing left in the last day: it reads the whole table."""
    return bool(cache.get(_DONE))


def note_done() -> None:
    """Note that a search found nothing left."""
    cache.set(_DONE, value=True, timeout=DONE_FOR)


def fill_attempts(after: int = 0) -> int | None:
    """Fill in the next attempts after an id and rank them; return the id to go on from, or None if none are left."""
    missing = finished_attempts().filter(pk__gt=after, cards_up__isnull=False, progress_ms=None)
    attempts = list(missing[:BATCH])
    if not attempts:
        return None
    filled = sum(_fill(attempt) for attempt in attempts)
    log.info("progress times filled in", extra={"filled": filled, "up_to": attempts[-1].pk})
    return attempts[-1].pk


def _fill(attempt: Attempt) -> bool:
    played = judge_record(attempt).replay
    score = None if played is None or not played.ok else BoardScore.of(played)
    if score is None:
        log.warning("no progress time in the record", extra={"attempt": str(attempt.public_id)})
        return False
    try:
        return _rank(attempt, score)
    except (DatabaseError, ValueError):
        log.exception("attempt not ranked anew", extra={"attempt": str(attempt.public_id)})
        return False


def _rank(attempt: Attempt, score: BoardScore) -> bool:
    with transaction.atomic():
        player = get_user_model().objects.select_for_update(no_key=True).get(pk=attempt.player_id)
        unfilled = Attempt.objects.filter(pk=attempt.pk, player=player, state=attempt.state, progress_ms=None)
        if not unfilled.update(progress_ms=score.progress_ms):
            return False  # changed in the meantime
        for result in Result.objects.filter(attempt=attempt).select_related("player", "deal"):
            entries.remove(result)
            entries.add(entries.result_of(attempt, player, score), listed=player.is_listed)
    return True


def rank_races() -> int:
    """Recompute the places of finished races, then the ratings once; return the number of races."""
    unfilled = Entrant.objects.filter(race__state=Race.State.FINISHED, cards_up__isnull=False, progress_ms=None)
    unfilled = unfilled.filter(Q(attempt=None) | Q(attempt__progress_ms__isnull=False))
    races = Race.objects.filter(pk__in=unfilled.values("race")).order_by("finished_at", "pk")
    ranked = list(races)
    for race in ranked:
        # The time of a storm is that of the last puzzle solved. The record of a removed player is gone.
        known = F("elapsed_ms") if race.is_puzzle_race else NO_PROGRESS
        unfilled.filter(race=race, attempt=None).update(progress_ms=known)
        recompute_places(race.pk, refold=False)
    rated = [race.pk for race in ranked if race.rated]
    if rated:
        events.request_task("talon.refold", rated[0])
    return len(ranked)
