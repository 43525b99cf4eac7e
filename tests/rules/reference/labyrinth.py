"""Reference implementation of Labyrinth, written from its rules page."""

from __future__ import annotations

from typing import Any

from .state import RANKS, SUITS, State, listed, names, play_move, split

__all__ = ["deal", "facts", "goal", "legal", "listed", "play"]


def deal(deck: list[str], options: dict[str, Any]) -> State:
    piles: dict[str, list[str]] = {name: [] for name in names("t", 48)}
    for number, suit in enumerate(SUITS):
        piles[f"f{number}"] = ["A" + suit]
    for cell in range(8):
        piles[f"t{cell}"] = [deck[cell]]
    piles["s"] = deck[8:]
    return State(options=options, piles=piles, rows=1)


def is_empty(state: State, row: int, column: int) -> bool:
    return 0 <= row < state.rows and not state.piles[f"t{8 * row + column}"]


def free(state: State) -> list[str]:
    found = []
    for row in range(state.rows):
        for column in range(8):
            if is_empty(state, row, column):
                continue
            outermost = row in (0, state.rows - 1)
            if outermost or is_empty(state, row - 1, column) or is_empty(state, row + 1, column):
                found.append(f"t{8 * row + column}")
    return found


def taker(state: State, card: str) -> str | None:
    name = f"f{SUITS.index(card[1])}"
    last = state.piles[name][-1]
    return name if RANKS.index(card[0]) == RANKS.index(last[0]) + 1 else None


def legal(state: State) -> set[str]:
    tokens = {f"{cell}-f" for cell in free(state) if taker(state, state.piles[cell][-1])}
    if state.piles["s"]:
        tokens.add("d")
    return tokens


def play(state: State, token: str) -> None:
    stock = state.piles["s"]
    if token == "d":
        first = 8 * state.rows
        for cell in range(first, first + 8):
            if stock:
                state.piles[f"t{cell}"].append(stock.pop(0))
        state.rows += 1
        return
    play_move(state, token, taker)
    source, _, _ = split(token)
    if source in names("t", 8) and stock:
        state.piles[source].append(stock.pop(0))


def goal(state: State) -> int:
    return 52


def facts(state: State) -> dict[str, Any]:
    return {"rows": state.rows, "free": free(state)}
