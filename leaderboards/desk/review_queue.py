"""Review queue, most urgent attempts first.

Attempts with an open appeal come first, then those that would be at the top of the board of a deal that is open or
closed recently. Older deals follow, in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.utils import timezone

from games.appeals.appeals import open_appeals
from games.core.ladders import Ladder
from games.db.statements import run_in_order
from games.models import Attempt
from games.presentation import titles
from games.races.finishing import RACED
from games.races.models import Entrant, Race
from leaderboards.boards.histogram import ahead_sql
from leaderboards.boards.listings import deal_listing
from leaderboards.boards.rank_keys import DEAL, BoardScore

#: Period after a deal closes during which its attempts are urgent.
RECENT: Final = timedelta(days=7)
#: Number of attempts under review that are sorted, latest finish first, and number of those shown.
READ: Final = 1_000
SHOWN: Final = 100

_LAST_ID: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class QueuedAttempt:
    """Attempt under review; `place` is the one it would have in its deal or race."""

    attempt: Attempt
    title: str
    place: int | None
    is_open: bool
    is_recent: bool
    is_appealed: bool

    @property
    def codes(self) -> list[str]:
        """Codes of the reasons."""
        return [str(entry["code"]) for entry in self.attempt.reasons]

    @property
    def urgency(self) -> tuple[bool, bool, float, bool, datetime]:
        """Sort key; the smallest comes first."""
        place = math.inf if self.place is None else self.place
        finished_at = self.attempt.finished_at
        assert finished_at is not None  # a table constraint
        return not self.is_appealed, not self.is_recent, place, not self.is_open, finished_at


@dataclass(frozen=True, slots=True)
class Queue:
    """Start of the queue, and its total length."""

    waiting: list[QueuedAttempt]
    total: int


def queue(now: datetime | None = None) -> Queue:
    """Return the attempts under review, most urgent first."""
    now = now or timezone.now()
    review = Attempt.objects.filter(state=Attempt.State.REVIEW)
    appealed = set(open_appeals().filter(attempt__state=Attempt.State.REVIEW).values_list("attempt_id", flat=True))
    rows = review.select_related("deal", "player").defer("record", "decisions_digest")
    found = [*rows.filter(pk__in=appealed), *rows.exclude(pk__in=appealed).order_by("-finished_at")[:READ]]
    places = places_of(found)
    ready = (_waiting(attempt, places.get(attempt.pk), now, is_appealed=attempt.pk in appealed) for attempt in found)
    waiting = sorted(ready, key=lambda attempt: attempt.urgency)
    return Queue(waiting[:SHOWN], len(found) if len(found) < READ else review.count())


def places_of(attempts: Sequence[Attempt]) -> dict[int, int]:
    """Return, by attempt id, the place that each would take on its ladder of the deal or in its race."""
    ranked = [
        (attempt, score) for attempt in attempts if attempt.ranked and (score := BoardScore.of(attempt)) is not None
    ]
    statements = []
    for attempt, score in ranked:
        listing = deal_listing(attempt.deal_id, "race", Ladder(attempt.ladder or Ladder.ESTABLISHED))
        sql, params = ahead_sql(listing, (DEAL["race"].pack(score), attempt.finished_at, _LAST_ID))
        statements.append((f"SELECT {sql}", params))
    rows = run_in_order(statements) if statements else []
    places = {attempt.pk: int(found[0][0]) + 1 for (attempt, _), found in zip(ranked, rows, strict=True)}
    return places | _race_places([attempt.pk for attempt in attempts if not attempt.ranked])


def _race_places(attempt_ids: Sequence[int]) -> dict[int, int]:
    """Return the place that each race attempt would take among the entrants with a place."""
    raced = Entrant.objects.filter(attempt__in=attempt_ids, attempt__cards_up__isnull=False, state__in=RACED)
    raced = raced.select_related("attempt", "race").defer("attempt__record").prefetch_related("race__entrants")
    return {attempt.pk: _race_place(attempt, seat.race) for seat in raced if (attempt := seat.attempt) is not None}


def _race_place(attempt: Attempt, race: Race) -> int:
    placed = [other for other in race.entrants.all() if other.place is not None]
    return 1 + sum(other.score.key < attempt.score.key for other in placed)


def _waiting(attempt: Attempt, place: int | None, now: datetime, *, is_appealed: bool) -> QueuedAttempt:
    deal = attempt.deal
    over_at = deal.closes_at or attempt.finished_at
    return QueuedAttempt(
        attempt,
        titles.deal_title(deal.variant, deal.game),
        place,
        is_open=deal.day is not None and deal.is_open(now),
        is_recent=over_at is not None and over_at > now - RECENT,
        is_appealed=is_appealed,
    )
