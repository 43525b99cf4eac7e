"""Reasons for refused moves: every possible token and question along the golden games, in words that players see.

`python -m tests.rules.variants.test_refusals` rewrites `refusals.json`; review its diff.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from games.rules import IllegalMoveError, InvalidTokenError, Table, from_position, open_table
from games.rules.cards import FRENCH
from games.rules.explanations import explain
from games.rules.illegal_reasons import IllegalMoveReason, Why
from games.rules.tokens import Vocabulary
from tests.rules.golden import FILES, games_of

FILE = Path(__file__).with_name("refusals.json")
#: Interval, in tokens of a game, at which all other tokens are tried.
STEP = 150
#: Cards, piles and numbers that a reason may name.
NAMES = re.compile(r"\b(\w*[A-Z0-9]\w*|[rsw])\b")


@cache
def every_token(vocabulary: Vocabulary) -> list[str]:
    piles = len(vocabulary.piles)
    numbers = range(5 + piles + piles * piles * vocabulary.largest_unit)
    pairs = [number - 5 - piles for number in numbers]
    return [
        vocabulary.token(number)
        for number, pair in zip(numbers, pairs, strict=True)
        if pair < 0 or (pair % (piles * piles)) // piles != pair % piles
    ]


def reasons(table: Table) -> Counter[str]:
    found: Counter[str] = Counter()
    for token in every_token(table.VOCABULARY):
        if token == "u" and table.can_undo:
            continue
        try:
            table.push(token)
        except IllegalMoveError as error:
            found[NAMES.sub("*", error.reason)] += 1
        else:
            table.pop()
    return found


def refusals(name: str) -> dict[str, int]:
    """Count the reasons met in all golden games of a file."""
    met: Counter[str] = Counter()
    for game in games_of(name):
        record = game.record
        table = open_table(record.name, record.seed, record.options, version=record.version)
        for index, token in enumerate(record.tokens):
            if index % STEP == 0:
                met += reasons(table)
            try:
                table.push(token)
            except IllegalMoveError as error:
                met[NAMES.sub("*", error.reason)] += 1
                break
    return dict(sorted(met.items()))


@pytest.mark.parametrize("name", FILES)
def test_every_refusal_has_its_reason(name: str) -> None:
    assert refusals(name) == json.loads(FILE.read_text())[name]


def test_a_refused_move_leaves_the_table_as_it_was() -> None:
    table = open_table("stonewall", bytes(32))
    before = table.position(), table.token_count, table.legal_moves()
    assert reasons(table)
    assert (table.position(), table.token_count, table.legal_moves()) == before


def seen(table: Table) -> set[str]:
    return {card for pile in table.view()["piles"].values() for card in pile if card is not None}


def movable(legal: list[str], pile: str, count: int, to: str) -> bool:
    for token in legal:
        source, _, rest = token.partition("-")
        target, _, number = rest.partition("x")
        if source == pile and int(number or 1) == count and to in ("", target):
            return True
    return False


def check(table: Table) -> None:
    legal, visible = table.legal_moves(), seen(table)
    named = table.pile_names()
    next_up = {table.DECK.names[card] for card in table.DECK.cards}
    for pile in named:
        if pile == "s" or pile[0] == "f":
            continue
        for count in range(1, len(table.pile(pile)) + 1):
            for to in ("", "f0", *(name for name in named if name[0] == "t" and name != pile)):
                reasons = explain(table, pile, count, to)
                goal = "f" if to == "f0" else to
                assert bool(reasons) != movable(legal, pile, count, goal), (pile, count, to, reasons)
                for reason in reasons:
                    assert {reason.card, reason.onto} - {""} <= visible
                    assert {reason.next} - {""} <= next_up
                    assert "{" not in str(reason)


@pytest.mark.parametrize("name", FILES)
def test_exactly_the_impossible_moves_have_reasons(name: str) -> None:
    for game in games_of(name)[:2]:
        record = game.record
        table = open_table(record.name, record.seed, record.options, version=record.version)
        for index, token in enumerate(record.tokens):
            if index % 60 == 0 and not table.is_won:
                check(table)
            if token != "u" and not table.is_legal(token):
                break
            table.push(token)


@pytest.mark.parametrize(
    ("position", "question", "said"),
    [
        ("stonewall | t0 8S | t1 7C", ("t1", 1, "t0"), [Why.SAME_COLOUR]),
        ("stonewall | t0 8S | t1 6H", ("t1", 1, "t0"), [Why.NOT_ON]),
        ("stonewall | t0 *8S.9S.7C", ("t0", 3), [Why.FACE_DOWN]),
        ("stonewall | t0 9S.7C", ("t0", 2), [Why.NO_RUN]),
        ("stonewall | t0 9S.7C", ("f0", 1), [Why.FROM_FOUNDATION]),
    ],
)
def test_reasons_of_one_position(position: str, question: tuple[object, ...], said: list[Why]) -> None:
    table = from_position(complete(position))
    assert [reason.why for reason in explain(table, *question)] == said  # type: ignore[arg-type]


def complete(position: str) -> str:
    """Return a Stonewall position with the cards it leaves out in the last pile."""
    left = [card for card in FRENCH.names if card not in position]
    return f"{position} | t5 {'.'.join(left)}"


def test_a_suits_foundation_names_its_next_card() -> None:
    table = open_table("stonewall", bytes(32))
    reasons = [reason for pile in range(6) for reason in explain(table, f"t{pile}")]
    assert {reason.next[0] for reason in reasons if reason.why is Why.NOT_YET} == {"A"}


def test_an_unknown_pile_is_refused() -> None:
    table = open_table("labyrinth", bytes(32))
    for question in (("t99", 1, ""), ("t0", 1, "r"), ("nothing", 1, "")):
        with pytest.raises(InvalidTokenError):
            explain(table, *question)


def test_a_reason_has_one_machine_readable_form() -> None:
    assert IllegalMoveReason(Why.NOT_ON, card="7C", onto="9S").to_json() == {
        "why": "not_on",
        "card": "7C",
        "onto": "9S",
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: refusals(name) for name in FILES}, indent=1) + "\n")
