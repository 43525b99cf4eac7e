"""Lanes: how many cards were up at what time in a recorded game, and who may see one.

A lane tells nothing of the cards. It is kept all the same from those who have yet to play its deal: how fast others got
on is a hint.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils import timezone

from games.attempts import record_of
from games.deals import publishing
from games.ghosts.models import Answer
from games.models import Attempt, Deal
from games.rules import Record, Table

#: The pace at which a ghost plays a certified line: what a practised player needs for a move, in ms.
MOVE_MS: Final = 2_500

Point = tuple[int, int]
"""A time in ms since the deal, and how many cards are up from then on."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A recorded game as a ghost plays it. The last point is the end of the game."""

    name: str
    goal: int
    points: tuple[Point, ...]

    def to_json(self) -> dict[str, Any]:
        """The lane as programs read it."""
        return {"name": self.name, "goal": self.goal, "points": self.points}


def lane_of(attempt: Attempt, name: str) -> Lane:
    """The lane of a verified attempt; `name` is its player's."""
    record = record_of(attempt)
    return _lane(name, record.open_table(), zip(record.tokens, record.clock, strict=True), record.end.ms)


def line_of(deal: Deal, name: str) -> Lane | None:
    """The lane of a deal's certified line at a person's pace; None when the deal has no line."""
    if deal.solution is None:
        return None
    record = Record.from_bytes(bytes(deal.solution))
    played = [(token, MOVE_MS * n) for n, token in enumerate(record.tokens, start=1)]
    return _lane(name, record.open_table(), played, MOVE_MS * len(played))


def line_ms(deal: Deal) -> int | None:
    """How long a ghost takes for a deal's certified line; None when the deal has no line."""
    return None if deal.par is None or deal.solution is None else deal.par * MOVE_MS


def may_see(attempt: Attempt, player_id: int | None, now: datetime | None = None) -> bool:
    """Whether this player may see an attempt's lane.

    They may when the attempt is verified and it is their own, or they know the deal already, or they are playing in
    answer to a challenge with it.
    """
    if attempt.state != Attempt.State.VERIFIED:
        return False
    if knows_deal(attempt.deal, player_id, now):
        return True
    if player_id is None:
        return False
    return (
        attempt.player_id == player_id
        or Answer.objects.filter(challenge__attempt=attempt, attempt__player=player_id).exists()
    )


def knows_deal(deal: Deal, player_id: int | None, now: datetime | None = None) -> bool:
    """Whether ghosts of this deal may be raced by this player: everybody may know it, or the player has finished it."""
    if publishing.may_see_seed(deal, player_id, now or timezone.now()):
        return True
    if player_id is None or deal.day is not None or deal.for_race:
        return False
    return Attempt.objects.filter(deal=deal, player=player_id).exclude(state=Attempt.State.PLAYING).exists()


def _lane(name: str, table: Table, played: Iterable[tuple[str, int]], end: int) -> Lane:
    points: list[Point] = [(0, table.cards_up)]
    for token, ms in played:
        table.push(token)
        if table.cards_up != points[-1][1]:
            points.append((ms, table.cards_up))
    if points[-1][0] != end:
        points.append((end, table.cards_up))
    return Lane(name, table.goal, tuple(points))
