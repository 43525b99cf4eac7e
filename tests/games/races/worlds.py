"""Randomized races with many faults.

Players come, leave, play, resign and close their tabs at random. Notices and tasks are lost, and processes die between
two transactions or before a commit's follow-up. Afterwards every change of state, recorded by a database trigger, must
be an arrow of docs/races.md, no move is lost, places equal those recomputed from the records, and ratings equal the
fold. The same seed gives the same race.
"""

from __future__ import annotations

import random
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, Final
from unittest.mock import patch

from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from accounts.models import User
from games.attempts.lifecycle import close_attempt, record_of
from games.core import events
from games.core.errors import Refusal
from games.models import Attempt, Move
from games.races import rooms, starting
from games.races.models import Entrant, Race, Room
from leaderboards.ratings import fold_input, folding
from leaderboards.verdicts.decisions import decide
from leaderboards.verdicts.settlement import settle
from tests.games.races.runs import Run, at, figures_of, winning

PLAYERS: Final = 4
#: Probabilities that a process dies where it can, and that a message is lost.
DEATHS, LOSSES = 0.04, 0.3

RACE_ARROWS: Final = {
    ("open", "countdown"), ("open", "void"), ("countdown", "racing"), ("countdown", "open"), ("countdown", "void"),
    ("racing", "settling"), ("racing", "void"), ("settling", "finished"), ("settling", "void"),
}  # fmt: skip
ENTRANT_ARROWS: Final = {
    ("joined", "ready"), ("ready", "joined"), ("ready", "racing"), ("ready", "absent"), ("racing", "absent"),
    *((before, after) for before in ("ready", "racing") for after in ("won", "retired", "timed_out")),
    *((ended, "disqualified") for ended in ("won", "retired", "timed_out")),
    *(("disqualified", ended) for ended in ("won", "retired", "timed_out")),
}  # fmt: skip


class Killed(BaseException):
    """The process is dead. Error handlers must not catch this."""


@dataclass
class World:
    """One race and its events."""

    chance: random.Random
    run: Run
    now: float = 0.0
    moves: dict[int, int] = field(default_factory=dict)
    deaths: int = 0

    def act(self) -> None:
        """Perform a random action; a death ends only that action."""
        try:
            self.chance.choice(self._acts())()
        except (Refusal, Killed) as ended:
            self.deaths += isinstance(ended, Killed)

    def _acts(self) -> list[Callable[[], object]]:
        players = [partial(self._player, place) for place in range(PLAYERS)]
        return [
            *players,
            *players,
            self._start,
            self._server,
            self._server,
            self._judge,
            folding.rate_finished,
        ]

    def _player(self, place: int) -> None:
        entrant = self._entrant(place)
        race = self.run.race
        if entrant is None or entrant.race_id != race.pk or race.state in ("finished", "void", "settling"):
            if race.number == 1 and race.state == "open":
                self.run.sit(place, self.now)
        elif race.state == "open":
            self._before(place)
        elif entrant.state in ("ready", "racing"):
            self._while_racing(place)

    def _before(self, place: int) -> None:
        if self.chance.random() < 0.15:
            self.run.leave(place, self.now)
        else:
            self.run.ready(place, ready=self.chance.random() < 0.9, second=self.now)

    def _while_racing(self, place: int) -> None:
        started = self.run.race.starts_at
        assert started is not None
        if at(self.now) < started:
            if self.chance.random() < 0.1:
                self.run.leave(place, self.now)
            return
        attempt = self.run.attempt(place)
        if attempt.state != "playing":
            return
        starting.mark_dealt([attempt.pk], at(self.now))
        what = self.chance.random()
        if what < 0.08:
            self.run.leave(place, self.now)
        elif what < 0.16:
            self.run.resign(place, self.now)
        elif what < 0.9:
            self._play(place, attempt)

    def _play(self, place: int, attempt: Attempt) -> None:
        """Write some moves as the journal does; a process may die before the last one's close."""
        if attempt.deadline is None or at(self.now) >= attempt.deadline:
            return
        last = Move.objects.filter(attempt=attempt).order_by("-n").first()
        done, ms = (last.n, last.ms) if last else (0, 0)
        ms = max(ms, int((at(self.now) - attempt.started_at).total_seconds() * 1000))
        tokens = winning().tokens
        rows = []
        for n, token in list(enumerate(tokens, 1))[done : done + self.chance.choice([5, 20, len(tokens)])]:
            rows.append(Move(attempt=attempt, n=n, token=token, ms=ms))
            ms += self.chance.randrange(1, 30)
        Move.objects.bulk_create(rows)
        self.moves[attempt.pk] = done + len(rows)
        if self.moves.get(attempt.pk) == len(tokens):
            close_attempt(attempt.pk, "won", at=at(self.now))

    def _start(self) -> None:
        host = Room.objects.get(pk=self.run.room.pk).host_id
        if host is not None and self.chance.random() < 0.3:
            starting.start_as_host(self.run.room.pk, host, at(self.now))

    def _server(self) -> None:
        if self.chance.random() < 0.5:
            self.run.tend(self.now)
        else:
            starting.start_racing(at(self.now))

    def _judge(self) -> None:
        for attempt_id in self.run.attempt_ids:
            if self.chance.random() < 0.5:
                settle(attempt_id)

    def _entrant(self, place: int) -> Entrant | None:
        return Entrant.objects.filter(player=self.run.players[place]).order_by("-pk").first()

    def to_the_end(self) -> None:
        """Do what a healthy worker does sooner or later."""
        for _ in range(12):
            if self.run.race.state in ("finished", "void"):
                break
            self.now += 5
            self.run.tend(self.now)
            self.run.judge()


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


