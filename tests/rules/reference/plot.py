"""Reference implementation of The Plot, written from its rules page."""

from __future__ import annotations

from typing import Any

from . import state as common
from .state import RANKS, State, draw, foundation_moves, names, play_move

__all__ = ["deal", "facts", "goal", "legal", "listed", "play"]

FOUNDATIONS = names("f", 8)
PILES = names("t", 12)


def deal(deck: list[str], options: dict[str, Any]) -> State:
    piles: dict[str, list[str]] = {"r": deck[:13][::-1], "w": []}
    for name in FOUNDATIONS:
        piles[name] = []
    piles["f0"] = [deck[13]]
    for number, name in enumerate(PILES):
        piles[name] = [deck[14 + number]]
    piles["s"] = deck[26:]
    return State(options=options, piles=piles, base=deck[13][0])


def phase(state: State) -> int:
    return 2 if len(state.piles["f0"]) == 13 else 1


def next_rank(rank: str) -> str:
    return RANKS[(RANKS.index(rank) + 1) % 13]


def taker(state: State, card: str) -> str | None:
    """Find the foundation for a card: the lowest-numbered one that takes it."""
    for name in FOUNDATIONS:
        cards = state.piles[name]
        if not cards:
            if phase(state) == 2 and card[0] == state.base:
                return name
        elif len(cards) < 13 and next_rank(cards[-1][0]) == card[0]:
            return name
    return None


def legal(state: State) -> set[str]:
    piles = state.piles
    tokens = foundation_moves(state, [*PILES, "w", "r"], taker)
    for source in [*PILES, "w"]:
        for target in PILES:
            if source != target and piles[source] and pile_takes(state, source, target):
                tokens.add(f"{source}-{target}")
    if piles["s"]:
        tokens.add("d")
    return tokens


def pile_takes(state: State, source: str, target: str) -> bool:
    card = state.piles[source][-1]
    waits = phase(state) == 1 and card[0] == state.base
    if not state.piles[target]:
        return source == "w" and (phase(state) == 2 or waits)
    return not waits and next_rank(card[0]) == state.piles[target][-1][0]


def play(state: State, token: str) -> None:
    if token == "d":
        draw(state)
    else:
        play_move(state, token, taker)


def goal(state: State) -> int:
    return 104


def listed(state: State, pile: str) -> list[str | None]:
    if pile == "r":
        return list(state.piles["r"][-1:])
    return common.listed(state, pile)


def facts(state: State) -> dict[str, Any]:
    return {"base": state.base, "phase": phase(state)}
