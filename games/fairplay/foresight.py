"""Foresight detection: choices that are too good for a player who cannot see the hidden cards.

While cards are unseen, the real deal is one of many that look the same. A player who knows only the visible cards does
on average as well in the real deal as in the others, however well or oddly they play. A player who knows the hidden
cards does better in the real one. Two measures compare the real deal with the same table dealt differently:

- *finds*: the card turned up could be played at once;
- *choices*: the option taken had better prospects than the best of some other available options.

A third measure is the pause after a new card. docs/staff.md, "Foresight", explains how much these measures prove,
which is little for a single game of most variants. The result is evidence for staff among other evidence, not a
verdict.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean, median, variance
from typing import Final

from games.fairplay.evaluation import option, options, prospects
from games.fairplay.pace import served_tokens
from games.fairplay.solver_likeness import SolverLikeness, evenly
from games.rules import Record, Table
from games.rules.hidden_cards import Unseen
from games.rules.tokens import TO_FOUNDATION, TO_PILE, UNDO, WORDS

#: Number of alternative deals for finds, and for choices, which cost more.
FIND_DEALS: Final = 20
CHOICE_DEALS: Final = 12

#: Maximum choices measured per game, evenly spread, and other options compared per choice.
CHOICES: Final = 60
OTHERS: Final = 3

#: Minimum pauses of each kind for a comparison.
LEAST_PAUSES: Final = 8

#: Games in which choices make finds redundant.
CHOICES_ALONE: Final = frozenset({"labyrinth"})

#: Games in which neither finds nor choices identify a player who knew the cards.
SILENT: Final = frozenset({"braid", "tarot"})

#: Games in which people do not pause longer for a new card: it appears where the hand already is, and there is little
#: to choose.
UNPAUSED: Final = frozenset({"braid"})


@dataclass(frozen=True, slots=True)
class ChanceTally:
    """Running total of a measure: events with an element of chance, the result `gained` and the result `expected` by
    chance.
    """

    count: int = 0
    gained: float = 0.0
    expected: float = 0.0
    variance: float = 0.0

    def plus(self, real: float, others: Sequence[float]) -> ChanceTally:
        """Return a tally with one more event, given its result in the real deal and in others; unchanged if all are
        equal.
        """
        if all(other == real for other in others):
            return self
        spread = variance((real, *others)) * (1 + 1 / len(others))
        return ChanceTally(self.count + 1, self.gained + real, self.expected + fmean(others), self.variance + spread)

    @property
    def z(self) -> float:
        """The z-score of the result: standard deviations above chance."""
        return (self.gained - self.expected) / self.variance**0.5 if self.variance else 0.0


@dataclass(frozen=True, slots=True)
class PauseFigures:
    """Numbers and median times in ms of plays right after a new card and of all other plays.

    `z` is the score of the rank-sum test. It is above zero if new cards made the player pause, and near zero if the
    player knew them.
    """

    fresh: int
    fresh_ms: float
    other: int
    other_ms: float
    z: float


@dataclass(frozen=True, slots=True)
class Foresight:
    """The foresight measurement of a game; not applicable if nothing was decided while cards were unseen."""

    game: str
    applicable: bool
    finds: ChanceTally = ChanceTally()
    choices: ChanceTally = ChanceTally()
    pauses: PauseFigures | None = None
    z: float = 0.0
    """Combined z-score of finds and choices."""
    solver: SolverLikeness | None = None
    """Comparison of a win with the solver, added by `foresight_store`."""


@dataclass(frozen=True, slots=True)
class ForesightStep:
    """A token played while cards were unseen, with its index in the record and the unseen cards before and after it."""

    n: int
    token: str
    before: Unseen
    after: Unseen

    @property
    def turned_up(self) -> bool:
        """True if the token showed a card for the first time."""
        return self.after.count < self.before.count


def measure(record: Record, auto_runs: Collection[Sequence[int]] = ()) -> Foresight:
    """Measure foresight in a record. The result is deterministic.

    `auto_runs` are the first and last numbers, from 1, of runs of tokens that the server played.

    :raises RulesError: if the record does not replay.
    """
    auto = {n - 1 for n in served_tokens(auto_runs)}
    steps = [step for step in _steps(record) if step.n not in auto]
    if not steps:
        return Foresight(record.game.GAME, applicable=False)
    choices = evenly(_choices(record, steps), CHOICES)
    find_tally, choice_tally = ChanceTally(), ChanceTally()
    chance = Random(record.seed)  # noqa: S311 - not for secrets
    by_number = {step.n: step for step in steps}
    table = record.open_table()
    for n, token in enumerate(record.tokens):
        step = by_number.get(n)
        if step is not None and step.turned_up:
            find_tally = find_tally.plus(*_find(table, step, chance))
        if step is not None and n in choices:
            choice_tally = choice_tally.plus(*_choice(table, step, chance))
        table.push(token)
    z = choice_tally.z if table.GAME in CHOICES_ALONE else (find_tally.z + choice_tally.z) / 2**0.5
    return Foresight(
        table.GAME, applicable=True, finds=find_tally, choices=choice_tally, pauses=_pauses(record, steps, auto), z=z
    )


def _steps(record: Record) -> list[ForesightStep]:
    """Return the tokens played while cards were unseen, without those undone before anything new was seen."""
    table = record.open_table()
    unseen = Unseen.at(table)
    steps: dict[int, ForesightStep] = {}
    path: list[ForesightStep] = []
    for n, token in enumerate(record.tokens):
        table.push(token)
        now = unseen.after(table)
        if token != WORDS[UNDO]:
            path.append(ForesightStep(n, token, unseen, now))
            steps[n] = path[-1]
        elif (undone := path.pop()).before.count == now.count:
            del steps[undone.n]
        unseen = now
    return [step for step in steps.values() if step.before.count]


def _choices(record: Record, steps: Sequence[ForesightStep]) -> list[int]:
    """Return the numbers of the steps at which the player had several options."""
    numbers = {step.n for step in steps}
    table, several = record.open_table(), []
    for n, token in enumerate(record.tokens[: steps[-1].n + 1]):
        if n in numbers and len(options(table)) > 1:
            several.append(n)
        table.push(token)
    return several


def _find(table: Table, step: ForesightStep, chance: Random) -> tuple[float, list[float]]:
    """Return 1.0 if a card that the step turned up was playable at once, else 0.0: in the real deal, and in others."""
    remaining = set(step.after.places(table))
    shown = [number for number, place in enumerate(step.before.places(table)) if place not in remaining]
    results = []
    for cards in step.before.deals(table, chance, FIND_DEALS):
        copy = step.before.with_cards(table, cards)
        copy.push(step.token)
        results.append(float(_plays(copy, {cards[number] for number in shown})))
    return results[0], results[1:]


def _plays(table: Table, cards: set[int]) -> bool:
    """Return whether one of the cards can go onto a foundation or another card."""
    for token in table.legal_moves():
        what, source, target, count = table.VOCABULARY.read(token)
        onto_something = what == TO_FOUNDATION or (what == TO_PILE and table.piles[target])
        if onto_something and table.piles[source][-count] in cards:
            return True
    return False


def _choice(table: Table, step: ForesightStep, chance: Random) -> tuple[float, list[float]]:
    """Return the advantage of the option taken over the best of some others, in the real deal and in other deals."""
    alternatives = options(table)
    alternatives.pop(option(table, step.token))
    others = chance.sample(list(alternatives.values()), min(OTHERS, len(alternatives)))
    results = []
    for cards in step.before.deals(table, chance, CHOICE_DEALS):
        chosen, *missed = (_outcome(step.before.with_cards(table, cards), token) for token in (step.token, *others))
        results.append(chosen - max(missed))
    return results[0], results[1:]


def _outcome(table: Table, token: str) -> float:
    table.push(token)
    return prospects(table)


def _pauses(record: Record, steps: Sequence[ForesightStep], auto: set[int]) -> PauseFigures | None:
    """Compare the times of plays right after a new card with all other plays; None for too few of either."""
    fresh_after = {step.n for step in steps if step.turned_up}
    fresh, other = list[int](), list[int]()
    for n in range(1, len(record.tokens)):
        if "-" in record.tokens[n] and record.tokens[n - 1] != WORDS[UNDO] and not {n, n - 1} & auto:
            (fresh if n - 1 in fresh_after else other).append(record.clock[n] - record.clock[n - 1])
    if record.game.GAME in UNPAUSED or min(len(fresh), len(other)) < LEAST_PAUSES:
        return None
    return PauseFigures(len(fresh), median(fresh), len(other), median(other), _rank_sum(fresh, other))


def _rank_sum(first: Sequence[int], second: Sequence[int]) -> float:
    """Return the z-score by which `first` ranks above `second` (Mann and Whitney 1947)."""
    wins = sum((a > b) + (a == b) / 2 for a in first for b in second)
    pairs = len(first) * len(second)
    return (wins - pairs / 2) / math.sqrt(pairs * (len(first) + len(second) + 1) / 12)
