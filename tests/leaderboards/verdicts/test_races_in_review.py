"""Races with a record under review: they do not count until the decision, and then as if decided at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from games.core import events
from games.inbox.models import Notice
from games.models import Attempt
from games.races import finishing
from games.races.models import Entrant, Race, Room
from games.races.results import confirming_races, heat_standings
from leaderboards import tasks
from leaderboards.desk.review_queue import queue
from leaderboards.models import ProvisionalChange, ProvisionalRating, RatedRace
from leaderboards.ratings import audit, fold_input, folding
from leaderboards.ratings.rules import LAST
from leaderboards.verdicts.decisions import decide
from leaderboards.verdicts.settlement import settle
from tests.factories import make_account
from tests.games.races.runs import Run, at

pytestmark = pytest.mark.django_db(transaction=True)

REVIEW, VERIFIED, REJECTED = Attempt.State.REVIEW, Attempt.State.VERIFIED, Attempt.State.REJECTED
TASKS: dict[str, Callable[..., object]] = {"talon.rate_races": tasks.rate_races, "talon.refold": tasks.refold}


@pytest.fixture(autouse=True)
def worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run rating tasks at once, and no others."""

    def request(name: str, *args: int, **_: Any) -> bool:
        if name in TASKS:
            TASKS[name](*args)
        return True

    monkeypatch.setattr(events, "request_task", request)


def rated_run(players: list[Any]) -> Run:
    run = Run.counting(len(players), players=players)
    Race.objects.filter(pk=run.race.pk).update(rated=True)
    run.tend(15.0)
    assert run.race.state == "racing"
    return run


def finish(run: Run, *, doubtful: bool) -> None:
    """The first wins before the second, the third resigns; the first's record goes to review if `doubtful`."""
    run.play(0)
    run.play(1, first_ms=5_000)
    run.resign(2, 50)
    if doubtful:
        Attempt.objects.filter(pk=run.attempt(0).pk).update(started_at=at(-600))  # the clocks differ
        run.judge()
        assert run.attempt(0).state == REVIEW


def rows(runs: list[Run], players: list[Any]) -> list[tuple[Any, ...]]:
    """Return all stored data about races and ratings, with players by number."""
    number = {player.pk: n for n, player in enumerate(players)}
    found: list[tuple[Any, ...]] = []
    for run in runs:
        entrants = run.race.entrants.order_by("pk")
        found += entrants.values_list("state", "place", "points", "cards_up", "elapsed_ms", "tokens")
        changes = ProvisionalChange.objects.filter(entrant__race=run.race).order_by("entrant")
        fields = ("rank", "mu_before", "sigma_before", "mu_after", "sigma_after", "races")
        found += [(number[player], *rest) for player, *rest in changes.values_list("player", *fields)]
    ratings = ProvisionalRating.objects.filter(player__in=players).values_list("player", "mu", "sigma", "races")
    return found + sorted((number[player], *rest) for player, *rest in ratings)


def decided_from_the_start(state: Attempt.State) -> list[tuple[Any, ...]]:
    """Return the stored data if the first record of two races is decided before the race finishes."""
    players = [make_account() for _ in range(3)]
    first = rated_run(players)
    finish(first, doubtful=False)
    settle(first.attempt_ids[0])
    if state == REJECTED:
        decide(first.attempt(0).pk, REJECTED, "staff")
    first.judge()
    second = rated_run(players)
    finish(second, doubtful=False)
    second.judge()
    return rows([first, second], players)


def decided_late(state: Attempt.State, *, lapsed: bool = False) -> list[tuple[Any, ...]]:
    """Return the stored data if staff decide after the first race waited in review and the second was rated."""
    players = [make_account() for _ in range(3)]
    first = rated_run(players)
    finish(first, doubtful=True)
    assert not ProvisionalChange.objects.filter(player__in=players).exists()
    if lapsed:
        later = timezone.now() - fold_input.REVIEW_WAIT
        Race.objects.filter(pk=first.race.pk).update(finished_at=later)
        tasks.rate_races()
        assert ProvisionalChange.objects.filter(entrant__race=first.race).count() == 2
    second = rated_run(players)
    finish(second, doubtful=False)
    second.judge()
    assert ProvisionalChange.objects.filter(entrant__race=second.race).count() == 3
    decide(first.attempt_ids[0], state, "staff")
    notices = Notice.objects.filter(kind=Notice.Kind.RATING_MOVED, player__in=players)
    assert {notice.data["before"] == notice.data["after"] for notice in notices} == {False}
    return rows([first, second], players)


