"""Days won by a player, read only as far back as the question needs."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.db.models import F

from games.core.streaks import FORGIVEN_A_WEEK, streaks
from games.daily.relaxed_day import relaxed_attempts
from games.db.players import WinStreaks
from games.deals.todays_game import todays_game
from games.models import Attempt

#: Look-back windows for a streak, in days; a longer one is read only if the streak fills the shorter one.
_LOOKED_AT: Final = (62, 400, 36_500)
#: Most days in a row that a streak can miss: the forgiven days of two weeks.
_GAP: Final = 2 * FORGIVEN_A_WEEK


def current_streaks(player_id: int, today: date) -> WinStreaks:
    """Compute the streaks that end today or yesterday, in days won (see `games.core.streaks`)."""
    current = WinStreaks(0, 0)
    for days in _LOOKED_AT:
        first = today - timedelta(days=days)
        wins = daily_wins(player_id, first)
        won = {day for day, _ in wins}
        todays = {day for day, variant in wins if variant == todays_game(day)}
        current = WinStreaks(streaks(won, today).current, streaks(todays, today).current)
        # The streak can reach further back only if it includes every day won in the window, from its start.
        if current.any_game < len(won) or not won or (min(won) - first).days > _GAP:
            break
    return current


def relaxed_streak(player_id: int, today: date) -> int:
    """Compute the relaxed streak that ends today or yesterday, in days won."""
    return streaks(relaxed_win_days(player_id), today).current


def relaxed_win_days(player_id: int) -> set[date]:
    """Return the days whose relaxed deal the player has won by a game begun on that day."""
    begun_then = relaxed_attempts(player_id).filter(started_at__lt=F("deal__opens_at") + timedelta(days=1))
    return {
        day
        for day in begun_then.filter(end=Attempt.End.WON).values_list("deal__relaxed_day", flat=True).distinct()
        if day is not None
    }


def daily_wins(player_id: int, first: date) -> set[tuple[date, str]]:
    """Return day and variant of the dailies since `first` that the player has won, by verified ranked games."""
    begins = datetime.combine(first, time.min, tzinfo=UTC)  # a deal is started on its own day
    won = Attempt.objects.filter(
        player=player_id,
        ranked=True,
        state=Attempt.State.VERIFIED,
        end=Attempt.End.WON,
        started_at__gte=begins,
        deal__day__gte=first,
    )
    return {
        (day, variant) for day, variant in won.order_by().values_list("deal__day", "deal__variant") if day is not None
    }
