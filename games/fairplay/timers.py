"""Timer check: random delays that a program draws from a single log-normal law, whatever the moves are.

Published reaction times, and people's here, have a longer tail than a log-normal law (Luce, "Response Times", 1986),
vary more, and depend on the move: a draw is quicker than a play, a play from the same pile quicker than one from a
distant pile. A program that waits for log-normal delays shows none of this. So a game is in doubt if the logarithms of
its gaps vary little, pass a test for normality (Jarque and Bera 1980), and are correlated with nothing that the moves
demanded. That takes some 140 gaps: shorter games are judged together with the player's games before.

This is the only check of pace that looks at more than one game. `games.fairplay.pace` finds timers with less jitter.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from itertools import chain
from statistics import correlation, fmean
from typing import Final, NamedTuple

from django.db.models import Q

from games.core.verdict_reasons import Reason, reason
from games.fairplay.pace import DRAWS, FREE_TOKENS, STEADY_PLAYS, served_tokens
from games.models import Attempt
from games.rules import Record, RecordError

#: Minimum number of gaps to judge, and the maximum number of earlier games to take them from.
FEWEST_GAPS: Final = 140
EARLIER_GAMES: Final = 3
#: Maximum standard deviation of the logarithms: a log-normal timer's sigma, with some room for chance.
MAX_SIGMA: Final = 0.38
#: Maximum Jarque-Bera statistic (chi-squared with two degrees of freedom: 1 in 90 timers exceeds it).
MAX_JARQUE_BERA: Final = 9.0
#: Minimum excess kurtosis, in standard errors. The client's own delays before automatic moves are uniform, below it.
MIN_KURTOSIS: Final = -2.0
#: Maximum correlation with a demand of the moves, in standard errors, and moves with and without it to judge by.
MAX_CORRELATION: Final = 2.8
FEWEST_OF_A_KIND: Final = 4

#: Piles in a row of the table, for the distance between two.
COLUMNS: Final = 8
#: Distance of a pile from one of another kind, such as waste and tableau, on the same scale (log2 of 1 + columns).
OTHER_KIND: Final = 1.5


class TimedToken(NamedTuple):
    """Logarithm of a gap (ms) less the game's mean, and the demands of the move: truth values and a distance."""

    log_gap: float
    demands: tuple[float, ...]


def doubts(attempt: Attempt, record: Record) -> list[Reason]:
    """Return the doubt about a finished attempt whose gaps look like a timer's, if any; reads the database."""
    own = timed_tokens(record.tokens, record.clock, attempt.auto_runs)
    sigma = timer_sigma(own, _earlier(attempt))
    if sigma is None:
        return []
    message = f"The gaps follow a log-normal law with sigma {sigma:.2f}, whatever the moves were."
    return [reason("steady", message, variation=round(sigma, 4))]


def timed_tokens(tokens: Sequence[str], clock: Sequence[int], auto_runs: Collection[Sequence[int]]) -> list[TimedToken]:
    """Return the player's draws and plays of a game with their gaps, from the second token."""
    served = served_tokens(auto_runs)
    logs, demands = list[float](), list[tuple[float, ...]]()
    before, previous, source = 0, "", ""
    for n, (token, ms) in enumerate(zip(tokens, clock, strict=True), 1):
        counts = token in DRAWS or token not in FREE_TOKENS
        if counts and n > 1 and n not in served:
            logs.append(math.log(max(1, ms - before)))
            demands.append(_demands(token, previous, source))
        before, previous = ms, token
        source = token.partition("-")[0] if token not in FREE_TOKENS else source
    mean = fmean(logs) if logs else 0.0
    return [TimedToken(log - mean, demanded) for log, demanded in zip(logs, demands, strict=True)]


def timer_sigma(own: Sequence[TimedToken], earlier: Iterable[Sequence[TimedToken]]) -> float | None:
    """Return the standard deviation of the logarithms if a game's gaps look like a log-normal timer's, else None.

    `earlier` are the player's games before, the last one first; read only if the game is short and varies little.
    """
    if len(own) < STEADY_PLAYS or _sigma(own) >= MAX_SIGMA:
        return None
    tokens = list(own)
    if len(own) < FEWEST_GAPS:
        tokens += chain.from_iterable(earlier)
    sigma = _sigma(tokens)
    plausible = len(tokens) >= FEWEST_GAPS and 0 < sigma < MAX_SIGMA
    return sigma if plausible and _is_normal(tokens, sigma) and not _depends_on_moves(tokens) else None


def _is_normal(tokens: Sequence[TimedToken], sigma: float) -> bool:
    number = len(tokens)
    skewness = fmean(token.log_gap**3 for token in tokens) / sigma**3
    kurtosis = fmean(token.log_gap**4 for token in tokens) / sigma**4 - 3
    jarque_bera = number / 6 * (skewness**2 + kurtosis**2 / 4)
    return jarque_bera <= MAX_JARQUE_BERA and kurtosis >= MIN_KURTOSIS * math.sqrt(24 / number)


def _depends_on_moves(tokens: Sequence[TimedToken]) -> bool:
    logs = [token.log_gap for token in tokens]
    most = MAX_CORRELATION / math.sqrt(len(tokens))
    return any(abs(correlation(demand, logs)) > most for demand in _varied(tokens))


def _demands(token: str, previous: str, source: str) -> tuple[float, ...]:
    """Return whether the move draws, draws again, plays after a draw, plays from the same pile; and the distance."""
    if token in DRAWS:
        return (1, token == previous, 0, 0, 0)
    come_from = token.partition("-")[0]
    return (0, 0, previous in DRAWS, come_from == source, _distance(come_from, source))


def _distance(pile: str, other: str) -> float:
    if pile[0] != other[:1] or not (pile[1:].isdecimal() and other[1:].isdecimal()):
        return OTHER_KIND if other else 0.0
    return math.log2(1 + abs(int(pile[1:]) % COLUMNS - int(other[1:]) % COLUMNS))


def _varied(tokens: Sequence[TimedToken]) -> Iterable[tuple[float, ...]]:
    """Yield the values of each demand that is not the same for nearly all tokens."""
    for values in zip(*(token.demands for token in tokens), strict=True):
        if len(values) - max(map(values.count, set(values))) >= FEWEST_OF_A_KIND:
            yield values


def _sigma(tokens: Sequence[TimedToken]) -> float:
    return math.sqrt(fmean(token.log_gap**2 for token in tokens))


def _earlier(attempt: Attempt) -> Iterable[list[TimedToken]]:
    """Read the player's last finished games that were checked for fair play, too."""
    checked = Q(ranked=True) | Q(deadline__isnull=False, deal__for_race=True)
    before = Attempt.objects.filter(checked, player=attempt.player_id, started_at__lt=attempt.started_at)
    games = before.exclude(record=None).order_by("-started_at").values_list("record", "auto_runs")[:EARLIER_GAMES]
    for data, auto_runs in games:
        with suppress(RecordError):
            record = Record.from_bytes(bytes(data or b""))
            yield timed_tokens(record.tokens, record.clock, auto_runs)
