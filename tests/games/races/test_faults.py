"""Crashes and losses at every moment of a race: the outcome is always the same, and no rating suffers.

One race is run again and again, each time with a fault at another possible place.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from games.attempts.lifecycle import close_attempt, record_of
from games.models import Attempt, Move
from games.races import starting
from games.races.models import Entrant, Race, Room
from leaderboards.models import ProvisionalChange
from leaderboards.ratings import audit, folding
from leaderboards.verdicts import pending_sweep
from leaderboards.verdicts.settlement import settle
from tests.factories import make_account
from tests.games.races.runs import LIMIT_S, Run, at, times, winning
from tests.rules.profile import examples

pytestmark = pytest.mark.django_db(transaction=True)

Task = tuple[Any, ...]
#: Results in the order of the seats: one wins, one resigns, one runs out of time, one never shows up.
FINISHED = "finished won retired timed_out absent"
PLACES = [1, 3, 2, None]
TOKENS = [len(winning().tokens), 10, 30]


class Killed(BaseException):
    """The process is dead. Error handlers must not catch this."""


@contextmanager
def faults(before: Callable[[], object], is_lost: Callable[[], bool]) -> Iterator[None]:
    """Call `before` ahead of each transaction, and drop the follow-up of each commit for which `is_lost` is true."""
    enter, run_hooks = transaction.Atomic.__enter__, BaseDatabaseWrapper.run_and_clear_commit_hooks

    def entering(atomic: Any) -> Any:
        if not connection.in_atomic_block:
            before()
        return enter(atomic)

    def committed(wrapper: Any) -> None:
        hooks, wrapper.run_on_commit = wrapper.run_on_commit, []
        if hooks and is_lost():
            return
        wrapper.run_on_commit = hooks
        run_hooks(wrapper)

    with (
        patch.object(transaction.Atomic, "__enter__", entering),
        patch.object(BaseDatabaseWrapper, "run_and_clear_commit_hooks", committed),
    ):
        yield


@dataclass
class Trouble:
    """A fault at the `k`-th possible place: a process dies there, or Redis loses all its data."""

    k: int = -1
    dies: bool = True
    places: int = 0
    queue: list[Task] = field(default_factory=list)
    """The tasks in the Redis queue."""

    def comes(self, *, is_commit: bool = False) -> bool:
        """Return whether the fault happens at this place; if it does, the process is dead."""
        if not (self.dies or self.queue or is_commit):
            return False  # Redis has nothing to lose here
        self.places += 1
        if self.places != self.k:
            return False
        if self.dies:
            raise Killed
        self.queue.clear()
        cache.clear()
        return is_commit


class Story:
    """A rated race of four from the first seat to the last rating, run with or without a fault."""

    def __init__(self, trouble: Trouble) -> None:
        self.trouble = trouble
        self.run = Run.of(0)
        self.run.players = [make_account() for _ in range(4)]
        Race.objects.filter(room=self.run.room).update(rated=True)
        Room.objects.filter(pk=self.run.room.pk).update(host=self.run.players[0])
        self.run.easy()

    def run_race(self) -> None:
        """Run the race; players repeat each action, through another process, until it has succeeded."""
        for place in range(4):
            self._player(partial(self.run.sit, place), partial(self._state, place))
        self._player(self.run.host_starts, lambda: self.run.race.state == Race.State.COUNTDOWN)
        self._server(lambda: starting.start_racing(at(16)))
        for place in range(3):
            self._player(partial(self._sees, place), partial(self._is, "racing", place))
        self._server(lambda: self.run.tend(27))
        self._player(partial(self._wins, 0), partial(self._is, "won", 0))
        self._player(partial(self.run.play, 1, TOKENS[1]), partial(self._moves, 1))
        self._player(partial(self.run.play, 2, TOKENS[2]), partial(self._moves, 2))
        self._player(partial(self.run.resign, 1, 60), partial(self._is, "retired", 1))
        self._server(self.work)
        self._server(lambda: self.run.tend(LIMIT_S + 17))
        self._server(self.work)

    def run_tasks(self) -> None:
        """Run the periodic tasks of the following hour."""
        for second in (1000, 2000):
            self.run.tend(second)
            pending_sweep.resend_pending(at(100 * second))
            self.trouble.queue.append(("talon.rate_races",))
            self.work()

    def work(self) -> None:
        """Work off the queue as the worker does: a task is removed once it is done."""
        while self.trouble.queue:
            name, *arguments = self.trouble.queue[0]
            if name == "talon.verify":
                settle(*arguments)
            elif name == "talon.rate_races":
                folding.rate_finished()
            self.trouble.queue[:1] = []

    def _server(self, step: Callable[[], object]) -> None:
        """Take a step in a process that may die of it."""
        with suppress(Killed):
            step()

    def _player(self, act: Callable[[], object], is_done: Callable[[], object]) -> None:
        for _ in range(3):
            if is_done():
                return
            self._server(act)
        if not is_done():
            raise AssertionError(self.run.states())

    def _sees(self, place: int) -> None:
        starting.mark_dealt([self.run.attempt(place).pk], at(16))

    def _moves(self, place: int) -> int:
        return Move.objects.filter(attempt=self.run.attempt(place)).count()

    def _wins(self, place: int) -> None:
        """Write the moves to the journal; then the next process that reads it closes the game."""
        if not self._moves(place):
            self.run.play(place, TOKENS[place])
        close_attempt(self.run.attempt(place).pk, "won", at=at(16 + times(winning().tokens)[-1] / 1000))

    def _state(self, place: int) -> str | None:
        return Entrant.objects.filter(player=self.run.players[place]).values_list("state", flat=True).first()

    def _is(self, state: str, place: int) -> bool:
        return self._state(place) == state

    def check(self) -> None:
        """Check the one permitted outcome."""
        race = self.run.race
        assert (race.number, self.run.states()) == (1, FINISHED)
        entrants = list(race.entrants.order_by("pk"))
        assert [one.place for one in entrants] == PLACES
        assert not Attempt.objects.filter(entrant__race=race, state="playing").exists()
        assert [len(record_of(self.run.attempt(place)).tokens) for place in range(3)] == TOKENS
        assert race.deal is not None
        assert race.deal.revealed_at is not None
        rated = ProvisionalChange.objects.filter(race=race).order_by("entrant").values_list("entrant", flat=True)
        assert list(rated) == [one.pk for one in entrants if one.place]
        assert list(audit.faults()) == []


def run_story(queue: list[Task], k: int = -1, *, dies: bool = True) -> Story:
    queue.clear()
    story = Story(Trouble(k, dies, queue=queue))
    comes = story.trouble.comes
    with faults(comes, partial(comes, is_commit=True)):
        story.run_race()
    story.run_tasks()
    return story


@pytest.mark.slow
@pytest.mark.parametrize("dies", [True, False], ids=["a process dies", "Redis is flushed"])
def test_a_fault_at_any_moment_changes_nothing(requested_tasks: list[Task], dies: bool) -> None:
    story = run_story(requested_tasks, dies=dies)
    story.check()
    places = story.trouble.places
    assert places > (40 if dies else 20)
    # A few places, others in every run.
    for k in random.sample(range(1, places + 1), min(places, examples(6).max_examples)):
        again = run_story(requested_tasks, k, dies=dies)
        try:
            again.check()
        except AssertionError as error:
            error.add_note(f"at place {k} of {places}")
            raise
