"""Choice of ghosts: the player's best, the next better game, followed players, the leader, the certified line, bots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from django.db.models import QuerySet
from django.utils import timezone

from games.bots.roster import BOTS, Bot
from games.core.errors import ErrorCode, Refusal
from games.ghosts import lanes
from games.ghosts.boards_registry import results
from games.models import GRACE, Attempt, Deal

#: Maximum followed players offered as ghosts.
FRIENDS: Final = 5
#: Number of daily deals, and of the player's practice deals, offered before a deal is chosen.
DAILY: Final = 9
PRACTICE: Final = 3


class Whose(StrEnum):
    """Reason for offering a ghost."""

    OWN = "own"
    NEXT = "next"
    FRIEND = "friend"
    LEADER = "leader"
    LINE = "line"
    BOT = "bot"


@dataclass(frozen=True, slots=True)
class Ghost:
    """A game to race against; the certified line and bots have no attempt."""

    whose: Whose
    attempt: Attempt | None
    elapsed_ms: int | None
    bot: Bot | None = None


def ghosts_of(deal: Deal, player_id: int | None) -> list[Ghost]:
    """Return the ghosts that a player may race on a deal, each game once.

    :raises Refusal: if the player may not know the deal.
    """
    if not lanes.knows_deal(deal, player_id):
        raise Refusal(ErrorCode.NOT_REVEALED)
    ghosts: list[Ghost] = []
    seen: set[int] = set()
    for whose, attempt in _offered(deal, player_id):
        if attempt.pk not in seen:
            seen.add(attempt.pk)
            ghosts.append(Ghost(whose, attempt, attempt.elapsed_ms))
    if (line := lanes.line_ms(deal)) is not None:
        ghosts.append(Ghost(Whose.LINE, None, line))
    return ghosts + [Ghost(Whose.BOT, None, None, bot) for bot in BOTS.values()]


def latest_ghosts(player_id: int | None, now: datetime | None = None) -> list[tuple[Deal, Ghost]]:
    """Return a ghost for each of the latest daily deals that are over and of the practice deals the player has won."""
    over = Deal.objects.filter(day__isnull=False, closes_at__lte=(now or timezone.now()) - GRACE)
    deals = list(over.order_by("-day", "pk")[:DAILY])
    if player_id is not None:
        won = Attempt.objects.filter(player=player_id, deal__day=None, deal__for_race=False, end=Attempt.End.WON)
        practised = won.filter(state=Attempt.State.VERIFIED).order_by("-pk").select_related("deal").defer("record")
        unique = {attempt.deal_id: attempt.deal for attempt in practised[: 2 * PRACTICE]}
        deals += [deal for deal in unique.values() if lanes.knows_deal(deal, player_id)][:PRACTICE]
    ghosts = [(deal, _best_ghost(deal, player_id)) for deal in deals]
    return [(deal, ghost) for deal, ghost in ghosts if ghost is not None]


def _best_ghost(deal: Deal, player_id: int | None) -> Ghost | None:
    leader = leader_of(deal, player_id)
    if leader is not None:
        whose = Whose.OWN if leader.player_id == player_id else Whose.LEADER
        return Ghost(whose, leader, leader.elapsed_ms)
    line = lanes.line_ms(deal)
    return None if line is None else Ghost(Whose.LINE, None, line)


def best_of(deal: Deal, player_id: int | None) -> Attempt | None:
    """Return a player's best verified attempt at a deal that was played from the first card."""
    if player_id is None:
        return None
    return min(_verified(deal).filter(player=player_id, continuation=None), key=rank_key, default=None)


def leader_of(deal: Deal, player_id: int | None) -> Attempt | None:
    """Return the best attempt at a deal; on a practice deal, which has no board, the player's own best."""
    if deal.day is not None and not deal.for_race:
        key = results().leader(deal.pk)
        return None if key is None else _verified(deal).filter(pk=key).first()
    if deal.for_race:
        return next(iter(_raced(deal)), None)
    return best_of(deal, player_id)


def _offered(deal: Deal, player_id: int | None) -> Iterator[tuple[Whose, Attempt]]:
    own = best_of(deal, player_id)
    # A practice game that was not won is unfinished, other games have a place.
    if own is not None and (own.end == Attempt.End.WON or deal.for_race or deal.day is not None):
        yield Whose.OWN, own
    if deal.for_race:
        yield from _in_race(deal, player_id, own)
    elif deal.day is not None:
        yield from _on_board(deal, player_id, own)


def _on_board(deal: Deal, player_id: int | None, own: Attempt | None) -> Iterator[tuple[Whose, Attempt]]:
    board = results()
    better = board.next_better(own) if own is not None else None
    friends = board.among(deal.pk, board.followed(player_id))[:FRIENDS] if player_id is not None else ()
    candidates = [
        (Whose.NEXT, better),
        *((Whose.FRIEND, friend) for friend in friends),
        (Whose.LEADER, board.leader(deal.pk)),
    ]
    attempts = _verified(deal).in_bulk([key for _, key in candidates if key is not None])
    for whose, key in candidates:
        if key in attempts:
            yield whose, attempts[key]


def _in_race(deal: Deal, player_id: int | None, own: Attempt | None) -> Iterator[tuple[Whose, Attempt]]:
    """Yield the ghosts of a finished race, which has no board but few entrants."""
    attempts = _raced(deal)
    others = [attempt for attempt in attempts if attempt.player_id != player_id]
    if own is not None:
        better = [attempt for attempt in others if attempt.score.key < own.score.key]
        yield from ((Whose.NEXT, attempt) for attempt in better[-1:])
    followed = results().followed(player_id) if player_id is not None else set()
    friends = [attempt for attempt in others if attempt.player_id in followed]
    yield from ((Whose.FRIEND, attempt) for attempt in friends[:FRIENDS])
    yield from ((Whose.LEADER, attempt) for attempt in attempts[:1])


def _verified(deal: Deal) -> QuerySet[Attempt]:
    return Attempt.objects.filter(deal=deal, state=Attempt.State.VERIFIED).select_related("player").defer("record")


def _raced(deal: Deal) -> list[Attempt]:
    """Return the attempts of a finished race's entrants, best first."""
    return sorted(_verified(deal).filter(entrant__isnull=False, player__is_active=True), key=rank_key)


def rank_key(attempt: Attempt) -> tuple[Any, ...]:
    """Return the key that sorts a deal's verified attempts, best first."""
    return (*attempt.score.key, attempt.finished_at, attempt.pk)
