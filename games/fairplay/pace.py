"""Pace: what a person can hardly have done, by the receive times of the tokens.

A game's own plays say how long hands and eyes need for it at the least, by published figures:

- `point`, a play from another pile than the last: Fitts' law at 10 bits a second for a card three widths away, which is
  2.2 bits. Studies find 3.7 to 4.9 bits a second for a mouse (Soukoreff and MacKenzie 2004), 6.95 for touch (MacKenzie
  2015); 0.8 to 1.5 s by the keystroke-level model (Card, Moran and Newell 1980).
- `again`, a play from the same pile: 7 or 8 taps a second in one place; two of the best typist's keys (0.08 s each,
  keystroke-level model) are slower.
- `new`, where a draw has just turned something up: 50 ms at least to perceive, 25 to choose, 30 to begin (Model Human
  Processor, Card, Moran and Newell 1983), and Hick's law for a few moves at half an ordinary person's 0.1 s a bit.
- `draw`, the first of a run of draws: a key (80 ms) and its beginning; `held`, each draw after it, as a key repeats (30
  a second), less what `TIMES` adds.

The time that a game took is held against the sum of these, times what its table asks for beside hands (`TIMES`: more
cards to look over, longer ways). A pause counts for no more than `LONGEST` times what its play demands, so that pauses
which fit nothing new do not buy back a machine's speed. Runs that the server played out (auto-finish), undo and held
keys are nobody's speed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from datetime import timedelta
from itertools import accumulate
from operator import sub
from typing import Final, NamedTuple

from games.models import Attempt
from games.reasons import Reason, reason
from games.rules import CATALOGUE, Record

#: Tokens that place no card.
FREE_TOKENS: Final = frozenset({"u", "d", "n", "up", "down"})
DRAWS: Final = frozenset({"d", "n"})

#: ms that the fastest hands and eyes need.
POINT_MS: Final = 220
AGAIN_MS: Final = 130
NEW_MS: Final = 150
DRAW_MS: Final = 120
HELD_MS: Final = 20

#: What a table asks for beside hands: rather more cards to look over in a Labyrinth or a Stonewall than round a Braid,
#: fewer where three are drawn at a time. By game, and by variant where it differs.
TIMES: Final = {
    "braid": 1.5,
    "plot": 1.52,
    "labyrinth": 1.58,
    "tarot": 1.55,
    "tarot-novice": 1.58,
    "tarot-adept": 1.49,
    "stonewall": 1.66,
}
LEAST_TIMES: Final = min(TIMES.values())

#: ms that the client waits, at random, before it moves a card up by itself in a game that counts (a setting of its
#: player's): such a move is an ordinary token, and comes at an ordinary player's pace.
AUTO_MS: Final = (450, 1100)
#: The same in practice, where nothing is judged.
AUTO_PRACTICE_MS: Final = (190, 190)

#: A play's time counts for at most this many times its demand.
LONGEST: Final = 2.5

#: Fewer plays tell nothing of a pace; the fewer, the more chance has in it (`_floor`).
FEWEST_PLAYS: Final = 12
CHANCE: Final = 0.5

#: So much of a game, if not fewer than so many plays, may not be played at this share of the floor either.
PART: Final = 3
FEWEST_IN_PART: Final = 24
PART_OF_FLOOR: Final = 0.75

#: So many plays at so many ms each are beyond hands, even if a network held some up and let them go at once.
BURST_PLAYS: Final = 15
BURST_PART: Final = 4
FEWEST_IN_BURST: Final = 10
BURST_MS_A_PLAY: Final = 66

#: Gaps that vary by less than this share of their mean are a timer's, jitter and all; the longest, where it paused, are
#: left out. People vary by twice as much.
STEADY_PLAYS: Final = 40
STEADY_VARIATION: Final = 0.13
PAUSES: Final = 0.1

#: How far the record's clock may differ from the time between start and finish as the database has it.
CLOCK_TOLERANCE: Final = timedelta(seconds=5)


class Play(NamedTuple):
    """When a play came, how long it took since the play before, draws between them included, and what it demands."""

    at: int
    took: int
    demand: int


def doubts(attempt: Attempt, record: Record) -> list[Reason]:
    """What is doubtful about the pace and the clock of a finished attempt."""
    name = attempt.deal.variant or attempt.deal.game
    found = implausibilities(record.tokens, record.clock, record.end.ms, attempt.auto_runs, name)
    return found + _clock_doubts(attempt, record.end.ms)


def implausibilities(
    tokens: Sequence[str], clock: Sequence[int], end_ms: int, auto_runs: Collection[Sequence[int]], name: str = ""
) -> list[Reason]:
    """What a person can hardly have done at a variant or game, from the receive times (ms) of the tokens; empty for a
    plausible game.
    """
    times = [*clock, end_ms]
    if times != sorted(times):
        return [reason("clock_backwards", "The receive times go backwards.")]
    played = plays(tokens, clock, auto_runs)
    return [found for found in (_burst(played), _pace(played, times_of(name)), _steady(played)) if found is not None]


def times_of(name: str) -> float:
    """What the table of a variant or game asks for beside hands."""
    game = CATALOGUE[name].game if name in CATALOGUE else name
    return TIMES.get(name, TIMES.get(game, LEAST_TIMES))


def play_times(tokens: Sequence[str], clock: Sequence[int], auto_runs: Collection[Sequence[int]]) -> list[int]:
    """When the plays came: tokens that place a card, but for those that the server played out."""
    served = _served(auto_runs)
    return [
        ms
        for n, (token, ms) in enumerate(zip(tokens, clock, strict=True), 1)
        if token not in FREE_TOKENS and n not in served
    ]


def plays(tokens: Sequence[str], clock: Sequence[int], auto_runs: Collection[Sequence[int]]) -> list[Play]:
    """The plays of a game but for the server's own, each with its time and its demand. The first took no time."""
    served = _served(auto_runs)
    found: list[Play] = []
    since, draws, before, source = 0, 0, "", ""
    for n, (token, ms) in enumerate(zip(tokens, clock, strict=True), 1):
        if n in served:
            since, draws = ms, 0
        elif token not in FREE_TOKENS:
            come_from = token.partition("-")[0]
            hand = AGAIN_MS if come_from == source else POINT_MS
            found.append(Play(ms, ms - since if found else 0, hand + draws + (NEW_MS if draws else 0)))
            since, draws, source = ms, 0, come_from
        elif token in DRAWS:
            draws += HELD_MS if before in DRAWS else DRAW_MS
        before = token
    return found


