"""Ladder eligibility: the ladder on which a game is ranked, and a player's missing requirements for the established
one.

The rule looks at the state when the deal opened: the account's age, and the verified daily games from earlier days. So
all of a player's results of one day are on the same ladder, in whatever order they are judged, unless the player
confirms an address in between.
`leaderboards.verdicts.settlement` stores the answer with the first verdict, and nothing changes it afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils import timezone

from games.core.ladders import Ladder, LadderSlug
from games.db.players import Player
from games.db.statements import Statement, run_in_order, stored
from games.fairplay.play_decisions import distinct_decisions
from games.models import Attempt, Deal
from games.rules import Replay

#: Days before a deal's own in which daily games count towards the established ladder.
LOOKED_BACK_DAYS: Final = 30
#: A lost game counts from this part of the cards up (a third), or from this number of different decisions.
CARDS_UP_PART: Final = 3
DECISIONS: Final = 40

#: A player's games that count for deals of a day: the days really played, and the number of wins.
_GAMES: Final = (
    "SELECT COUNT(DISTINCT day) AS days, COUNT(CASE WHEN won THEN 1 END) AS wins FROM ("
    # A subquery for each of these few rows: with a join PostgreSQL read the whole table of deals.
    "SELECT (SELECT d.day FROM {deals} d WHERE d.id = a.deal_id) AS day, a.\"end\" = '{won}' AS won "
    "FROM {attempts} a WHERE a.player_id = %s AND a.started_at >= %s AND a.ranked AND a.real_play "
    "AND a.state = '{verified}' AND a.verified_at < %s) earlier WHERE day >= %s AND day < %s"
)
_RULE: Final = (
    "CASE WHEN EXISTS (SELECT 1 FROM {players} p WHERE p.id = %s AND p.date_joined <= %s AND {account} "
    "AND {confirmed}) AND (SELECT days >= %s AND wins >= %s FROM ({games}) played) "
    "THEN {established} ELSE {newcomers} END"
)


@dataclass(frozen=True, slots=True)
class Missing:
    """Requirements a player lacks for the established ladder of tomorrow's deals."""

    #: Further days with a game really played.
    days: int
    win: bool
    #: A confirmed email address or a passkey.
    confirmation: bool
    #: Days until the account is old enough.
    age: int


def is_real_play(replay: Replay) -> bool:
    """Return whether a game was really played: won, a third of the cards up, or 40 different decisions.

    A game resigned at sight does not count towards the established ladder, nor does moving cards to and fro.
    """
    far = replay.won or CARDS_UP_PART * replay.cards_up >= replay.goal
    return far or (len(replay.table.moves) >= DECISIONS and len(distinct_decisions(replay.table)) >= DECISIONS)


def ladder_sql(attempt: Attempt) -> Statement:
    """Return an SQL expression for the ladder on which an attempt is ranked; null if it has none."""
    deal = attempt.deal
    if not attempt.ranked or deal.day is None:
        return "NULL", []
    if not settings.LADDERS:
        return str(int(Ladder.ESTABLISHED)), []
    players = get_user_model()
    games, figures = _games(attempt.player_id, deal.opens_at, deal.day)
    rule = _RULE.format(
        players=players._meta.db_table,
        account=" AND ".join(f"p.{field} = %s" for field in players.ACCOUNT),
        confirmed=players.CONFIRMED_SQL,
        games=games,
        established=int(Ladder.ESTABLISHED),
        newcomers=int(Ladder.NEWCOMERS),
    )
    joined_by = deal.opens_at - timedelta(days=settings.ESTABLISHED_AGE)
    account = [attempt.player_id, stored(joined_by), *players.ACCOUNT.values()]
    return rule, [*account, settings.ESTABLISHED_DAYS, _wins_needed(), *figures]


def _games(player_id: int, opens_at: datetime, day: date) -> Statement:
    games = _GAMES.format(
        attempts=Attempt._meta.db_table,
        deals=Deal._meta.db_table,
        won=Attempt.End.WON,
        verified=Attempt.State.VERIFIED,
    )
    # Games of a day start on that day.
    since, first_day = (moment - timedelta(days=LOOKED_BACK_DAYS) for moment in (opens_at, day))
    return games, [player_id, stored(since), stored(opens_at), stored(first_day), stored(day)]


def _wins_needed() -> int:
    return min(settings.ESTABLISHED_DAYS, 1)


def ladder_at(player: Player, deal: Deal) -> LadderSlug | None:
    """Return the ladder of a player's future result at a daily deal; None if there is a single ladder for all."""
    if not settings.LADDERS:
        return None
    ladder = ladder_of(Attempt(player_id=player.pk, deal=deal, ranked=True))
    return ladder.slug if ladder else None


def ladder_of(attempt: Attempt) -> Ladder | None:
    """Return the ladder on which an attempt is ranked, or would be if it were settled now."""
    if attempt.ladder is not None:
        return Ladder(attempt.ladder)
    sql, params = ladder_sql(attempt)
    ((row,),) = run_in_order([(f"SELECT {sql}", params)])
    return Ladder(row[0]) if row[0] else None


def missing(player: Player) -> Missing | None:
    """Return the requirements the player will lack for tomorrow's deals; None if nothing is missing."""
    if not settings.LADDERS:
        return None
    tomorrow = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    games, figures = _games(player.pk, tomorrow, tomorrow.date())
    users = get_user_model()
    sql = f"SELECT {users.CONFIRMED_SQL}, days, wins FROM {users._meta.db_table} p, ({games}) played WHERE p.id = %s"  # noqa: S608 - constants
    (((confirmed, days, wins),),) = run_in_order([(sql, [*figures, player.pk])])
    old_enough = player.date_joined + timedelta(days=settings.ESTABLISHED_AGE)
    age = max(0, -((tomorrow - old_enough) // timedelta(days=1)))
    lacks = Missing(max(0, settings.ESTABLISHED_DAYS - days), wins < _wins_needed(), not confirmed, age)
    return lacks if any((lacks.days, lacks.win, lacks.confirmation, lacks.age)) else None
