"""Stakes: whether others would lose a place by a result that is in doubt.

Only such a result is held. Everywhere else, doubts are notes for staff, and the player never hears of them. Races are
judged by their places when all records have a verdict (`games.races.finishing`), and a record at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final

from django.contrib.auth import get_user_model

from games.core.ladders import Ladder
from games.core.verdict_reasons import VerdictReason, undecided
from games.fairplay import copies
from games.fairplay.account_links import SAME_DEVICE, SAME_NETWORK, linked_to
from games.models import Attempt
from games.races.finishing import places_at_stake
from games.races.models import Entrant
from games.rules import RulesError
from leaderboards.boards.eligibility import ladder_of
from leaderboards.boards.fastest_wins import would_be_record
from leaderboards.boards.listings import Listing, deal_listings
from leaderboards.boards.rank_keys import BoardScore

#: Number of first places that are at stake on each board of a ladder.
PLACES: Final = {Ladder.ESTABLISHED: 10, Ladder.NEWCOMERS: 3}
#: Part of the lighter of two games on one device that must be in common. Pairs of simple players who do not know each
#: other reach it in 3 to 7 of 100 games of The Plot, Tarot Solitaire and Stonewall.
COMMON_ON_DEVICE: Final = 0.7


def is_at_stake(attempt: Attempt, reasons: list[VerdictReason], score: BoardScore | None) -> bool:
    """Return whether doubts that staff have not decided about would cost others a place."""
    if score is None or not undecided(reasons):
        return False
    if attempt.in_race:
        return (attempt.state == Attempt.State.REVIEW and _raced_for_places(attempt)) or _takes_record(attempt, score)
    return _takes_place(attempt, score) and not _is_innocent_neighbour(attempt, reasons)


def _raced_for_places(attempt: Attempt) -> bool:
    entrant = Entrant.objects.select_related("race").filter(attempt=attempt).first()
    return entrant is not None and places_at_stake(entrant.race) > 0


def _takes_record(attempt: Attempt, score: BoardScore) -> bool:
    """Return whether a game in a race would be a record. A daily one would come first, which is at stake anyway."""
    return would_be_record(attempt, score.elapsed_ms) and get_user_model().objects.get(pk=attempt.player_id).has_page


def _takes_place(attempt: Attempt, score: BoardScore) -> bool:
    """Return whether a listed player's result would be among the first places of one of its ladder's boards."""
    ladder = ladder_of(attempt) if attempt.ranked else None
    if ladder is None or not get_user_model().objects.get(pk=attempt.player_id).is_listed:
        return False
    return any(_is_near_top(listing, attempt, score) for listing in deal_listings(attempt.deal_id, ladder))


def _is_near_top(listing: Listing, attempt: Attempt, score: BoardScore) -> bool:
    places, own = PLACES[listing.ladder or Ladder.ESTABLISHED], listing.layout.key_of(score)
    if own is None:
        return False
    better = listing.listed().filter(**{f"{listing.layout.key}__lt": own}).exclude(attempt=attempt.pk)
    return better[:places].count() < places


def _is_innocent_neighbour(attempt: Attempt, reasons: list[VerdictReason]) -> bool:
    """Return whether the only doubt is a shared device, and the games on it have no choices in common: siblings."""
    if {reason["code"] for reason in undecided(reasons)} - {SAME_DEVICE, SAME_NETWORK}:
        return False
    own = copies.weights(bytes(attempt.record or b""))
    earlier = _earlier_on_device(attempt)
    return not any(copies.is_copy(own, other, attempt.deal.game, COMMON_ON_DEVICE) for other in earlier)


def _earlier_on_device(attempt: Attempt) -> Iterator[Mapping[int, float]]:
    """Yield the decisions in the finished games of other players who had started the deal on the device before."""
    games = linked_to(attempt).filter(deal=attempt.deal_id, record__isnull=False)
    for record in games.filter(started_at__lt=attempt.started_at).values_list("record", flat=True):
        with suppress(RulesError):
            yield copies.weights(bytes(record or b""))
