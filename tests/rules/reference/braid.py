"""Reference implementation of Braid, written from its rules page."""

from __future__ import annotations

from typing import Any

from .state import RANKS, State, draw, foundation_moves, listed, names, new_round, play_move

__all__ = ["deal", "facts", "goal", "legal", "listed", "play"]

INNER = names("t", 12)[:4]
OUTER = names("t", 12)[4:]
FOUNDATIONS = names("f", 8)


def deal(deck: list[str], options: dict[str, Any]) -> State:
    piles: dict[str, list[str]] = {"r": deck[:20], "w": []}
    for number in range(12):
        piles[f"t{number}"] = [deck[20 + number]]
    for name in FOUNDATIONS:
        piles[name] = []
    piles["f0"] = [deck[32]]
    piles["s"] = deck[33:]
    return State(
        options=options,
        piles=piles,
        rounds_left=options["redeals"],
        base=deck[32][0],
        direction="up" if options["direction"] == "up" else None,
    )


def next_card(state: State, foundation: str) -> str | None:
    cards = state.piles[foundation]
    if len(cards) == 13:
        return None
    step = 1 if state.direction == "up" else -1
    rank = RANKS[(RANKS.index(cards[-1][0]) + step) % 13]
    return rank + cards[-1][1]


def taker(state: State, card: str) -> str | None:
    """Find the foundation for a card: the lowest-numbered one that takes it."""
    for name in FOUNDATIONS:
        if not state.piles[name]:
            if card[0] == state.base:
                return name
        elif next_card(state, name) == card:
            return name
    return None


def legal(state: State) -> set[str]:
    if state.direction is None:
        return {"up", "down"}
    piles = state.piles
    tokens = fillings(state) | foundation_moves(state, [*INNER, *OUTER, "w", "r"], taker)
    if piles["s"]:
        tokens.add("d")
    elif piles["w"] and state.rounds_left:
        tokens.add("n")
    return tokens


def fillings(state: State) -> set[str]:
    piles = state.piles
    tokens = set()
    if piles["w"]:
        tokens |= {f"w-{cell}" for cell in OUTER if not piles[cell]}
    source = "r" if piles["r"] else "w"
    if piles[source]:
        tokens |= {f"{source}-{cell}" for cell in INNER if not piles[cell]}
    return tokens


def play(state: State, token: str) -> None:
    if token in ("up", "down"):
        state.direction = token
    elif token == "d":
        draw(state)
    elif token == "n":
        new_round(state)
        assert state.rounds_left is not None
        state.rounds_left -= 1
    else:
        play_move(state, token, taker)


def goal(state: State) -> int:
    return 104


def facts(state: State) -> dict[str, Any]:
    return {"base": state.base, "direction": state.direction}
