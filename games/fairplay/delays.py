"""Check for timers: the delays before a person's moves depend on the moves, those of a timer do not.

People take longer where the hand has farther to go and where there is more to look at, and draw at a pace of their own
(keystroke-level model, Card, Moran and Newell 1980). How much longer is a matter of habit and device, so nothing is
assumed about it. The statistic is the multiple correlation of the ranks of the delays with the features of the moves.
If the delays do not depend on the moves, then whatever their distribution, its square times the number of moves
follows chi-squared, with a degree of freedom for each feature. The distance between people and timers grows with the
number of moves, so a short game is judged together with the player's previous games of the variant.

Ranks and features are taken relative to stretches of a few moves, since people tire, and games speed up to their end.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import cache
from itertools import chain, pairwise
from statistics import fmean
from typing import Final, NamedTuple

from django.db.models import Q, QuerySet

from games.core.verdict_reasons import VerdictReason, reason
from games.fairplay.pace import DRAWS, FREE_TOKENS, served_tokens
from games.manifests import MANIFESTS, VARIANTS
from games.models import Attempt
from games.rules import Record, RulesError, Table
from games.rules.hidden_cards import Unseen
from games.rules.tokens import UNDO, WORDS

#: Code of the doubt.
CODE: Final = "steady"
#: Moves in a stretch, and the maximum number of earlier games to judge a game with.
STRETCH: Final = 20
EARLIER_GAMES: Final = 7
#: Period in which a game is judged again, together with later ones, once these look like a timer's.
JUDGED_AGAIN_FOR: Final = timedelta(days=7)

#: Allowances for chance, in standard errors: timers stay below the first, and people above the second.
ABOVE_TIMERS: Final = 3.0
BELOW_PEOPLE: Final = 3.3

#: Share of a feature's variance below which the other features determine it, except for rounding errors.
ROUNDING: Final = 1e-9


class TimedMove(NamedTuple):
    """A move made by hand: the ms since the token before it, and its features: the way to the card, drawing, drawing
    again, playing after a draw, the way to the pile, the choice, and whether a new card has just been seen.
    """

    delay: int
    features: tuple[float, ...]


class Evidence(NamedTuple):
    """Number of moves, less one for each stretch, and the products of the features and the ranks, which come last."""

    freedom: int
    products: list[list[float]]

    def __add__(self, other: Evidence) -> Evidence:  # type: ignore[override]
        """Return the evidence of both together."""
        rows = zip(self.products, other.products, strict=True)
        return Evidence(self.freedom + other.freedom, [[*map(sum, zip(*pair, strict=True))] for pair in rows])

    def dependence(self) -> tuple[float, int]:
        """Return the root of chi-squared, and its degrees of freedom."""
        rows, degrees = [list(row) for row in self.products], 0
        for n, row in enumerate(rows[:-1]):
            if row[n] > ROUNDING * self.products[n][n]:
                degrees += 1
                for other in rows[n + 1 :]:
                    share = other[n] / row[n]
                    other[n:] = [value - share * own for value, own in zip(other[n:], row[n:], strict=True)]
        return math.sqrt(max(0.0, self.products[-1][-1] - rows[-1][-1])), degrees


def doubts(attempt: Attempt, record: Record) -> list[VerdictReason]:
    """Return the doubt about a finished attempt whose delays look like a timer's, if any; may read the database."""
    own = evidence(record.open_table(), record.tokens, record.clock, attempt.auto_runs)
    found = timer_evidence(own, _others(attempt), attempt.deal.variant)
    if found is None:
        return []
    correlation = found.dependence()[0] / math.sqrt(found.freedom or 1)
    message = f"The delays of {found.freedom} moves hardly depend on the moves: the correlation is {correlation:.2f}."
    return [reason(CODE, message, moves=found.freedom, correlation=round(correlation, 3))]


def timer_evidence(own: Evidence, earlier: Iterable[Evidence], variant: str) -> Evidence | None:
    """Return the evidence for a timer in a game, alone or together with the latest of the earlier ones, else None.

    `earlier` are the player's previous games, latest first. They are read only if the game leaves room for doubt.
    """
    chi, degrees = own.dependence()
    is_person = chi > math.sqrt(degrees) + ABOVE_TIMERS
    pooled: Evidence | None = None
    for game in chain([own], () if is_person else earlier):
        pooled = pooled + game if pooled else game
        chi, degrees = pooled.dependence()
        if chi < limit(pooled.freedom, degrees, variant):
            return pooled
    return None


def limit(freedom: int, degrees: int, variant: str) -> float:
    """Return the lowest root of chi-squared of people with so many moves."""
    facts = VARIANTS.get(variant)
    lowest = facts.delay_correlation if facts else 0.0
    return min(math.sqrt(degrees) + ABOVE_TIMERS, math.sqrt(lowest**2 * freedom + degrees) - BELOW_PEOPLE)


