"""Concurrent changes of results and standings on two connections.

`test_at_once.py` runs `main` with DATABASE_URL set to a migrated, empty PostgreSQL database. Nothing depends on
timing: the first connection is stopped at one of its statements, and continues once the second has finished or waits
for a lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

from celery import current_app
from django.db import connection, connections
from django.test import override_settings

from accounts.sign_in.guests import create_guest, merge_guest
from games.models import Attempt
from leaderboards.boards import deal_boards, histogram, seasons
from leaderboards.boards.listings import season_listings
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.models import ProvisionalChange, Season, Standing
from leaderboards.ratings import audit, folding
from leaderboards.verdicts import pending_sweep, settlement
from tests import factories
from tests.factories import DAY, NOON, make_account, make_deal, make_established, won_records
from tests.leaderboards import raced


class Side:
    """An action on its own connection."""

    def __init__(self, action: Callable[[], object]) -> None:
        self._action = action
        self.pid = 0
        self.outcome: object = None
        self._connected = threading.Event()
        self._thread = threading.Thread(target=self._act)

    def start(self) -> None:
        self._thread.start()
        assert self._connected.wait(30)

    def finish(self) -> object:
        """Wait for the end, and return the result or the exception."""
        self._thread.join(60)
        assert not self._thread.is_alive()
        return self.outcome

    def is_over(self) -> bool:
        """Return whether it has finished."""
        return not self._thread.is_alive()

    def is_over_or_waits(self) -> bool:
        """Return whether it has finished or is waiting for a lock."""
        if self.is_over():
            return True
        with connection.cursor() as cursor:
            cursor.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [self.pid])
            return bool(cursor.fetchone()[0])

    def _act(self) -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()")
                (self.pid,) = cursor.fetchone()
            self._connected.set()
            self.outcome = self._action()
        except Exception as error:  # noqa: BLE001 - it is the outcome
            self.outcome = error
        finally:
            connections.close_all()


class Stop:
    """Stops a side after its first statement of a kind until it may continue."""

    def __init__(self, after: Callable[[str], bool]) -> None:
        self._after = after
        self.reached, self.go_on = threading.Event(), threading.Event()

    @contextmanager
    def on_this_connection(self) -> Any:
        with connection.execute_wrapper(self._watch):
            yield

    def _watch(self, execute: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
        found = execute(sql, params, many, context)
        if self._after(sql) and not self.reached.is_set():
            self.reached.set()
            assert self.go_on.wait(60)
        return found


def one_while_other(first: Callable[[], object], after: Callable[[str], bool], second: Callable[[], object]) -> bool:
    """Run `first` up to a statement, then `second` as far as possible, then the rest.

    Returns whether `second` had to wait. Neither may fail.
    """
    stop = Stop(after)

    def stopped() -> object:
        with stop.on_this_connection():
            return first()

    one, other = Side(stopped), Side(second)
    one.start()
    assert stop.reached.wait(60), one.outcome
    other.start()
    while not other.is_over_or_waits():
        pass
    waited = not other.is_over()
    stop.go_on.set()
    outcomes = [one.finish(), other.finish()]
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)], outcomes
    return waited


def two_days_of_a_player_are_recounted() -> None:
    """A sum computed before another recount's commit does not overwrite its result."""
    who = make_account()
    factories.listed(make_deal("braid", DAY), BoardScore(50, 1_000, 100), who=who)

    def another_day() -> None:
        factories.listed(make_deal("braid", DAY - timedelta(days=1)), BoardScore(8, 10, 5), who=who)
        seasons.recount_marked()

    one_while_other(seasons.recount_marked, lambda sql: "SUM(" in sql and "leaderboards_result" in sql, another_day)
    found = set(Standing.objects.filter(player=who).values_list("season__period", "deals", "cards_up"))
    assert found == {("nine", 1, 50), ("nine", 1, 8), ("week", 2, 58), ("month", 2, 58), ("all", 2, 58)}, found
    whole_seasons()


def two_recounts_of_a_season_that_is_not_there_yet() -> None:
    """Both create the season; one waits for the other, and both players have standings."""
    players = [make_account(), make_account()]
    days = [DAY - timedelta(days=400), DAY - timedelta(days=399)]
    first, second = (make_deal("plot", day) for day in days)
    factories.listed(first, BoardScore(50, 1_000, 100), who=players[0])

    def another_player() -> None:
        factories.listed(second, BoardScore(8, 10, 5), who=players[1])
        seasons.recount_marked()

    one_while_other(
        seasons.recount_marked, lambda sql: "leaderboards_season" in sql and "FOR NO KEY UPDATE" in sql, another_player
    )
    assert {Standing.objects.filter(player=who).count() for who in players} == {7}
    whole_seasons()


