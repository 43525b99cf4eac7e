"""Tokens, their meaning and their numbers, in a vocabulary of three piles that moves up to four cards."""

from __future__ import annotations

import pytest

from games.rules.errors import InvalidTokenError
from games.rules.tokens import DOWN, DRAW, ROUND, TO_FOUNDATION, TO_PILE, UNDO, UP, Move, Vocabulary

PILES = ("w", "t0", "t1")

#: Every kind of token with its meaning and number: 5 words, 3 to a foundation, then 9 pairs of piles per unit.
MEANINGS = [
    ("d", Move(DRAW), 0),
    ("n", Move(ROUND), 1),
    ("up", Move(UP), 2),
    ("down", Move(DOWN), 3),
    ("u", Move(UNDO), 4),
    ("w-f", Move(TO_FOUNDATION, 0), 5),
    ("t1-f", Move(TO_FOUNDATION, 2), 7),
    ("w-t0", Move(TO_PILE, 0, 1), 9),
    ("t1-t0", Move(TO_PILE, 2, 1), 15),
    ("w-t0x2", Move(TO_PILE, 0, 1, 2), 18),
    ("t1-t0x4", Move(TO_PILE, 2, 1, 4), 42),
]


def token_or_none(vocabulary: Vocabulary, number: int) -> str | None:
    """Return the token of a number, or None if there is none; the error must name the number."""
    try:
        return vocabulary.token(number)
    except InvalidTokenError as error:
        said = str(error)
    assert said == f"{number}: no token of this game has that number"
    return None


@pytest.fixture
def units() -> Vocabulary:
    return Vocabulary(PILES, largest_unit=4)


@pytest.mark.parametrize(("token", "move", "number"), MEANINGS)
def test_a_token_has_one_meaning_and_one_number(units: Vocabulary, token: str, move: Move, number: int) -> None:
    assert units.read(token) == move
    assert units.read(token) == move  # the second time from the cache
    assert units.known[token] == move
    assert units.write(move) == token
    assert units.number(token) == number
    assert units.token(number) == token


def test_the_numbers_cover_exactly_all_tokens(units: Vocabulary) -> None:
    past = 5 + 3 + 4 * 9
    found = {number: token for number in range(-9, past + 9) if (token := token_or_none(units, number))}
    # The number of a move from a pile to itself belongs to no token.
    assert len(found) == past - 4 * 3
    assert min(found) == 0
    assert max(found) == past - 2  # the last number is a move from a pile to itself
    assert [units.number(token) for token in found.values()] == list(found)


def test_without_units_a_token_moves_one_card() -> None:
    single = Vocabulary(PILES)
    assert single.read("w-t0") == Move(TO_PILE, 0, 1, 1)
    with pytest.raises(InvalidTokenError, match="this game moves one card at a time"):
        single.read("w-t0x2")
    with pytest.raises(InvalidTokenError, match="no token of this game has that number"):
        single.token(5 + 3 + 9)


@pytest.mark.parametrize(
    ("token", "said"),
    [
        (None, "a token is a string"),
        (4, "a token is a string"),
        ("", "not a token"),
        ("x", "not a token"),
        ("w-t0x2-t1", "x must be followed by a number without leading zeros"),
        ("w-t0-t1", "no card is moved to a pile 't0-t1' in this game"),
        ("s-f", "no card is moved from a pile 's' in this game"),
        ("w-s", "no card is moved to a pile 's' in this game"),
        ("w-w", "a card cannot move to its own pile"),
        ("w-t0x", "x must be followed"),
        ("w-t0x02", "x must be followed"),
        ("w-t0x٢", "x must be followed"),
        ("w-t0x1", "a unit has 2 to 4 cards"),
        ("w-t0x5", "a unit has 2 to 4 cards"),
        ("w-t0x2x2", "x must be followed"),
        ("w-t0xxxxxxx", "longer than any token"),
    ],
)
def test_an_invalid_token_is_refused_with_a_reason(units: Vocabulary, token: object, said: str) -> None:
    with pytest.raises(InvalidTokenError, match=said):
        units.read(token)
