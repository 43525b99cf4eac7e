"""Games of simulated players at one deal, with moves taken back."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Any

from django.utils import timezone

from games.explorer.trails import PlayedGame
from games.models import Attempt, Deal
from games.rules import End, Record, Table
from games.rules.records import How
from tests.factories import make_deal, won_records


def certified_line(variant: str = "labyrinth") -> Record:
    """Return a certified winning record; its seed deals the cards."""
    return won_records(variant)[0]


def winner(record: Record, *, pace: int = 1000) -> PlayedGame:
    """Return the game of a player who followed the known line."""
    clock = [pace * n for n in range(1, len(record.tokens) + 1)]
    return PlayedGame(list(record.tokens), clock, clock[-1], won=True)


def wanderer(record: Record, number: int, *, moves: int = 60) -> PlayedGame:
    """Return the game of a player who follows the known line for a while, then plays at random and takes moves back."""
    chance = Random(number)
    table, tokens = record.open_table(), list[str]()
    leaves_at = chance.randrange(len(record.tokens) // 2)
    for n in range(moves):
        token = record.tokens[n] if n < leaves_at else _any(table, chance)
        if not token or table.is_won:
            break
        table.push(token)
        tokens.append(token)
    clock = [900 * n + chance.randrange(900) for n in range(1, len(tokens) + 1)]
    return PlayedGame(tokens, clock, (clock or [0])[-1] + 500, won=table.is_won)


def _any(table: Table, chance: Random) -> str:
    if table.can_undo and chance.random() < 0.2:
        return "u"
    legal = table.legal_moves()
    return chance.choice(legal) if legal else ""


def finished(player: Any, deal: Deal, record: Record, game: PlayedGame, **fields: Any) -> Attempt:
    """Store a game as a verified ranked attempt at the deal."""
    how: How = "won" if game.won else "resigned"
    packed = Record(1, record.name, None, record.seed, tuple(game.tokens), tuple(game.clock), End(how, game.end_ms))
    facts: dict[str, Any] = {
        "ranked": True,
        "state": Attempt.State.VERIFIED,
        "started_at": deal.opens_at,
        "finished_at": deal.opens_at,
        "end": how,
        "tokens": len(game.tokens),
        "cards_up": 9,
        "elapsed_ms": game.end_ms,
    }
    return Attempt.objects.create(player=player, deal=deal, record=packed.to_bytes(), **facts | fields)


def past_deal(record: Record, **fields: Any) -> Deal:
    """Create a revealed daily deal with the cards of a record."""
    day = (timezone.now() - timedelta(days=2)).date()
    return make_deal(record.name, day, seed=record.seed, solution=record.to_bytes(), **fields)
