"""Shared parts of the five slow games: the table as plain lists, the tokens, the view.

Everything here is written from the rules page alone and for readability: no game of this package shares a line with the
engine that it checks, and nothing is cached that could be computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

SUITS = "SHDC"
RANKS = "A23456789TJQK"


@dataclass
class State:
    """One table. Piles list their cards bottom to top; the stock lists its next card first."""

    options: dict[str, Any]
    piles: dict[str, list[str]]
    face_down: dict[str, set[int]] = field(default_factory=dict)
    """The places of a pile, counted from its bottom, whose cards lie face down."""
    rounds_left: int | None = 0
    base: str = ""
    direction: str | None = None
    rows: int = 0


Taker = Callable[[State, str], str | None]
"""Finds the foundation for a card."""


class Rules(Protocol):
    """Interface of the game modules of this package."""

    def deal(self, deck: list[str], options: dict[str, Any]) -> State:
        """Lay out the table."""

    def legal(self, state: State) -> set[str]:
        """Return every legal token of a game that is not yet won."""

    def play(self, state: State, token: str) -> None:
        """Apply a legal token to the table."""

    def goal(self, state: State) -> int:
        """Count the cards that must be up."""

    def listed(self, state: State, pile: str) -> list[str | None]:
        """Return the part of a pile that the player may see, bottom to top."""

    def facts(self, state: State) -> dict[str, Any]:
        """Return the public facts specific to this game."""


def copy(state: State) -> State:
    return State(
        options=dict(state.options),
        piles={name: list(cards) for name, cards in state.piles.items()},
        face_down={name: set(places) for name, places in state.face_down.items()},
        rounds_left=state.rounds_left,
        base=state.base,
        direction=state.direction,
        rows=state.rows,
    )


def names(letter: str, count: int) -> list[str]:
    return [f"{letter}{number}" for number in range(count)]


def cards_up(state: State) -> int:
    return sum(len(cards) for name, cards in state.piles.items() if name.startswith("f"))


def split(token: str) -> tuple[str, str, int]:
    source, target = token.split("-")
    if "x" in target:
        target, count = target.split("x")
        return source, target, int(count)
    return source, target, 1


def move(state: State, source: str, target: str, count: int = 1) -> None:
    pile = state.piles[source]
    state.piles[target] += pile[-count:]
    del pile[-count:]
    state.face_down.get(source, set()).discard(len(pile) - 1)


def foundation_moves(state: State, piles: Iterable[str], taker: Taker) -> set[str]:
    return {f"{pile}-f" for pile in piles if state.piles[pile] and taker(state, state.piles[pile][-1])}


def play_move(state: State, token: str, taker: Taker) -> None:
    source, target, count = split(token)
    if target == "f":
        found = taker(state, state.piles[source][-1])
        assert found is not None
        target = found
    move(state, source, target, count)


def draw(state: State, count: int = 1) -> None:
    """Turn cards from the stock onto the waste, one at a time."""
    for _ in range(count):
        if state.piles["s"]:
            state.piles["w"].append(state.piles["s"].pop(0))


def new_round(state: State) -> None:
    """Turn the waste over: the card drawn first will be drawn first again."""
    state.piles["s"] = state.piles["w"]
    state.piles["w"] = []


def listed(state: State, pile: str) -> list[str | None]:
    """List a pile as most games show it: no stock, only the waste's last card, None for face-down cards."""
    cards = state.piles[pile]
    if pile == "s":
        return []
    if pile == "w":
        return list(cards[-1:])
    down = state.face_down.get(pile, set())
    return [None if place in down else card for place, card in enumerate(cards)]
