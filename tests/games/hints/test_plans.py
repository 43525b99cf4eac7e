"""Plans: looked up by position, shorter after each move, and free of detours."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from games.hints import search_results
from games.hints.plans import WinningPlan, adapted
from games.hints.search_results import PositionVerdict
from games.models import Question
from games.rules import CATALOGUE, Record, Table, from_position, open_table
from tests.games import certified


@pytest.mark.parametrize("variant", CATALOGUE)
def test_every_move_of_a_plan_shortens_it(variant: str) -> None:
    record = certified.won(variant)[0]
    plan, table = WinningPlan(record.open_table(), record.tokens), record.open_table()
    left = len(record.tokens) + 1
    while not table.is_won:
        rest = plan.rest(table)
        assert rest
        assert len(rest) < left
        left = len(rest)
        table.push(rest[0])


def test_a_plan_continues_from_the_last_visit_of_a_position() -> None:
    record, at, detour = line_with_a_detour()
    plan, table = WinningPlan(record.open_table(), detour), record.open_table()
    for token in record.tokens[:at]:
        table.push(token)
    assert plan.rest(table) == record.tokens[at:]


def test_an_adapted_line_makes_no_detour() -> None:
    record, at, detour = line_with_a_detour()
    table = record.open_table()
    for token in record.tokens[:at]:
        table.push(token)
    way = adapted(table, detour)
    assert way is not None
    seen = {table.position()}
    for token in way:
        table.push(token)
        assert table.position() not in seen
        seen.add(table.position())
    assert table.is_won


def test_a_losing_line_is_not_adapted() -> None:
    record = certified.won("stonewall")[0]
    assert adapted(record.open_table(), record.tokens[:-1]) is None


@cache
def line_with_a_detour() -> tuple[Record, int, tuple[str, ...]]:
    """Return a winning record, a place in it, and its tokens with a detour of two moves there."""
    for variant in ("tarot", "tarot-novice", "stonewall"):
        for record in certified.won(variant):
            table = record.open_table()
            for at, token in enumerate(record.tokens):
                for moves in there_and_back(table):
                    return record, at, (*record.tokens[:at], *moves, *record.tokens[at:])
                table.push(token)
    raise AssertionError("no line has room for a detour")


def there_and_back(table: Table) -> Iterator[tuple[str, str]]:
    start = table.position()
    for there in table.legal_moves():
        source, _, target = there.partition("-")
        copy = from_position(start)
        copy.push(there)
        if copy.is_legal(back := f"{target}-{source}"):
            copy.push(back)
            if copy.position() == start:
                yield there, back


@pytest.mark.parametrize("answer", Question.Answer)
def test_a_verdict_is_recalled_as_it_was_remembered(answer: Question.Answer) -> None:
    verdict = PositionVerdict(answer, ("t0-f", "d") if answer == Question.Answer.YES else ())
    search_results.remember("this position", verdict)
    assert search_results.recall(["another position", "this position"]) == [None, verdict]


def test_a_plan_ignores_unknown_positions() -> None:
    record = certified.won("stonewall")[0]
    assert WinningPlan(record.open_table(), record.tokens).rest(open_table("stonewall", bytes(32))) is None
