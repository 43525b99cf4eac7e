"""A short run of the race simulation with its many faults.

For a longer run, set SIMULATED_RACES to the number of races; SIMULATION_SEED repeats a run.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from django.db import connection

from leaderboards.ratings.proof import faults
from tests.games.races.worlds import ENTRANT_ARROWS, RACE_ARROWS, accounts, arrows, check, simulate, written_down

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="the arrows are written down by a trigger of SQLite"),
]


@pytest.fixture(autouse=True)
def _arrows(transactional_db: None) -> Iterator[None]:
    with written_down():
        yield


def test_states_follow_the_arrows_and_places_are_right() -> None:
    first = int(os.environ.get("SIMULATION_SEED", random.randrange(10**6)))
    deaths, ended, pool = 0, Counter[str](), accounts(8)
    for seed in range(first, first + int(os.environ.get("SIMULATED_RACES", "6"))):
        print(f"SIMULATED_RACES=1 SIMULATION_SEED={seed}")
        world = simulate(seed, pool)
        deaths += world.deaths
        ended[world.run.states()] += 1
    print(f"{deaths} deaths", ended.most_common(), arrows().most_common(), sep="\n")
    assert deaths
    assert list(faults()) == []
    seen = Counter({(before, after): count for (_, before, after), count in arrows().items()})
    assert seen
    assert set(seen) <= RACE_ARROWS | ENTRANT_ARROWS


def test_the_simulation_notices_faults() -> None:
    pool = accounts(8)
    worlds = (simulate(seed, pool) for seed in range(1, 50))
    world = next(one for one in worlds if one.run.race.state == "finished" and one.moves)
    entrant = world.run.race.entrants.filter(place=1).first()
    assert entrant is not None
    attempt_id, done = world.moves.popitem()
    with pytest.raises(AssertionError, match="a move was lost"):
        check(world)
    world.moves[attempt_id] = done
    check(world)
    world.run.race.entrants.filter(pk=entrant.pk).update(place=9)
    with pytest.raises(AssertionError):
        check(world)
    world.run.race.entrants.filter(pk=entrant.pk).update(place=1)
    check(world)
    type(world.run.race).objects.filter(pk=world.run.race.pk).update(state="void")
    with pytest.raises(AssertionError, match="finished"):
        check(world)
