"""A day of an honest site: how many results are held although nobody cheats."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from random import Random
from typing import Final, NamedTuple

from games.core.ladders import Ladder
from games.rules import CATALOGUE, open_table
from leaderboards.verdicts.stakes import PLACES
from tests.fairplay.games import Line, at_the_table, evidence_of, greedy_lines, is_flagged
from tests.fairplay.simulated import Game

Play = Callable[[Line], Game]

#: Share of the players who play a variant, and number of different lines among them.
PLAYS: Final = 1 / 3
WAYS: Final = 20
#: Games of a person that were played before.
BEFORE: Final = 2


class Result(NamedTuple):
    """Score of a game, and whether it is in doubt."""

    cards_up: int
    ms: int
    tokens: int
    doubted: bool


def held(players: Sequence[Play], chance: Random) -> int:
    """Let the players play a day, and return the number of results that are held."""
    number = 0
    for variant in CATALOGUE:
        print(f"a day: {variant}", file=sys.stderr, flush=True)
        lines = greedy_lines(
            variant, WAYS, chance, seed=chance.randbytes(32), fewest=1
        )  # all games of some deals are short
        known = greedy_lines(variant, WAYS, chance)
        results = [_result(player, lines, known, chance) for player in players if chance.random() < PLAYS]
        number += sum(result.doubted for result in _first(results))
    return number


def _result(player: Play, lines: Sequence[Line], known: Sequence[Line], chance: Random) -> Result:
    line, *before = [chance.choice(lines), *chance.choices(known, k=BEFORE)]
    game = at_the_table(player(line), line, chance)
    earlier = [evidence_of(one, at_the_table(player(one), one, chance)) for one in before]
    doubted = is_flagged(line, game, evidence_of(line, game), earlier)
    return Result(_cards_up(line), game.end_ms, len(game.tokens), doubted)


def _cards_up(line: Line) -> int:
    table = open_table(line.variant, line.seed)
    for step in line.steps:
        table.push(step.token)
    return table.cards_up


def _first(results: Sequence[Result]) -> set[Result]:
    """Return the results among the first places of either leaderboard."""
    fastest = sorted(results, key=lambda result: (-result.cards_up, result.ms))
    fewest = sorted(results, key=lambda result: (-result.cards_up, result.tokens, result.ms))
    return {*fastest[: PLACES[Ladder.ESTABLISHED]], *fewest[: PLACES[Ladder.ESTABLISHED]]}
