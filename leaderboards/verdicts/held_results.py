"""Held results: taken off the boards when they reach a place at stake, and released in time.

A result is held at its verdict, or when a change above it moves it up (`hold_risen`). `review_held` makes up for lost
tasks, releases what is no longer at stake, and ends holds after `REVIEW_DAYS`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import chain
from typing import Final

from django.conf import settings
from django.utils import timezone

from games.attempts.holds import held_until, is_held
from games.attempts.verification import judge
from games.core.verdict_reasons import is_beyond_hands
from games.models import Attempt
from leaderboards.boards.listings import deal_listings
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.verdicts.decisions import decide
from leaderboards.verdicts.settlement import AttemptVerdict, do_settle
from leaderboards.verdicts.stakes import PLACES, is_at_stake

State = Attempt.State

#: Author of the decision that ends a hold, in the audit trail.
AUTHOR: Final = "end of the review period"
#: Age of the results that are looked at again in case they have moved up.
LOOKED_BACK: Final = timedelta(days=14)


def hold_risen(deal_id: int) -> int:
    """Hold the results in doubt among a deal's first places; return the number held."""
    first = chain.from_iterable(
        listing.listed().order_by(*listing.columns).values_list("attempt", flat=True)[: PLACES[ladder]]
        for ladder in PLACES
        for listing in deal_listings(deal_id, ladder)
    )
    noted = Attempt.objects.select_related("deal").filter(pk__in=set(first), state=State.VERIFIED).exclude(reasons=[])
    return sum(_hold(attempt) for attempt in noted.order_by("pk"))


def _hold(attempt: Attempt) -> bool:
    score = BoardScore.of(attempt)
    if not is_at_stake(attempt, attempt.reasons, score):
        return False
    digest = None if attempt.decisions_digest is None else bytes(attempt.decisions_digest)
    verdict = AttemptVerdict(State.REVIEW, attempt.reasons, score, digest, attempt.real_play)
    return do_settle(attempt, verdict, expected=State.VERIFIED)


def review_held(now: datetime | None = None) -> int:
    """Release the held results that are no longer at stake or whose time is up; return the number released."""
    now = now or timezone.now()
    waiting = Attempt.objects.select_related("deal").filter(state=State.REVIEW).order_by("verified_at", "pk")
    released = sum(_release(attempt, now) for attempt in waiting if is_held(attempt))
    _hold_missed(now)
    return released


def _release(attempt: Attempt, now: datetime) -> bool:
    if is_beyond_hands(attempt.reasons) and is_at_stake(attempt, attempt.reasons, BoardScore.of(attempt)):
        return False  # however often it is judged
    verdict = AttemptVerdict.of(attempt, judge(attempt))
    if verdict.state == State.VERIFIED:
        return do_settle(attempt, verdict, expected=State.REVIEW)
    until = held_until(attempt)
    if until is None or until > now:
        return False
    decide(attempt.pk, State.VERIFIED, AUTHOR, f"Not decided within {settings.REVIEW_DAYS} days.")
    return True


def _hold_missed(now: datetime) -> None:
    """Hold what has moved up at deals whose `hold_risen` was lost."""
    noted = Attempt.objects.filter(state=State.VERIFIED, finished_at__gte=now - LOOKED_BACK)
    for deal_id in noted.filter(ranked=True).exclude(reasons=[]).values_list("deal", flat=True).distinct():
        hold_risen(deal_id)
