"""Soak: it finds nothing in the unchanged service, and finds every kind of fault."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest

from games.races.results.heat_points import heat_points
from games.races.results.places import placed
from games.rules import Score, open_table
from tests.services.soak.breaking import KINDS, plan
from tests.services.soak.checking import (
    Boards,
    Day,
    Game,
    Kept,
    Line,
    Outcome,
    Seasons,
    find_day_faults,
    find_faults,
    find_race_faults,
)
from tests.services.soak.life import BACK_WITHIN, Person
from tests.services.soak.races import Room
from tests.services.soak.running import Wish, soak
from tests.services.soak.tables import Plan, Table

DAILY, RACE, VARIANT, SEED = 7, 8, "stonewall", "5a" * 32
START = 1_000_000.0


@pytest.mark.needs("pgbouncer")
@pytest.mark.services
@pytest.mark.slow
def test_a_short_soak_behind_pgbouncer_finds_nothing_wrong(cluster: Path, tmp_path: Path) -> None:
    """`make soak` runs one without PgBouncer; `test_faults` covers each fault on its own."""
    wish = Wish(seconds=24, seed=20261121, players=24, hurried=True, pooled=True, misfortune_every=10)
    outcome = soak(wish, tmp_path, print, cluster)
    assert outcome.faults == []
    assert set(outcome.blows) == set(KINDS)
    assert outcome.tokens > 100
    assert outcome.verdicts["verified"] > 20
    assert outcome.races["finished"], "ratings are folded under a lock and copied in bulk"


@dataclass
class History:
    """An honest history of three players at a daily deal and in a race of the day; tests manipulate it."""

    games: list[Game] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    boards: Boards = field(default_factory=dict)
    seasons: Seasons = field(default_factory=dict)

    def __post_init__(self) -> None:
        figures = [self._play(number, length) for number, length in enumerate((40, 25, 10))]
        ranked = sorted(figures, key=lambda one: (-one[0], one[1]))
        self.board = [Line(rank, f"player{figures.index(one)}", *one) for rank, one in enumerate(ranked, 1)]
        self.boards[DAILY, "race", "web0"] = self.board
        fewest = sorted(self.board, key=lambda line: (-line.cards_up, line.tokens))
        self.boards[DAILY, "fewest", "web0"] = [replace(line, rank=rank) for rank, line in enumerate(fewest, 1)]
        self.seasons["all", "", "race", "web0"] = [replace(line) for line in self.board]
        raced = {number: Score("retired", *one) for number, one in enumerate(figures)}
        places, points = placed(raced), heat_points(raced, placed(raced), {1})
        entrants = [
            {
                "id": number,
                "player": f"player{number}",
                "state": "retired",
                "place": places[number],
                "points": points[number],
                "attempt": f"raced{number}",
                "verdict": "verified",
            }
            for number in raced
        ]
        self.race = Outcome(1, "finished", START, True, entrants, [0, 1, 2], [], RACE)
        first = sorted(raced, key=lambda number: places[number])
        self.day = Day(
            ["player0", "player2"],
            [[f"player{number}", raced[number].cards_up, raced[number].elapsed_ms] for number in first],
            {
                f"player{number}": [1 + sum(other > points[number] for other in points.values()), points[number], 1, 0]
                for number in raced
            },
        )

    def _play(self, number: int, length: int) -> tuple[int, int, int]:
        table, choose = open_table(VARIANT, bytes.fromhex(SEED)), random.Random(number)
        told = Game(f"daily{number}", ended="resigned", verdicts=[{"state": "verified"}])
        for n in range(1, length + 1):
            told.acknowledged[n] = (choose.choice(table.legal_moves()), n * 1000 + number)
            table.push(told.acknowledged[n][0])
        told.views.append((length, json.loads(json.dumps(table.view()))))
        self.games += [told, replace(told, attempt=f"raced{number}", dealt_at=START + 0.01)]
        tokens, clock = map(list, zip(*told.acknowledged.values(), strict=True))
        end, results = clock[-1] + 500, [number + 1]
        for attempt, for_race in ((f"daily{number}", False), (f"raced{number}", True)):
            self.kept.append(
                Kept(
                    attempt=attempt,
                    player=f"player{number}",
                    deal=RACE if for_race else DAILY,
                    variant=VARIANT,
                    seed=SEED,
                    for_race=for_race,
                    state="verified",
                    end="resigned",
                    end_ms=end,
                    tokens=[*tokens],
                    clock=[*clock],
                    finished_at=f"2026-11-21T12:00:0{number}+00:00",
                    results=[] if for_race else results,
                )
            )
        return table.cards_up, end, length

    def faults(self) -> list[str]:
        return [
            *find_faults(self.games, self.kept, self.boards, self.seasons),
            *find_race_faults(self.games, self.kept, self.race),
            *find_day_faults(self.kept, [self.race], self.day),
        ]


def test_an_honest_history_has_no_faults() -> None:
    assert History().faults() == []


def set_in(item: Any, **values: Any) -> None:
    item.update(values) if isinstance(item, dict) else vars(item).update(values)


DOCTORED: dict[str, tuple[Callable[[History], object], str]] = {
    "a token is lost": (lambda all_: (all_.kept[0].tokens.pop(), all_.kept[0].clock.pop()), "was acknowledged"),
    "a racer's token is lost": (lambda all_: (all_.kept[1].tokens.pop(), all_.kept[1].clock.pop()), "was acknowledged"),
    "a time has changed": (lambda all_: set_in(all_.kept[2], clock=[0, *all_.kept[2].clock[1:]]), "was acknowledged"),
    "an attempt is gone": (lambda all_: all_.kept.pop(0), "is not in the database"),
    "a result is double": (lambda all_: all_.kept[2].results.append(99), "verified with 2 results"),
    "no verdict comes": (lambda all_: set_in(all_.kept[4], state="pending", results=[]), "is left pending"),
    "an honest game is rejected": (lambda all_: set_in(all_.kept[0], state="rejected", results=[]), "was rejected"),
    "a game ends otherwise": (lambda all_: set_in(all_.kept[0], end="closed"), "was told resigned"),
    "a hidden card is shown": (lambda all_: all_.games[0].views[0][1]["piles"].clear(), "is not what may be seen"),
    "two ranks are swapped": (lambda all_: all_.board.reverse(), "instead of"),
    "a board is not shown": (lambda all_: all_.boards.clear(), "was not shown"),
    "a season lacks a line": (lambda all_: all_.seasons["all", "", "race", "web0"].pop(), "2 lines instead of 3"),
    "a race never ends": (lambda all_: set_in(all_.race, state="settling"), "is left settling"),
    "a place is wrong": (lambda all_: set_in(all_.race.entrants[0], place=3), "has place 3"),
    "a void race has places": (lambda all_: set_in(all_.race, state="void"), "instead of None"),
    "a racer is under review": (lambda all_: set_in(all_.race.entrants[1], verdict="review"), "honest game is review"),
    "a stranger is rated": (lambda all_: all_.race.rating_changes.append(9), "have changed"),
    "cards are dealt too early": (lambda all_: set_in(all_.games[1], dealt_at=START - 1), "before the start"),
    "the seed stays secret": (lambda all_: set_in(all_.race, is_revealed=False), "is not public"),
    "a point too many": (lambda all_: set_in(all_.race.entrants[2], points=9), "has 9 points"),
    "the podium is turned": (lambda all_: all_.day.podium.reverse(), "the podium is"),
    "a player has no standing": (lambda all_: all_.day.standing.pop("player1"), "player1 stands at None"),
    "a player is in twice": (lambda all_: set_in(all_.race.entrants[1], player="player0"), "in two divisions"),
}


@pytest.mark.parametrize(("doctor", "fault"), DOCTORED.values(), ids=DOCTORED)
def test_a_doctored_history_is_detected(doctor: Callable[[History], object], fault: str) -> None:
    history = History()
    doctor(history)
    assert any(fault in found for found in history.faults()), history.faults()


class FairWeather:
    is_fair = True


def test_someone_locked_out_complains() -> None:
    person = Person(0, 1, ports=[1], weather=FairWeather(), tally=Counter(), every=60)
    person.follows = 1
    person._back_at = 0.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("asyncio.sleep", _no_time)
        _finish(person._check_return())
    assert person.complaints == [f"person 0: locked out for more than {BACK_WITHIN} s"]


async def _no_time(_seconds: float) -> None:
    pass


def _finish(coroutine: Any) -> None:
    with pytest.raises(StopIteration):
        coroutine.send(None)


def test_leaks_are_noticed() -> None:
    game, person = Game("one"), cast("Person", None)
    table = Table(person, "", game, Plan(9, ""), random.Random(1), secrets={SEED})
    room = Room(person, "", "code", frozenset({SEED}), [])
    table.take(json.dumps({"type": "error", "message": SEED}))
    table.take(json.dumps({"type": "pong", "attempt": "another"}))
    assert [complaint.partition(":")[0] for complaint in game.complaints] == [
        "a seed was told",
        "another's table was shown",
    ]
    for message in ({"type": "lanes", "lanes": [["KS"]]}, {"type": "room", "last": {"token": "d"}}):
        room._take(json.dumps(message))
    assert len(room.complaints) == 2


def test_a_seed_reproduces_the_blows_of_every_kind() -> None:
    blows = plan(3, 20)
    assert blows == plan(3, 20) != plan(4, 20)
    assert {blow.kind for blow in blows} == set(KINDS)
