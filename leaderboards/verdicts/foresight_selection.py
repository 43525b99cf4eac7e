"""Selection of games for the foresight measurement: the best of each board of a daily deal, and all of rated races.

Games under review are included.
"""

from __future__ import annotations

import logging
import time
from datetime import datetime, timedelta
from typing import Final

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.utils import timezone

from games.attempts.lifecycle import BatchProgress
from games.fairplay import foresight_store
from games.models import Attempt, Deal
from leaderboards.boards.listings import Listing, deal_listings
from leaderboards.boards.rank_keys import BoardScore, Layout

log = logging.getLogger(__name__)

#: Period after a deal closes or a race ends during which its games are measured. Later arrivals at the top are never
#: measured.
LOOKED_BACK: Final = timedelta(days=7)

#: Time budget of a task in seconds, so that other tasks get their turn.
AT_A_TIME: Final = 3.0

_Place = tuple[int, datetime, int]


def measure_top(now: datetime | None = None, *, seconds: float = AT_A_TIME) -> BatchProgress:
    """Measure the selected games without a measurement, for about `seconds` seconds."""
    latest = time.monotonic() + seconds
    done = failed = 0
    for attempt_id in _unmeasured(now or timezone.now()):
        if time.monotonic() >= latest:
            return BatchProgress(done, failed, more=done > 0)
        try:
            foresight_store.measure_and_store(Attempt.objects.get(pk=attempt_id))
            done += 1
        except SoftTimeLimitExceeded:
            raise
        except Exception:
            failed += 1
            log.exception("foresight not measured", extra={"attempt": attempt_id})
    return BatchProgress(done, failed, more=False)


def _unmeasured(now: datetime) -> list[int]:
    deals = Deal.objects.filter(day__isnull=False, opens_at__lte=now, closes_at__gt=now - LOOKED_BACK)
    top = [pk for deal_id in deals.order_by("-day", "pk").values_list("pk", flat=True) for pk in top_places(deal_id)]
    selected = [*top, *_raced(now)] if settings.FORESIGHT_PLACES else []
    measured = foresight_store.measured_among(selected)
    return [pk for pk in selected if pk not in measured]


def _raced(now: datetime) -> list[int]:
    """Return the attempts of recent rated races. No one can rewind them, so every one of them tells something."""
    valid = Attempt.objects.filter(state__in=(Attempt.State.VERIFIED, Attempt.State.REVIEW))
    raced = valid.filter(entrant__race__rated=True, entrant__race__finished_at__gt=now - LOOKED_BACK)
    return list(raced.order_by("-entrant__race__finished_at", "pk").values_list("pk", flat=True))


def top_places(deal_id: int) -> list[int]:
    """Return the attempts with the best scores on each board of a deal, once each, including those under review."""
    return list(dict.fromkeys(pk for listing in deal_listings(deal_id) for pk in _top_places(listing)))


def _top_places(listing: Listing) -> list[int]:
    number, board = settings.FORESIGHT_PLACES, listing.layout
    listed = listing.listed().order_by(*listing.columns)[:number]
    places: list[_Place] = [(getattr(row, board.key), row.finished_at, row.attempt_id) for row in listed]
    reviewed = Attempt.objects.filter(
        deal=listing.scope, ladder=listing.ladder, ranked=True, state=Attempt.State.REVIEW
    )
    reviewed = reviewed.defer("record", "decisions_digest")
    places += [place for attempt in reviewed if (place := _place(attempt, board)) is not None]
    return [pk for _key, _finished_at, pk in sorted(places)[:number]]


def _place(attempt: Attempt, board: Layout) -> _Place | None:
    """Return the attempt's sort key; None if the board does not list it, or its record does not replay."""
    score = BoardScore.of(attempt)
    key = None if score is None else board.key_of(score)
    if key is None or attempt.finished_at is None:
        return None
    return key, attempt.finished_at, attempt.pk
