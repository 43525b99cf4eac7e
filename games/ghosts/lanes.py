"""Lanes: number of cards up over time in a recorded game, and access rules for them.

A lane reveals no cards. It is still hidden from players with the deal yet to play, because the pace of others is a
hint.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.utils import timezone

from games.attempts.lifecycle import deal_table, record_of
from games.bots.game_plan import plan_game
from games.bots.roster import Bot
from games.deals import publishing
from games.ghosts.models import Answer
from games.models import Attempt, Deal
from games.rules import Record, Table

#: Time per move of a ghost that plays a certified line, in ms: that of a practised player.
MOVE_MS: Final = 2_500
#: Time after which a bot's ghost stops, in ms.
BOT_LIMIT_MS: Final = 3_600_000

Point = tuple[int, int]
"""A time in ms since the deal, and the number of cards up from then on."""


@dataclass(frozen=True, slots=True)
class GhostLane:
    """The progress of a recorded game. The last point is the end of the game."""

    name: str
    goal: int
    points: tuple[Point, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the lane as JSON data."""
        return {"name": self.name, "goal": self.goal, "points": self.points}


def lane_of(attempt: Attempt, name: str) -> GhostLane:
    """Return the lane of a verified attempt; `name` is its player's."""
    record = record_of(attempt)
    return _lane(name, record.open_table(), zip(record.tokens, record.clock, strict=True), record.end.ms)


def line_of(deal: Deal, name: str) -> GhostLane | None:
    """Return the lane of a deal's certified line at a person's pace; None if the deal has no line."""
    if deal.solution is None:
        return None
    record = Record.from_bytes(bytes(deal.solution))
    moves = [(token, MOVE_MS * n) for n, token in enumerate(record.tokens, start=1)]
    return _lane(name, record.open_table(), moves, MOVE_MS * len(moves))


def bot_lane(deal: Deal, bot: Bot) -> GhostLane:
    """Return the lane of a bot's game on a deal, the same whenever it is asked for."""
    game = plan_game(bot, partial(deal_table, deal), f"ghost {deal.pk}", BOT_LIMIT_MS)
    return _lane(bot.name, deal_table(deal), zip(game.tokens, game.clock, strict=True), game.end_ms)


def line_ms(deal: Deal) -> int | None:
    """Return a ghost's time in ms for a deal's certified line; None if the deal has no line."""
    return None if deal.par is None or deal.solution is None else deal.par * MOVE_MS


def may_see(attempt: Attempt, player_id: int | None, now: datetime | None = None) -> bool:
    """Return whether this player may see an attempt's lane.

    The attempt must be verified. In addition, it is the player's own, the player knows the deal already, or the player
    is answering a challenge with it.
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
    """Return whether this player may race ghosts of a deal: it is public, or a practice deal they have finished."""
    if publishing.may_see_seed(deal, player_id, now or timezone.now()):
        return True
    if player_id is None or deal.day is not None or deal.for_race:
        return False
    return Attempt.objects.filter(deal=deal, player=player_id).exclude(state=Attempt.State.PLAYING).exists()


def may_race_bot(deal: Deal, player_id: int | None) -> bool:
    """Return whether this player may race a bot's ghost: on any practice deal, and on all others they know."""
    return (deal.day is None and not deal.for_race) or knows_deal(deal, player_id)


def _lane(name: str, table: Table, moves: Iterable[tuple[str, int]], end: int) -> GhostLane:
    points: list[Point] = [(0, table.cards_up)]
    for token, ms in moves:
        table.push(token)
        if table.cards_up != points[-1][1]:
            points.append((ms, table.cards_up))
    if points[-1][0] != end:
        points.append((end, table.cards_up))
    return GhostLane(name, table.goal, tuple(points))
