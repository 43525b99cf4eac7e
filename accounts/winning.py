"""On which days a player has won, read as far back as a question needs."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.db.models import BigAutoField, DateField, DateTimeField

from accounts.streaks import FORGIVEN_A_MONTH, streaks
from games.compiled import Compiled, Given
from games.models import Attempt, Deal

#: Days looked at for a streak; further back only when it goes on there.
_LOOKED_AT: Final = (62, 400, 36_500)
#: So many days in a row may be missed: the forgiven ones of two months.
_GAP: Final = 2 * FORGIVEN_A_MONTH

_WON: Final = Compiled(
    lambda: Deal.objects.filter(
        attempts__player=Given("player", BigAutoField()),
        attempts__ranked=True,
        attempts__state=Attempt.State.VERIFIED,
        attempts__end=Attempt.End.WON,
        attempts__started_at__gte=Given("begun", DateTimeField()),
        day__gte=Given("first", DateField()),
    ).only("day")
)


def current_streak(player_id: int, today: date) -> int:
    """The streak that ends today or yesterday, in days won (see `accounts.streaks`)."""
    current = 0
    for days in _LOOKED_AT:
        first = today - timedelta(days=days)
        won = days_won(player_id, first)
        current = streaks(won, today).current
        # It goes on further back only if it takes in all that was looked at, from the beginning.
        if current < len(won) or not won or (min(won) - first).days > _GAP:
            break
    return current


def days_won(player_id: int, first: date) -> set[date]:
    """The days from `first` on of which the player has won a deal, by verified ranked games."""
    begun = datetime.combine(first, time.min, tzinfo=UTC)  # a deal is begun on its day
    return {deal.day for deal in _WON.all(player=player_id, first=first, begun=begun) if deal.day is not None}
