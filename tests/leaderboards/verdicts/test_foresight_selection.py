"""Foresight measurement: only of the best games, in its own queue, and hidden from players."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest
from django.test import Client

from config import celery
from games.attempts.lifecycle import BatchProgress
from games.core import events
from games.core.retention import remove_aged
from games.fairplay import foresight, foresight_store
from games.fairplay.foresight import Foresight, PauseFigures
from games.fairplay.foresight_store import FORM, KEPT, evidence_of, evidence_of_player, table_of
from games.fairplay.solver_likeness import SolverLikeness
from games.housekeeping import KINDS
from games.models import Attempt, Deal, ForesightFigures
from games.rules import RulesError
from leaderboards import tasks
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.verdicts import foresight_selection as choosing
from leaderboards.verdicts.foresight_selection import LOOKED_BACK, measure_top, top_places
from tests import factories
from tests.accounts.conftest import exported
from tests.factories import DAY, NOON, make_account, make_deal
from tests.leaderboards import raced as raced_games

pytestmark = pytest.mark.django_db

NOW = NOON + timedelta(hours=8)
SECRET = "remarkable-figure"


@pytest.fixture
def deal() -> Deal:
    return make_deal("stonewall", DAY, seed=bytes(32))


def settled(deal: Deal, number: int, **fields: Any) -> Attempt:
    tokens = factories.line(deal, 6)
    record = factories.record_of(deal, tokens, end_ms=100_000 + 1000 * number)
    return factories.settled(deal, record=record, **fields)


def measured() -> set[int]:
    return set(ForesightFigures.objects.values_list("attempt_id", flat=True))


def test_only_top_places_are_measured(deal: Deal, settings: Any) -> None:
    settings.FORESIGHT_PLACES = 2
    attempts = [settled(deal, number) for number in (3, 1, 2)]
    assert measure_top(NOW).done == 2
    assert measured() == {attempts[1].pk, attempts[2].pk}
    assert evidence_of(attempts[0]) is None


def test_reviews_count_with_their_prospective_place(deal: Deal, settings: Any) -> None:
    settings.FORESIGHT_PLACES = 2
    verified, good, bad = (settled(deal, number) for number in (2, 1, 3))
    Attempt.objects.filter(pk__in=[good.pk, bad.pk]).update(state=Attempt.State.REVIEW)
    good.result.delete()
    bad.result.delete()
    assert top_places(deal.pk) == [good.pk, verified.pk]
    Attempt.objects.filter(pk=good.pk).update(cards_up=None)
    assert top_places(deal.pk) == [verified.pk, bad.pk]


@pytest.mark.parametrize("state", [Attempt.State.VERIFIED, Attempt.State.REVIEW])
def test_the_shortest_game_is_measured_however_slow(deal: Deal, settings: Any, state: Attempt.State) -> None:
    settings.FORESIGHT_PLACES = 1
    fast, slow = (
        factories.listed(deal, BoardScore(52, 60_000, 200)),
        factories.listed(deal, BoardScore(52, 900_000, 90)),
    )
    factories.listed(deal, BoardScore(52, 800_000, 150))
    if state == Attempt.State.REVIEW:
        Attempt.objects.filter(pk=slow.attempt_id).update(state=state, cards_up=52, elapsed_ms=900_000, tokens=90)
        slow.delete()
    assert top_places(deal.pk) == [fast.attempt_id, slow.attempt_id]


def raced(*, rated: bool, at: datetime = NOON) -> Attempt:
    attempt = settled(make_deal("stonewall", DAY, practice=True), 1, ranked=False)
    entrant = raced_games.race([attempt.player], at=at, rated=rated).entrants.get()
    entrant.attempt = attempt
    entrant.save()
    return attempt


def test_every_rated_race_is_measured(settings: Any) -> None:
    settings.FORESIGHT_PLACES = 1
    verified, reviewed, rejected = raced(rated=True), raced(rated=True), raced(rated=True)
    Attempt.objects.filter(pk=reviewed.pk).update(state=Attempt.State.REVIEW)
    Attempt.objects.filter(pk=rejected.pk).update(state=Attempt.State.REJECTED)
    raced(rated=False)
    raced(rated=True, at=NOW - LOOKED_BACK - timedelta(hours=1))
    measure_top(NOW, seconds=60)
    assert measured() == {verified.pk, reviewed.pk}
    assert measure_top(NOW) == (0, 0, False)


def test_nothing_is_measured_if_it_is_switched_off(deal: Deal, settings: Any) -> None:
    settings.FORESIGHT_PLACES = 0
    settled(deal, 1)
    raced(rated=True)
    assert measure_top(NOW).done == 0


def test_old_deals_are_left_alone(deal: Deal) -> None:
    settled(deal, 1)
    assert measure_top(NOW + LOOKED_BACK + timedelta(days=2)).done == 0


def test_once_is_enough(deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = settled(deal, 1)
    assert measure_top(NOW).done == 1
    stored = ForesightFigures.objects.get()
    assert measure_top(NOW) == (0, 0, False)
    foresight_store.measure_and_store(attempt)  # two workers on the same game
    assert ForesightFigures.objects.get().figures == stored.figures
    monkeypatch.setattr(foresight_store, "FORM", FORM + 1)
    assert evidence_of(attempt) is None
    assert measure_top(NOW).done == 1
    assert ForesightFigures.objects.get().form == FORM + 1


def test_a_failing_game_stops_no_other(deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = settled(deal, 1), settled(deal, 2)

    def measure(record: Any, auto_runs: Any) -> Any:
        if record.end.ms == first.elapsed_ms:
            raise RulesError("lost")
        return foresight.measure(record, auto_runs)

    monkeypatch.setattr(foresight_store, "measure", measure)
    assert measure_top(NOW) == (1, 1, False)
    assert measured() == {second.pk}


def test_measurements_that_ran_out_of_time_are_repeated(deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
    settled(deal, 1)
    assert measure_top(NOW, seconds=-1.0).done == 0
    requested: list[str] = []
    monkeypatch.setattr(events, "request_task", requested.append)
    monkeypatch.setattr(choosing, "measure_top", lambda: BatchProgress(1, 0, more=True))
    tasks.measure_foresight()
    assert requested == ["talon.measure_foresight"]


def test_its_queue_is_separate_from_verdicts() -> None:
    queues = {
        task: celery.app.amqp.router.route({}, task)["queue"].name
        for task in ("talon.measure_foresight", "talon.verify")
    }
    assert queues == {"talon.measure_foresight": "evidence", "talon.verify": "verdicts"}
    assert "talon.measure_foresight" in {entry["task"] for entry in celery.app.conf.beat_schedule.values()}


def test_the_stored_figures_are_the_measured_ones(deal: Deal) -> None:
    attempt = settled(deal, 1)
    found = foresight_store.measure_and_store(attempt)
    assert evidence_of(attempt) == found
    assert found.game == "stonewall"
    assert table_of(found)[0][0] == "foresight"


def test_a_ranked_win_is_compared_with_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foresight_store, "measure", lambda *_: Foresight("labyrinth", applicable=True))
    monkeypatch.setattr(foresight_store, "compare_with_solver", lambda _record: SolverLikeness(20, 19))
    attempt = factories.finished(make_deal("labyrinth", day=DAY))
    found = foresight_store.measure_and_store(attempt)
    assert found.solver == SolverLikeness(20, 19)
    assert evidence_of(attempt) == found
    attempt.ranked = False
    assert foresight_store.measure_and_store(attempt).solver is None


def test_a_players_games_are_combined(deal: Deal) -> None:
    one, who = Foresight("plot", applicable=True, z=1.5), make_account()
    none = Foresight("plot", applicable=False, solver=SolverLikeness(10, 10))
    silent = Foresight("braid", applicable=True, z=9.0)
    paused = replace(one, pauses=PauseFigures(9, 1.0, 9, 1.0, 0.5))
    for number, found in enumerate((one, paused, one, paused, none, silent)):
        of = make_deal("tarot", day=DAY - timedelta(days=number))
        attempt = factories.finished(of, who)
        ForesightFigures.objects.create(attempt=attempt, form=FORM, figures=msgspec.to_builtins(found), made_at=NOW)
    together = evidence_of_player(who.pk)
    assert (together.games, together.with_pauses) == (4, 2)
    assert (together.z, together.pauses_z) == pytest.approx((3.0, 0.5 * 2**0.5))
    assert together.with_solver == 1
    assert together.solver_z == pytest.approx(SolverLikeness(10, 10).z("tarot"))
    assert tuple(evidence_of_player(settled(deal, 1).player_id)) == (0, 0.0, 0, 0.0, 0, 0.0)


def test_figures_are_kept_for_a_limited_time(deal: Deal) -> None:
    for number, age in ((1, KEPT + timedelta(minutes=1)), (2, KEPT - timedelta(minutes=1))):
        ForesightFigures.objects.create(attempt=settled(deal, number), form=FORM, figures={}, made_at=NOW - age)
    stored = ForesightFigures.objects.latest("made_at")
    remove_aged(KINDS, NOW)
    assert ForesightFigures.objects.get() == stored


def test_the_verdict_is_unchanged(deal: Deal) -> None:
    attempt = settled(deal, 1)
    before = Attempt.objects.filter(pk=attempt.pk).values().get()
    measure_top(NOW)
    assert Attempt.objects.filter(pk=attempt.pk).values().get() == before


@pytest.mark.django_db(transaction=True)  # the export is read in other threads
def test_players_do_not_see_it(deal: Deal, client: Client) -> None:
    attempt = settled(deal, 1)
    ForesightFigures.objects.create(attempt=attempt, form=FORM, figures={"game": SECRET}, made_at=NOW)
    client.force_login(attempt.player, backend="django.contrib.auth.backends.ModelBackend")
    day = deal.day.isoformat() if deal.day else ""
    pages = (
        f"/table/{attempt.public_id}/",
        f"/replay/{attempt.public_id}/",
        f"/replay/{attempt.public_id}/steps.json",
        f"/replay/{attempt.public_id}/record.json",
        f"/boards/{day}/stonewall/",
        f"/deals/{day}/stonewall/",
        f"/players/{attempt.player.public_id}/",
        f"/api/v1/boards/{deal.pk}",
        f"/api/v1/players/{attempt.player.public_id}/results",
    )
    responses = [client.get(page, follow=True) for page in pages]
    assert {answer.status_code for answer in responses} <= {200, 403, 404}
    assert sum(answer.status_code == 200 for answer in responses) >= 6
    answers = [answer.content.decode() for answer in responses] + [json.dumps(exported(attempt.player))]
    for answer in answers:
        assert SECRET not in answer
        assert "foresight" not in answer.lower()


def test_figures_are_deleted_with_the_attempt(deal: Deal) -> None:
    attempt = settled(deal, 1)
    foresight_store.measure_and_store(attempt)
    attempt.result.delete()
    attempt.delete()
    assert not ForesightFigures.objects.exists()
