"""First games of a variant: gentle deals that ship with the code and come with explained first moves.

Each is a numbered deal with a winning line. Even a player who doesn't plan ahead nearly always wins
(docs/difficulty.md, "First games").
"""

from __future__ import annotations

import json
import secrets
from functools import cache
from pathlib import Path
from typing import Final, TypedDict

from games.attempts.lifecycle import deal_table
from games.db.shared_cache import SharedCache
from games.deals import numbered_deals, publishing
from games.deals.certification import Certificate, winning_record
from games.deals.first_moves import explain_moves
from games.models import Attempt, Deal
from games.rules import CATALOGUE

#: The variant to start with.
EASIEST: Final = "stonewall"
#: Number of first moves that the guide explains.
GUIDED: Final = 12

_FILE: Final = Path(__file__).with_name("first_games.json")
_GENTLE: Final = 1

#: Shared cache of the variants that a player knows. None is ever forgotten, so a complete list stays right.
_known: Final = SharedCache("known_variants", list[str], fresh=24 * 3600)


class GuideStep(TypedDict):
    """A move of the guide and its explanation."""

    token: str
    why: str


def known_variants(player_id: int | None) -> list[str]:
    """Return the variants of which the player has finished a game, ranked or not."""
    if player_id is None:
        return []
    finished = Attempt.objects.filter(player=player_id).exclude(state=Attempt.State.PLAYING)
    variants = finished.filter(deal__variant__in=list(CATALOGUE)).values_list("deal__variant", flat=True).distinct()
    return _known.get(str(player_id), lambda: list(variants), is_complete=lambda known: len(known) == len(CATALOGUE))


def deal_for(player_id: int | None, variant: str = EASIEST) -> Deal:
    """Return a first game of a variant for this player: a running one, else one not begun yet, else any."""
    lines = winning_lines(variant)
    attempts = Attempt.objects.filter(player=player_id, deal__variant=variant, deal__seed__in=lines)
    states = {bytes(seed): state for seed, state in attempts.order_by("pk").values_list("deal__seed", "state")}
    running = [seed for seed in lines if states.get(seed) == Attempt.State.PLAYING]
    seed = secrets.choice(running or [seed for seed in lines if seed not in states] or list(lines))
    certificate = Certificate(winning_record(variant, seed, lines[seed]), None, _GENTLE)
    return publishing.seeded_deal(CATALOGUE[variant], seed, certificate)


@cache
def winning_lines(variant: str) -> dict[bytes, tuple[str, ...]]:
    """Return the winning lines of a variant's first games by seed; empty for a game with custom options."""
    rows = [row for row in json.loads(_FILE.read_text()) if row["variant"] == variant]
    return {numbered_deals.seed_of(CATALOGUE[variant], row["number"]): tuple(row["line"].split()) for row in rows}


def is_first_game(deal: Deal) -> bool:
    """Return True if this is one of the first games for newcomers."""
    return deal.day is None and bytes(deal.seed) in winning_lines(deal.variant)


def guide(deal: Deal) -> list[GuideStep]:
    """Return the first moves of a first game's winning line, explained in the current language."""
    tokens = winning_lines(deal.variant)[bytes(deal.seed)][:GUIDED]
    return [
        {"token": token, "why": why} for token, why in zip(tokens, explain_moves(deal_table(deal), tokens), strict=True)
    ]
