"""Manifest of a game: what the site needs to know about it besides its rules and its solver.

Figures that take measuring may be missing while a game is new; each field names its default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from django.utils.functional import Promise

from games.manifests.lesson import Lesson
from games.rules import Table
from games.rules.tokens import Move

Kinds: TypeAlias = Iterator[str]
Appeal: TypeAlias = Literal["winning", "planning", "simplicity"]
Spread: TypeAlias = Literal["stack", "fan", "row", "braid"]


class Likeness(NamedTuple):
    """Shares of decisions in common with the solver: mean and standard deviation of wins of simulated people, and the
    mean of new runs of the solver.
    """

    people: float
    spread: float
    new_runs: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantFacts:
    """Facts about a variant."""

    title: Promise
    summary: Promise
    """One line for cards and lists."""
    grade_thresholds: tuple[float, float, float, float] | None = None
    """Difficulty scores between the grades: percentiles 20, 40, 60 and 80 of the reference sample
    (docs/difficulty.md). Without them every deal is fair, the middle grade."""
    median_par: float | None = None
    """Median par of the deals in docs/par.csv. Without it a par of any length is accepted."""
    looking_factor: float | None = None
    """Factor on top of the speed of hands: there are more cards to look over in Labyrinth than in Braid, and fewer
    when three cards are drawn at a time. Without it the smallest of all applies."""
    delay_correlation: float = 0.1
    """Lower bound of the correlation of people's delays with their moves (`games.fairplay.delays`), well below that of
    simulated people. With the default, some 3,500 moves are needed to find a timer."""
    likeness: Likeness | None = None
    """As in docs/measured/solver-likeness.csv. Without it wins are not compared with the solver's."""
    puzzle_points: float | None = None
    """Points in the initial rating of a puzzle (docs/puzzles.md, "Ratings"). Without them the mean applies."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Position of one pile: the corner of its first card, the way its cards are spread, and its height in rows."""

    pile: str
    x: float
    y: float
    spread: Spread = "stack"
    rows: float = 1.0


@dataclass(frozen=True, slots=True)
class PictureLayout:
    """Layout of a game's piles in pictures, in card units: a column is a card's width plus the gap, a row its height
    plus the gap. Tables on the site adapt theirs to the available space (frontend/static/js/games).
    """

    columns: float
    rows: float
    spots: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class FirstMoves:
    """Explanations of the first moves of a first game: the rule that a move shows, and what it leaves behind.

    `kinds` names the kinds of a move. Each kind has a text for its first time, and may have a shorter one for later.
    """

    texts: Mapping[str, tuple[Promise, ...]]
    kinds: Callable[[Any, Move], Kinds]


class Kindred(NamedTuple):
    """A well-known game that leads to this one, the gentlest variant to start with, and how the two compare."""

    title: Promise
    start: str
    comparison: Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Facts about a game, and about its variants by name."""

    variants: Mapping[str, VariantFacts]
    """One of them is named like the game, and its title is the game's."""
    kindred: Kindred
    appeal: Appeal
    """What its players enjoy most."""
    picture: PictureLayout
    first_moves: FirstMoves
    lesson: Lesson
    is_short: bool = False
    """True if a game takes a few minutes and a deal is found within seconds: for quick matches and weekdays."""
    suit_sizes: tuple[int, ...] = ()
    """Number of cards in each complete foundation, if each foundation has a suit of its own."""


def left_behind(table: Table, move: Move) -> Kinds:
    """Yield what a move does to the pile that it takes cards from: `clears` or `turns`."""
    if 0 <= move.source < table.TABLEAU:
        below = table.piles[move.source][: -move.cards]
        if not below:
            yield "clears"
        elif table.hidden >> below[-1] & 1:
            yield "turns"
