"""Plans, and games won by hints alone from fresh positions of certified deals."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from accounts.sign_in.guests import create_guest
from games.core.errors import Refusal
from games.deals import publishing
from games.deals.certification import Certificate, winning_record
from games.hints import questions, search_results
from games.hints.plans import WinningPlan, adapted
from games.hints.position_search import PositionVerdict, Searcher
from games.models import Question
from games.rules import CATALOGUE, GAMES, Record, Table, from_position, open_table
from games.solver import Budget, Solution, Unwinnable, solve
from tests.factories import won_records
from tests.games.hints.hint_games import Game, begin, searched

MANY = 200
#: Fresh deals of a variant at which no hint may lose, with `--full`, and hints at each deal.
DEALS, HINTS = 1_000, 20
#: Share of moves that the player makes without a hint, and of moves on a winning line that are judged.
STRAYS, SAMPLE = 0.2, 0.1


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "_request_answer", lambda _question: None)
    monkeypatch.setattr(Searcher, "ask", lambda _searcher, position, _limit, _is_wanted: searched(position))


@pytest.mark.slow
@pytest.mark.usefixtures("in_this_process", "transactional_db")
@pytest.mark.parametrize("game", GAMES)
def test_hints_alone_win_without_going_in_circles(game: str, request: Any) -> None:
    """Check the last fifth of one game of a random variant, or with `--full` many whole games of each."""
    seed = secrets.token_hex(4)
    chance = Random(f"{seed} {game}")
    variants = [name for name, variant in CATALOGUE.items() if variant.game == game]
    full = request.config.getoption("full")
    for variant in variants * MANY if full else [chance.choice(variants)]:
        short = sorted(won_records(variant), key=lambda record: len(record.tokens))[:3]
        record = chance.choice(short)
        deal = publishing.seeded_deal(CATALOGUE[variant], record.seed, Certificate(record, None, 3))
        opening = () if full else record.tokens[: len(record.tokens) * 4 // 5]
        attempt = begin(create_guest(), deal, chance, chance.randint(0, 15 if full else 6), opening)
        played = Game(attempt, chance)
        played.run()
        told = f"{variant}, seed {seed}, after {attempt.moves.count()} tokens"
        assert played.table.is_won, told
        assert played.loops == 0, told
        assert played.forward <= 2 * (len(record.tokens) - len(opening)) + 15, told


@pytest.mark.slow
@pytest.mark.usefixtures("in_this_process", "transactional_db")
@pytest.mark.parametrize("variant", CATALOGUE)
def test_no_hint_loses_a_won_position(variant: str, request: Any) -> None:
    """Follow hints at a few known wins, or with `--full` at many fresh deals; half of the deals have no stored line."""
    seed = secrets.token_hex(4)
    chance, full = Random(f"{seed} {variant}"), request.config.getoption("full")
    for n in range(DEALS if full else 4):
        record = fresh_win(variant, chance) if full else chance.choice(won_records(variant))
        proof = Certificate(record, None, None) if n % 2 == 0 else None
        opening = record.tokens[: chance.randrange(len(record.tokens))]
        deal = publishing.seeded_deal(CATALOGUE[variant], record.seed, proof)
        game = Game(begin(create_guest(), deal, chance, chance.randint(0, 3), opening), chance)
        for _ in range(HINTS):
            assert not hint_loses(game, chance), f"{seed}: {game.table.moves[-1]} to {game.table.position()}"


def hint_loses(game: Game, chance: Random) -> bool:
    """Play the next move, mostly by a hint; return whether a hint that was judged has lost a won position."""
    legal = game.table.legal_moves()
    if not legal or game.table.is_won:
        return False
    if chance.random() < STRAYS:
        game.play(chance.choice(legal))
        return False
    try:
        advice = game.advice()
    except Refusal:  # there is no move to advise
        return False
    before = game.table.position()
    game.play(advice.token)
    is_judged = advice.why in {"safe", "likely"} or chance.random() < SAMPLE
    return is_judged and isinstance(solved(game.table.position()), Unwinnable) and isinstance(solved(before), Solution)


def solved(position: str) -> object:
    table = from_position(position)
    return None if table.is_won else solve(table, Budget(nodes=2_000_000, memory=256))


def fresh_win(variant: str, chance: Random) -> Record:
    """Return a win of a random deal."""
    while True:
        seed = chance.randbytes(32)
        found = solve(open_table(variant, seed), Budget(nodes=300_000))
        if isinstance(found, Solution):
            return winning_record(variant, seed, found.tokens)


@pytest.mark.parametrize("variant", CATALOGUE)
def test_every_move_of_a_plan_shortens_it(variant: str) -> None:
    record = won_records(variant)[0]
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
    record = won_records("stonewall")[0]
    assert adapted(record.open_table(), record.tokens[:-1]) is None


@cache
def line_with_a_detour() -> tuple[Record, int, tuple[str, ...]]:
    """Return a winning record, a place in it, and its tokens with a detour of two moves there."""
    for variant in ("tarot", "tarot-novice", "stonewall"):
        for record in won_records(variant):
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
    record = won_records("stonewall")[0]
    assert WinningPlan(record.open_table(), record.tokens).rest(open_table("stonewall", bytes(32))) is None
