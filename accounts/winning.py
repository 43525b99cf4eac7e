"""On which days a player has won, read as far back as a question needs."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.db.models import BigIntegerField, DateField, DateTimeField

from accounts.streaks import FORGIVEN_A_MONTH, streaks
from games.compiled import Compiled, Given
from games.models import Attempt

#: Days looked at for a streak; further back only when it goes on there.
_LOOKED_AT: Final = (62, 400, 36_500)
#: So many days in a row may be missed: the forgiven ones of two months.
_GAP: Final = 2 * FORGIVEN_A_MONTH


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
    begins = datetime.combine(first, time.min, tzinfo=UTC)  # a deal is begun on its day
    return {day for (day,) in _DAYS.all(player=player_id, first=first, begins=begins) if day is not None}


_DAYS: Final = Compiled(
    lambda: (
        Attempt.objects.filter(
            player=Given("player", BigIntegerField()),
            ranked=True,
            state=Attempt.State.VERIFIED,
            end=Attempt.End.WON,
            started_at__gte=Given("begins", DateTimeField()),
            deal__day__gte=Given("first", DateField()),
        )
        .order_by()
        .values_list("deal__day")
        .distinct()
    )
)
