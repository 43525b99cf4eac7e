"""Slow table of the reference implementation: one game played by tokens; undo replays everything."""

from __future__ import annotations

from typing import Any

from . import braid, labyrinth, plot, stonewall, tarot
from . import state as common
from .state import Rules, State

GAMES: dict[str, Rules] = {"braid": braid, "labyrinth": labyrinth, "tarot": tarot, "plot": plot, "stonewall": stonewall}

OPTIONS: dict[str, dict[str, list[Any]]] = {
    "braid": {"direction": ["up", "either"], "redeals": [2, 3]},
    "labyrinth": {},
    "tarot": {"first_row": [True, False], "draw": [1, 2, 3], "fool": ["wild", "trump"]},
    "plot": {},
    "stonewall": {},
}

STANDARD: dict[str, dict[str, Any]] = {
    "braid": {"direction": "up", "redeals": 2},
    "labyrinth": {},
    "tarot": {"first_row": True, "draw": 2, "fool": "wild"},
    "plot": {},
    "stonewall": {},
}

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "braid": ("braid", {}),
    "braid-either": ("braid", {"direction": "either"}),
    "pigtail": ("braid", {"redeals": 3}),
    "labyrinth": ("labyrinth", {}),
    "tarot": ("tarot", {}),
    "tarot-novice": ("tarot", {"first_row": False, "draw": 1}),
    "tarot-adept": ("tarot", {"draw": 3, "fool": "trump"}),
    "plot": ("plot", {}),
    "stonewall": ("stonewall", {}),
}


class SlowTable:
    """A table of one game that follows the rules page."""

    def __init__(self, game: str, deck: list[str], options: dict[str, Any] | None = None) -> None:
        """Deal a deck; options not given have their default."""
        self.game = game
        self.rules = GAMES[game]
        self.options = {**STANDARD[game], **(options or {})}
        self.deck = list(deck)
        self.moves: list[str] = []
        self.token_count = 0
        self.state = self._dealt()
        self._legal: set[str] | None = None

    def _dealt(self) -> State:
        return self.rules.deal(list(self.deck), self.options)

    @property
    def cards_up(self) -> int:
        return common.cards_up(self.state)

    @property
    def goal(self) -> int:
        return self.rules.goal(self.state)

    @property
    def won(self) -> bool:
        return self.cards_up == self.goal

    @property
    def can_undo(self) -> bool:
        """True if `u` would be accepted."""
        return bool(self.moves) and not self.won

    def legal(self) -> set[str]:
        if self._legal is None:
            self._legal = set() if self.won else self.rules.legal(self.state)
        return self._legal

    def play(self, token: str) -> None:
        if token == "u":
            assert self.can_undo, "nothing to undo"
            self.moves.pop()
            self.state = self._dealt()
            for earlier in self.moves:
                self.rules.play(self.state, earlier)
        else:
            assert token in self.legal(), f"{token} is not legal"
            self.rules.play(self.state, token)
            self.moves.append(token)
        self._legal = None
        self.token_count += 1

    @property
    def stuck(self) -> bool:
        """True if no move is left or, in a game with unlimited rounds, no move but turning cards.

        A won game is not reported as stuck; nor is a game whose stock has not been turned up once.
        """
        if self.won:
            return False
        if self.state.rounds_left is not None:
            return not self.legal()
        if self.legal() - {"d", "n"} or not self.turned_up_once:
            return False
        ahead = common.copy(self.state)
        rounds_begun = 0
        while True:
            tokens = self.rules.legal(ahead)
            if tokens - {"d", "n"}:
                return False
            if not tokens or (rounds_begun == 1 and "n" in tokens):
                return True
            token = tokens.pop()
            rounds_begun += token == "n"
            self.rules.play(ahead, token)

    @property
    def turned_up_once(self) -> bool:
        """True if the moves not undone have drawn the whole stock of the deal, replayed from the deal."""
        watched = self._dealt()
        if not watched.piles["s"]:
            return True
        for token in self.moves:
            self.rules.play(watched, token)
            if not watched.piles["s"]:
                return True
        return False

    def view(self) -> dict[str, Any]:
        piles = {name: self.rules.listed(self.state, name) for name in self.state.piles}
        unseen = {name: len(cards) - len(piles[name]) for name, cards in self.state.piles.items()}
        return {
            "game": self.game,
            "options": self.options,
            "piles": piles,
            "under": {name: count for name, count in unseen.items() if count},
            "cards_up": self.cards_up,
            "goal": self.goal,
            "won": self.won,
            "moves": self.token_count,
            "can_undo": self.can_undo,
            "rounds_left": self.state.rounds_left,
            **self.rules.facts(self.state),
        }
