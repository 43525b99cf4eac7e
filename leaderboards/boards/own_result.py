"""Own result: a player's rank on a deal's board, the rank an account would have, and missing requirements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.core.ladders import Ladder
from games.db.players import Player
from games.models import Attempt, Deal
from games.presentation.view_models import ShownAttempt
from leaderboards.boards import eligibility, histogram
from leaderboards.boards.eligibility import Missing
from leaderboards.boards.listings import deal_listing
from leaderboards.boards.rank_keys import BoardName
from leaderboards.models import Result


@dataclass(frozen=True, slots=True)
class OwnResult:
    """Verified result of a player on a deal: its rank on its ladder among `of` results, including its own.

    `is_preview` marks a guest's result: no board shows it, and an account would have the rank. `missing` holds the
    requirements that a newcomer lacks; if it is None, the next day's deals are ranked among the established.
    """

    rank: int
    of: int
    ladder: Ladder
    is_preview: bool
    missing: Missing | None

    @property
    def words(self) -> str:
        """Message for a guest or a newcomer; empty for established players."""
        if self.is_preview and self.ladder == Ladder.NEWCOMERS:
            return _("With an account you'd be at rank %(rank)s among newcomers.") % {"rank": self.rank}
        if self.is_preview:
            return _("With an account you'd be at rank %(rank)s.") % {"rank": self.rank}
        if self.ladder == Ladder.ESTABLISHED:
            return ""
        return missing_in_words(self.missing) if self.missing else _("From tomorrow you are an established player.")


def own_result(deal: Deal, board: BoardName, player: Any) -> OwnResult | None:  # noqa: ANN401 - a row of the user model
    """Return the player's own result; None without a verified one, or if the board would not show it."""
    result = Result.objects.filter(deal=deal, player=player.pk).first()
    if result is None or not (result.listed or player.would_be_listed):
        return None
    ladder = Ladder(result.ladder)
    listing = deal_listing(deal.pk, board, ladder)
    if getattr(result, listing.layout.key) is None:
        return None
    before, listed = histogram.ahead_of_all(listing, listing.position(result))
    lacks = eligibility.missing(player) if ladder == Ladder.NEWCOMERS and result.listed else None
    return OwnResult(before + 1, listed + (not result.listed), ladder, not result.listed, lacks)


def held_game(deal: Deal, player: Player) -> ShownAttempt | None:
    """Return the player's ranked game at the deal if it is under review."""
    held = Attempt.objects.filter(deal=deal, player=player.pk, ranked=True, state=Attempt.State.REVIEW)
    attempt = held.defer("record", "decisions_digest").first()
    return None if attempt is None else ShownAttempt.of(attempt)


def missing_in_words(lacks: Missing) -> str:
    """Describe the missing requirements, such as "To be established you still need: one win"."""
    days = ngettext("a finished game on one more day", "finished games on %(n)s more days", lacks.days)
    age = ngettext("one more day with your account", "%(n)s more days with your account", lacks.age)
    needs = [
        *([days % {"n": lacks.days}] if lacks.days else []),
        *([_("a win")] if lacks.win else []),
        *([_("a confirmed email address or a passkey")] if lacks.confirmation else []),
        *([age % {"n": lacks.age}] if lacks.age else []),
    ]
    return _("To become an established player, you still need: %(needs)s.") % {"needs": ", ".join(needs)}
