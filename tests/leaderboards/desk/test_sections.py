"""Sections of other apps on an attempt's page at the desk."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.utils import timezone

from games.appeals import appeals, reports
from games.fairplay import foresight_store
from games.fairplay.foresight import Foresight
from games.fairplay.solver_likeness import SolverLikeness
from games.models import ForesightFigures
from leaderboards.ratings import rating_reconciler
from tests.leaderboards import factory, raced
from tests.leaderboards.desk.conftest import Browser, over, reviewed, todays, verified
from tests.leaderboards.desk.test_desk import at, text

pytestmark = pytest.mark.django_db


def test_an_attempt_without_further_evidence_has_no_sections(looker: Any, browser: Browser) -> None:
    page = text(browser(looker).get(at("attempt", reviewed(over()))))
    for title in ("Foresight", "Beside the races", "<h2>Appeal", "<h2>Reports"):
        assert title not in page


def test_appeals_and_reports_are_shown_without_reporters(looker: Any, browser: Browser) -> None:
    attempt, reporter = reviewed(over()), factory.player()
    appeals.appeal(attempt, attempt.player, "I had seen the cards dealt like this before.")
    reports.report(attempt, reporter, "speed", "Nobody clicks so fast.")
    page = text(browser(looker).get(at("attempt", attempt)))
    assert "I had seen the cards dealt like this before." in page
    assert "Not answered yet." in page
    assert "Nobody clicks so fast." in page
    assert str(reporter) not in page


def test_foresight_is_shown_to_staff_who_may_watch(looker: Any, browser: Browser) -> None:
    deal = todays("tarot")
    attempt = reviewed(deal)
    foresight_store.measure_and_store(attempt)
    client = browser(looker)
    assert "<h2>Foresight" in text(client.get(at("attempt", attempt)))
    factory.finished(deal, looker)
    assert "<h2>Foresight" not in text(client.get(at("attempt", attempt)))


def test_likeness_to_the_solver_is_shown_to_staff_who_may_watch(looker: Any, browser: Browser) -> None:
    deal = todays("tarot")
    attempt = reviewed(deal)
    found = Foresight("tarot", applicable=False, solver=SolverLikeness(20, 19))
    ForesightFigures.objects.create(
        attempt=attempt, form=foresight_store.FORM, figures=msgspec.to_builtins(found), made_at=timezone.now()
    )
    client = browser(looker)
    page = text(client.get(at("attempt", attempt)))
    assert "<dt>decisions the solver would also have made</dt><dd>19 / 20 (95%)</dd>" in page
    assert "one game proves nothing" in page
    factory.finished(deal, looker)
    assert "<h2>Likeness to the solver" not in text(client.get(at("attempt", attempt)))


def test_a_daily_game_is_shown_beside_the_players_races(looker: Any, browser: Browser) -> None:
    player, rival = factory.player(), factory.player()
    raced.race([player, rival], at=timezone.now() - timedelta(days=2))
    rating_reconciler.rate_finished()
    deal = over("plot")
    verified(deal, rival)
    page = text(browser(looker).get(at("attempt", verified(deal, player))))
    assert "Beside the races" in page
    assert "<dt>races</dt><dd>1</dd>" in page
    assert "<dt>rank among those with ratings</dt>" in page
