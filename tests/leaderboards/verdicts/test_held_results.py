"""Held results: only doubts that would cost others a place hold a result, and no hold lasts for ever by itself."""

from __future__ import annotations

from datetime import timedelta
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.attempts.holds import held_until
from games.core.ladders import Ladder
from games.core.verdict_reasons import reason
from games.models import Attempt, Deal, Start
from games.races.models import Race
from games.races.results.places import placed
from leaderboards import tasks
from leaderboards.boards import deal_boards, relisting
from leaderboards.models import Result
from leaderboards.verdicts import held_results
from leaderboards.verdicts.decisions import decide
from leaderboards.verdicts.settlement import settle
from tests import factories
from tests.factories import DAY, make_deal, signed_in
from tests.games.races.runs import Run, at

pytestmark = pytest.mark.django_db(transaction=True)
State = Attempt.State


@pytest.fixture
def deal() -> Deal:
    return make_deal("stonewall", DAY, seed=bytes([5]) * 32)


@pytest.fixture(autouse=True)
def worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold at once what moves up."""

    def send(name: str, args: Any = (), **_options: Any) -> None:
        if name == "talon.hold_risen":
            tasks.hold_risen(*args)

    monkeypatch.setattr("celery.current_app.send_task", send)


def doubtful(deal: Deal, who: Any = None, **fields: Any) -> Attempt:
    """Return a judged game, slower than all others, whose clock differs from the server's."""
    tokens = factories.line(deal)
    record = factories.record_of(deal, tokens, [5_000 * (n + 1) for n in range(len(tokens))])
    attempt = factories.finished(deal, who, record=record, **fields)
    Attempt.objects.filter(pk=attempt.pk).update(started_at=attempt.started_at - timedelta(minutes=10))
    settle(attempt.pk)
    attempt.refresh_from_db()
    assert [entry["code"] for entry in attempt.reasons] == ["clock_differs"]
    return attempt


def state_of(attempt: Attempt) -> State:
    return State(Attempt.objects.values_list("state", flat=True).get(pk=attempt.pk))


def listed(deal: Deal) -> list[Any]:
    return [entry.attempt for entry in deal_boards.page(deal).entries]


@pytest.mark.parametrize(("ahead", "state"), [(9, State.REVIEW), (10, State.VERIFIED)])
def test_the_first_ten_places_are_held(deal: Deal, ahead: int, state: State) -> None:
    for _ in range(ahead):
        factories.settled(deal)
    attempt = doubtful(deal)
    assert attempt.state == state
    assert (attempt.public_id in listed(deal)) == (state == State.VERIFIED)


@pytest.mark.parametrize(("ahead", "state"), [(2, State.REVIEW), (3, State.VERIFIED)])
def test_the_newcomers_first_three_places_are_held(deal: Deal, settings: Any, ahead: int, state: State) -> None:
    settings.LADDERS = True
    for _ in range(ahead):
        factories.settled(deal)
    attempt = doubtful(deal)
    assert (attempt.ladder, attempt.state) == (Ladder.NEWCOMERS, state)


def test_a_guest_takes_no_place_before_signing_up(deal: Deal) -> None:
    guest = create_guest()
    attempt = doubtful(deal, guest)
    assert attempt.state == State.VERIFIED
    User.objects.filter(pk=guest.pk).update(is_guest=False, username="Ada")
    relisting.relist_player(User.objects.get(pk=guest.pk))
    assert (state_of(attempt), listed(deal)) == (State.REVIEW, [])


def test_a_result_that_moves_up_is_held(deal: Deal) -> None:
    *_, other = (factories.settled(deal) for _ in range(10))
    attempt = doubtful(deal)
    decide(other.pk, State.REJECTED, "ada")
    assert state_of(attempt) == State.REVIEW
    assert attempt.public_id not in listed(deal)


