"""Lines and judgements of simulated games."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from games.fairplay.delays import Evidence, evidence, timer_evidence
from games.fairplay.pace import AUTO_MS, implausibilities
from games.rules import Table, open_table
from games.solver.simulated_players import greedy_game, wish
from tests.factories import won_records
from tests.fairplay.simulated import Game, Step, observed

#: Shortest game to judge, and longest line, in tokens.
FEWEST_TOKENS = 30
MOST_TOKENS = 600


class Line(NamedTuple):
    """The moves of a game, and the numbers, from 0, of those that the client made automatically."""

    variant: str
    seed: bytes
    steps: Sequence[Step]
    automatic: frozenset[int] = frozenset()


def wins(variant: str) -> list[Line]:
    """Return the known wins of a variant."""
    return [Line(variant, record.seed, observed(record.open_table(), record.tokens)) for record in won_records(variant)]


def greedy_lines(
    variant: str,
    number: int,
    chance: Random,
    auto_up: str = "off",
    *,
    seed: bytes | None = None,
    fewest: int = FEWEST_TOKENS,
) -> list[Line]:
    """Return greedy games of new deals, or of the one with a seed, with at least `fewest` tokens.

    `auto_up` is the setting for automatic moves: off, safe or all.
    """
    found: list[Line] = []
    while len(found) < number:
        dealt = seed or chance.randbytes(32)
        table = open_table(variant, dealt)
        automatic = frozenset(_automatic_game(table, auto_up)) if auto_up != "off" else frozenset()
        if auto_up == "off":
            greedy_game(table, chance)
        if len(table.moves) >= fewest:
            found.append(Line(variant, dealt, observed(open_table(variant, dealt), table.moves), automatic))
    return found


def _automatic_game(table: Table, auto_up: str) -> Iterator[int]:
    """Play greedily, with automatic moves after the first; yield the numbers of these."""
    seen = set[str]()
    while len(table.moves) < MOST_TOKENS and not table.is_won:
        legal = table.legal_moves()
        ups = table.safe_moves(legal) if auto_up == "safe" else [token for token in legal if token.endswith("-f")]
        if ups and table.moves:
            yield len(table.moves)
            table.push(ups[0])
            continue
        for token in sorted(legal, key=lambda token: wish(table, token)):
            table.push(token)
            if table.position() not in seen:
                seen.add(table.position())
                break
            table.pop()
        else:
            return


def at_the_table(game: Game, line: Line, chance: Random) -> Game:
    """Return the game as the table allows it: over with the line's last move, and with the client's delays before
    automatic moves (auto-up.js), after a network delay.
    """
    result, number, before, now, latency = Game(), 0, 0, 0.0, chance.uniform(5, 150)
    for n, (token, ms) in enumerate(zip(game.tokens, game.clock, strict=True)):
        repeated = token == "u" or game.tokens[n - 1 : n] == ["u"]
        if number == len(line.steps):
            break
        if number in line.automatic and not repeated:
            now += latency * chance.lognormvariate(0, 0.3) + automatic_delay(line, number, chance)
        else:
            now += ms - before
        number += not repeated
        before = ms
        result.tokens.append(token)
        result.clock.append(round(now))
    return result


def automatic_delay(line: Line, number: int, chance: Random) -> float:
    """Return the client's delay before an automatic move."""
    shortest, longest = AUTO_MS
    distance = math.dist(line.steps[number - 1].places[0], line.steps[number].places[0])
    far = min(1.0, math.log2(1 + distance) / math.log2(1 + 9))
    return shortest + (longest - shortest) * (0.9 * far + 0.1 * chance.random())


def evidence_of(line: Line, game: Game) -> Evidence:
    return evidence(open_table(line.variant, line.seed), game.tokens, game.clock, [])


def is_flagged(line: Line, game: Game, own: Evidence, earlier: Sequence[Evidence]) -> bool:
    """Return whether a game is flagged, by its pace or by its delays and those of earlier games, latest first."""
    if implausibilities(game.tokens, game.clock, game.end_ms, [], line.variant):
        return True
    return timer_evidence(own, earlier, line.variant) is not None
