"""One person's accounts feeding one of them in rated races, and honest players to compare with. No database."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Final, NamedTuple

from leaderboards.ratings.formula import MU, SkillEstimate, chance
from leaderboards.ratings.rules import RACES, Fold, Raced, Racer, RatingState

FIRST: Final = datetime(2026, 1, 1, tzinfo=UTC)
#: The account that is fed; the others are 2, 3, …
FED: Final = 1
MINUTES_A_RACE: Final = 5
#: Regulars of the site, with their ratings, which are right. The accounts' owner plays as well as a new rating says.
OUTSIDERS: Final = {1000 + k: MU + 500 * (k / 19 - 0.5) for k in range(20)}

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


def slowly(accounts: int, choose: random.Random) -> Iterator[Sequence[int]]:
    """Every account meets the fed one once, then all race among themselves, with winners in turn."""
    for turn in itertools.count():
        for loser in range(2, accounts + 1):
            yield FED, loser
        for _ in range(accounts):
            others = choose.sample(range(2, accounts + 1), min(6, accounts - 1))
            others.sort(key=lambda player: (player + turn) % accounts)
            yield others


SCHEDULES: Final[tuple[Schedule, ...]] = (duels, fresh_first, full_fields, settled_first, pyramid, fall_first, slowly)


# A second set, written when the rule was fixed. It knows the rule.


def kings(accounts: int, _choose: random.Random) -> Iterator[Sequence[int]]:
    """Every account is fed by all others for a round, loses it all to the next one, and so on to the fed account."""
    while True:
        for king in range(accounts, 0, -1):
            for loser in range(1, accounts + 1):
                if loser != king:
                    yield king, loser


def ladder(accounts: int, choose: random.Random) -> Iterator[Sequence[int]]:
    """The accounts hold a fixed order in small fields, as players of different strength would."""
    while True:
        yield sorted(choose.sample(range(1, accounts + 1), choose.randint(2, 6)))


def guarded(accounts: int, choose: random.Random) -> Iterator[Sequence[int]]:
    """In each field is one regular, who wins; the fed account is second."""
    while True:
        yield outsider(choose), FED, *choose.sample(range(2, accounts + 1), min(12, accounts - 1))


def down_and_up(accounts: int, choose: random.Random) -> Iterator[Sequence[int]]:
    """The others pull the fed account down, it recovers against regulars, and they push it up, again and again."""
    while True:
        for other in range(2, accounts + 1):
            yield other, FED
        for _ in range(40):
            yield played(choose, FED)
        for other in range(2, accounts + 1):
            yield FED, other


def frozen(accounts: int, choose: random.Random) -> Iterator[Sequence[int]]:
    """The fed account plays regulars a little; the others let it win and lose in turn to make it look certain."""
    for _ in range(5):
        yield played(choose, FED)
    for turn, loser in enumerate(itertools.cycle(range(2, accounts + 1))):
        yield (FED, loser) if turn % 3 else (loser, FED)


def respectable(accounts: int, choose: random.Random) -> Iterator[Sequence[int]]:
    """Each of the others really plays a regular before it loses to the fed account."""
    for loser in itertools.cycle(range(2, accounts + 1)):
        yield played(choose, loser)
        yield FED, loser


SECOND: Final[tuple[Schedule, ...]] = (kings, ladder, guarded, down_and_up, frozen, respectable)


# A third set, written for accounts with regulars among them.


def leapfrog(accounts: int, _choose: random.Random) -> Iterator[Sequence[int]]:
    """The fed account and another one win in turn, and some of the others lose to the fed one."""
    for turn in itertools.count():
        yield (1, 2) if turn % 2 else (2, 1)
        if turn % 7 == 0:
            for loser in range(3, min(accounts, 8) + 1):
                yield FED, loser


def relay(accounts: int, _choose: random.Random) -> Iterator[Sequence[int]]:
    """The others raise one account, which then loses to the fed one."""
    while True:
        for loser in range(3, accounts + 1):
            yield 2, loser
        for _ in range(10):
            yield FED, 2


def chain(accounts: int, _choose: random.Random) -> Iterator[Sequence[int]]:
    """Each account rises above the one behind it, and some of those behind raise it further."""
    while True:
        for king in range(min(accounts, 13) - 1, 0, -1):
            for _ in range(3):
                yield king, king + 1
            for loser in range(accounts, king + 1, -3):
                yield king, loser


def recovering(accounts: int, choose: random.Random) -> Iterator[Sequence[int]]:
    """One account recovers against the site's regulars before it loses again."""
    while True:
        for _ in range(10):
            yield played(choose, 2)
        for _ in range(5):
            yield FED, 2
        for loser in range(3, min(accounts, 8) + 1):
            yield FED, loser


