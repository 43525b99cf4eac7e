"""Simulated games from lost positions, which explain losses that the exhaustive search cannot."""

from __future__ import annotations

from itertools import islice
from random import Random, SystemRandom

import pytest

from games.puzzles.losses import refutations
from games.puzzles.losses.exhaustive_search import prove_lost
from games.puzzles.losses.refutations import GAMES, LACKS, best_game, try_games
from games.rules import from_position
from games.rules.cards import FRENCH_RANKS as RANKS
from tests.games.puzzles.test_proofs import late_positions


@pytest.mark.parametrize("variant", ["labyrinth", "stonewall"])
def test_no_game_gets_further_than_the_proof_allows(variant: str) -> None:
    seed = SystemRandom().randrange(2**32)
    positions = (table.position() for table in late_positions(variant, Random(seed)))
    lost = ((position, loss) for position in positions if (loss := prove_lost(position, 2_000)))
    for position, loss in islice(lost, 2):
        tried = try_games(position)
        table = from_position(position)
        assert table.cards_up <= tried["best_up"] <= loss["most_up"] < table.goal, (seed, position)
        assert 0 < len(tried["lacks"]) <= LACKS, (seed, position)
        assert tried["games"] == GAMES


def test_the_explanation_is_of_the_game_that_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best one, without the moves after its last card up: it plays an ace up, and the other game none."""
    games = iter([["t0-f", "t1-t3"], ["t1-t3"]])
    monkeypatch.setattr(refutations, "skilled_game", lambda table, *_: [table.push(token) for token in next(games, ())])
    diamonds, clubs = (".".join(f"{rank}{suit}" for rank in RANKS) for suit in "DC")
    spades, hearts = (".".join(f"{rank}S" for rank in reversed(RANKS)), ".".join(f"{rank}H" for rank in RANKS))
    position = f"stonewall | t0 {spades} | t1 {hearts} | f2 {diamonds} | f3 {clubs}"
    assert best_game(position) == ("t0-f",)
    assert try_games(position) == {"best_up": 27, "games": GAMES, "lacks": ["2S", "AH"]}
