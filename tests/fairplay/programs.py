"""Programs that play a known line: a kind is a law of its delays, drawn once for each series of games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from random import Random
from typing import Final

from tests.fairplay import reaction_players, simulated
from tests.fairplay.games import Line
from tests.fairplay.simulated import KEY_REPEAT_MS, Game

#: Games within which a program is to be caught. Where people's delays depend little on the moves, it takes more.
WITHIN: Final = {"labyrinth": 8, "stonewall": 8, "tarot": 8, "tarot-adept": 8}
WITHIN_DEFAULT: Final = 3

Delays = Callable[[Line], Sequence[float]]
"""Delays before the tokens of a line, in ms."""


def _independent(draw: Callable[[Random], float]) -> Callable[[Sequence[Line], Random], Delays]:
    """Return the kind whose delays are `draw` times a mean."""

    def kind(_lines: Sequence[Line], chance: Random) -> Delays:
        mean = chance.uniform(600, 1500)
        return lambda line: [mean * max(0.05, draw(chance)) for _ in line.steps]

    return kind


def _human(lines: Sequence[Line], chance: Random) -> Delays:
    """Return a person's delays on another line, repeated if it is shorter."""
    hands, reactions = simulated.person(chance), reaction_players.player(chance)
    is_hands = chance.random() < 0.5

    def delays(line: Line) -> Sequence[float]:
        other = chance.choice([one for one in lines if one is not line])
        played = (
            simulated.play(hands, other.steps, chance)
            if is_hands
            else reaction_players.play(reactions, other.steps, chance)
        )
        gaps = [later - ms for ms, later in pairwise([0, *played.clock])]
        return [gaps[n % len(gaps)] for n in range(len(line.steps))]

    return delays


def _shuffled(lines: Sequence[Line], chance: Random) -> Delays:
    delays = _human(lines, chance)
    return lambda line: chance.sample(found := delays(line), len(found))


def _quick_draws(_lines: Sequence[Line], chance: Random) -> Delays:
    """Draw as fast as a held key, and play at random."""
    return lambda line: [
        900 * chance.lognormvariate(0, 0.4) if "-" in step.token else KEY_REPEAT_MS for step in line.steps
    ]


#: Kinds whose delays do not depend on the moves.
INDEPENDENT: dict[str, Callable[[Sequence[Line], Random], Delays]] = {
    "fixed": _independent(lambda chance: 1 + chance.uniform(0, 0.01)),
    "fixed ± 20 %": _independent(lambda chance: chance.uniform(0.8, 1.2)),
    "uniform ± 40 %": _independent(lambda chance: chance.uniform(0.6, 1.4)),
    "normal, 25 %": _independent(lambda chance: chance.gauss(1, 0.25)),
    "gamma, shape 4": _independent(lambda chance: chance.gammavariate(4, 0.25)),
    "log-normal, 0.2": _independent(lambda chance: chance.lognormvariate(0, 0.2)),
    "log-normal, 0.4": _independent(lambda chance: chance.lognormvariate(0, 0.4)),
    "log-normal, 0.6": _independent(lambda chance: chance.lognormvariate(0, 0.6)),
    "exponential": _independent(lambda chance: chance.expovariate(1)),
    "shuffled human": _shuffled,
    "replayed human": _human,
}
#: Kinds that are measured without a target.
OTHERS: dict[str, Callable[[Sequence[Line], Random], Delays]] = {"quick draws": _quick_draws}


def play(delays: Delays, line: Line) -> Game:
    """Play the line with these delays."""
    return Game([step.token for step in line.steps], [round(ms) for ms in accumulate(delays(line))])