def evidence(
    table: Table, tokens: Sequence[str], clock: Sequence[int], auto_runs: Collection[Sequence[int]]
) -> Evidence:
    """Return the evidence of one game; the parameters are those of `timed_moves`."""
    moves = timed_moves(table, tokens, clock, auto_runs)
    number = max(1, len(moves) // STRETCH)
    size = len(features(table, "d", "", "", is_new=False)) + 1
    total = Evidence(0, [[0.0] * size for _ in range(size)])
    for start, end in pairwise(len(moves) * n // number for n in range(number + 1)):
        if end > start:
            delays, rows = zip(*moves[start:end], strict=True)
            columns = [*map(_centred, zip(*rows, strict=True)), standard_ranks(delays)]
            products = [[sum(x * y for x, y in zip(a, b, strict=True)) for b in columns] for a in columns]
            total += Evidence(end - start - 1, products)
    return total


def timed_moves(
    table: Table, tokens: Sequence[str], clock: Sequence[int], auto_runs: Collection[Sequence[int]]
) -> list[TimedMove]:
    """Return the moves made by hand, from the second token on, without undos and what directly follows them.

    `table` has just been dealt; this plays the tokens on it. `clock` is in ms. Tokens played by the server do not count
    and neither does the first move after them.
    """
    served = served_tokens(auto_runs)
    moves = list[TimedMove]()
    unseen, previous, hand, before = Unseen.at(table), "", "", 0
    for n, (token, ms) in enumerate(zip(tokens, clock, strict=True), 1):
        is_move = token in DRAWS or token not in FREE_TOKENS
        still_unseen = unseen.after(table)
        if is_move and previous not in {"", WORDS[UNDO]} and served.isdisjoint({n - 1, n}):
            facts = features(table, token, previous, hand, is_new=still_unseen is not unseen)
            moves.append(TimedMove(ms - before, facts))
        table.push(token)
        hand = _source(token) if is_move else hand
        unseen, previous, before = still_unseen, token, ms
    return moves


def features(table: Table, token: str, previous: str, hand: str, *, is_new: bool) -> tuple[float, ...]:
    """Return the features of a move after another, with the hand at a pile. They depend on the moves only."""
    after_draw = previous in DRAWS
    choice = math.log2(1 + len(table.legal_moves()))
    if token in DRAWS:
        return (0.0 if after_draw else _way(table.GAME, hand, "s"), 1.0, after_draw, 0.0, 0.0, choice, is_new)
    source = _source(token)
    drag = 0.0 if token.endswith("-f") else _way(table.GAME, source, token.partition("x")[0].partition("-")[2])
    return _way(table.GAME, hand, source), 0.0, 0.0, after_draw, drag, choice, is_new


def _source(token: str) -> str:
    return "s" if token in DRAWS else token.partition("-")[0]


@cache
def _way(game: str, pile: str, other: str) -> float:
    """Return the way between two piles as log2(1 + distance), in cards of the picture; a short one if not known."""
    spots = {spot.pile: (spot.x, spot.y) for spot in MANIFESTS[game].picture.spots}
    return math.log2(1 + math.dist(spots[pile], spots[other])) if pile in spots and other in spots else 1.0


def standard_ranks(values: Sequence[float]) -> list[float]:
    """Return the ranks, equal ones averaged, with mean 0 and variance 1; all 0 for equal values."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(place)
    ranks = _centred([fmean(places[value]) for value in values])
    spread = math.sqrt(sum(rank * rank for rank in ranks) / max(1, len(ranks) - 1))
    return [rank / spread for rank in ranks] if spread else ranks


def _centred(values: Sequence[float]) -> list[float]:
    mean = fmean(values)
    return [value - mean for value in values]


def neighbours(attempt: Attempt) -> QuerySet[Attempt]:
    """Return the player's other checked games of the variant, latest first, up to those of the week after."""
    checked = Q(ranked=True) | Q(deadline__isnull=False, deal__for_race=True)
    until = attempt.started_at + JUDGED_AGAIN_FOR
    games = Attempt.objects.filter(checked, player=attempt.player_id, started_at__lt=until, record__isnull=False)
    return games.filter(deal__variant=attempt.deal.variant).exclude(pk=attempt.pk).order_by("-started_at")


def _others(attempt: Attempt) -> Iterable[Evidence]:
    for data, auto_runs in neighbours(attempt).values_list("record", "auto_runs")[:EARLIER_GAMES]:
        with suppress(RulesError):
            record = Record.from_bytes(bytes(data or b""))
            yield evidence(record.open_table(), record.tokens, record.clock, auto_runs)
