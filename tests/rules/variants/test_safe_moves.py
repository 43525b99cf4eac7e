"""Safe moves: no search finds a game lost after one that could be won before."""

from __future__ import annotations

import pytest

from games.rules import CATALOGUE, Table, from_position, open_table
from games.solver import Budget, Unwinnable, solve
from tests.rules.golden import games_of

TRIED = 6


def won_tables(variant: str) -> list[Table]:
    """Return positions of a won golden game that have a safe move, spread over the game."""
    found = []
    for game in games_of(variant):
        if game.title == "won":
            record = game.record
            table = open_table(record.name, record.seed, record.options, version=record.version)
            for token in record.tokens:
                if table.safe_moves():
                    found.append(from_position(table.position()))
                table.push(token)
            break
    return found[:: max(1, len(found) // TRIED)][-TRIED:]


@pytest.mark.parametrize("variant", CATALOGUE)
def test_a_won_game_is_still_won_after_a_safe_move(variant: str) -> None:
    tables = won_tables(variant)
    assert tables
    for table in tables:
        for token in table.safe_moves():
            assert table.is_legal(token)
            table.push(token)
            if not table.is_won:
                found = solve(from_position(table.position()), Budget(nodes=20_000, seconds=60, memory=64))
                assert not isinstance(found, Unwinnable)
            table.pop()


def test_a_card_that_may_carry_another_is_unsafe() -> None:
    rest = ".".join(f"{rank}{suit}" for suit in "HDC" for rank in "23456789TJQK")
    table = from_position(
        f"stonewall | t0 4S.5S.6S.7S.8S.9S.TS.JS.QS.KS.3S | t1 {rest} | f0 AS.2S | f1 AH | f2 AD | f3 AC"
    )
    assert "t0-f" in table.legal_moves()
    assert table.safe_moves() == []
