"""Recap of yesterday for the home page: a player's results, their place at close, and what the best did differently."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from games.attempts.lifecycle import record_of
from games.attempts.player_attempts import attempts_on, has_ranked_on
from games.daily.day_places import DayBoards, Leader, Place, boards
from games.daily.day_summary import standing_of
from games.db.shared_cache import SharedCache
from games.explorer.lookup import DealFigures, figures_by_deal, found_key_move, key_view
from games.models import Attempt, Deal
from games.presentation.view_models import ShownAttempt, ShownDeal


@dataclass(frozen=True, slots=True)
class Comparison:
    """The deal at which the leader was furthest ahead of the player, with both games."""

    variant: str
    leader: Leader
    leader_game: UUID
    own_game: UUID
    cards_up: int
    elapsed_ms: int

    @property
    def is_behind_in_cards(self) -> bool:
        """True if the leader got more cards up; otherwise the leader was faster."""
        return self.leader.figure > self.cards_up


@dataclass(frozen=True, slots=True)
class DealRecap:
    """Summary of one of the player's deals: the share of games won in percent, and where it was lost most often.

    `lost_at` is the number of the key move (`games.explorer.deal_summary.KeyMove`), `found` how many found it, and
    `own` whether the player did, or None if that is not known. `token` and the view before it, in JSON, name the most
    frequent move that was right there, if there was one. `half_lost_by` stands in for a missing key move.
    """

    variant: str
    percent_won: int
    lost_at: int | None
    found: int
    own: bool | None
    half_lost_by: int | None
    token: str
    view: str

    @property
    def key_view(self) -> Any:  # noqa: ANN401 - JSON
        """The view before the key move; None without one."""
        return json.loads(self.view)


@dataclass(frozen=True, slots=True)
class Recap:
    """A player's results of a day; `place` is on the board of the nine."""

    day: date
    played: int
    won: int
    of: int
    points: int
    place: Place | None
    players: int
    comparison: Comparison | None
    explored: DealRecap | None


@dataclass(frozen=True, slots=True)
class _Stored:
    """Cached recap; None for a player without a finished daily."""

    recap: Recap | None


#: Shared caches of the day's boards, and of recaps by player and day. Results hardly change once a day is over.
yesterdays_boards: Final = SharedCache("yesterdays_boards", DayBoards, fresh=5.0)
recaps: Final = SharedCache("recaps", _Stored, fresh=600.0)


def recap_of(player: int | None, now: datetime) -> Recap | None:
    """Return a player's recap of the day before `now`; None if they finished no daily."""
    if player is None:
        return None
    return recaps.get(f"{player}.{now.date()}", lambda: _Stored(_read(player, now))).recap


def _read(player: int, now: datetime) -> Recap | None:
    yesterday = now - timedelta(days=1)
    if not has_ranked_on(player, yesterday.date()):
        return None
    deals = [ShownDeal.of(deal, now) for deal in Deal.objects.filter(day=yesterday.date())]
    day_boards = yesterdays_boards.get(
        f"{yesterday.date()}.{len(deals)}",
        lambda: boards().of_day(yesterday.date(), [deal.id for deal in deals]),
    )
    standing = standing_of(player, yesterday, attempts_on(player, yesterday.date()), deals, day_boards)
    summary = standing.summary
    if summary is None or not summary.played:
        return None
    revealed = [deal for deal in deals if deal.is_revealed]
    return Recap(
        day=summary.day,
        played=summary.played,
        won=summary.tally["won"],
        of=summary.of,
        points=summary.points,
        place=summary.place,
        players=day_boards.players if summary.place and summary.place.ladder == day_boards.ladder else 0,
        comparison=max(
            _comparisons(revealed, standing.attempts, day_boards.leaders),
            key=lambda one: (one.leader.figure - one.cards_up, one.elapsed_ms - one.leader.elapsed_ms),
            default=None,
        ),
        explored=_explored(player, [deal.id for deal in revealed]),
    )


def _explored(player: int, revealed: Collection[int]) -> DealRecap | None:
    """Return what everyone did at the player's deal with the clearest key move, or else with the most games."""
    mine = Attempt.objects.filter(player=player, ranked=True, state=Attempt.State.VERIFIED, deal__in=revealed)
    attempts = {attempt.deal_id: attempt for attempt in mine.select_related("deal")}
    figures = figures_by_deal(attempts)
    if not figures:
        return None
    deal_id, chosen = max(figures.items(), key=lambda one: (_lost_at_key(one[1]), one[1].games))
    attempt, key = attempts[deal_id], chosen.summary.key
    return DealRecap(
        attempt.deal.variant,
        chosen.percent_won,
        key.number if key else None,
        key.found if key else 0,
        found_key_move(chosen, attempt.deal, record_of(attempt)) if key else None,
        chosen.summary.half_lost_by,
        key.token if key else "",
        json.dumps(key_view(attempt.deal, key)),
    )


def _lost_at_key(figures: DealFigures) -> int:
    return figures.summary.key.lost if figures.summary.key else 0


def _comparisons(
    deals: list[ShownDeal], attempts: Mapping[int, ShownAttempt], leaders: Mapping[int, Leader]
) -> Iterator[Comparison]:
    """Yield the player's verified games at deals that someone else leads by cards, or by the time of a win."""
    for deal in deals:
        attempt, leader = attempts.get(deal.id), leaders.get(deal.id)
        if attempt is None or attempt.state != Attempt.State.VERIFIED or leader is None or leader.game is None:
            continue
        is_ahead = leader.figure > (attempt.cards_up or 0) or attempt.end == Attempt.End.WON
        if leader.game != attempt.public_id and attempt.ranked and is_ahead:
            yield Comparison(
                deal.variant, leader, leader.game, attempt.public_id, attempt.cards_up or 0, attempt.elapsed_ms or 0
            )
