"""Check for random delays: a program draws them from one log-normal distribution, whatever the move is.

Human reaction times have a longer tail than a log-normal distribution (Luce, "Response Times", 1986) and depend on the
move: drawing is quicker than playing a card, and playing from the same pile again is quicker than from a distant one. A
program's delays show neither. So a game is in doubt if the logarithms of its gaps vary little, pass a test for
normality (Jarque and Bera 1980), and do not correlate with the moves. The tests need some 140 gaps, so a shorter game
is judged together with the player's previous ones.

`games.fairplay.pace` finds timers with less jitter in a single game.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from statistics import correlation, fmean
from typing import Final, NamedTuple

from django.db.models import Q

from games.core.verdict_reasons import VerdictReason, reason
from games.fairplay.pace import DRAWS, FREE_TOKENS, STEADY_PLAYS, served_tokens
from games.models import Attempt
from games.rules import Record, RecordError

#: Minimum number of gaps to judge, and the maximum number of earlier games to take them from.
FEWEST_GAPS: Final = 140
EARLIER_GAMES: Final = 3
#: Maximum standard deviation of the logarithms: the sigma of a log-normal timer, with some room for chance.
MAX_SIGMA: Final = 0.38
#: Maximum Jarque-Bera statistic (chi-squared with two degrees of freedom: 1 in 90 timers exceeds it).
MAX_JARQUE_BERA: Final = 9.0
#: Minimum excess kurtosis, in standard errors. The client's own delays before automatic moves are uniform and below it.
MIN_KURTOSIS: Final = -2.0
#: Maximum correlation with a property of the moves, in standard errors, and the minimum number of moves that differ in
#: it.
MAX_CORRELATION: Final = 2.8
FEWEST_DIFFERENT: Final = 4

#: Piles in a row of the table, for the distance between two piles.
COLUMNS: Final = 8
#: Distance between piles of different kinds, such as waste and tableau, as log2(1 + columns).
OTHER_KIND: Final = 1.5


class PlayedMove(NamedTuple):
    """A draw or play, the token before it, and the pile of the last play before it ("" for none)."""

    token: str
    previous: str
    source: str

    def properties(self) -> tuple[float, ...]:
        """Return whether this is a draw, another draw, a play after a draw, a play from the same pile; the distance."""
        if self.token in DRAWS:
            return (1, self.token == self.previous, 0, 0, 0)
        pile = self.token.partition("-")[0]
        return (0, 0, self.previous in DRAWS, pile == self.source, _distance(pile, self.source))


class TimedMoves(NamedTuple):
    """A player's draws and plays with the gaps before them: logarithms of ms, less their mean in each game."""

    log_gaps: list[float]
    moves: list[PlayedMove]


def doubts(attempt: Attempt, record: Record) -> list[VerdictReason]:
    """Return the doubt about a finished attempt whose gaps look like a timer's, if any; reads the database."""
    own = timed_moves(record.tokens, record.clock, attempt.auto_runs)
    sigma = timer_sigma(own, _earlier(attempt))
    if sigma is None:
        return []
    message = f"The gaps follow a log-normal distribution with sigma {sigma:.2f}, whatever the moves were."
    return [reason("steady", message, variation=round(sigma, 4))]


def timed_moves(tokens: Sequence[str], clock: Sequence[int], auto_runs: Collection[Sequence[int]]) -> TimedMoves:
    """Return the player's draws and plays of a game from the second token; `clock` is in ms."""
    served = served_tokens(auto_runs)
    logs, moves = list[float](), list[PlayedMove]()
    before, previous, source = 0, "", ""
    for n, (token, ms) in enumerate(zip(tokens, clock, strict=True), 1):
        is_play = token not in FREE_TOKENS
        if (is_play or token in DRAWS) and n > 1 and n not in served:
            logs.append(math.log(max(1, ms - before)))
            moves.append(PlayedMove(token, previous, source))
        before, previous = ms, token
        source = token.partition("-")[0] if is_play else source
    mean = fmean(logs) if logs else 0.0
    return TimedMoves([log - mean for log in logs], moves)


def timer_sigma(own: TimedMoves, earlier: Iterable[TimedMoves]) -> float | None:
    """Return the standard deviation of the logarithms if a game's gaps look like a log-normal timer's, else None.

    `earlier` are the player's previous games, latest first. They are read only if the game is short and varies little.
    """
    if len(own.moves) < STEADY_PLAYS or _sigma(own.log_gaps) >= MAX_SIGMA:
        return None
    games = [own] if len(own.moves) >= FEWEST_GAPS else [own, *earlier]
    logs = [log for game in games for log in game.log_gaps]
    moves = [move for game in games for move in game.moves]
    sigma = _sigma(logs)
    plausible = len(moves) >= FEWEST_GAPS and 0 < sigma < MAX_SIGMA
    return sigma if plausible and _is_normal(logs, sigma) and not _depends_on_moves(logs, moves) else None


def _is_normal(logs: Sequence[float], sigma: float) -> bool:
    number = len(logs)
    skewness = fmean(log**3 for log in logs) / sigma**3
    kurtosis = fmean(log**4 for log in logs) / sigma**4 - 3
    jarque_bera = number / 6 * (skewness**2 + kurtosis**2 / 4)
    return jarque_bera <= MAX_JARQUE_BERA and kurtosis >= MIN_KURTOSIS * math.sqrt(24 / number)


def _depends_on_moves(logs: Sequence[float], moves: Sequence[PlayedMove]) -> bool:
    most = MAX_CORRELATION / math.sqrt(len(logs))
    for values in zip(*(move.properties() for move in moves), strict=True):
        different = len(values) - max(map(values.count, set(values)))
        if different >= FEWEST_DIFFERENT and abs(correlation(values, logs)) > most:
            return True
    return False


def _distance(pile: str, other: str) -> float:
    if pile[0] != other[:1] or not (pile[1:].isdecimal() and other[1:].isdecimal()):
        return OTHER_KIND if other else 0.0
    return math.log2(1 + abs(int(pile[1:]) % COLUMNS - int(other[1:]) % COLUMNS))


def _sigma(logs: Sequence[float]) -> float:
    return math.sqrt(fmean(log * log for log in logs))


def _earlier(attempt: Attempt) -> Iterable[TimedMoves]:
    """Read the player's latest finished games that were also checked for fair play."""
    checked = Q(ranked=True) | Q(deadline__isnull=False, deal__for_race=True)
    before = Attempt.objects.filter(checked, player=attempt.player_id, started_at__lt=attempt.started_at)
    games = before.exclude(record=None).order_by("-started_at").values_list("record", "auto_runs")[:EARLIER_GAMES]
    for data, auto_runs in games:
        with suppress(RecordError):
            record = Record.from_bytes(bytes(data or b""))
            yield timed_moves(record.tokens, record.clock, auto_runs)
