"""Picture layouts of the games, in card units: a column is a card's width plus the gap, a row its height plus the gap.

Tables on the site adapt their layout to the available space (frontend/static/js/table/layouts); pictures have a fixed
one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

Spread = Literal["stack", "fan", "row", "braid"]


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
    """Layout of all piles of a game, and its size in columns and rows."""

    columns: float
    rows: float
    spots: tuple[Spot, ...]


def _braid() -> Iterator[Spot]:
    yield Spot("s", 0, 0.6)
    yield Spot("w", 0, 1.75)
    for k in range(4):
        yield Spot(f"t{4 + k}", 1.35, k)
        yield Spot(f"t{8 + k}", 6.1, k)
    for k in range(2):
        yield Spot(f"t{k}", 2.37, 0.5 + 2 * k)
        yield Spot(f"t{2 + k}", 5.08, 0.5 + 2 * k)
    yield Spot("r", 3.725, 0, "braid", 4)
    for k in range(8):
        yield Spot(f"f{k}", 7.4 + k % 2, k // 2)


def _labyrinth() -> Iterator[Spot]:
    for k in range(4):
        yield Spot(f"f{k}", k % 2, k // 2)
    yield Spot("s", 0.5, 5)
    for k in range(48):
        yield Spot(f"t{k}", 2.4 + k % 8, k // 8)


def _tarot() -> Iterator[Spot]:
    yield Spot("s", 0, 0)
    yield Spot("w", 1, 0, "row")
    for k in range(5):
        yield Spot(f"f{k}", 4 + k, 0)
    for k in range(9):
        yield Spot(f"t{k}", k, 1.15, "fan", 4.85)


def _plot() -> Iterator[Spot]:
    yield Spot("r", 0, 0)
    yield Spot("s", 0, 1.7)
    yield Spot("w", 0, 2.75)
    for k in range(12):
        yield Spot(f"t{k}", 1.4 + k % 4, k // 4 * 1.7, "fan", 1.66)
    for k in range(8):
        yield Spot(f"f{k}", 5.8 + k % 2, k // 2 * 1.03)


def _stonewall() -> Iterator[Spot]:
    for k in range(4):
        yield Spot(f"f{k}", 0, k)
    for k in range(6):
        yield Spot(f"t{k}", 1.35 + k, 0, "fan", 5.2)
    for k in range(16):
        yield Spot(f"r{k}", 7.7 + k % 4, k // 4)


PLANS: Final = {
    "braid": PictureLayout(9.4, 4, tuple(_braid())),
    "labyrinth": PictureLayout(10.4, 6, tuple(_labyrinth())),
    "tarot": PictureLayout(9, 6, tuple(_tarot())),
    "plot": PictureLayout(7.8, 5.1, tuple(_plot())),
    "stonewall": PictureLayout(11.7, 5.2, tuple(_stonewall())),
}