def test_a_lost_task_is_made_up_for(deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
    *_, other = (factories.settled(deal) for _ in range(10))
    attempt = doubtful(deal)
    with monkeypatch.context() as lost:
        lost.setattr("celery.current_app.send_task", lambda *_, **__: None)
        decide(other.pk, State.REJECTED, "ada")
    assert state_of(attempt) == State.VERIFIED
    held_results.review_held(attempt.finished_at)
    assert state_of(attempt) == State.REVIEW


def test_what_staff_have_cleared_is_never_held_again(deal: Deal) -> None:
    attempt = doubtful(deal)
    decide(attempt.pk, State.VERIFIED, "ada")
    held_results.hold_risen(deal.pk)
    assert (state_of(attempt), listed(deal)) == (State.VERIFIED, [attempt.public_id])


# Release.


def test_a_hold_ends_by_itself(deal: Deal) -> None:
    attempt = doubtful(deal)
    until = held_until(attempt)
    assert attempt.verified_at is not None
    assert until == attempt.verified_at + timedelta(days=14)
    assert held_results.review_held(until - timedelta(seconds=1)) == 0
    assert held_results.review_held(until) == 1
    assert (state_of(attempt), listed(deal)) == (State.VERIFIED, [attempt.public_id])
    assert attempt.decisions.get().why == "Not decided within 14 days."


@pytest.mark.parametrize("why", ["no period", "beyond hands"])
def test_some_holds_end_by_a_decision_alone(deal: Deal, settings: Any, why: str) -> None:
    if why == "no period":
        settings.REVIEW_DAYS = 0
        attempt = doubtful(deal)
    else:
        attempt = factories.settled(deal, record=factories.superhuman(deal))
    assert held_until(attempt) is None
    assert held_results.review_held(timezone.now() + timedelta(days=1_000)) == 0
    assert state_of(attempt) == State.REVIEW


def test_what_an_earlier_release_held_for_nothing_is_released(deal: Deal) -> None:
    for _ in range(10):
        factories.settled(deal)
    low, sound = doubtful(deal), factories.settled(deal)
    Attempt.objects.filter(pk__in=[low.pk, sound.pk]).update(state=State.REVIEW)
    Attempt.objects.filter(pk=sound.pk).update(reasons=[reason("steady", "The gaps vary little.")])
    Result.objects.filter(attempt__in=[low, sound]).delete()
    assert held_results.review_held() == 2
    assert {state_of(low), state_of(sound)} == {State.VERIFIED}
    assert Attempt.objects.get(pk=sound.pk).reasons == []
    assert Result.objects.filter(attempt__in=[low, sound]).count() == 2


def test_the_player_sees_why_and_until_when_everywhere(deal: Deal) -> None:
    attempt = doubtful(deal)
    until = held_until(attempt)
    assert until is not None
    player = signed_in(attempt.player)
    for address in (
        reverse("boards:after", args=[attempt.public_id]),
        reverse("boards:deal", args=[deal.day, deal.variant]),
        reverse("players:profile", args=[attempt.player.public_id]),
        reverse("games:appeal", args=[attempt.public_id]),
    ):
        page = unescape(player.get(address).content.decode())
        assert "The record's times don't match the server's." in page
        assert f'<time datetime="{until.isoformat()}"' in page
        assert reverse("games:appeal", args=[attempt.public_id]) in page or "You can appeal once." in page


# Siblings.


def test_siblings_with_their_own_decisions_are_not_held(deal: Deal) -> None:
    assert siblings(deal, factories.line(deal, 60, seed=8)).state == State.VERIFIED


def test_a_sibling_who_repeats_the_others_decisions_is_held(deal: Deal) -> None:
    assert siblings(deal, factories.line(deal, 60, seed=5)).state == State.REVIEW


def siblings(deal: Deal, tokens: list[str]) -> Attempt:
    """Return the judged game of the second of two players on one device; the first plays a fixed line."""
    device, first = uuid4(), factories.finished(deal, tokens=factories.line(deal, 60, seed=5))
    second = factories.finished(deal, tokens=tokens, started_at=first.started_at + timedelta(minutes=20))
    for attempt in (first, second):
        Start.objects.create(attempt=attempt, deal=deal, device=device, network=b"", made_at=attempt.started_at)
        settle(attempt.pk)
    second.refresh_from_db()
    assert [entry["code"] for entry in second.reasons] == ["same_device"]
    return second


# Races.


def raced(place: int, **fields: Any) -> Run:
    """Return a finished race of five; the clock of the racer at this place differs from the server's."""
    run = Run.racing(5)
    Race.objects.update(**fields)
    for racer in range(5):
        run.play(racer, first_ms=1_000 * (racer + 1))
    Attempt.objects.filter(pk=run.attempt(place - 1).pk).update(started_at=at(-600))
    run.judge()
    return run


@pytest.mark.parametrize(
    ("fields", "place", "held"),
    [
        ({}, 1, False),
        ({"rated": True}, 1, True),
        ({"rated": True}, 2, False),
        ({"scheduled_at": at(0)}, 3, True),
        ({"scheduled_at": at(0)}, 4, False),
    ],
    ids=["unrated", "rated win", "rated second", "podium", "behind the podium"],
)
def test_a_race_holds_what_matters(fields: dict[str, Any], place: int, held: bool) -> None:
    run = raced(place, **fields)
    entrant = run.entrant(place - 1)
    assert (run.attempt(place - 1).state, entrant.place) == ((State.REVIEW, None) if held else (State.VERIFIED, place))
    held_results.review_held()
    assert (run.attempt(place - 1).state == State.REVIEW) == held


def test_a_concurrent_decision_about_a_racer_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Staff clear the racer while the places are computed from the state before."""
    run = raced(4, scheduled_at=at(0))
    racer = run.attempt(3)

    def cleared_first(scores: Any) -> Any:
        monkeypatch.setattr("games.races.finishing.placed", placed)
        decide(racer.pk, State.VERIFIED, "ada")
        return placed(scores)

    monkeypatch.setattr("games.races.finishing.placed", cleared_first)
    decide(run.attempt(0).pk, State.REJECTED, "ada")
    assert run.attempt(3).state == State.VERIFIED
    assert run.entrant(3).place == 3


def test_a_racer_who_moves_up_to_the_podium_is_held() -> None:
    run = raced(4, scheduled_at=at(0))
    decide(run.attempt(0).pk, State.REJECTED, "ada")
    assert run.attempt(3).state == State.REVIEW
    decide(run.attempt(3).pk, State.VERIFIED, "ada")
    assert [run.entrant(racer).place for racer in range(5)] == [5, 1, 2, 3, 4]