def _served(auto_runs: Collection[Sequence[int]]) -> frozenset[int]:
    return frozenset(n for first, last in auto_runs for n in range(first, last + 1))


def _burst(played: Sequence[Play]) -> Reason | None:
    number = _burst_of(len(played))
    times = [play.at for play in played]
    shortest = min((end - start for start, end in zip(times, times[number - 1 :], strict=False)), default=None)
    if shortest is None or shortest > number * BURST_MS_A_PLAY:
        return None
    return reason("burst", f"{number} plays within {shortest} ms.", plays=number, ms=shortest)


def _burst_of(plays_in_all: int) -> int:
    return max(FEWEST_IN_BURST, min(BURST_PLAYS, plays_in_all // BURST_PART))


def _pace(played: Sequence[Play], times: float) -> Reason | None:
    """Too fast as a whole, or for a good part of the game."""
    timed = played[1:]
    if len(timed) < FEWEST_PLAYS:
        return None
    took = [0.0, *accumulate([min(play.took, LONGEST * play.demand) for play in timed])]
    demanded = [0.0, *accumulate([play.demand for play in timed])]
    for number, share in ((len(timed), 1.0), (max(FEWEST_IN_PART, len(timed) // PART), PART_OF_FLOOR)):
        floor = share * _floor(number, times)
        windows = zip(map(sub, took[number:], took), map(sub, demanded[number:], demanded), strict=False)
        ms, demand = min(windows, key=_ratio, default=(math.inf, 1.0))
        if ms < floor * demand:
            message = f"{number} plays within {ms:.0f} ms, which need {floor * demand:.0f} ms."
            return reason("pace", message, plays=number, ms=round(ms), needs=round(floor * demand))
    return None


def _ratio(window: tuple[float, float]) -> float:
    return window[0] / window[1]


def _floor(number: int, times: float) -> float:
    """How many times the demand so many plays take at the least; fewer plays may by chance come faster."""
    return times * (1 - CHANCE / math.sqrt(number))


def _steady(played: Sequence[Play]) -> Reason | None:
    gaps = sorted(play.took for play in played[1:])
    if len(played) < STEADY_PLAYS:
        return None
    del gaps[math.ceil(len(gaps) * (1 - PAUSES)) :]
    variation = _variation(gaps)
    if variation >= STEADY_VARIATION:
        return None
    return reason("steady", f"The gaps between plays vary by {variation:.1%} only.", variation=round(variation, 4))


def _variation(gaps: Sequence[int]) -> float:
    """Standard deviation of the gaps over their mean."""
    mean = sum(gaps) / len(gaps) if gaps else 0.0
    if not mean:
        return math.inf
    return math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) / mean


def _clock_doubts(attempt: Attempt, end_ms: int) -> list[Reason]:
    assert attempt.finished_at is not None
    wall = attempt.finished_at - attempt.started_at
    claimed = timedelta(milliseconds=end_ms)
    # A close at the deadline may be noticed late; a win or a resignation happens when it is received.
    late = attempt.end != Attempt.End.CLOSED and wall - claimed > CLOCK_TOLERANCE
    if late or claimed - wall > CLOCK_TOLERANCE:
        return [reason("clock_differs", f"The record says {claimed}, start and finish are {wall} apart.")]
    return []
