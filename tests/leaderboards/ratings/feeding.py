"""One person's accounts feeding one of them in rated races, and honest players to compare with. No database."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from leaderboards.ratings.fold import Fold, Raced, Racer
from leaderboards.ratings.formula import MU, SkillEstimate, chance

FIRST: Final = datetime(2026, 1, 1, tzinfo=UTC)
#: The account that is fed; the others are 2, 3, …
FED: Final = 1
MINUTES_A_RACE: Final = 5

Schedule = Callable[[int, random.Random], Iterator[Sequence[int]]]
"""Races as players in the order of their results, for a number of accounts."""


def duels(accounts: int, _choose: random.Random) -> Iterator[Sequence[int]]:
    """The others lose to the fed account in turn."""
    for loser in itertools.cycle(range(2, accounts + 1)):
        yield FED, loser


def fresh_first(accounts: int, _choose: random.Random) -> Iterator[Sequence[int]]:
    """Each account loses as often as a day allows before the next one comes."""
    for loser in itertools.cycle(range(2, accounts + 1)):
        for _ in range(5):
            yield FED, loser


def full_fields(accounts: int, choose: random.Random) -> Iterator[Sequence[int]]:
    """Sixteen at a time, and the fed account wins."""
    while True:
        yield FED, *choose.sample(range(2, accounts + 1), min(15, accounts - 1))


def settled_first(accounts: int, choose: random.Random) -> Iterator[Sequence[int]]:
    """The others first race each other until no rating has a "?", then lose."""
    for _ in range(30 * accounts // 10 + 30):
        yield choose.sample(range(2, accounts + 1), min(10, accounts - 1))
    yield from duels(accounts, choose)


def pyramid(accounts: int, choose: random.Random) -> Iterator[Sequence[int]]:
    """The accounts feed a tenth of them, which then lose to the fed account."""
    chiefs = max(2, accounts // 10)
    for _ in range(10):
        for loser in range(2 + chiefs, accounts + 1):
            yield choose.randint(2, 1 + chiefs), loser
    while True:
        yield FED, choose.randint(2, 1 + chiefs)
        yield choose.randint(2, 1 + chiefs), choose.randint(2 + chiefs, accounts)


def fall_first(accounts: int, choose: random.Random) -> Iterator[Sequence[int]]:
    """The fed account loses to all others before it wins."""
    for other in range(2, accounts + 1):
        yield other, FED
    yield from full_fields(accounts, choose)


SCHEDULES: Final[tuple[Schedule, ...]] = (duels, fresh_first, full_fields, settled_first, pyramid, fall_first)


def gain(schedule: Schedule, accounts: int, races: int, seed: int, *, established: bool = False) -> float:
    """Return the most points above a new rating that the fed account has after any of the races."""
    fold, best = Fold(), 0.0
    for number, players in enumerate(itertools.islice(schedule(accounts, random.Random(seed)), races)):
        at = FIRST + number * timedelta(minutes=MINUTES_A_RACE)
        fold.add(race(number, at, players, established=lambda _player: established))
        best = max(best, fold.standings[FED].mu - MU if FED in fold.standings else 0.0)
    return best


def race(number: int, at: datetime, players: Sequence[int], *, established: Callable[[int], bool]) -> Raced:
    """Return a race of these players, in the order of their results."""
    racers = [Racer(100 * number + player % 100, player, rank) for rank, player in enumerate(players, 1)]
    return Raced(number, at, sorted(racer._replace(established=established(racer.player)) for racer in racers))


def log_loss(seed: int, *, established: float, players: int = 60, races: int = 1200, after: int = 0) -> float:
    """Return the mean log loss of the ratings' predictions for each pair of honest racers; `established` is the share
    of players with an established account. The first `after` races are not counted. Lower is better; a coin has 0.693.
    """
    choose = random.Random(seed)
    skill = {player: choose.gauss(MU, 250) for player in range(1, players + 1)}
    chosen = {player: choose.random() for player in skill}
    fold, losses = Fold(), []
    for number in range(races):
        who = choose.sample(sorted(skill), choose.randint(2, 16))
        result = sorted(who, key=lambda player: choose.gauss(skill[player], 175), reverse=True)
        before = {player: fold.standings.get(player) for player in result}
        skills = {player: SkillEstimate(*state[:2]) if state else SkillEstimate() for player, state in before.items()}
        if number >= after:
            losses += [-math.log(chance(skills[one], skills[two])) for one, two in itertools.combinations(result, 2)]
        at = FIRST + number * timedelta(hours=1)
        fold.add(race(number, at, result, established=lambda player: chosen[player] < established))
    return sum(losses) / len(losses)
