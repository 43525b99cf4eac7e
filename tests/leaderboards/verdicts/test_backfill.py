"""Backfill of progress times for older results."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache

from games.core import events
from games.models import Attempt, Move
from games.races import finishing
from games.races.models import Entrant, Race
from games.rules import NO_PROGRESS
from leaderboards import tasks
from leaderboards.boards import deal_boards, entries, histogram
from leaderboards.boards.listings import deal_listings
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.models import Result
from leaderboards.verdicts import backfill
from leaderboards.verdicts.settlement import settle
from tests import factories
from tests.factories import DAY, make_account, make_deal
from tests.games.races.runs import Run, winning

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def requested_tasks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Record the requested tasks instead of queueing them."""
    tasks: list[tuple[Any, ...]] = []
    monkeypatch.setattr(events, "request_task", lambda *task, **_: tasks.append(task))
    return tasks


def played(deal: Any, clock: tuple[int, ...], end_ms: int) -> Attempt:
    """Settle a lost game of one player who dealt as many rows as the clock has times."""
    record = factories.record_of(deal, ("d",) * len(clock), clock=clock, end_ms=end_ms)
    attempt = factories.finished(deal, make_account(), record=record)
    settle(attempt.pk)
    return attempt


def forget() -> None:
    """Store everything as the release before did: keys by elapsed time and fewer tokens, and no progress times."""
    for result in Result.objects.select_related("player", "attempt", "deal"):
        player, attempt = result.player, result.attempt
        entries.remove(result)
        old = BoardScore(result.cards_up, result.elapsed_ms, result.tokens)
        entries.add(entries.result_of(attempt, player, old), listed=True)
    Attempt.objects.update(progress_ms=None)
    Entrant.objects.update(progress_ms=None)


def drain() -> int:
    """Run the task until it requests no further one; return the number of runs."""
    after: int | None = 0
    runs = 0
    while after is not None:
        after = backfill.fill_attempts(after)
        runs += 1
    backfill.rank_races()
    return runs


def board(deal: Any, name: Any = "race") -> list[Any]:
    return [entry.attempt for entry in deal_boards.sql_page(deal_listings(deal.pk)[name == "fewest"], None, 50).entries]


def test_stored_results_are_ranked_anew_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backfill, "BATCH", 2)
    deal = make_deal("labyrinth", DAY)
    early, late = played(deal, (), 600), played(deal, (500, 40_000), 45_000)
    right = board(deal)
    assert right == [late.public_id, early.public_id]
    assert board(deal, "fewest") == []
    forget()
    assert board(deal) == [early.public_id, late.public_id]
    assert drain() == 2
    assert board(deal) == right
    assert board(deal, "fewest") == []
    for listing in deal_listings(deal.pk):
        assert histogram.faults(listing) == []
    stored = sorted(Result.objects.values_list("pk", "race_key", "progress_ms"))
    assert drain() == 1
    assert sorted(Result.objects.values_list("pk", "race_key", "progress_ms")) == stored


def test_an_unreadable_record_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backfill, "BATCH", 1)
    deal = make_deal("labyrinth", DAY)
    bad, good = played(deal, (), 600), played(deal, (500,), 45_000)
    forget()
    Attempt.objects.filter(pk=bad.pk).update(record=b"-")
    drain()
    assert list(Attempt.objects.filter(progress_ms=None)) == [bad]
    good.refresh_from_db()
    assert good.progress_ms == NO_PROGRESS


@pytest.mark.parametrize("removed", [None, 0, 1])
def test_places_of_races_follow_and_their_ratings_once(requested_tasks: list[Any], removed: int | None) -> None:
    run = resigned_early_and_late()
    Race.objects.update(rated=True)
    forget()
    finishing.recompute_places(run.race.pk)
    assert places(run) == [2, 3, 1]
    if removed is not None:
        run.race.entrants.filter(player=run.players[removed]).update(attempt=None)
    requested_tasks.clear()
    drain()
    assert places(run) == [3, 2, 1]
    assert not Entrant.objects.filter(progress_ms=None).exists()
    assert [task for task in requested_tasks if task[0] == "talon.refold"] == [("talon.refold", run.race.pk)]
    requested_tasks.clear()
    drain()
    assert requested_tasks == []


def resigned_early_and_late() -> Run:
    """Return a finished race: one resigned after 0.6 s, one tried a move for 45 s, and one won."""
    run = Run.racing(3)
    run.resign(0, 15.6)
    for n, token in enumerate((winning().tokens[0], "u"), 1):
        Move.objects.create(attempt=run.attempt(1), n=n, token=token, ms=20_000 * n)
    run.resign(1, 60)
    run.play(2)
    return run.judge()


def places(run: Run) -> list[int | None]:
    return [place for _state, place, _points in run.placed()]


def test_resigning_at_once_is_placed_behind_playing_on(requested_tasks: list[Any]) -> None:
    run = resigned_early_and_late()
    assert places(run) == [3, 2, 1]
    assert run.entrant(0).progress_ms == NO_PROGRESS
    assert run.entrant(2).progress_ms == run.entrant(2).elapsed_ms


def test_the_task_goes_on_until_nothing_is_left(requested_tasks: list[Any]) -> None:
    deal = make_deal("labyrinth", DAY)
    attempt = played(deal, (500,), 45_000)
    forget()
    requested_tasks.clear()
    tasks.backfill_progress()
    assert ("talon.backfill_progress", attempt.pk) in requested_tasks


def test_a_finished_backfill_costs_no_query(
    requested_tasks: list[Any], settings: Any, django_assert_num_queries: Any
) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "backfill"}}
    cache.clear()
    resigned_early_and_late()
    forget()
    requested_tasks.clear()
    tasks.backfill_progress()
    while after := [last for task, last in requested_tasks if task == "talon.backfill_progress"]:
        requested_tasks.clear()
        tasks.backfill_progress(after[-1])
    assert not Entrant.objects.filter(progress_ms=None).exists()
    with django_assert_num_queries(0):
        tasks.backfill_progress()
