"""Games won by hints alone, from fresh positions of certified deals."""

from __future__ import annotations

import secrets
from collections import Counter
from random import Random
from typing import Any

import pytest

from accounts.sign_in.guests import create_guest
from benchmarks import hint_games
from benchmarks.hint_games import Game, begin, reaches_aims, searched
from games.deals import publishing
from games.deals.certification import Certificate
from games.hints import questions
from games.hints.search_client import Searcher
from games.rules import CATALOGUE, GAMES
from tests.games import certified

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 200


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "_request_answer", lambda _question: None)
    monkeypatch.setattr(Searcher, "ask", lambda _searcher, position, _limit, _is_wanted: searched(position))


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_hints_alone_win_without_going_in_circles(game: str, request: Any) -> None:
    """Check one game of a random variant, or with `--full` many of each."""
    seed = secrets.token_hex(4)
    chance = Random(f"{seed} {game}")
    variants = [name for name, variant in CATALOGUE.items() if variant.game == game]
    for variant in variants * MANY if request.config.getoption("full") else [chance.choice(variants)]:
        short = sorted(certified.won(variant), key=lambda record: len(record.tokens))[:3]
        record = chance.choice(short)
        deal = publishing.seeded_deal(CATALOGUE[variant], record.seed, Certificate(record, None, 3))
        attempt = begin(create_guest(), deal, chance, chance.randint(0, 15))
        played = Game(attempt, chance)
        played.run()
        told = f"{variant}, seed {seed}, after {attempt.moves.count()} tokens"
        assert played.table.is_won, told
        assert played.loops == 0, told
        assert played.forward <= 2 * len(record.tokens), told


@pytest.mark.parametrize(
    ("counts", "is_reached"),
    [
        ({"winnable": 3, "won": 3, "lost": 2, "named": 2, "won after": 2, "unknown": 1}, True),
        ({"winnable": 3, "won": 2}, False),
        ({"lost": 2, "named": 1, "won after": 2}, False),
        ({"lost": 2, "named": 2, "won after": 1}, False),
        ({"winnable": 1, "won": 1, "over": 1}, False),
        ({"unknown": 1, "loops": 1}, False),
        ({"unknown": 1, "slow": 1}, False),
    ],
)
def test_counts_reach_the_aims_only_without_a_miss(counts: dict[str, int], is_reached: bool) -> None:
    assert reaches_aims(Counter(counts)) is is_reached


def test_a_slow_game_is_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hint_games, "MOST_CPU", -1.0)
    record = certified.won("labyrinth")[0]
    deal = publishing.seeded_deal(CATALOGUE["labyrinth"], record.seed, Certificate(record, None, 3))
    game = Game(begin(create_guest(), deal, Random(), 0), None)
    game.run()
    assert (game.is_slow, game.forward) == (True, 0)
