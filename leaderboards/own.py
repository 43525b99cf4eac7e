"""Where a player stands on a deal's board, or would stand with an account, and what is missing to be established."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.ladders import Ladder
from games.models import Deal
from leaderboards import eligibility, histogram
from leaderboards.eligibility import Missing
from leaderboards.keys import BoardName
from leaderboards.listings import deal_listing
from leaderboards.models import Result


@dataclass(frozen=True, slots=True)
class Own:
    """A player's verified result on a deal: its rank on its ladder, `of` how many with its own.

    `is_preview` says that the result is a guest's: no board shows it, and an account would have the rank. `missing` is
    what a newcomer lacks; with nothing missing, the next day's deals are played among the established.
    """

    rank: int
    of: int
    ladder: Ladder
    is_preview: bool
    missing: Missing | None

    @property
    def ahead_of(self) -> int:
        """The share of the others that it is ahead of, in whole per cent; 0 without others."""
        return 100 * (self.of - self.rank) // (self.of - 1) if self.of > 1 else 0

    @property
    def words(self) -> str:
        """What there is to say to a guest or a newcomer; nothing to the established."""
        if self.is_preview and self.ladder == Ladder.NEWCOMERS:
            return _("An account would be at rank %(rank)s of the newcomers.") % {"rank": self.rank}
        if self.is_preview:
            return _("An account would be at rank %(rank)s.") % {"rank": self.rank}
        if self.ladder == Ladder.ESTABLISHED:
            return ""
        return missing_in_words(self.missing) if self.missing else _("From the next day on you are established.")


def own_result(deal: Deal, board: BoardName, player: Any) -> Own | None:  # noqa: ANN401 - a row of the user model
    """The player's own result; None without a verified one, and for a player whom no board would show."""
    result = Result.objects.filter(deal=deal, player=player.pk).first()
    if result is None or not (result.listed or player.would_be_listed):
        return None
    ladder = Ladder(result.ladder)
    listing = deal_listing(deal.pk, board, ladder)
    before, listed = histogram.ahead_of_all(listing, listing.position(result))
    lacks = eligibility.missing(player) if ladder == Ladder.NEWCOMERS and result.listed else None
    return Own(before + 1, listed + (not result.listed), ladder, not result.listed, lacks)


def missing_in_words(lacks: Missing) -> str:
    """What is missing, such as "2 more verified games of the day, on one more day"."""
    games = ngettext(
        "To be established: one more verified game of the day",
        "To be established: %(n)s more verified games of the day",
        lacks.games,
    ) % {"n": lacks.games}
    if not lacks.days:
        return f"{games}."
    days = ngettext("on one more day", "on %(n)s more days", lacks.days) % {"n": lacks.days}
    return f"{games}, {days}."
