"""Games won by hints alone, from fresh positions of certified deals."""

from __future__ import annotations

import secrets
from random import Random
from typing import Any

import pytest

from accounts.guests import create_guest
from benchmarks.hint_games import Game, begin, searched
from games.deals import publishing
from games.deals.certification import Certificate
from games.hints import questions
from games.hints.asking import Searcher
from games.rules import CATALOGUE
from tests.games import certified

pytestmark = pytest.mark.django_db(transaction=True)

FEW, MANY = 1, 200


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search in this process, without workers."""
    monkeypatch.setattr(questions, "_request_answer", lambda _question: None)
    monkeypatch.setattr(Searcher, "ask", lambda _searcher, position, _limit, _is_wanted: searched(position))


@pytest.mark.slow
@pytest.mark.parametrize("variant", CATALOGUE)
def test_hints_alone_win_without_going_in_circles(variant: str, request: Any) -> None:
    seed = secrets.token_hex(4)
    chance = Random(f"{seed} {variant}")
    short = sorted(certified.won(variant), key=lambda record: len(record.tokens))[:3]
    for _ in range(MANY if request.config.getoption("full") else FEW):
        record = chance.choice(short)
        deal = publishing.seeded_deal(CATALOGUE[variant], record.seed, Certificate(record, None, 3))
        attempt = begin(create_guest(), deal, chance, chance.randint(0, 15))
        game = Game(attempt, chance)
        game.run()
        told = f"seed {seed}, after {attempt.moves.count()} tokens"
        assert game.table.is_won, told
        assert game.loops == 0, told
        assert game.forward <= 2 * len(record.tokens), told
