"""First games for newcomers: a few gentle deals shipped with the code, with hints for the first moves.

Each is a numbered deal with a winning line. Even a player who does not plan ahead wins them nearly always
(docs/difficulty.md, "First games").
"""

from __future__ import annotations

import json
import secrets
from functools import cache
from pathlib import Path
from typing import Final, Literal, TypedDict

from games.attempts.lifecycle import deal_table
from games.deals import numbered_deals, publishing
from games.deals.certification import Certificate, winning_record
from games.models import Attempt, Deal
from games.rules import CATALOGUE, Table
from games.rules.tokens import TO_FOUNDATION

VARIANT: Final = "stonewall"
#: Number of first moves that the guide shows.
GUIDED: Final = 8

_FILE: Final = Path(__file__).with_name("first_games.json")
_GENTLE: Final = 1

Why = Literal["up", "turns", "clears", "founds", "reserve", "builds"]


class GuideStep(TypedDict):
    """A move of the guide and its purpose: send a card up, turn one over, empty a pile, use an empty one, take a card
    from the reserve, or just build.
    """

    token: str
    why: Why


def deal_for(player_id: int | None) -> Deal:
    """Return a first game for this player: a running one, else one not begun yet, else any."""
    shipped = list(seeds())
    attempts = Attempt.objects.filter(player=player_id, deal__variant=VARIANT, deal__seed__in=shipped)
    states = {bytes(seed): state for seed, state in attempts.order_by("pk").values_list("deal__seed", "state")}
    running = [seed for seed in shipped if states.get(seed) == Attempt.State.PLAYING]
    seed = secrets.choice(running or [seed for seed in shipped if seed not in states] or shipped)
    return publishing.seeded_deal(CATALOGUE[VARIANT], seed, _certificate(seed))


def seeds() -> dict[bytes, tuple[str, ...]]:
    """Return the winning lines of the first games by seed."""
    return {numbered_deals.seed_of(CATALOGUE[VARIANT], number): line for number, line in _shipped().items()}


def is_first_game(deal: Deal) -> bool:
    """Return True if this is one of the first games for newcomers."""
    return deal.variant == VARIANT and deal.day is None and numbered_deals.number_of(deal) in _shipped()


def guide(deal: Deal) -> list[GuideStep]:
    """Return the first moves of a first game's winning line."""
    number = numbered_deals.number_of(deal)
    assert number is not None
    table, steps = deal_table(deal), list[GuideStep]()
    for token in _shipped()[number][:GUIDED]:
        steps.append({"token": token, "why": _why(table, token)})
        table.push(token)
    return steps


@cache
def _shipped() -> dict[int, tuple[str, ...]]:
    return {row["number"]: tuple(row["line"].split()) for row in json.loads(_FILE.read_text())}


def _certificate(seed: bytes) -> Certificate:
    return Certificate(winning_record(VARIANT, seed, seeds()[seed]), None, _GENTLE)


def _why(table: Table, token: str) -> Why:
    what, source, target, cards = table.VOCABULARY.read(token)
    pile = table.piles[source]
    if what == TO_FOUNDATION:
        return "up"
    if source >= table.TABLEAU:
        return "reserve" if table.piles[target] else "founds"
    if len(pile) == cards:
        return "clears"
    if table.hidden >> pile[-cards - 1] & 1:
        return "turns"
    return "builds" if table.piles[target] else "founds"
