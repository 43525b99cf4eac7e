"""Reference implementation of Tarot Solitaire, written from its rules page."""

from __future__ import annotations

from functools import cache
from typing import Any

from . import state as common
from .state import State, draw, foundation_moves, names, new_round, play_move

__all__ = ["deal", "facts", "goal", "legal", "listed", "play"]

MINOR_SUITS = "WCSP"
MINOR_RANKS = "A23456789TPNQK"
PILES = names("t", 9)


def deal(deck: list[str], options: dict[str, Any]) -> State:
    rest = list(deck)
    piles: dict[str, list[str]] = {name: [] for name in [*PILES, *names("f", 5), "w"]}
    if options["first_row"]:
        for name in PILES:
            piles[name].append(rest.pop(0))
    for length in range(9, 0, -1):
        for name in PILES[:length]:
            piles[name].append(rest.pop(0))
    piles["s"] = rest
    face_down = {name: set(range(len(piles[name]) - 1)) for name in PILES}
    return State(options=options, piles=piles, face_down=face_down, rounds_left=None)


def is_trump(card: str) -> bool:
    return card[0] == "M"


def is_wild(state: State, card: str) -> bool:
    """Return whether a card is the Fool of the standard game."""
    return card == "M0" and state.options["fool"] == "wild"


@cache
def value(card: str) -> int:
    """Return a card's value in the tableau; never called for the Fool."""
    if not is_trump(card):
        return MINOR_RANKS.index(card[0]) + 1
    number = int(card[1:])
    return number if number <= 10 else number // 10 + number % 10


@cache
def colour(card: str) -> str:
    """Return the family of a card's suit; a card goes only on a card of another family."""
    if is_trump(card):
        return "trumps"
    return "wands and swords" if card[1] in "WS" else "cups and pentacles"


def goes_on(state: State, card: str, under: str) -> bool:
    if is_wild(state, card) or is_wild(state, under):
        return True
    if "M0" in (card, under):
        return False
    if colour(card) == colour(under):
        return False
    as_ace = value(card) == 10 and value(under) == 2
    return as_ace or value(card) == value(under) - 1


def fills_space(state: State, card: str) -> bool:
    return is_king_or_world(card) or is_wild(state, card)


def is_king_or_world(card: str) -> bool:
    """Return whether a card stays at the bottom of a pile."""
    return card == "M21" or (not is_trump(card) and card[0] == "K")


def taker(state: State, card: str) -> str | None:
    if is_trump(card):
        first = 0 if state.options["fool"] == "trump" else 1
        return "f4" if int(card[1:]) == first + len(state.piles["f4"]) else None
    name = f"f{MINOR_SUITS.index(card[1])}"
    return name if value(card) == len(state.piles[name]) + 1 else None


def pile_takes(state: State, pile: str, card: str) -> bool:
    cards = state.piles[pile]
    return goes_on(state, card, cards[-1]) if cards else fills_space(state, card)


def legal(state: State) -> set[str]:
    piles = state.piles
    tokens = foundation_moves(state, [*PILES, "w"], taker)
    for target in PILES:
        if piles["w"] and pile_takes(state, target, piles["w"][-1]):
            tokens.add(f"w-{target}")
        for source in PILES:
            if source != target:
                tokens |= moves_between(state, source, target)
    if piles["s"]:
        tokens.add("d")
    elif piles["w"]:
        tokens.add("n")
    return tokens


def moves_between(state: State, source: str, target: str) -> set[str]:
    cards = state.piles[source]
    tokens = set()
    for place in range(len(cards)):
        if place in state.face_down[source]:
            continue
        at_bottom = place == 0
        if at_bottom and is_king_or_world(cards[place]):
            continue
        if at_bottom and not state.piles[target]:
            continue
        if pile_takes(state, target, cards[place]):
            count = len(cards) - place
            tokens.add(f"{source}-{target}" + (f"x{count}" if count > 1 else ""))
    return tokens


def play(state: State, token: str) -> None:
    if token == "d":
        draw(state, state.options["draw"])
    elif token == "n":
        new_round(state)
    else:
        play_move(state, token, taker)


def goal(state: State) -> int:
    return 78 if state.options["fool"] == "trump" else 77


def listed(state: State, pile: str) -> list[str | None]:
    """List the visible cards of a pile; of the waste, as many as one draw turns."""
    if pile == "w":
        return list(state.piles["w"][-state.options["draw"] :])
    return common.listed(state, pile)


def facts(state: State) -> dict[str, Any]:
    return {}
