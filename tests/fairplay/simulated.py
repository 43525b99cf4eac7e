"""Simulated players: people modelled on published figures for hands and eyes, and programs that play by a timer.

Nothing here knows the fair play checks. People differ in speed, device and habits; the time of a move follows from
where the cards lie and from the cards just revealed:

- pointing: Fitts' law (Shannon's form) with the bits per second of MacKenzie's studies: 4.9, the highest mean measured
  for a mouse (Soukoreff and MacKenzie 2004), and 6.95 for touch (MacKenzie 2015); the fastest have 40 % more;
- keys: 80 ms each for the best typists (keystroke-level model, Card, Moran and Newell 1980), and 130 ms for taps in
  one place;
- seeing and choosing: 50 to 200 ms to perceive, 25 to 170 ms per step of thought (Model Human Processor, Card, Moran
  and Newell 1983), and Hick's law with 50 ms a bit for the most practised (150 for average people);
- thought: now and then the keystroke-level model's mental act of 1.35 s, or more.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Final, Literal

from games.rules import Table, open_table
from games.solver.simulated_players import greedy_game
from tests.factories import won_records

Device = Literal["mouse", "touch", "keys"]
DEVICES: Final[tuple[Device, ...]] = ("mouse", "touch", "keys")
FASTEST: Final = 1.0
SLOWEST_OF_THE_FAST: Final = 1.6
KEY_REPEAT_MS: Final = 33


@dataclass(frozen=True, slots=True)
class Step:
    """A token, the places the hand must reach for it, and the numbers of legal moves and of cards just revealed."""

    token: str
    places: tuple[tuple[float, float], ...]
    choices: int
    fresh: int


@dataclass(frozen=True, slots=True)
class Game:
    """Tokens and times of a game, the part of a record that shows its pace."""

    tokens: list[str] = field(default_factory=list)
    clock: list[int] = field(default_factory=list)

    @property
    def end_ms(self) -> int:
        return self.clock[-1]


@dataclass(frozen=True, slots=True)
class Person:
    """A fast player; all times are multiplied by `slowness`, which is 1 for the fastest."""

    slowness: float
    device: Device
    taps: bool
    holds: bool
    both_hands: bool
    """Whether one hand draws with a key while the other stays at the cards."""
    thoughtful: float
    stalls: float


def person(chance: Random, slowness: float | None = None, device: Device | None = None) -> Person:
    """Return a fast player with random habits."""
    return Person(
        chance.uniform(FASTEST, SLOWEST_OF_THE_FAST) if slowness is None else slowness,
        device or chance.choices(DEVICES, (5, 3, 2))[0],
        taps=chance.random() < 0.7,
        holds=chance.random() < 0.6,
        both_hands=chance.random() < 0.5,
        thoughtful=chance.uniform(0.01, 0.06),
        stalls=chance.choice((0.0, 0.0, 0.005, 0.02)),
    )


@cache
def line_of(variant: str, number: int = 0) -> list[Step]:
    """Return a known win of a variant."""
    record = won_records(variant)[number]
    return observed(record.open_table(), record.tokens)


def greedy_lines(variant: str, number: int, chance: Random) -> list[list[Step]]:
    """Return greedy games of new deals."""
    found: list[list[Step]] = []
    while len(found) < number:
        seed = chance.randbytes(32)
        table = open_table(variant, seed)
        greedy_game(table, chance)
        if len(table.moves) >= 20:
            found.append(observed(open_table(variant, seed), table.moves))
    return found


def observed(table: Table, tokens: Sequence[str]) -> list[Step]:
    """Play the tokens on the table, and return what each move demanded of the player."""
    steps, before, fresh = [], _seen(table), 0
    for token in tokens:
        steps.append(Step(token, _places(table.GAME, token), len(table.legal_moves()), fresh))
        table.push(token)
        after = _seen(table)
        fresh, before = (after - before).total(), after
    return steps


def _seen(table: Table) -> Counter[str]:
    return Counter(card for pile in table.view()["piles"].values() for card in pile if card)


@cache
def _places(game: str, token: str) -> tuple[tuple[float, float], ...]:
    """Return the positions of a token's piles, in card widths."""
    source, dash, target = token.partition("-")
    if not dash:
        return ((0.0, 0.0),)
    target = target.partition("x")[0]
    return (_place(game, source), (5.0, 0.0) if target == "f" else _place(game, target))


