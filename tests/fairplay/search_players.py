"""Simulated people whose pace follows from eyes, plans and rhythm; written without knowledge of the checks.

- Eyes: search is serial, linear in the piles, and stops at the target; before a draw it covers every pile in vain
  (Treisman and Gelade 1980). Experts take in more cards per fixation (Chase and Simon 1973; Rayner 1998).
- Plans: people plan a few moves, play them quickly, and plan again (Simon and Reed 1976); a surprise cancels a plan.
- Hands: looking overlaps with acting (Land and Hayhoe 2001); gaps drift, and each makes up for the motor delay of the
  last (Wing and Kristofferson 1973). Reaching takes time in proportion to distance, as with a press per column.
- Change: practice follows a power law, fatigue grows by the minute, and age slows all (Salthouse 1996).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from tests.fairplay.simulated import Game, Step

DRAW = "d"


@dataclass(frozen=True, slots=True)
class Player:
    """Habits of one person; durations are in ms. With a screen reader, a fixation is a spoken card."""

    device: str
    fixation: float
    span: float
    depth: float
    think: float
    overlap: float
    beat: float
    strokes: float
    reach: float
    rhythm: tuple[float, float, float, float]  # pulse, chance of being on it, jitter, drift
    unsure: float
    curious: float
    repeat: float
    stamina: tuple[float, float, float]  # warming up, tiring by the minute, distractions by the ms


@dataclass(slots=True)
class _Session:
    who: Player
    chance: Random
    piles: int
    lag: float
    now: float = 0.0
    hand: tuple[float, float] = (3.0, 2.0)
    planned: int = 0
    burst: int = 0
    mood: float = 0.0
    delay: float = 0.0
    game: Game = field(default_factory=Game)


def player(chance: Random) -> Player:
    """Return a person with random habits; one in twenty is of an extreme kind."""
    novice, aged = chance.betavariate(1.3, 1.5), min(3.2, max(0.85, chance.lognormvariate(0.15, 0.42)))
    device = chance.choices(("mouse", "touch", "keys", "reader"), (45, 33, 17, 5))[0]
    keys, u = device in {"keys", "reader"}, chance.uniform
    who = Player(
        device=device,
        fixation=u(450, 1200) if device == "reader" else min(300, aged**0.3 * u(195, 270)),
        span=(u(2.0, 3.5) + 5 * (1 - novice) ** 2) / aged**0.5,
        depth=u(1.5, 4.5),
        think=aged * (60 + 900 * novice) * chance.lognormvariate(0, 0.4),
        overlap=(0.2 if device == "reader" else 0.85) * (1 - novice) * u(0.5, 1),
        beat=aged * (1 + 0.6 * novice) * (u(95, 200) if keys else u(140, 300)),
        strokes=chance.choice((1.0, 2.0, 3.0) if keys else (1.0, 1.7, 2.0)),
        reach={"mouse": 32, "touch": 22}.get(device, 0) * aged * u(0.5, 1.8),
        rhythm=(aged * u(350, 900), max(0.0, u(-0.3, 0.4)), u(0.08, 0.32), u(0.1, 0.75)),
        unsure=chance.betavariate(1.2, 12) * aged**0.5,
        curious=u(0.1, 0.9),
        repeat=(device != "reader") * chance.choice((0, 0, 1)) * (u(30, 120) if keys else aged * u(105, 190)),
        stamina=(u(0, 0.8), u(-0.003, 0.015), chance.choice((0.0, 0.02, 0.08, 0.25)) / 60_000),
    )
    kind = chance.random()
    if kind < 0.017:  # a very regular player
        return replace(who, rhythm=(1.5 * who.rhythm[0], u(0.9, 1), 0.03, u(0.1, 0.75)), unsure=0.01)
    if kind < 0.034:  # a player who is nearly always lost in planning
        return replace(who, depth=0.5, think=3 * who.think + 600, unsure=0.4, curious=1.0, overlap=0.1)
    press = aged * u(90, 200)  # a one-handed user of arrow keys
    return replace(who, device="arrows", fixation=u(200, 300), beat=press, reach=0.9 * press) if kind < 0.05 else who


def play(who: Player, line: Sequence[Step], chance: Random) -> Game:
    """Play the line at a person's pace, with slips, bursts of draws, distractions and network delays."""
    names = {name.partition("x")[0] for step in line for name in step.token.split("-")}
    session = _Session(who, chance, min(len(names), 24), chance.choice((2.0, 8.0, 25.0, 60.0)))
    session.now = chance.expovariate(1 / 1500) + _see(session, session.piles / who.span * chance.uniform(0.3, 2), 4)
    for last, step in zip((None, *line), line, strict=False):
        _record(session, step.token, _gap(session, step, last))
        if "-" in step.token and chance.random() < 0.05 * who.unsure:
            _record(session, "u", _see(session, chance.uniform(1, 4), 1) + who.beat)
            _record(session, step.token, _see(session, 1, 1) + who.think * chance.expovariate(1) + 2 * who.beat)
            session.planned = 0
    return session.game


