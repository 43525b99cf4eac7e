"""Bad luck in a race: whatever dies or is lost at whichever moment has one outcome, and harms nobody's rating.

One race is run again and again. Each time something goes wrong at another of the places where it can; what comes out is
always the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from games import events
from games.attempts import close_attempt, record_of
from games.models import Attempt, Move
from games.races import starting
from games.races.models import Entrant, Race, Room
from leaderboards import sweeping
from leaderboards.models import RatingChange
from leaderboards.ratings import keeping, proof
from leaderboards.settlement import settle
from tests.games.races.runs import LIMIT_S, Run, at, times, winning
from tests.games.races.worlds import Killed
from tests.leaderboards import factory

pytestmark = pytest.mark.django_db(transaction=True)

Task = tuple[Any, ...]
#: What everybody does, in the order of the seats: one wins, one resigns, one runs out of time, one never comes.
FINISHED = "finished won retired timed_out absent"
PLACES = [1, 3, 2, None]
TOKENS = [len(winning().tokens), 10, 30]


@dataclass
class Trouble:
    """What goes wrong at the `k`-th place where it can: a process dies there, or Redis and all in it is lost."""

    k: int = -1
    dies: bool = True
    places: int = 0
    queue: list[Task] = field(default_factory=list)
    """The tasks that Redis holds."""

    def comes(self, *, is_commit: bool = False) -> bool:
        """Whether it comes at this place; a process that dies is dead then."""
        if not (self.dies or self.queue or is_commit):
            return False  # Redis has nothing to lose
        self.places += 1
        if self.places != self.k:
            return False
        if self.dies:
            raise Killed
        self.queue.clear()
        cache.clear()
        return is_commit

    @contextmanager
    def about(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """Let it come before transactions, and between a commit and what is to be done after it."""
        enter, run_hooks = transaction.Atomic.__enter__, BaseDatabaseWrapper.run_and_clear_commit_hooks

        def entering(atomic: Any) -> Any:
            if not connection.in_atomic_block:
                self.comes()
            return enter(atomic)

        def committed(wrapper: Any) -> None:
            hooks, wrapper.run_on_commit = wrapper.run_on_commit, []
            if hooks and self.comes(is_commit=True):
                return
            wrapper.run_on_commit = hooks
            run_hooks(wrapper)

        with monkeypatch.context() as patch:
            patch.setattr(transaction.Atomic, "__enter__", entering)
            patch.setattr(BaseDatabaseWrapper, "run_and_clear_commit_hooks", committed)
            yield


class Story:
    """A rated race of four from the first seat to the last rating, told with or without trouble."""

    def __init__(self, trouble: Trouble) -> None:
        self.trouble = trouble
        self.run = Run.of(0)
        self.run.players = [factory.player() for _ in range(4)]
        Race.objects.filter(room=self.run.room).update(rated=True)
        Room.objects.filter(pk=self.run.room.pk).update(host=self.run.players[0])
        self.run.easy()

    def tell(self) -> None:
        """Everything that happens; what a player does is done again until it is done, over another process."""
        for place in range(4):
            self._player(partial(self.run.sit, place), partial(self._state, place))
        for place in range(4):
            self._player(partial(self.run.ready, place), partial(self._is, "ready", place))
        self._server(lambda: starting.start_if_ready(self.run.room.pk, at(1)))  # unless the last `ready` has
        self._server(lambda: starting.begin_due(at(16)))
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

    def go_on(self) -> None:
        """What the periodic tasks do in the hour after."""
        for second in (1000, 2000):
            self.run.tend(second)
            sweeping.resend_pending(at(100 * second))
            self.trouble.queue.append(("talon.rate_races",))
            self.work()

    def work(self) -> None:
        """The worker: a task is taken from the queue once it is done."""
        while self.trouble.queue:
            name, *arguments = self.trouble.queue[0]
            if name == "talon.verify":
                settle(*arguments)
            elif name == "talon.rate_races":
                keeping.rate_finished()
            self.trouble.queue[:1] = []

    def _server(self, step: Callable[[], object]) -> None:
        """A process takes a step, or dies of it and is missed by nobody."""
        with suppress(Killed):
            step()

    def _player(self, act: Callable[[], object], is_done: Callable[[], object]) -> None:
        for _ in range(3):
            if not is_done():
                self._server(act)
        if not is_done():
            raise AssertionError(self.run.states())

    def _sees(self, place: int) -> None:
        starting.dealt([self.run.attempt(place).pk], at(16))

    def _moves(self, place: int) -> int:
        return Move.objects.filter(attempt=self.run.attempt(place)).count()

    def _wins(self, place: int) -> None:
        """The moves are in the journal, then the game is closed, by whichever process reads it next."""
        if not self._moves(place):
            self.run.play(place, TOKENS[place])
        close_attempt(self.run.attempt(place).pk, "won", at=at(16 + times(winning().tokens)[-1] / 1000))

    def _state(self, place: int) -> str | None:
        return Entrant.objects.filter(player=self.run.players[place]).values_list("state", flat=True).first()

    def _is(self, state: str, place: int) -> bool:
        return self._state(place) == state

    def check(self) -> None:
        """The one outcome."""
        race = self.run.race
        assert (race.number, self.run.states()) == (1, FINISHED)
        entrants = list(race.entrants.order_by("pk"))
        assert [one.place for one in entrants] == PLACES
        assert not Attempt.objects.filter(entrant__race=race, state="playing").exists()
        assert [len(record_of(self.run.attempt(place)).tokens) for place in range(3)] == TOKENS
        assert race.deal is not None
        assert race.deal.revealed_at is not None
        rated = RatingChange.objects.filter(race=race).order_by("entrant").values_list("entrant", flat=True)
        assert list(rated) == [one.pk for one in entrants if one.place]
        assert list(proof.faults()) == []


@pytest.fixture(autouse=True)
def queue(monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """The tasks that were asked for, of those that a race needs."""
    tasks: list[Task] = []

    def ask(*task: Any, **_: Any) -> bool:
        tasks.append(task)
        return True

    monkeypatch.setattr(events, "request_task", ask)
    return tasks


def told(monkeypatch: pytest.MonkeyPatch, queue: list[Task], k: int = -1, *, dies: bool = True) -> Story:
    queue.clear()
    story = Story(Trouble(k, dies, queue=queue))
    with story.trouble.about(monkeypatch):
        story.tell()
    story.go_on()
    return story


@pytest.mark.slow
@pytest.mark.parametrize("dies", [True, False], ids=["a process dies", "Redis is flushed"])
def test_bad_luck_at_any_moment_changes_nothing(monkeypatch: pytest.MonkeyPatch, queue: list[Task], dies: bool) -> None:
    story = told(monkeypatch, queue)
    story.check()
    places = story.trouble.places
    assert places > 40
    for k in range(1, places + 1):
        again = told(monkeypatch, queue, k, dies=dies)
        try:
            again.check()
        except AssertionError as error:
            error.add_note(f"at place {k} of {places}")
            raise
