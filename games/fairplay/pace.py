"""Speed checks: plays faster than a person can make them, judged by the receive times of the tokens.

The plays of a game set the minimum time that hands and eyes need, by published figures:

- `point`, a play from another pile than the last: Fitts' law at 10 bits a second for a card three widths away, which is
  2.2 bits. Studies find 3.7 to 4.9 bits a second for a mouse (Soukoreff and MacKenzie 2004), 6.95 for touch (MacKenzie
  2015); 0.8 to 1.5 s by the keystroke-level model (Card, Moran and Newell 1980).
- `again`, a play from the same pile: 7 or 8 taps a second in one place; two keys of the best typist (0.08 s each,
  keystroke-level model) are slower.
- `new`, a play after a draw turned up a card: at least 50 ms to perceive, 25 to choose, 30 to begin (Model Human
  Processor, Card, Moran and Newell 1983), and Hick's law for a few moves at half an ordinary person's 0.1 s a bit.
- `draw`, the first of a run of draws: a key (80 ms) and its beginning; `held`, each draw after it, at the repeat rate
  of a key (30 a second), less the part that the looking factor adds.

The game's time is compared with the sum of these, multiplied by the table's factor (`looking_factor`: more cards to
look over, longer distances). A pause counts for at most `LONGEST` times the demand of its play, so that pauses without
a cause do not compensate for machine speed. Auto-finish runs by the server, undo and held keys do not count as the
player's speed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from datetime import timedelta
from itertools import accumulate
from operator import sub
from typing import Final, NamedTuple

from games.core.verdict_reasons import VerdictReason, reason
from games.manifests import VARIANTS
from games.models import Attempt
from games.rules import Record

#: Tokens that do not place a card.
FREE_TOKENS: Final = frozenset({"u", "d", "n", "up", "down"})
DRAWS: Final = frozenset({"d", "n"})

#: Minimum times of the fastest hands and eyes, in ms.
POINT_MS: Final = 220
AGAIN_MS: Final = 130
NEW_MS: Final = 150
DRAW_MS: Final = 120
HELD_MS: Final = 20

#: Applies to variants whose tables have not been measured.
LEAST_LOOKING_FACTOR: Final = min(facts.looking_factor for facts in VARIANTS.values() if facts.looking_factor)

#: Range of the client's random delay, in ms, before it auto-moves a card up in a game that counts (a player setting).
#: Such a move is an ordinary token and arrives at an ordinary player's pace.
AUTO_MS: Final = (450, 1100)
#: The same delay in practice, where nothing is judged.
AUTO_PRACTICE_MS: Final = (190, 190)

#: Cap on the time that counts for a play, as a multiple of its demand.
LONGEST: Final = 2.5

#: Minimum plays for a pace check, and the allowance for chance, which grows with fewer plays (`_floor`). A game that
#: the server finished is judged by the rest, however few.
FEWEST_PLAYS: Final = 12
CHANCE: Final = 0.5

#: The fastest part of a game is checked, too: one `PART`-th of its plays, but at least `FEWEST_IN_PART`, against this
#: share of the floor.
PART: Final = 3
FEWEST_IN_PART: Final = 24
PART_OF_FLOOR: Final = 0.75

#: Burst limit: this many plays at this many ms each are beyond hands, even if a network delayed some and delivered them
#: together.
BURST_PLAYS: Final = 15
BURST_PART: Final = 4
FEWEST_IN_BURST: Final = 10
BURST_MS_A_PLAY: Final = 66

#: Maximum difference between the record's clock and the time from start to finish in the database.
CLOCK_TOLERANCE: Final = timedelta(seconds=5)


class PacedPlay(NamedTuple):
    """A play's arrival, time since the previous play, and demand, in ms."""

    at: int
    took: int
    demand: int


def doubts(attempt: Attempt, record: Record) -> list[VerdictReason]:
    """Return the doubts about the pace and the clock of a finished attempt."""
    name = attempt.deal.variant or attempt.deal.game
    reasons = implausibilities(record.tokens, record.clock, record.end.ms, attempt.auto_runs, name)
    return reasons + _clock_doubts(attempt, record.end.ms)


