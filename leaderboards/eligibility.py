"""On which ladder of its deal a game is ranked, and what a player lacks for the established one.

The rule looks at what stood when the deal opened: the account, and the verified games of the day from earlier days. So
all of a player's results of one day are on the same ladder, in whatever order they are judged.
`leaderboards.settlement` writes the answer with the first verdict, and nothing changes it afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection

from games.ladders import Ladder, LadderSlug
from games.models import Attempt, Deal
from games.players import Player
from games.rules import CATALOGUE
from games.statements import Statement, run_in_order, stored

#: No day has had more deals. It bounds how many games are looked at, however many a player has.
_MOST_A_DAY: Final = 2 * len(CATALOGUE)

_RULE: Final = (
    "CASE WHEN EXISTS (SELECT 1 FROM {players} p WHERE p.id = %s AND p.date_joined < %s AND {account}) "
    "AND (SELECT COUNT(*) >= %s AND COUNT(DISTINCT day) >= %s FROM ("
    # A subquery for each of these few, where a join made PostgreSQL read every deal there is.
    "SELECT (SELECT d.day FROM {deals} d WHERE d.id = a.deal_id) AS day FROM {attempts} a "
    "WHERE a.player_id = %s AND a.ranked AND a.state = '{verified}' AND a.verified_at < %s LIMIT %s"
    ") earlier WHERE day < %s) THEN {established} ELSE {newcomers} END"
)


@dataclass(frozen=True, slots=True)
class Missing:
    """What a player lacks for the established ladder of deals still to open: so many games, on so many more days."""

    games: int
    days: int


def ladder_sql(attempt: Attempt) -> Statement:
    """The ladder on which an attempt is to be ranked, as an expression; null for one that has none."""
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
    opens_at, day = stored(deal.opens_at), connection.ops.adapt_datefield_value(deal.day)
    games, days, player = settings.ESTABLISHED_GAMES, settings.ESTABLISHED_DAYS, attempt.player_id
    account = players.ACCOUNT.values()
    return rule, [player, opens_at, *account, games, days, player, opens_at, _looked_at(), day]


def ladder_at(player: Player, deal: Deal) -> LadderSlug | None:
    """On which ladder a player's result at a deal of the day is going to stand; None where there is one for all."""
    if not settings.LADDERS:
        return None
    ((row,),) = run_in_order([_selected(ladder_sql(Attempt(player_id=player.pk, deal=deal, ranked=True)))])
    return Ladder(row[0]).slug


def _selected(expression: Statement) -> Statement:
    sql, params = expression
    return f"SELECT {sql}", params


def missing(player: Player) -> Missing | None:
    """What the player lacks, from tomorrow's point of view; None where nothing is missing."""
    if not settings.LADDERS:
        return None
    played: Any = Attempt.objects.filter(player=player.pk, ranked=True, state=Attempt.State.VERIFIED)
    on_days = list(played.filter(deal__day__isnull=False).values_list("deal__day", flat=True)[: _looked_at()])
    days = max(0, settings.ESTABLISHED_DAYS - len(set(on_days)))
    games = max(days, settings.ESTABLISHED_GAMES - len(on_days))
    return Missing(games, days) if games else None


def _looked_at() -> int:
    """How many games are enough to tell: so many are of enough days."""
    games, days = settings.ESTABLISHED_GAMES, settings.ESTABLISHED_DAYS
    return int(max(games, 1) + max(days - 1, 0) * _MOST_A_DAY)
