"""Acceptance study of fair play (`make fairplay`), and the people it is judged with."""

from __future__ import annotations

import sys
from random import Random
from statistics import median

import pytest

from games.rules import CATALOGUE
from tests.fairplay import planning_players
from tests.fairplay.__main__ import main
from tests.fairplay.simulated import Game, line_of

PEOPLE = 30


def test_a_run_can_be_limited_to_some_models(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = "--models hands plans --variants labyrinth --games 6 --programs 0 --players 0 --seed 1"
    monkeypatch.setattr(sys, "argv", ["fairplay", *options.split()])
    main()
    rows = [line.split("  ")[1] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert rows == ["honest, hands (tuning)", "honest, plans (only judges)"]


@pytest.mark.parametrize("variant", CATALOGUE)
def test_planning_people_play_the_line_in_plausible_time(variant: str) -> None:
    chance, line = Random(variant), line_of(variant)
    games = [planning_players.play(planning_players.player(chance), line, chance) for _ in range(PEOPLE)]
    assert all(standing(game) == [step.token for step in line] for game in games)
    assert all(game.clock == sorted(game.clock) for game in games)
    assert 1.5 < median(game.end_ms for game in games) / 60_000 < 30


def standing(game: Game) -> list[str]:
    """Return the tokens that were not taken back."""
    tokens: list[str] = []
    for token in game.tokens:
        if token == "u":
            tokens.pop()
        else:
            tokens.append(token)
    return tokens