def _place(game: str, name: str) -> tuple[float, float]:
    kind, number = name[0], int(name[1:] or 0)
    if kind == "w":
        return 1.2, 0.0
    if kind == "r":
        return (number % 8) * 1.1, 4.5 + number // 8
    columns = {"labyrinth": 8, "braid": 6, "plot": 6}.get(game, 9)
    return (number % columns) * 1.1, 1.6 + (number // columns) * 1.1


def play(who: Person, line: Sequence[Step], chance: Random) -> Game:
    """Play the line at a person's pace, with slips, held keys, pauses for thought and network delays."""
    game, hand, now, held_up = Game(), (3.0, 2.0), 700.0 * who.slowness, 0.0

    def record(token: str, after: float) -> None:
        nonlocal now, held_up
        now += after
        if chance.random() < who.stalls:
            held_up = now + chance.uniform(80, 600)
        arrival = max(now + chance.uniform(0, 12), held_up)
        game.tokens.append(token)
        game.clock.append(max(round(arrival), game.clock[-1] if game.clock else 0))

    for number, step in enumerate(line):
        fresh_hand = 1 + 0.4 * math.exp(-number / 12)
        if "-" not in step.token and number and line[number - 1].token == step.token:
            record(step.token, _again(who, line, number, chance))
            continue
        hand, motion = _motion(who, hand, step, chance)
        record(step.token, fresh_hand * (_decision(who, step, chance) + motion))
        if "-" in step.token and number + 1 < len(line) and chance.random() < 0.008 * who.slowness:
            record("u", who.slowness * 300 * chance.lognormvariate(0, 0.3))
            record(step.token, who.slowness * 350 * chance.lognormvariate(0, 0.3))
    return game


def _again(who: Person, line: Sequence[Step], number: int, chance: Random) -> float:
    """Return the ms of a repeated draw: the key is held if the wanted card lies deeper, else each card is viewed."""
    more = number + 2 < len(line) and line[number + 2].token == line[number].token
    if who.holds and more:
        return KEY_REPEAT_MS + chance.uniform(-2, 4)
    tap = (80 if who.device == "keys" else 130) * who.slowness
    return tap * chance.lognormvariate(0, 0.15) + 60 * who.slowness * chance.lognormvariate(0, 0.5)


def _decision(who: Person, step: Step, chance: Random) -> float:
    if step.choices > 2 and chance.random() < who.thoughtful:
        return 1350 * who.slowness * chance.lognormvariate(0, 0.5)
    bits = math.log2(1 + step.choices)
    if step.fresh:
        took = 100 + 50 * bits
    elif chance.random() < 0.75:
        took = 40.0  # already planned
    else:
        took = 60 + 50 * bits
    return took * who.slowness * chance.lognormvariate(0, 0.3)


def _motion(who: Person, hand: tuple[float, float], step: Step, chance: Random) -> tuple[tuple[float, float], float]:
    """Return the hand's new position, and the ms of the motion."""
    if who.both_hands and "-" not in step.token:
        return hand, 80 * who.slowness * chance.lognormvariate(0, 0.15)
    one_tap = len(step.places) == 1 or who.taps or step.token.endswith("-f")
    places = step.places[:1] if one_tap else step.places
    took = 0.0
    for leg, place in enumerate(places):
        distance = math.dist(hand, place)
        if who.device == "keys":
            took += 80 * (min(round(distance), 4) + 1)
        else:
            bits_a_second = (6.9 if who.device == "mouse" else 9.7) * (0.85 if leg else 1)
            took += max(130.0, 1000 * math.log2(distance / 0.8 + 1) / bits_a_second)
        hand = place
    return hand, took * who.slowness * chance.lognormvariate(0, 0.15)


# Programs.


@dataclass(frozen=True, slots=True)
class Timer:
    """Waiting pattern of a program: `delay` ms by one of three laws, and now and then an additional pause."""

    delay: float
    law: Literal["fixed", "uniform", "lognormal"] = "fixed"
    spread: float = 0.0
    pauses: float = 0.0
    quick_draws: bool = False

    def wait(self, chance: Random) -> float:
        took = self.delay
        if self.law == "uniform":
            took *= chance.uniform(1 - self.spread, 1 + self.spread)
        elif self.law == "lognormal":
            took *= chance.lognormvariate(-(self.spread**2) / 2, self.spread)
        if chance.random() < self.pauses:
            took += 1350 * chance.lognormvariate(0, 0.5)
        return took


def fastest_pace(line: Sequence[Step], chance: Random) -> float:
    """Return the ms per token of the fastest people: the best device and habits, and no time lost."""
    paces = []
    for device in DEVICES:
        who = Person(FASTEST, device, taps=True, holds=True, both_hands=True, thoughtful=0.01, stalls=0.0)
        paces.append(sum(play(who, line, chance).end_ms for _ in range(3)) / 3 / len(line))
    return min(paces)


def timer(delay: float, chance: Random) -> Timer:
    """Return one of many waiting patterns with the same mean delay."""
    law, spread = chance.choice(
        (
            ("fixed", 0.0),
            ("uniform", 0.2),
            ("uniform", 0.5),
            ("lognormal", 0.2),
            ("lognormal", 0.35),
            ("lognormal", 0.5),
        )
    )
    pauses = chance.choice((0.0, 0.02, 0.04))
    return Timer(delay, law, spread, pauses, quick_draws=chance.random() < 0.3)  # type: ignore[arg-type]


def run(how: Timer, line: Sequence[Step], chance: Random) -> Game:
    """Play the line by a timer. Quick draws take as long as a held key repeats; the plays take the rest of the time."""
    draws = sum("-" not in step.token for step in line)
    plays = len(line) - draws
    scale = 1.0
    if how.quick_draws and plays:
        scale = max(1.0, (how.delay * len(line) - KEY_REPEAT_MS * draws) / (how.delay * plays))
    game, now = Game(), 0.0
    for step in line:
        quick = how.quick_draws and "-" not in step.token
        now += KEY_REPEAT_MS if quick else scale * how.wait(chance)
        game.tokens.append(step.token)
        game.clock.append(round(now + chance.uniform(0, 12)) if not game.clock else max(game.clock[-1], round(now)))
    return game