def a_guest_signs_in_while_both_players_attempts_are_settled() -> None:
    """Merging and settling lock players in the same order, so they cannot deadlock."""
    user, guest = make_account(), create_guest()
    assert user.pk < guest.pk
    deals = make_deal("tarot", DAY), make_deal("plot", DAY)
    attempts = [factories.finished(deal, who) for deal, who in zip(deals, (user, guest), strict=True)]
    one_while_other(
        lambda: merge_guest(guest, user),
        lambda sql: "accounts_user" in sql and "FOR " in sql,
        lambda: settlement.settle(attempts[0].pk, max_others=5),
    )
    for attempt in attempts:
        settlement.settle(attempt.pk)
    assert set(Attempt.objects.filter(pk__in=[one.pk for one in attempts]).values_list("player_id", "state")) == {
        (user.pk, "verified")
    }
    assert [deal_boards.rank_of(deal, "race", user) for deal in deals] == [1, None]


def the_sweep_runs_while_attempts_are_settled() -> None:
    """The sweep skips attempts being settled, and holds no others while waiting."""
    deal = make_deal("braid", DAY - timedelta(days=9))
    attempts = [factories.finished(deal, tokens=factories.line(deal, 10 + n)) for n in range(3)]
    current_app.send_task = lambda *_args, **_options: None
    waited = one_while_other(
        lambda: settlement.settle(attempts[1].pk),
        lambda sql: "UPDATE games_attempt SET state" in sql,
        pending_sweep.resend_pending,
    )
    assert not waited
    tries = Attempt.objects.filter(pk__in=[one.pk for one in attempts]).order_by("pk").values_list("verify_tries")
    assert [found for (found,) in tries] == [1, 0, 1]
    for attempt in attempts:
        assert settlement.settle(attempt.pk) == "verified"


def two_workers_judge_an_attempt_and_its_copy() -> None:
    """Neither sees the other's attempt, which is still pending; the later one goes to review nevertheless."""
    for known, slower in zip(won_records("tarot-novice"), (0, 1), strict=False):
        deal = make_deal("tarot-novice", DAY - timedelta(days=20 + slower), seed=known.seed)
        record = factories.record_of(deal, known.tokens, end="won")
        pair = [factories.finished(deal, record=record, started_at=NOON + n * timedelta(hours=1)) for n in (0, 1)]
        one_while_other(
            partial(settlement.settle, pair[slower].pk),
            lambda sql: "a.line IS NOT NULL" in sql,
            partial(settlement.settle, pair[1 - slower].pk),
        )
        assert [Attempt.objects.get(pk=one.pk).state for one in pair] == ["verified", "review"]


def two_workers_rate_the_same_races() -> None:
    """One waits for the other, and then finds the races finished in between; every race is rated once."""
    players = [make_account() for _ in range(5)]
    races = raced.history(players, 12, seed=4)
    late: list[Any] = []

    def another_worker() -> int:
        late.append(raced.race(players[:3], at=NOON + raced.MINUTE / 2))  # later than the race being rated
        return folding.rate_finished()

    assert one_while_other(folding.rate_finished, lambda sql: "leaderboards_provisionalchange" in sql, another_worker)
    assert list(audit.faults()) == []
    assert ProvisionalChange.objects.filter(race=late[0]).count() == 3
    raced.disqualify(late[0], players[0])
    assert one_while_other(
        lambda: folding.refold(late[0].pk),
        lambda sql: "DELETE" in sql,
        lambda: folding.refold(races[0].pk),
    )
    assert list(audit.faults()) == []


def two_games_of_a_player_are_settled() -> None:
    """Both are on the ladder that applied when their deals opened."""
    deals = [make_deal(variant, DAY) for variant in ("stonewall", "labyrinth")]
    with override_settings(LADDERS=True):
        for who, ladder in ((make_established(), 1), (factories.make_old_account(), 2)):
            first, second = [factories.finished(deal, who).pk for deal in deals]
            one_while_other(
                partial(settlement.settle, first),
                lambda sql: "UPDATE games_attempt SET state" in sql,
                partial(settlement.settle, second),
            )
            both = Attempt.objects.filter(pk__in=(first, second))
            assert set(both.values_list("state", "ladder", "result__ladder")) == {("verified", ladder, ladder)}


def whole_seasons() -> None:
    for season in Season.objects.all():
        assert [fault for listing in season_listings(season.pk) for fault in histogram.faults(listing)] == []


def main() -> None:
    for scenario in (
        two_days_of_a_player_are_recounted,
        two_recounts_of_a_season_that_is_not_there_yet,
        a_guest_signs_in_while_both_players_attempts_are_settled,
        the_sweep_runs_while_attempts_are_settled,
        two_workers_judge_an_attempt_and_its_copy,
        two_workers_rate_the_same_races,
        two_games_of_a_player_are_settled,
    ):
        scenario()
        print("ok", scenario.__name__)
