"""Second model of human pace, independent of `simulated`: reaction times instead of hand movements.

The model knows neither the checks nor the other model. A gap between two tokens is the sum of

- reaction time, ex-Gaussian as in choice experiments (Luce, "Response Times", 1986): a normal part and an exponential
  tail. Its mean grows with the number of choices by Hick's law (about 150 ms a bit untrained, half of that after long
  practice: Teichner and Krebs 1974) and with newly revealed cards (visual search: 20 to 60 ms an item, Wolfe 1998);
- the time of the action on the player's device. By Fitts' law it grows with the distance: with a mouse 223 ms a bit
  for pointing and 249 for dragging (MacKenzie, Sellen and Buxton 1991), by touch 144 (MacKenzie 2015, 6.95 bits a
  second). On the keyboard arrows lead from card to card, 130 ms a key for an average typist (keystroke-level model),
  and a screen reader speaks each card on the way, three words at some 400 a minute;
- now and then a longer look at the whole table, and a break.

Players of skill 1 think fastest; skill 0.7 is an occasional player. Some play planned sequences in bursts without new
thought, some get tired, and some type fast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Literal, NamedTuple

from tests.fairplay.simulated import Game, Step

Point = tuple[float, float]
Device = Literal["mouse", "touch", "keyboard", "reader"]


class Action(NamedTuple):
    """Time of one action in ms: without its way, for each bit or key of the way, and of a drag; sigma of the logarithm.

    A click takes two button events of 100 ms (keystroke-level model).
    """

    press: float
    way: float
    drag: float
    spread: float


ACTION: Final[dict[Device, Action]] = {
    "mouse": Action(200, 223, 249, 0.28),
    "touch": Action(100, 144, 144, 0.25),
    "keyboard": Action(260, 130, 130, 0.3),
    "reader": Action(260, 450, 450, 0.3),
}
#: A fast typist's share of these times.
FAST_KEYS: Final = 0.73
#: Width of a target, in card widths.
TARGET: Final = 0.8
#: Delay of a held draw key, in ms.
REPEAT_MS: Final = 35


@dataclass(frozen=True, slots=True)
class Player:
    """Habits of a player; times in ms."""

    skill: float
    device: Device
    action: float
    """Factor on the time of an action."""
    drags: bool
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
    device = chance.choices(tuple(ACTION), (50, 40, 10, 2))[0]
    types_fast = device == "keyboard" and chance.random() < 0.3
    return Player(
        skill=skill,
        device=device,
        action=(FAST_KEYS if types_fast else 1.0) * slow**0.5 * chance.lognormvariate(0, 0.12),
        drags=device in {"mouse", "touch"} and chance.random() < 0.5,
        spread=ACTION[device].spread * chance.uniform(0.8, 1.2),
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
    game, now, planned, hand = Game(), 0.0, 0, (3.0, 2.0)
    for number, step in enumerate(line):
        if planned:
            planned -= 1
        elif chance.random() < who.burst:
            planned = min(12, int(chance.expovariate(1 / who.burst_length)))
        previous = line[number - 1].token if number else ""
        if step.token in {"d", "n"} and previous == step.token and who.holds_draw and not step.fresh:
            now += REPEAT_MS + chance.expovariate(1 / 5)
        else:
            hand, action = _action(who, hand, step, chance)
            now += _gap(who, step, action, number, chance, planned=planned > 0)
        game.tokens.append(step.token)
        game.clock.append(round(now + chance.expovariate(1 / 8)))  # network jitter
    game.clock.sort()
    return game


def _action(who: Player, hand: Point, step: Step, chance: Random) -> tuple[Point, float]:
    """Return the hand's new position, and the ms of the action: to the card, and on to its target in a drag."""
    press, way, drag, _spread = ACTION[who.device]
    keys = who.device in {"keyboard", "reader"}
    places = step.places if who.drags and not step.token.endswith("-f") else step.places[:1]
    took = press
    for leg, place in enumerate(places):
        distance = math.dist(hand, place)
        took += (drag if leg else way) * (round(distance) if keys else math.log2(distance / TARGET + 1))
        hand = place
    return hand, took * who.action * chance.lognormvariate(0, who.spread)


def _gap(who: Player, step: Step, action: float, number: int, chance: Random, *, planned: bool) -> float:
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
