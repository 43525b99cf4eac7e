"""Random play for the property tests: the game, its seed, and how lucky and greedy the play is."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from games.rules import Table, open_table
from tests.rules.reference import OPTIONS, VARIANTS, SlowTable, shuffled


@dataclass(frozen=True)
class Walk:
    """One random game, reproducible from its fields."""

    name: str
    """A catalogue variant, or a game to go with `options`."""
    options: dict[str, Any] | None
    seed: bytes
    dice: int
    length: int
    greed: float = 0.8
    """Share of turns in which a card goes up when one can."""
    doubt: float = 0.05
    """Share of turns in which the last move is undone."""
    opening: tuple[str, ...] = field(default=(), repr=False)
    """Tokens to play first, from the record of a whole game."""

    @property
    def game(self) -> str:
        """Name of the game."""
        return self.name if self.options is not None else VARIANTS[self.name][0]

    def open(self) -> Table:
        """Deal the walk's table with the engine."""
        return open_table(self.name, self.seed, self.options)

    def open_slow(self) -> SlowTable:
        """Deal the walk's table with the reference implementation."""
        options = self.options if self.options is not None else VARIANTS[self.name][1]
        return SlowTable(self.game, shuffled(self.game, self.seed), options)

    def choose(self, slow: SlowTable) -> Iterator[str]:
        """Yield one token after another.

        The caller plays the opening first, then each token before asking for the next.
        """
        dice = random.Random(self.dice)
        for _ in range(self.length):
            if slow.won:
                return
            legal = sorted(slow.legal())
            if slow.can_undo and (not legal or dice.random() < self.doubt):
                yield "u"
            elif legal:
                yield self._pick(dice, legal)
            else:
                return

    def _pick(self, dice: random.Random, legal: list[str]) -> str:
        upward = [token for token in legal if token.endswith("-f")]
        if upward and dice.random() < self.greed:
            return dice.choice(upward)
        plays = [token for token in legal if token not in ("d", "n")]
        if plays and dice.random() < self.greed / 2:
            return dice.choice(plays)
        return dice.choice(legal)


def option_choices(game: str) -> st.SearchStrategy[dict[str, Any]]:
    """Draw any combination of a game's options; some keep their default."""
    choices = {name: st.sampled_from(values) for name, values in OPTIONS[game].items()}
    return st.fixed_dictionaries({}, optional=choices)


@st.composite
def walks(draw: st.DrawFn, name: str | None = None, *, longest: int = 150) -> Walk:
    """Draw a walk of a catalogue variant, or of any game with any combination of its options."""
    options = None
    if name is None:
        name = draw(st.sampled_from(sorted(OPTIONS)))
        options = draw(option_choices(name))
    return Walk(
        name=name,
        options=options,
        seed=draw(st.binary(min_size=32, max_size=32)),
        dice=draw(st.integers(0, 2**32)),
        length=draw(st.integers(0, longest)),
        greed=draw(st.sampled_from([0.0, 0.5, 0.8, 1.0])),
        doubt=draw(st.sampled_from([0.0, 0.05, 0.3])),
    )