THIRD: Final[tuple[Schedule, ...]] = (leapfrog, relay, chain, recovering)
ALL: Final = (*SCHEDULES, *SECOND, *THIRD)


def outsider(choose: random.Random) -> int:
    return choose.choice(sorted(OUTSIDERS))


def played(choose: random.Random, player: int) -> Sequence[int]:
    """Return a duel with a regular that is really played."""
    rival = outsider(choose)
    return (player, rival) if choose.gauss(MU, 175) > choose.gauss(OUTSIDERS[rival], 175) else (rival, player)


def gain(schedule: Schedule, accounts: int, races: int, seed: int, *, regulars: int = 0) -> float:
    """Return the fed account's highest rating minus what its own play supports.

    That is a new rating, or the best rating it reaches in its races against the site's regulars alone, whichever is
    higher. The first `regulars` of the other accounts are regulars, too.
    """
    start = {who: RatingState(mu, 80, 300, FIRST) for who, mu in OUTSIDERS.items()}
    fold, honest, best, support = Fold(dict(start)), Fold(dict(start)), 0.0, MU
    for number, players in enumerate(itertools.islice(schedule(accounts, random.Random(seed)), races)):
        at = FIRST + number * timedelta(minutes=MINUTES_A_RACE)
        raced = race(number, at, players, regular=lambda who: FED < who <= FED + regulars or who in OUTSIDERS)
        fold.add(raced)
        honest.add(raced._replace(racers=[racer for racer in raced.racers if racer.player in (FED, *OUTSIDERS)]))
        support = max(support, honest.standings.get(FED, RatingState()).mu)
        if FED in fold.standings:
            best = max(best, fold.standings[FED].mu - support)
    return best


def race(number: int, at: datetime, players: Sequence[int], *, regular: Callable[[int], bool]) -> Raced:
    racers = [
        Racer(100 * number + player % 100, player, rank, is_regular=regular(player))
        for rank, player in enumerate(players, 1)
    ]
    return Raced(number, at, sorted(racers))


def quiet_site(choose: random.Random) -> Iterator[tuple[datetime, Sequence[int]]]:
    """Ten players and ten races a day. Every six days a new player takes the place of another."""
    active = list(range(10))
    for day in range(400):
        if day % 6 == 5:
            active[choose.randrange(10)] = 10 + day // 6
        for number in range(10):
            yield FIRST + timedelta(days=day, hours=number), choose.sample(active, choose.randint(2, 4))


class Accuracy(NamedTuple):
    """Mean log loss of the predictions for each pair, in the second half of the races and in the first twenty races of
    each player; and the rank correlation of ratings and skill. A coin has a log loss of 0.693.
    """

    late: float
    first: float
    correlation: float


def accuracy(seed: int, *, regulars: float) -> Accuracy:
    """Return the accuracy of the ratings on a quiet site; `regulars` is the share of regulars among its players."""
    choose = random.Random(seed)
    skill = [choose.gauss(MU, 250) for _ in range(1000)]
    chosen = [choose.random() for _ in skill]
    races = list(quiet_site(choose))
    fold, late, first = Fold(), [], []
    for number, (at, who) in enumerate(races):
        result = sorted(who, key=lambda player: choose.gauss(skill[player], 175), reverse=True)
        states = [fold.standings.get(player, RatingState()) for player in result]
        for one, other in itertools.combinations(states, 2):
            loss = -math.log(chance(SkillEstimate(*one[:2]), SkillEstimate(*other[:2])))
            if number >= len(races) / 2:
                late.append(loss)
            if min(one.races, other.races) < 20:
                first.append(loss)
        fold.add(race(number, at, result, regular=lambda player: chosen[player] < regulars))
    found = [player for player, state in fold.standings.items() if state.races >= RACES]
    ranks = [sorted(found, key=key) for key in (skill.__getitem__, lambda player: fold.standings[player].mu)]
    distance = sum((ranks[0].index(player) - ranks[1].index(player)) ** 2 for player in found)
    correlation = 1 - 6 * distance / (len(found) ** 3 - len(found))
    return Accuracy(fmean(late), fmean(first), correlation)
