"""Second model of human pace, independent of `simulated`: reaction times instead of hand movements.

The model knows neither the checks nor the other model. A gap between two tokens is the sum of

- reaction time, ex-Gaussian as in choice experiments (Luce, "Response Times", 1986): a normal part and an exponential
  tail. Its mean grows with the number of choices by Hick's law (about 150 ms a bit untrained, half of that after long
  practice: Teichner and Krebs 1974) and with newly revealed cards (visual search: 20 to 60 ms an item, Wolfe 1998);
- the time of the action on the player's device: a tap, a drag with a mouse, or key strokes;
- now and then a longer look at the whole table, and a break.

Players of skill 1 think fastest; skill 0.7 is an occasional player. Some play planned sequences in bursts without new
thought, some get tired, and some type fast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

from tests.games.fairplay.simulated import Game, Step

Device = Literal["mouse", "touch", "keyboard"]
#: Median time of one action in ms, and the sigma of its logarithm.
ACTION: Final[dict[Device, tuple[float, float]]] = {"mouse": (520, 0.28), "touch": (340, 0.25), "keyboard": (260, 0.3)}
#: A fast typist's two key strokes in ms.
FAST_KEYS_MS: Final = 190
#: Delay of a held draw key, in ms.
REPEAT_MS: Final = 35


@dataclass(frozen=True, slots=True)
class Player:
    """Habits of a player; times in ms."""

    skill: float
    device: Device
    action_ms: float
    spread: float
    #: Reaction to a move without alternatives, the time for each bit of choice and for each revealed card.
    simple_ms: float
    bit_ms: float
    card_ms: float
    #: Probability that a move starts a planned sequence, and the sequence's mean length.
    burst: float
    burst_length: float
    #: Slowdown at the end of a game of 200 moves, as a share.
    fatigue: float
    #: Probability of a long look before a move, and of a break.
    look: float
    breaks: float
    holds_draw: bool


def player(chance: Random) -> Player:
    """Draw a player of a skill from 0.7 to 1."""
    skill = chance.uniform(0.7, 1.0)
    slow = (1.7 - skill) / 0.7  # 1 for the most skilled, 1.43 for 0.7
    device = chance.choices(tuple(ACTION), (5, 4, 1))[0]
    action, spread = ACTION[device]
    if device == "keyboard" and chance.random() < 0.3:
        action = FAST_KEYS_MS
    return Player(
        skill=skill,
        device=device,
        action_ms=action * slow**0.5 * chance.lognormvariate(0, 0.12),
        spread=spread * chance.uniform(0.8, 1.2),
        simple_ms=210 * slow * chance.lognormvariate(0, 0.1),
        bit_ms=75 * slow**2 * chance.lognormvariate(0, 0.15),
        card_ms=45 * slow * chance.lognormvariate(0, 0.2),
        burst=chance.uniform(0, 0.25),
        burst_length=chance.uniform(2, 6),
        fatigue=chance.choice((0.0, 0.0, 0.2, 0.6)),
        look=chance.uniform(0.02, 0.12),
        breaks=chance.choice((0.0, 0.0, 0.005)),
        holds_draw=chance.random() < 0.3,
    )


def play(who: Player, line: Sequence[Step], chance: Random) -> Game:
    """Play the line at this player's pace."""
    game, now, planned = Game(), 0.0, 0
    for number, step in enumerate(line):
        if planned:
            planned -= 1
        elif chance.random() < who.burst:
            planned = min(12, int(chance.expovariate(1 / who.burst_length)))
        now += _gap(who, step, line[number - 1].token if number else "", number, chance, planned=planned > 0)
        game.tokens.append(step.token)
        game.clock.append(round(now + chance.expovariate(1 / 8)))  # network jitter
    game.clock.sort()
    return game


def _gap(who: Player, step: Step, previous: str, number: int, chance: Random, *, planned: bool) -> float:
    if step.token in {"d", "n"} and previous == step.token and who.holds_draw and not step.fresh:
        return REPEAT_MS + chance.expovariate(1 / 5)
    action = chance.lognormvariate(math.log(who.action_ms), who.spread)
    tired = 1 + who.fatigue * number / 200
    # Newly revealed cards interrupt a plan.
    if planned and not step.fresh:
        return action * tired
    thought = _reaction(who, step, chance)
    if chance.random() < who.look:
        thought += chance.lognormvariate(math.log(2500), 0.6) / who.skill
    if chance.random() < who.breaks:
        thought += chance.uniform(5_000, 60_000)
    return (action + thought) * tired


def _reaction(who: Player, step: Step, chance: Random) -> float:
    mean = who.simple_ms + who.bit_ms * math.log2(max(1, step.choices)) + who.card_ms * min(step.fresh, 6)
    return max(120.0, chance.gauss(0.75 * mean, 0.12 * mean)) + chance.expovariate(1 / (0.25 * mean))