def _record(session: _Session, token: str, gap: float) -> None:
    """Append a token, now and then after a distraction; a message never overtakes an earlier one."""
    chance, clock = session.chance, session.game.clock
    session.now += gap
    if chance.random() < gap * session.who.stamina[2]:
        session.now, session.planned = session.now + min(600_000, 5_000 + chance.lognormvariate(9.2, 1.1)), 0
    stall = chance.uniform(100, 1500) if chance.random() < session.lag / 20_000 else 0.0
    session.game.tokens.append(token)
    clock.append(max(round(session.now + chance.expovariate(1 / session.lag) + stall), *clock[-1:], 0))


def _gap(session: _Session, step: Step, last: Step | None) -> float:
    """Return the time of a move; draws in a burst, with a held key or quick clicks, are not looked at one by one."""
    who, chance, draws = session.who, session.chance, step.token == DRAW
    if draws and session.burst > 0:
        session.burst -= 1
        return who.repeat * chance.gauss(1, 0.05)
    session.burst = chance.randint(1, 5) if draws and who.repeat else 0
    distance = sum(math.dist(*leg) for leg in zip((session.hand, *step.places), step.places, strict=False))
    act = who.beat * (who.strokes if "-" in step.token else 1) + who.reach * distance
    session.hand = step.places[-1]
    gap = _rhythm(session, _look(session, step, last) * (1 - who.overlap * chance.uniform(0.6, 1)) + act)
    unsure = who.unsure * (0.5 + min(step.choices, 10) / 10) + (0.5 if step.token in {"up", "down"} else 0)
    return gap + (250 + chance.expovariate(1 / (400 + who.think)) if chance.random() < unsure else 0)


def _look(session: _Session, step: Step, last: Step | None) -> float:
    """Return the time to see new cards and find a move, or to recall it; no plan includes a card not seen before."""
    who, chance, dealt = session.who, session.chance, last is not None and "-" not in last.token
    involved = last is None or dealt or last.places[0] in step.places or chance.random() < who.curious
    if session.planned > 0 and not (step.fresh and involved):
        session.planned = 0 if step.fresh else session.planned - 1
        return _see(session, 0.7, 2)
    session.planned = 0
    new = math.ceil(step.fresh / who.span)
    if dealt and step.fresh < 2:  # one card to recognise and to compare with a few piles
        return _see(session, new + chance.uniform(0, 3 / who.span), 2)
    session.planned = min(7, int(chance.expovariate(1 / who.depth)))
    share = chance.random() * (0.5 if step.token.endswith("-f") else 1) if "-" in step.token else 1.0
    thought = who.think * (chance.random() * min(step.choices, 5) / 5 + 0.5 * session.planned)
    return thought * chance.gammavariate(2, 0.5) + _see(session, new + session.piles / who.span * share, 2 + 8 * share)


def _see(session: _Session, fixations: float, cards: float) -> float:
    """Return the time of the fixations, or of hearing the cards from a screen reader."""
    count = cards if session.who.device == "reader" else max(fixations, 0.25)
    return session.chance.gammavariate(8 * count, session.who.fixation / 8)


def _rhythm(session: _Session, gap: float) -> float:
    """Return the gap with mood, practice and fatigue, stretched to the pulse if the hand is entrained to it."""
    chance, (pulse, entrained, jitter, drift) = session.chance, session.who.rhythm
    warm_up, tires, _ = session.who.stamina
    session.mood = drift * session.mood + chance.gauss(0, jitter * math.sqrt(1 - drift**2))
    practice = 1 + warm_up * (1 + len(session.game.tokens)) ** -0.4
    gap *= math.exp(session.mood) * practice * (1 + tires * min(session.now / 60_000, 30))
    if chance.random() < entrained:
        gap = pulse * math.exp(jitter * chance.gauss(0, 0.3)) * math.ceil(gap / pulse)
    delay, session.delay = session.delay, abs(chance.gauss(0, 0.1 * session.who.beat))
    return max(0.5 * gap, gap + session.delay - delay)
