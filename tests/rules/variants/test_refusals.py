"""Reasons for refused moves: every possible token along the golden games, with the words that players see.

`python -m tests.rules.variants.test_refusals` rewrites `refusals.json`; review its diff.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from games.rules import IllegalMoveError, Table, open_table
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


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: refusals(name) for name in FILES}, indent=1) + "\n")
