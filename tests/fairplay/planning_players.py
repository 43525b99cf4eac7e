"""Simulated people who look, plan a few moves and play them in a burst.

The author used published findings only, and did not know the limits of fair play. The model only judges: do not choose
limits with it.

- A plan takes a mental operator (Card, Moran and Newell 1980; Olson and Olson 1990), a time per bit of choice (Hick
  1952; Hyman 1953) and more for each card to read and each move ahead; its length is bound by working memory (Cowan
  2001). Times of such decisions are inverse Gaussian, or Wald (Anders and others 2016; Sigman and others 2010).
- Quick reactions are ex-Gaussian (Luce 1986; Matzke and Wagenmakers 2009).
- The hand follows Fitts's law (Soukoreff and MacKenzie 2004; dragging, MacKenzie and others 1991; keys, Dhakal and
  others 2018), and experts move it while they think (John and Gray 1995).
- Pace drifts as 1/f noise, here three autoregressive processes (Gilden 2001; Wagenmakers and others 2004), improves
  with practice (Newell and Rosenbloom 1981), and declines with fatigue. Age slows thought and hand (Salthouse 1996).
- A rhythm has a noisy clock and a noisy hand (Wing and Kristofferson 1973); an error is followed by a slower move
  (Rabbitt 1966).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, Literal

from tests.fairplay.simulated import Game, Step

Device = Literal["mouse", "touch", "keys", "screen reader"]
DEVICES: Final[dict[Device, float]] = {"mouse": 0.46, "touch": 0.36, "keys": 0.11, "screen reader": 0.07}

#: Milliseconds of a mental operator, of reading a card, of each move planned ahead, of a glance, of recalling the next
#: move of a plan, and between two taps in a row.
OPERATOR: Final = 1250
READING: Final = 280
AHEAD: Final = 500
GLANCE: Final = 430
RECALL: Final = 200
TAP: Final = 210
#: Milliseconds of a click, and width of a card that the hand can hit, in card widths.
CLICK: Final = 110
TARGET: Final = 0.85
#: Correlation from move to move of each part of the drift.
DRIFTS: Final = (0.5, 0.9, 0.985)


@dataclass(frozen=True, slots=True)
class Player:
    """Habits and abilities of a person. Times are in milliseconds; `thought` and `hand` are factors, 1 at age 25."""

    device: Device
    thought: float
    hand: float
    throughput: float  # bits a second
    key: float
    speech: float  # time to hear the name of a card
    bit: float
    tail: float  # exponential share of reaction times
    spread: float  # coefficient of variation of decisions
    depth: float  # mean number of moves planned after the first
    trust: float  # chance that a plan goes on although a card was turned up
    overlap: float
    doubles: float  # chance of a second draw without a look at the first
    drags: bool
    beat: float  # period of a rhythm held on purpose, 0 for none
    drift: float
    fatigue: float  # slowing in an hour
    distractions: float  # a minute
    slips: float
    latency: float


def player(chance: Random) -> Player:
    """Draw a person: most are casual players of any age, some are experts, and a few keep a rhythm."""
    is_expert = chance.random() < 0.12
    age = chance.triangular(20, 45, 28) if is_expert else chance.triangular(15, 86, 42)
    slowing = 1 + 0.009 * max(0.0, age - 25)
    thought = slowing * chance.lognormvariate(0, 0.2)
    return Player(
        device=chance.choices(list(DEVICES), list(DEVICES.values()))[0],
        thought=thought * (0.55 if is_expert else 1.0),
        hand=slowing * chance.lognormvariate(0, 0.12) * (0.85 if is_expert else 1.0),
        throughput=min(7.0, max(2.5, chance.gauss(4.6, 0.7))),
        key=chance.lognormvariate(math.log(140 if is_expert else 210), 0.25),
        speech=chance.lognormvariate(math.log(420), 0.35),
        bit=chance.uniform(40, 90) if is_expert else chance.uniform(80, 180),
        tail=chance.uniform(0.2, 0.5),
        spread=chance.uniform(0.55, 1.1),
        depth=chance.uniform(1.5, 4) if is_expert else chance.uniform(0.3, 2.5),
        trust=chance.uniform(0.1, 0.6),
        overlap=chance.uniform(0.3, 0.7) if is_expert else chance.uniform(0, 0.3),
        doubles=chance.choice((0.0, 0.0, 0.05, 0.15)),
        drags=chance.random() < 0.4,
        beat=chance.uniform(450, 1300) if chance.random() < 0.05 else 0.0,
        drift=chance.uniform(0.06, 0.16),
        fatigue=chance.uniform(0, 0.3),
        distractions=chance.lognormvariate(math.log(0.08), 0.8),
        slips=chance.lognormvariate(math.log(0.004), 0.8),
        latency=chance.lognormvariate(math.log(45), 0.6),
    )


@dataclass(slots=True)
class _Session:
    """A game in progress: `plan` counts the moves still planned, `routine` is whether the next move takes no decision,
    and `error` is the last deviation from the beat.
    """

    who: Player
    chance: Random
    pace: float
    game: Game = field(default_factory=Game)
    now: float = 0.0
    hand: tuple[float, float] = (4.0, 3.0)
    plan: int = 0
    routine: bool = False
    error: float = 0.0
    drifts: list[float] = field(default_factory=lambda: [0.0] * len(DRIFTS))


def play(who: Player, line: Sequence[Step], chance: Random) -> Game:
    """Play the moves of a line; a move made by a slip is taken back and made again after a look."""
    session = _Session(who, chance, chance.lognormvariate(0, 0.1))
    session.now = who.thought * chance.lognormvariate(math.log(5000), 0.7)
    last = ""
    for step in line:
        _make(session, step.token, _gap(session, step, last))
        if step is not line[-1] and chance.random() < who.slips:
            _make(session, "u", 300 + _reaction(session, 600))
            _make(session, step.token, _decision(session, step) + _motion(session, step))
        last = step.token
    return session.game


def _make(session: _Session, token: str, ms: float) -> None:
    """Record a move that takes `ms` at the standard pace, plus any distraction."""
    who, chance, game = session.who, session.chance, session.game
    session.drifts = [
        phi * value + math.sqrt(1 - phi * phi) * chance.gauss(0, who.drift)
        for phi, value in zip(DRIFTS, session.drifts, strict=True)
    ]
    tired = 1 + who.fatigue * session.now / 3_600_000
    practised = (1 + len(game.tokens) / 20) ** -0.06
    ms *= session.pace * tired * practised * math.exp(sum(session.drifts))
    session.now += _on_the_beat(session, ms) if session.routine and who.beat else ms
    if chance.random() < who.distractions * ms / 60_000:
        session.now += min(600_000, chance.lognormvariate(math.log(9000), 1.1))
    game.tokens.append(token)
    received = round(session.now + who.latency * chance.lognormvariate(0, 0.25))
    game.clock.append(max(received, *game.clock[-1:], 0))


def _on_the_beat(session: _Session, ms: float) -> float:
    """Wait for the next beat; a late or early hand does not move the beats after it."""
    beat = session.who.beat
    before, session.error = session.error, session.chance.gauss(0, 15)
    return math.ceil(ms / beat) * beat + session.chance.gauss(0, 0.035 * beat) + session.error - before


def _gap(session: _Session, step: Step, last: str) -> float:
    """Return the time of thought and hand for a move."""
    who, chance = session.who, session.chance
    session.routine = True
    if step.fresh and chance.random() >= who.trust:
        session.plan = 0
    if step.token == last == "d" and chance.random() < who.doubles:
        return _reaction(session, TAP)
    motion = _motion(session, step)
    if session.plan:
        session.plan -= 1
        thought = _reaction(session, RECALL)
    elif last == "d" and (step.token == "d" or step.token.startswith("w")):
        bits = math.log2(1 + step.choices) if step.token != "d" else 0
        thought = _reaction(session, GLANCE + who.bit * bits) + _news(session, step)
    else:
        thought = _decision(session, step)
    return thought + motion - who.overlap * min(thought, motion)


def _decision(session: _Session, step: Step) -> float:
    """Make a plan, and return the time it takes. A new round comes after a check of the table."""
    who, chance = session.who, session.chance
    session.routine = False
    session.plan = min(6, int(chance.expovariate(1 / who.depth))) if step.token != "n" else 0
    cards = min(step.fresh, 8)
    mean = OPERATOR + who.bit * math.log2(1 + step.choices) + READING * cards + AHEAD * session.plan
    mean = who.thought * (mean + (OPERATOR if step.token == "n" else 0))
    return 0.25 * mean + _wald(chance, 0.75 * mean, who.spread) + _news(session, step)


def _news(session: _Session, step: Step) -> float:
    """Return the time until new cards are on the screen, or have been heard."""
    heard = session.who.speech * min(step.fresh, 8) if session.who.device == "screen reader" else 0.0
    return session.who.latency + heard if step.fresh else 0.0


def _reaction(session: _Session, mean: float) -> float:
    """Return an ex-Gaussian time."""
    mean *= session.who.thought
    center = mean * (1 - session.who.tail)
    quick = max(0.5 * center, session.chance.gauss(center, 0.15 * center))
    return quick + session.chance.expovariate(1 / (mean * session.who.tail))


def _wald(chance: Random, mean: float, spread: float) -> float:
    """Return an inverse Gaussian time (Michael, Schucany and Haas 1976)."""
    half = chance.gauss(0, 1) ** 2 * spread**2 / 2
    ratio = 1 + half - math.sqrt(half * (2 + half))
    return mean * (ratio if chance.random() <= 1 / (1 + ratio) else 1 / ratio)


def _motion(session: _Session, step: Step) -> float:
    """Move the hand, and return the time it takes. A double click or the letter F sends a card to a foundation."""
    who, chance = session.who, session.chance
    way, time = step.places[:1] if step.token.endswith("-f") and not who.drags else step.places, 0.0
    for number, place in enumerate(way):
        if who.device in {"mouse", "touch"}:
            drag = 0.75 if who.drags and number else 1.0
            speed = who.throughput * drag * (1.4 if who.device == "touch" else 1.0)
            time += 1000 / speed * math.log2(1 + math.dist(session.hand, place) / TARGET) + CLICK
        elif step.token[0] not in "dn":
            hops = min(8, round(abs(session.hand[0] - place[0]) + abs(session.hand[1] - place[1])))
            heard = 0.7 * who.speech if who.device == "screen reader" else 0.0
            time += (hops + 1) * who.key + hops * heard
        else:
            time += who.key
        session.hand = place
    if len(way) < len(step.places):
        time += 160 if who.device in {"mouse", "touch"} else 0
    return time * who.hand * chance.lognormvariate(0, 0.13)