def bad_luck(chance: random.Random) -> AbstractContextManager[None]:
    """Kill processes between transactions and after commits, and lose notices and tasks."""

    def die() -> None:
        if chance.random() < DEATHS:
            raise Killed

    def is_lost() -> bool:
        die()
        return chance.random() < LOSSES

    return faults(die, is_lost)


@contextmanager
def written_down() -> Iterator[None]:
    """Have the database record every change of a state, for `arrows`."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE arrow (what TEXT, before TEXT, after TEXT)")
        for table in ("races_race", "races_entrant"):
            cursor.execute(
                f"CREATE TEMP TRIGGER arrow_{table} AFTER UPDATE OF state ON {table} WHEN old.state <> new.state "
                f"BEGIN INSERT INTO arrow VALUES ('{table}', old.state, new.state); END"
            )
        try:
            yield
        finally:
            for table in ("races_race", "races_entrant"):
                cursor.execute(f"DROP TRIGGER arrow_{table}")
            cursor.execute("DROP TABLE arrow")


def arrows() -> Counter[tuple[str, str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT what, before, after, COUNT(*) FROM arrow GROUP BY what, before, after")
        return Counter({(what, before, after): count for what, before, after, count in cursor.fetchall()})


def accounts(count: int = 12) -> list[User]:
    return [User.objects.create_user(f"racer-{secrets.token_hex(6)}") for _ in range(count)]


def simulate(seed: int, pool: Sequence[User]) -> World:
    """Simulate one rated race between some of these players, from the first seat to the last place."""
    chance = random.Random(seed)
    run = Run.of(PLAYERS, players=chance.sample(pool, PLAYERS))
    Race.objects.filter(room=run.room).update(rated=True)
    run.easy()
    world = World(chance, run)
    with quiet(), bad_luck(chance):
        for _ in range(chance.randrange(40, 120)):
            world.now += chance.choice([0.1, 0.5, 1, 2, 8, 20])
            world.act()
    world.now += 400
    with quiet():
        world.to_the_end()
        decide_some(world)
        with patch.object(fold_input, "REVIEW_WAIT", timedelta(days=world.chance.choice([0, 10_000]))):
            folding.rate_finished()
            decide_reviews(world)
            folding.rate_finished()
        folding.refold_changed(at(0))
    check(world)
    rooms.close(run.room)
    return world


@contextmanager
def quiet() -> Iterator[None]:
    """Disable the queue and the channel layer; the simulation delivers or loses their content itself."""
    with patch.object(events, "request_task", lambda *_, **__: True), patch.object(events.notifier, "send"):
        yield


def decide_some(world: World) -> None:
    """Reject a record now and then, as staff would."""
    placed = Entrant.objects.filter(race=world.run.race, place__isnull=False)
    for attempt_id in placed.order_by("pk").values_list("attempt", flat=True):
        assert attempt_id is not None
        if world.chance.random() < 0.1:
            decide(attempt_id, Attempt.State.REJECTED, "staff")


def decide_reviews(world: World) -> None:
    """Decide most records under review, some only after the race was rated without them."""
    in_review = Attempt.objects.filter(entrant__race=world.run.race, state=Attempt.State.REVIEW)
    for attempt_id in in_review.order_by("pk").values_list("pk", flat=True):
        if world.chance.random() < 0.8:
            decide(attempt_id, world.chance.choice([Attempt.State.VERIFIED, Attempt.State.REJECTED]), "staff")


def check(world: World) -> None:
    for what, before, after in arrows():
        allowed = RACE_ARROWS if what == "races_race" else ENTRANT_ARROWS
        assert (before, after) in allowed, (what, before, after)
    races = list(Race.objects.filter(room=world.run.room).select_related("deal"))
    for race in races:
        assert race.state in ("open", "finished", "void"), race.state
        entrants = list(Entrant.objects.filter(race=race).select_related("attempt"))
        if race.state == "open":
            continue
        assert not [one for one in entrants if one.state in ("joined", "ready", "racing")]
        assert race.deal is None or race.deal.revealed_at is not None
        if race.state == "finished":
            check_places(entrants)
        else:
            assert {one.place for one in entrants} <= {None}
    for attempt in Attempt.objects.filter(entrant__race__room=world.run.room):
        if attempt.state == "playing":
            continue
        assert len(record_of(attempt).tokens) == world.moves.get(attempt.pk, 0), "a move was lost"


def check_places(entrants: list[Entrant]) -> None:
    """Check the places by comparing all pairs of entrants."""
    out = [one for one in entrants if one.state == "absent" or one.is_in_review]
    raced = [one for one in entrants if one not in out]
    assert all(one.place is None and one.points is None for one in out)
    for one in raced:
        assert one.attempt is not None
        mine = figures_of(one.attempt)
        assert (one.cards_up, one.elapsed_ms, one.tokens) == mine
        ahead = sum(beats(other, one) for other in raced)
        behind = sum(beats(one, other) for other in raced if other.standing != Entrant.Standing.NEW)
        points = 0 if one.state == "disqualified" else behind + 1
        assert (one.place, one.points) == (ahead + 1, points), (one.place, ahead)
        assert (one.state == "disqualified") == (one.attempt.state == "rejected")


def beats(one: Entrant, other: Entrant) -> bool:
    """Return whether one comes before the other: honest, then won, then more cards, then faster, then fewer tokens."""
    if one.state == "disqualified" or other.state == "disqualified":
        return one.state != "disqualified" and other.state == "disqualified"
    assert one.attempt is not None
    assert other.attempt is not None
    mine, theirs = figures_of(one.attempt), figures_of(other.attempt)
    if (one.attempt.end == "won") != (other.attempt.end == "won"):
        return one.attempt.end == "won"
    if mine[0] != theirs[0]:
        return mine[0] > theirs[0]
    return mine[1:] < theirs[1:]