@pytest.mark.parametrize("lapsed", [False, True], ids=["waiting", "rated without it"])
@pytest.mark.parametrize("state", [VERIFIED, REJECTED])
def test_a_late_decision_stores_the_same_as_an_early_one(state: Attempt.State, lapsed: bool) -> None:
    assert decided_late(state, lapsed=lapsed) == decided_from_the_start(state)
    assert list(audit.faults()) == []


def test_a_race_in_review_is_rated_after_two_days() -> None:
    run = rated_run([make_account() for _ in range(3)])
    finish(run, doubtful=True)
    finished = timezone.now() - timedelta(days=2)
    Race.objects.update(finished_at=finished + timedelta(minutes=1))
    tasks.rate_races()
    assert not RatedRace.objects.exists()
    assert list(audit.faults()) == []
    Race.objects.update(finished_at=finished)
    tasks.rate_races()
    rated = ProvisionalChange.objects.order_by("entrant").values_list("player", "rank")
    assert list(rated) == [(run.players[1].pk, 1), (run.players[2].pk, 2)]
    assert list(audit.faults()) == []


def test_a_loser_in_review_counts_as_last_after_two_days(monkeypatch: pytest.MonkeyPatch) -> None:
    run = rated_run([make_account() for _ in range(3)])
    finish(run, doubtful=False)
    loser = run.attempt(2)
    settle(loser.pk)
    Attempt.objects.filter(pk=loser.pk).update(state=REVIEW)
    run.judge()
    Race.objects.update(finished_at=timezone.now() - fold_input.REVIEW_WAIT)
    tasks.rate_races()
    ranks = ProvisionalChange.objects.order_by("entrant").values_list("rank", flat=True)
    assert list(ranks) == [1, 2, LAST]
    assert run.entrant(2).place is None
    assert folding.rate_finished() == 0
    monkeypatch.setattr(events, "request_task", lambda *_, **__: True)
    decide(loser.pk, VERIFIED, "staff")
    assert folding.rate_finished() == 1
    assert list(ranks.all()) == [1, 2, 3]
    assert list(audit.faults()) == []


@pytest.mark.parametrize("state", [VERIFIED, REJECTED])
def test_a_lost_refold_after_a_late_decision_is_made_up_for(
    monkeypatch: pytest.MonkeyPatch, state: Attempt.State
) -> None:
    """A rejected record comes last, so no other rank changes."""
    run = rated_run([make_account() for _ in range(3)])
    finish(run, doubtful=True)
    Race.objects.update(finished_at=timezone.now() - fold_input.REVIEW_WAIT)
    tasks.rate_races()
    monkeypatch.setattr(events, "request_task", lambda *_, **__: True)
    decide(run.attempt(0).pk, state, "staff")
    assert folding.rate_finished() == 1
    assert ProvisionalChange.objects.count() == 3
    assert folding.rate_finished() == 0
    assert list(audit.faults()) == []


def test_a_record_back_in_review_revokes_its_rating() -> None:
    run = rated_run([make_account() for _ in range(3)])
    finish(run, doubtful=False)
    run.judge()
    assert ProvisionalChange.objects.count() == 3
    attempt = run.attempt(0)
    Attempt.objects.filter(pk=attempt.pk).update(state=REVIEW)
    finishing.recompute_places(run.race.pk)
    assert set(ProvisionalChange.objects.values_list("player", flat=True)) == {player.pk for player in run.players[1:]}
    assert list(audit.faults()) == []


def test_a_heat_in_review_gives_no_points_and_proves_nothing() -> None:
    run = rated_run([make_account() for _ in range(3)])
    Room.objects.update(kind=Room.Kind.HEAT)
    Race.objects.update(scheduled_at=at(15), division=1)
    finish(run, doubtful=True)
    suspect = run.players[0]
    Race.objects.update(finished_at=timezone.now())
    table = {one.player_id: (one.place, one.points) for one in heat_standings.standing("day", at(15).date())}
    assert table == {run.players[1].pk: (1, 2), run.players[2].pk: (2, 1)}
    assert heat_standings.standing_of(suspect.pk, "day", at(15).date()) is None
    assert not confirming_races.has_raced(suspect.pk, run.race.game)
    assert confirming_races.runs(run.players[1].pk, run.race.game) == [confirming_races.Run(1, 2)]
    (waiting,) = queue().waiting
    assert waiting.place == 1  # its prospective place
    decide(run.attempt(0).pk, VERIFIED, "staff")
    assert heat_standings.standing("day", at(15).date())[0].player_id == suspect.pk
    assert confirming_races.runs(suspect.pk, run.race.game) == [confirming_races.Run(1, 3)]
    assert not Entrant.objects.filter(place=None).exists()
