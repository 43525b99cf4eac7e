"""Decisions at the desk, and the sections and charts of its page."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone

from games.appeals import appeals, reports
from games.core import events
from games.fairplay import foresight_store
from games.fairplay.foresight import Foresight
from games.fairplay.move_gaps import Gap, Kind
from games.fairplay.solver_likeness import SolverLikeness
from games.models import Attempt, Decision, ForesightFigures
from games.races.models import Entrant, Race
from leaderboards.boards import deal_boards
from leaderboards.boards.listings import deal_listing
from leaderboards.desk.gap_chart import Series, chart, seconds
from leaderboards.models import Result
from leaderboards.ratings import folding
from leaderboards.verdicts import decisions
from leaderboards.verdicts.decisions import NotDecidableError, decide, undo
from tests import factories
from tests.factories import make_account
from tests.games.races.runs import Run
from tests.leaderboards import raced
from tests.leaderboards.desk.conftest import Browser, over, reviewed, todays, verified
from tests.leaderboards.desk.test_desk import at, text

pytestmark = pytest.mark.django_db


State = Attempt.State


def state_of(attempt: Attempt) -> tuple[str, list[dict[str, Any]]]:
    attempt.refresh_from_db()
    return attempt.state, attempt.reasons


def board(*deals: Any) -> list[list[tuple[int | None, object]]]:
    return [
        [(entry.rank, entry.player) for entry in deal_boards.sql_page(deal_listing(deal.pk, "race"), None, 50).entries]
        for deal in deals
    ]


def test_every_decision_has_its_reason_and_author(decider: Any) -> None:
    attempt = reviewed(over("braid"))
    decide(attempt.pk, State.REJECTED, decider, "Too fast for hands.")
    decide(attempt.pk, State.VERIFIED, decider, "A touch screen and two fingers.")
    decision = attempt.decisions.values_list("before", "state", "why", "by")
    assert list(decision) == [
        ("review", "rejected", "Too fast for hands.", decider.pk),
        ("rejected", "verified", "A touch screen and two fingers.", decider.pk),
    ]
    assert [rank for rank, _ in board(attempt.deal)[0]] == [1]


def test_decisions_cannot_be_changed_or_deleted(decider: Any) -> None:
    decision = decide(reviewed(over("braid")).pk, State.REJECTED, decider, "Too fast.")
    decision.why = "Something else."
    with pytest.raises(TypeError):
        decision.save()
    with pytest.raises(TypeError):
        decision.delete()


def test_undoing_restores_state_reasons_and_ranks(decider: Any) -> None:
    """Even among equal scores finished at the same moment."""
    deal = over()
    attempts = [verified(deal, tokens=[]) for _ in range(4)]
    states, ranks = [state_of(one) for one in attempts], board(deal)
    decision = decide(attempts[1].pk, State.REJECTED, decider, "A copy.")
    assert len(board(deal)[0]) == 3
    undo(decision, decider, "The other one copied.")
    assert [state_of(one) for one in attempts] == states
    assert board(deal) == ranks
    assert list(attempts[1].decisions.values_list("state", "undoes")) == [
        ("rejected", None),
        ("verified", decision.pk),
    ]


def test_undoing_the_second_decision_leaves_the_first(decider: Any) -> None:
    attempt = reviewed(over("braid"))
    first = decide(attempt.pk, State.REJECTED, decider, "Too fast.")
    rejected = state_of(attempt)
    second = decide(attempt.pk, State.VERIFIED, decider, "No, not.")
    with pytest.raises(NotDecidableError):
        undo(first, decider)
    undo(second, decider)
    assert state_of(attempt) == rejected
    undo(first, decider)
    assert state_of(attempt)[0] == State.REVIEW
    with pytest.raises(NotDecidableError):
        undo(first, decider)


def test_staff_cannot_decide_about_their_own_game(decider: Any) -> None:
    attempt = reviewed(over("braid"), decider)
    with pytest.raises(NotDecidableError):
        decide(attempt.pk, State.VERIFIED, decider, "I was just fast.")
    decision = decide(attempt.pk, State.REJECTED, "a program")
    with pytest.raises(NotDecidableError):
        undo(decision, decider)
    assert state_of(attempt)[0] == State.REJECTED


def test_a_rings_decisions_are_made_and_undone_together(decider: Any) -> None:
    first, second = over(days=3), over(days=4)
    ring = [make_account(), make_account()]
    honest = verified(first)
    lines = {who: {deal: factories.line(deal, 20 + n) for deal in (first, second)} for n, who in enumerate(ring)}
    found = [verified(deal, who, tokens=lines[who][deal]) for deal in (first, second) for who in ring]
    found.append(reviewed(over("braid"), ring[0]))
    unread = factories.finished(second, ring[1], ranked=False)
    states, ranks = [state_of(one) for one in found], board(first, second)
    done = decisions.decide_all([one.pk for one in [*found, unread]], State.REJECTED, decider, "One person.")
    assert (done.decided, [public_id for public_id, _ in done.refused]) == (5, [unread.public_id])
    assert {one.state for one in Attempt.objects.filter(player__in=ring, ranked=True)} == {State.REJECTED}
    assert list(Result.objects.values_list("attempt", flat=True)) == [honest.pk]
    decide(found[0].pk, State.VERIFIED, decider, "This one is hers.")
    back = decisions.undo_all(done.batch, decider, "Two people after all.")
    assert (back.decided, [public_id for public_id, _ in back.refused]) == (4, [found[0].public_id])
    assert [state_of(one) for one in found[1:]] == states[1:]
    assert board(first, second) == ranks
    assert Decision.objects.filter(batch=back.batch).count() == 4


@pytest.mark.django_db(transaction=True)
def test_ratings_follow_a_decision_and_its_undoing(decider: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "request_task", lambda *_, **__: True)
    run = Run.racing(3)
    get_user_model().objects.filter(pk__in=[player.pk for player in run.players]).update(is_guest=False)
    Entrant.objects.update(as_guest=False)
    Race.objects.update(rated=True)
    for place in range(3):
        run.play(place, first_ms=1_000 * (place + 1))
    run.judge()
    folding.rate_finished()
    before = raced.ratings()
    assert len(before) == 3
    decision = decide(run.attempt(0).pk, State.REJECTED, decider, "A copy.")
    folding.rate_finished()
    assert [row[:2] for row in raced.ratings()] != [row[:2] for row in before]
    undo(decision, decider, "No copy.")
    folding.rate_finished()
    assert raced.ratings() == before


def gaps(*given: tuple[Kind, int]) -> list[Gap]:
    return [Gap(n, "d", kind, 0, ms) for n, (kind, ms) in enumerate(given, 1)]


def starts(series: Series) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)", series.path)]


@pytest.mark.parametrize(
    "given",
    [
        gaps((Kind.PLAY, 0)),
        gaps((Kind.PLAY, 1), (Kind.DRAW, 40_000_000)),
        gaps(*((Kind.PLAY, 37 * n) for n in range(5_000))),
        gaps(*((kind, 300) for kind in Kind)),
    ],
    ids=["one", "far apart", "many", "every kind"],
)
def test_every_token_is_drawn_inside_the_frame(given: list[Gap]) -> None:
    drawn = chart(given)
    marks = [mark for series in drawn.series for mark in starts(series)]
    assert len(marks) == len(given)
    assert all(drawn.left - 5 <= x <= drawn.right + 5 for x, _ in marks)
    assert all(drawn.top - 5 <= y <= drawn.bottom + 5 for _, y in marks)
    assert len(drawn.steps) <= 11


def test_kinds_have_different_shapes() -> None:
    signs = [series.sign for series in chart(gaps(*((kind, 300) for kind in Kind))).series]
    assert len({re.sub(r"M[\d.]+ [\d.]+", "", sign) for sign in signs}) == len(Kind)


def test_longer_gaps_are_higher() -> None:
    drawn = chart(gaps((Kind.PLAY, 20), (Kind.PLAY, 200), (Kind.PLAY, 2_000)))
    heights = [y for _, y in starts(drawn.series[0])]
    assert heights == sorted(heights, reverse=True)
    assert [line.text for line in drawn.levels] == ["0.01 s", "0.1 s", "1 s", "10 s"]


@pytest.mark.parametrize(
    ("ms", "text"), [(0, "0.000 s"), (32, "0.032 s"), (480, "0.48 s"), (1_949, "1.9 s"), (61_000, "61 s")]
)
def test_times_have_significant_figures(ms: int, text: str) -> None:
    assert seconds(ms) == text


def test_an_attempt_without_further_evidence_has_no_sections(looker: Any, browser: Browser) -> None:
    page = text(browser(looker).get(at("attempt", reviewed(over()))))
    for title in ("Foresight", "Compared with races", "<h2>Appeal", "<h2>Reports"):
        assert title not in page


def test_appeals_and_reports_are_shown_without_reporters(looker: Any, browser: Browser) -> None:
    attempt, reporter = reviewed(over()), make_account()
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
    factories.finished(deal, looker)
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
    factories.finished(deal, looker)
    assert "<h2>Likeness to the solver" not in text(client.get(at("attempt", attempt)))


def test_a_daily_game_is_shown_beside_the_players_races(looker: Any, browser: Browser) -> None:
    player, rival = make_account(), make_account()
    raced.race([player, rival], at=timezone.now() - timedelta(days=2))
    folding.rate_finished()
    deal = over("plot")
    verified(deal, rival)
    page = text(browser(looker).get(at("attempt", verified(deal, player))))
    assert "Compared with races" in page
    assert "<dt>races</dt><dd>1</dd>" in page
    assert "<dt>rank among those with ratings</dt>" in page