def implausibilities(
    tokens: Sequence[str], clock: Sequence[int], end_ms: int, auto_runs: Collection[Sequence[int]], name: str = ""
) -> list[VerdictReason]:
    """Return what a person can hardly have done, judged by the receive times (ms) of the tokens; empty for a plausible
    game.

    `name` is a variant or game.
    """
    times = [*clock, end_ms]
    if times != sorted(times):
        return [reason("clock_backwards", "The receive times go backwards.")]
    player_plays = plays(tokens, clock, auto_runs)
    fewest = 1 if auto_runs else FEWEST_PLAYS
    found = _burst(player_plays), _pace(player_plays, looking_factor(name), fewest)
    return [doubt for doubt in found if doubt is not None]


def looking_factor(name: str) -> float:
    """Return the table's factor on top of hand speed, for a variant or game."""
    facts = VARIANTS.get(name)
    return (facts and facts.looking_factor) or LEAST_LOOKING_FACTOR


def plays(tokens: Sequence[str], clock: Sequence[int], auto_runs: Collection[Sequence[int]]) -> list[PacedPlay]:
    """Return the player's plays, without the server's, each with its time and demand. The first play took no time."""
    served = served_tokens(auto_runs)
    paced: list[PacedPlay] = []
    since, draws, previous, source = 0, 0, "", ""
    for n, (token, ms) in enumerate(zip(tokens, clock, strict=True), 1):
        if n in served:
            since, draws = ms, 0
        elif token not in FREE_TOKENS:
            come_from = token.partition("-")[0]
            hand = AGAIN_MS if come_from == source else POINT_MS
            demand = hand + draws + (NEW_MS if draws else 0)
            paced.append(PacedPlay(ms, ms - since if paced else 0, demand))
            since, draws, source = ms, 0, come_from
        elif token in DRAWS:
            draws += HELD_MS if previous in DRAWS else DRAW_MS
        previous = token
    return paced


def served_tokens(auto_runs: Collection[Sequence[int]]) -> frozenset[int]:
    """Return the numbers, from 1, of the tokens that the server played."""
    return frozenset(n for first, last in auto_runs for n in range(first, last + 1))


def _burst(player_plays: Sequence[PacedPlay]) -> VerdictReason | None:
    number = max(FEWEST_IN_BURST, min(BURST_PLAYS, len(player_plays) // BURST_PART))
    times = [play.at for play in player_plays]
    shortest = min((end - start for start, end in zip(times, times[number - 1 :], strict=False)), default=None)
    if shortest is None or shortest > number * BURST_MS_A_PLAY:
        return None
    return reason("burst", f"{number} plays within {shortest} ms.", plays=number, ms=shortest)


def _pace(player_plays: Sequence[PacedPlay], times: float, fewest: int) -> VerdictReason | None:
    """Check the pace of the whole game, and of its fastest part."""
    timed = player_plays[1:]
    if len(timed) < fewest:
        return None
    took = [0.0, *accumulate([min(play.took, LONGEST * play.demand) for play in timed])]
    demanded = [0.0, *accumulate([play.demand for play in timed])]
    for number, share in ((len(timed), 1.0), (max(FEWEST_IN_PART, len(timed) // PART), PART_OF_FLOOR)):
        floor = share * _floor(number, times)
        windows = zip(map(sub, took[number:], took), map(sub, demanded[number:], demanded), strict=False)
        ms, demand = min(windows, key=lambda window: window[0] / window[1], default=(math.inf, 1.0))
        if ms < floor * demand:
            message = f"{number} plays within {ms:.0f} ms, which need {floor * demand:.0f} ms."
            return reason("pace", message, plays=number, ms=round(ms), needs=round(floor * demand))
    return None


def _floor(number: int, times: float) -> float:
    """Return the minimum multiple of the demand for this many plays. By chance, a few plays may come faster."""
    return times * (1 - CHANCE / math.sqrt(number))


def _clock_doubts(attempt: Attempt, end_ms: int) -> list[VerdictReason]:
    assert attempt.finished_at is not None
    wall = attempt.finished_at - attempt.started_at
    claimed = timedelta(milliseconds=end_ms)
    # A close at the deadline may be noticed late; a win or a resignation takes effect on receipt.
    late = attempt.end != Attempt.End.CLOSED and wall - claimed > CLOCK_TOLERANCE
    if late or claimed - wall > CLOCK_TOLERANCE:
        return [reason("clock_differs", f"The record says {claimed}, start and finish are {wall} apart.")]
    return []
