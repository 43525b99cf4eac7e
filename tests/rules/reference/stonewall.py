"""Reference implementation of Stonewall, written from its rules page."""

from __future__ import annotations

from typing import Any

from .state import RANKS, SUITS, State, foundation_moves, listed, names, play_move

__all__ = ["deal", "facts", "goal", "legal", "listed", "play"]

PILES = names("t", 6)
RESERVE = names("r", 16)


def deal(deck: list[str], options: dict[str, Any]) -> State:
    piles: dict[str, list[str]] = {name: [] for name in names("f", 4)}
    for number, name in enumerate(PILES):
        piles[name] = deck[6 * number : 6 * number + 6]
    for number, name in enumerate(RESERVE):
        piles[name] = [deck[36 + number]]
    return State(options=options, piles=piles, face_down={name: {0, 2, 4} for name in PILES})


def is_red(card: str) -> bool:
    return card[1] in "HD"


def goes_on(card: str, under: str) -> bool:
    lower = RANKS.index(card[0]) == RANKS.index(under[0]) - 1
    return lower and is_red(card) != is_red(under)


def taker(state: State, card: str) -> str | None:
    name = f"f{SUITS.index(card[1])}"
    return name if RANKS.index(card[0]) == len(state.piles[name]) else None


def is_run(state: State, pile: str, count: int) -> bool:
    """Return whether the top cards of a pile are face up and in sequence."""
    cards = state.piles[pile]
    start = len(cards) - count
    if any(place in state.face_down[pile] for place in range(start, len(cards))):
        return False
    return all(goes_on(cards[place + 1], cards[place]) for place in range(start, len(cards) - 1))


def pile_takes(state: State, pile: str, card: str) -> bool:
    cards = state.piles[pile]
    return not cards or goes_on(card, cards[-1])


def legal(state: State) -> set[str]:
    piles = state.piles
    tokens = foundation_moves(state, [*PILES, *RESERVE], taker)
    for target in PILES:
        for source in RESERVE:
            if piles[source] and pile_takes(state, target, piles[source][-1]):
                tokens.add(f"{source}-{target}")
        for source in PILES:
            if source != target:
                tokens |= moves_between(state, source, target)
    return tokens


def moves_between(state: State, source: str, target: str) -> set[str]:
    cards = state.piles[source]
    tokens = set()
    for count in range(1, len(cards) + 1):
        whole_pile_into_space = count == len(cards) and not state.piles[target]
        if whole_pile_into_space or not is_run(state, source, count):
            continue
        if pile_takes(state, target, cards[-count]):
            tokens.add(f"{source}-{target}" + (f"x{count}" if count > 1 else ""))
    return tokens


def play(state: State, token: str) -> None:
    play_move(state, token, taker)


def goal(state: State) -> int:
    return 52


def facts(state: State) -> dict[str, Any]:
    return {}
