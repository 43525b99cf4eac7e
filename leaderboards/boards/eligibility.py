"""Ladder eligibility: the ladder on which a game is ranked, and a player's missing requirements for the established
one.

The rule looks at the state when the deal opened: the account, and the verified daily games from earlier days. So all of
a player's results of one day are on the same ladder, in whatever order they are judged.
`leaderboards.verdicts.settlement` stores the answer with the first verdict, and nothing changes it afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user_model

from games.core.ladders import Ladder, LadderSlug
from games.db.players import Player
from games.db.statements import Statement, run_in_order, stored
from games.models import Attempt, Deal
from games.rules import CATALOGUE

#: Upper bound on deals per day. It limits the number of games read, however many a player has.
_MOST_A_DAY: Final = 2 * len(CATALOGUE)

_RULE: Final = (
    "CASE WHEN EXISTS (SELECT 1 FROM {players} p WHERE p.id = %s AND p.date_joined < %s AND {account}) "
    "AND (SELECT COUNT(*) >= %s AND COUNT(DISTINCT day) >= %s FROM ("
    # A subquery for each of these few rows: with a join PostgreSQL read the whole table of deals.
    "SELECT (SELECT d.day FROM {deals} d WHERE d.id = a.deal_id) AS day FROM {attempts} a "
    "WHERE a.player_id = %s AND a.ranked AND a.state = '{verified}' AND a.verified_at < %s LIMIT %s"
    ") earlier WHERE day < %s) THEN {established} ELSE {newcomers} END"
)


@dataclass(frozen=True, slots=True)
class Missing:
    """Requirements a player lacks for the established ladder of future deals: more games, on more days."""

    games: int
    days: int


def ladder_sql(attempt: Attempt) -> Statement:
    """Return an SQL expression for the ladder on which an attempt is ranked; null if it has none."""
    deal = attempt.deal
    if not attempt.ranked or deal.day is None:
        return "NULL", []
    if not settings.LADDERS:
        return str(int(Ladder.ESTABLISHED)), []
    players = get_user_model()
    rule = _RULE.format(
        players=players._meta.db_table,
        account=" AND ".join(f"p.{field} = %s" for field in players.ACCOUNT),
        attempts=Attempt._meta.db_table,
        deals=Deal._meta.db_table,
        verified=Attempt.State.VERIFIED,
        established=int(Ladder.ESTABLISHED),
        newcomers=int(Ladder.NEWCOMERS),
    )
    opens_at, day = stored(deal.opens_at), stored(deal.day)
    games, days, player = settings.ESTABLISHED_GAMES, settings.ESTABLISHED_DAYS, attempt.player_id
    account = players.ACCOUNT.values()
    return rule, [player, opens_at, *account, games, days, player, opens_at, _looked_at(), day]


def ladder_at(player: Player, deal: Deal) -> LadderSlug | None:
    """Return the ladder of a player's future result at a daily deal; None if there is a single ladder for all."""
    if not settings.LADDERS:
        return None
    sql, params = ladder_sql(Attempt(player_id=player.pk, deal=deal, ranked=True))
    ((row,),) = run_in_order([(f"SELECT {sql}", params)])
    return Ladder(row[0]).slug


def missing(player: Player) -> Missing | None:
    """Return the requirements the player will lack for tomorrow's deals; None if nothing is missing."""
    if not settings.LADDERS:
        return None
    played: Any = Attempt.objects.filter(player=player.pk, ranked=True, state=Attempt.State.VERIFIED)
    on_days = list(played.filter(deal__day__isnull=False).values_list("deal__day", flat=True)[: _looked_at()])
    days = max(0, settings.ESTABLISHED_DAYS - len(set(on_days)))
    games = max(days, settings.ESTABLISHED_GAMES - len(on_days))
    return Missing(games, days) if games else None


def _looked_at() -> int:
    """Return the number of games that suffice to decide: that many must span enough days."""
    games, days = settings.ESTABLISHED_GAMES, settings.ESTABLISHED_DAYS
    return int(max(games, 1) + max(days - 1, 0) * _MOST_A_DAY)
