"""Messages about untrusted values are short, and building them never fails."""

from __future__ import annotations

import pytest

from games.rules import PositionError, from_position, open_table
from games.rules.errors import quoted


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("d", "'d'"),
        ("x" * 20, repr("x" * 20)),
        ("x" * 21, repr("x" * 20)),
        ("é\n", r"'\xe9\n'"),
        (None, "None"),
        (True, "True"),
        (-1.5, "-1.5"),
        (10**18 - 1, "9" * 18),
        (1 - 10**18, "-" + "9" * 18),
        (10**18, "<int>"),
        (-(10**18), "<int>"),
        (["a", "list"], "<list>"),
        (b"bytes", "<bytes>"),
    ],
)
def test_a_value_is_quoted(value: object, shown: str) -> None:
    assert quoted(value) == shown


def braid(direction: str) -> str:
    """Return a position in which two foundations have been built on in the given direction."""
    table = open_table("braid-either", bytes(32))
    table.push(direction)
    while sum(len(table.pile(f"f{n}")) > 1 for n in range(8)) < 2:
        legal = table.legal_moves()
        table.push(next((token for token in legal if token.endswith("-f")), legal[-1]))
    return table.position()


@pytest.mark.parametrize("direction", ["up", "down"])
def test_a_braid_is_built_in_its_suits_and_one_direction(direction: str) -> None:
    position = braid(direction)
    assert from_position(position).position() == position
    other = {"up": "down", "down": "up"}[direction]
    for wrong in (other, "open"):
        with pytest.raises(PositionError):
            from_position(position.replace(f"direction={direction}", f"direction={wrong}"))


def test_a_braids_foundation_keeps_to_one_suit() -> None:
    position = braid("up")
    built = next(field for field in position.split(" | ") if field.startswith("f") and "." in field)
    card = built.split(".")[1]
    suit = next(suit for suit in "SHDC" if suit != card[1])
    # Swap it with the same rank of another suit, so that the deck stays complete.
    other = f"{card[0]}{suit}"
    first, second = position.split(f" | {built}")
    swapped = first.replace(other, card, 1)
    assert swapped != first
    with pytest.raises(PositionError, match="foundation"):
        from_position(f"{swapped} | {built.replace('.' + card, '.' + other, 1)}{second}")
