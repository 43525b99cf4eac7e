"""A race from the first seat to the last place, and its void by staff."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import Permission
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse
from prometheus_client import REGISTRY

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.attempts.lifecycle import close_due
from games.core.errors import ErrorCode
from games.models import Attempt, Deal
from games.races import finishing, reconciler, starting
from games.races.models import Entrant, Race, Room
from leaderboards.models import ProvisionalChange
from leaderboards.ratings import folding
from leaderboards.verdicts.decisions import decide, undo
from leaderboards.verdicts.settlement import settle
from tests.factories import signed_in
from tests.games.races.runs import Run, at, goal, refused

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("requested_tasks")]


def test_a_race_runs_and_its_places_are_set() -> None:
    run = Run.of(1)
    for place in range(1, 4):
        run.players.append(create_guest())
        run.sit(place)
    assert run.states() == "open seated seated seated seated"
    run.host_starts()
    assert run.states() == "countdown seated seated seated seated"
    assert run.race.starts_at == at(15)
    assert run.race.ends_at == at(315)
    run.race.entrants.update(standing=Entrant.Standing.ESTABLISHED)
    run.easy()
    assert starting.start_racing(at(14.999)) == []
    assert starting.start_racing(at(15)) == [run.race.pk]
    assert starting.start_racing(at(15)) == []
    assert starting.mark_dealt(run.attempt_ids[:3], at(15.1)) == 3
    run.tend(25)
    assert run.states() == "racing racing racing racing absent"
    run.play(1, first_ms=3_000)
    run.play(0)
    run.play(2, 10)
    run.tend(314.9)
    assert run.states() == "racing won won racing absent"
    run.tend(315)
    assert run.states() == "settling won won timed_out absent"
    assert run.race.deal is not None
    assert run.race.deal.revealed_at is None
    assert run.judge().states() == "finished won won timed_out absent"
    assert run.placed() == [("won", 1, 3), ("won", 2, 2), ("timed_out", 3, 1), ("absent", None, None)]
    assert run.entrant(0).cards_up == goal()
    assert Deal.objects.get(races=run.race).revealed_at is not None
    assert not Attempt.objects.filter(state="playing").exists()


def test_a_countdown_gives_each_player_a_table() -> None:
    run, other = Run.of(2), Run.of(1)
    closed_until = Deal.objects.get(races=other.race).opens_at
    Room.objects.update(limit_s=600)
    counter = "talon_attempts_started_total", {"game": run.race.game, "ranked": "no"}
    before = REGISTRY.get_sample_value(*counter) or 0
    now = at(1) + timedelta(microseconds=123_456)
    starting.start(run.room.pk, countdown=timedelta(seconds=15), now=now)
    race, starts = run.race, at(16.123)
    assert (race.starts_at, race.ends_at) == (starts, at(616.123)), "in whole milliseconds, like game clocks"
    assert race.deal is not None
    assert race.deal.opens_at == starts
    assert Deal.objects.get(races=other.race).opens_at == closed_until
    tables = Attempt.objects.order_by("entrant__pk").values_list("player", "deal", "ranked", "started_at", "deadline")
    assert list(tables) == [(player.pk, race.deal.pk, False, starts, race.ends_at) for player in run.players]
    assert REGISTRY.get_sample_value(*counter) == before + 2
    assert refused(lambda: run.host_starts(2)) == ErrorCode.RACE_NOT_OPEN
    assert run.race.starts_at == starts


def test_only_a_countdown_can_be_reopened() -> None:
    run = Run.of(2)
    assert not starting.cancel_start(run.room.pk, at(0))
    run.host_starts()
    assert not starting.cancel_start(run.room.pk, at(15))
    assert starting.cancel_start(run.room.pk, at(5))
    race = run.race
    assert (race.state, race.starts_at, race.ends_at) == ("open", None, None)
    assert not Attempt.objects.exists()


def test_equal_games_share_a_place_and_the_points() -> None:
    run = Run.ended("won", "won", "retired", "retired").judge()
    assert run.placed() == [("won", 1, 3), ("won", 1, 3), ("retired", 3, 1), ("retired", 3, 1)]


def test_a_race_without_players_is_void() -> None:
    run = Run.begun(2, dealt=0)
    run.tend(24.9)
    assert run.states() == "racing seated seated"
    run.tend(25)
    assert run.states() == "void absent absent"
    assert (run.race.void, run.race.finished_at) == (Race.Void.NOBODY_CAME, at(25))
    assert not Attempt.objects.filter(state="playing").exists()
    run.sit(0, 30)
    assert run.states() == "open seated"


def test_ten_seconds_after_the_start_is_too_late() -> None:
    run = Run.counting(2)
    assert starting.mark_dealt(run.attempt_ids, at(14.9)) == 0
    starting.start_racing(at(15))
    assert starting.mark_dealt(run.attempt_ids[:1], at(24.9)) == 1
    assert starting.mark_dealt(run.attempt_ids[1:], at(25)) == 0
    assert run.states() == "racing racing seated"


@pytest.mark.parametrize("second", [25, 400])
def test_a_start_missed_by_all_processes_harms_no_one(second: int) -> None:
    """For example during a database outage, even if overdue games are closed before races are tended."""
    run = Run.counting(2)
    close_due(at(second))
    assert starting.start_racing(at(second)) == []
    run.tend(second)
    run.judge()
    assert (run.race.state, run.race.void) == (Race.State.VOID, Race.Void.SERVER_FAULT)
    assert run.placed() == [("absent", None, None)] * 2


@pytest.mark.parametrize("seen", ["dealt", "moved", "resigned"])
def test_a_late_step_is_no_fault_if_the_cards_were_dealt(seen: str) -> None:
    run = Run.counting(2)
    if seen == "dealt":
        assert starting.mark_dealt(run.attempt_ids[:1], at(15.1)) == 1
    elif seen == "moved":
        run.play(0, 2)
    else:
        run.resign(0, 20)
    run.tend(40)
    now = "settling retired" if seen == "resigned" else "racing racing"
    assert run.states() == f"{now} absent"


def test_present_players_time_out_and_others_are_absent() -> None:
    run = Run.begun(3, dealt=1)
    run.play(1, 3)
    close_due(at(400))
    run.tend(400)
    assert run.states() == "settling timed_out timed_out absent"
    assert run.judge().placed() == [("timed_out", 2, 1), ("timed_out", 1, 2), ("absent", None, None)]


def test_a_rejected_record_is_last_and_decisions_recompute_places(requested_tasks: list[tuple[Any, ...]]) -> None:
    run = Run.racing(3)
    Race.objects.update(rated=True)
    for place in range(3):
        run.play(place, first_ms=1_000 * (place + 1))
    Attempt.objects.filter(pk=run.attempt(0).pk).update(end="resigned")
    assert run.judge().placed() == [("disqualified", 3, 0), ("won", 1, 3), ("won", 2, 2)]
    assert ("talon.rate_races",) in requested_tasks
    decide(run.attempt(1).pk, Attempt.State.REJECTED, "staff")
    assert run.placed() == [("disqualified", 2, 0), ("disqualified", 2, 0), ("won", 1, 3)]
    assert requested_tasks[-1] == ("talon.refold", run.race.pk)
    decide(run.attempt(1).pk, Attempt.State.VERIFIED, "staff")
    assert run.placed() == [("disqualified", 3, 0), ("won", 1, 3), ("won", 2, 2)]


def test_a_decision_without_effect_on_places_refolds_nothing(requested_tasks: list[tuple[Any, ...]]) -> None:
    run = Run.ended("won", "retired")
    Race.objects.update(rated=True)
    run.judge()
    requested_tasks.clear()
    decide(run.attempt(0).pk, Attempt.State.VERIFIED, "staff")
    assert not [task for task in requested_tasks if task[0] == "talon.refold"]


def test_a_missed_decision_is_applied_later(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.ended("won", "won").judge()
    monkeypatch.setattr("leaderboards.verdicts.settlement.finishing.apply_verdicts", lambda _: None)
    decide(run.attempt(1).pk, Attempt.State.REJECTED, "staff")
    assert run.placed()[1] == ("won", 1, 1)
    decided = Attempt.objects.get(pk=run.attempt(1).pk).verified_at
    assert decided is not None
    assert finishing.recompute_missed(decided + timedelta(days=2, seconds=1)) == 0
    assert finishing.recompute_missed(decided + timedelta(days=2)) == 1
    assert run.placed() == [("won", 1, 2), ("disqualified", 2, 0)]
    decide(run.attempt(1).pk, Attempt.State.VERIFIED, "staff")
    assert finishing.recompute_missed(at(400)) == 1
    assert finishing.recompute_missed(at(400)) == 0
    assert run.placed() == [("won", 1, 1), ("won", 1, 1)]


UNDER_REVIEW = [("won", None, None), ("won", 1, 2), ("retired", 2, 1)]


def with_a_record_in_review() -> Run:
    """Return a finished race of three with the record of the first under review, and so without a place."""
    run = Run.ended("won", None, "retired")
    Race.objects.update(rated=True)
    run.play(1, first_ms=5_000)
    Attempt.objects.filter(pk=run.attempt(0).pk).update(started_at=at(-600))  # the clocks differ
    run.judge()
    assert run.attempt(0).state == Attempt.State.REVIEW
    assert run.states() == "finished won won retired"
    assert run.placed() == UNDER_REVIEW
    first = run.entrant(0)
    assert (first.cards_up, first.elapsed_ms, first.tokens) == (None, None, None)
    return run


@pytest.mark.parametrize(
    ("state", "placed"),
    [
        ("verified", [("won", 1, 3), ("won", 2, 2), ("retired", 3, 1)]),
        ("rejected", [("disqualified", 3, 0), ("won", 1, 3), ("retired", 2, 2)]),
    ],
)
def test_a_decision_recomputes_all_places(state: str, placed: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    run = with_a_record_in_review()
    decision = decide(run.attempt(0).pk, Attempt.State(state), "staff")
    assert run.placed() == placed
    undo(decision, "staff")
    assert run.placed() == UNDER_REVIEW
    with monkeypatch.context() as lost:
        lost.setattr("leaderboards.verdicts.settlement.finishing.apply_verdicts", lambda _: None)
        decide(run.attempt(0).pk, Attempt.State(state), "staff")
    assert (finishing.recompute_missed(), finishing.recompute_missed()) == (1, 0)
    assert run.placed() == placed, "a missed decision is applied later"


def test_a_place_given_during_review_is_revoked() -> None:
    """For example by an earlier release, however long ago."""
    run = with_a_record_in_review()
    Entrant.objects.filter(pk=run.entrant(0).pk).update(place=1, points=3)
    Attempt.objects.filter(pk=run.attempt(0).pk).update(verified_at=at(0))
    assert finishing.recompute_missed(at(10**8)) == 1
    assert run.placed() == UNDER_REVIEW


def test_an_unreadable_record_waits_for_staff() -> None:
    run = Run.ended("won", "retired", "retired")
    Attempt.objects.filter(pk=run.attempt(2).pk).update(record=b"nonsense")
    assert run.judge().placed() == [("won", 1, 2), ("retired", 2, 1), ("retired", None, None)]
    decide(run.attempt(2).pk, Attempt.State.REJECTED, "staff")
    assert run.placed() == [("won", 1, 3), ("retired", 2, 2), ("disqualified", 3, 0)]


def test_no_race_ends_before_its_last_racer() -> None:
    run = Run.ended("won", "retired", None)
    for attempt_id in run.attempt_ids[:2]:
        settle(attempt_id)
    assert not finishing.settle_done(run.race.pk, at(60))
    run.tend(60)
    assert run.states() == "racing won retired racing"
    assert run.placed() == [("won", None, None), ("retired", None, None), ("racing", None, None)]
    Race.objects.filter(pk=run.race.pk).update(state=Race.State.SETTLING)  # set by mistake
    assert not finishing.finish(run.race.pk, at(60))
    finishing.apply_verdicts(run.attempt_ids)
    assert run.states() == "settling won retired racing"


def test_games_whose_end_was_missed_are_followed_later(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.racing(2)
    monkeypatch.setattr("games.attempts.lifecycle.race_attempt_closed", [])
    run.play(0)
    run.resign(1, 50)
    assert run.judge().states().split()[0] in ("racing", "settling")
    run.tend(60)
    assert run.states() == "finished won retired"


def test_a_failing_step_does_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_now: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(reconciler, "STEPS", (fail, *reconciler.STEPS))
    run = Run.counting(2)
    run.tend(15)
    assert run.states().startswith("racing")
    assert "races not tended" in caplog.text


@pytest.mark.parametrize("hears", ["closed", "judged"])
def test_a_failure_after_a_game_is_logged_and_repaired_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, hears: str
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    run = Run.ended("retired", None)
    with monkeypatch.context() as patch:
        patch.setattr(finishing, "settle_done" if hears == "closed" else "finish", fail)
        run.resign(1, 30)
        run.judge()
    (noted,) = {(one.name, one.levelname) for one in caplog.records if one.exc_info}
    assert noted == ("games.races.finishing", "ERROR")
    run.tend(40)
    assert run.states() == "finished retired retired"


def test_a_tasks_time_limit_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise SoftTimeLimitExceeded

    run, other = Run.ended("retired", None), Run.ended("retired", "retired")
    monkeypatch.setattr(finishing, "settle_done", stop)
    with pytest.raises(SoftTimeLimitExceeded):
        run.resign(1, 30)
    monkeypatch.setattr(finishing, "finish", stop)
    with pytest.raises(SoftTimeLimitExceeded):
        finishing.apply_verdicts(other.attempt_ids)


def test_a_race_ends_when_its_own_last_game_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finishing, "_settle_or_notify", lambda _: None)
    run, other = Run.racing(2), Run.ended("retired", "retired")
    assert not finishing.settle_done(run.race.pk, at(30))
    assert other.states() == "racing retired retired"
    assert finishing.settle_done(other.race.pk, at(30))
    assert (run.states(), other.states()) == ("racing racing racing", "settling retired retired")


def test_the_last_game_finishes_a_race_already_judged() -> None:
    run = Run.ended("won", None)
    settle(run.attempt_ids[0])
    Entrant.objects.filter(pk=run.entrant(1).pk).update(state=Entrant.State.RETIRED, attempt=None)
    assert finishing.settle_done(run.race.pk, at(100))
    assert (run.race.state, run.race.finished_at) == ("finished", at(100))


def test_a_last_game_that_ends_during_the_check_voids_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    run, update = Run.racing(2), QuerySet.update

    def update_late(rows: Any, **values: Any) -> int:
        changed = update(rows, **values)
        if rows.model is Race:
            update(Entrant.objects.filter(race=run.race), state=Entrant.State.RETIRED)
        return changed

    monkeypatch.setattr(QuerySet, "update", update_late)
    assert not finishing.settle_done(run.race.pk, at(30))
    assert run.states() == "racing retired retired"


def test_a_deal_of_another_running_race_stays_secret() -> None:
    run, other = Run.racing(2), Run.counting(2)
    Race.objects.filter(pk=other.race.pk).update(deal=run.race.deal)
    run.play(0)
    run.play(1)
    assert run.judge().states() == "finished won won"
    deal = Deal.objects.get(pk=other.race.deal_id or 0)
    assert deal.revealed_at is None
    assert finishing.void(other.race.pk, Race.Void.SERVER_FAULT, at(400))
    deal.refresh_from_db()
    assert deal.revealed_at == at(400)


def test_a_void_race_counts_for_no_one_and_frees_its_players() -> None:
    run = Run.ended("won", None, None)
    assert finishing.void(run.race.pk, Race.Void.SERVER_FAULT, at(100))
    assert run.states() == "void won absent absent"
    assert not finishing.void(run.race.pk, Race.Void.SERVER_FAULT, at(101))
    assert not Attempt.objects.filter(state="playing").exists()
    assert run.judge().placed() == [("won", None, None), ("absent", None, None), ("absent", None, None)]
    for place in range(3):
        run.sit(place, 110)


def test_a_rematch_runs_in_the_same_room() -> None:
    run = Run.ended("won", None)
    run.sit(0, 60)
    assert (run.race.number, run.states()) == (2, "open seated")
    first = Race.objects.get(room=run.room, number=1)
    run.resign(1, 70)
    for attempt_id in first.entrants.values_list("attempt", flat=True):
        assert attempt_id is not None
        settle(attempt_id)
    run.stay_except()
    run.sit(1, 80)
    assert (run.states(), run.race.starts_at) == ("countdown seated seated", at(85))
    assert run.race.deal_id != first.deal_id


def test_a_rematch_waits_for_the_running_race() -> None:
    run = Run.racing(4)
    for place in (0, 1):
        run.play(place)
        run.sit(place, 60)
    assert run.states() == "open seated seated"
    assert refused(lambda: run.host_starts(61)) == ErrorCode.RACE_NOT_OPEN
    run.tend(316)
    assert (run.states(), run.race.starts_at) == ("countdown seated seated", at(321))


def test_latecomers_wait_for_the_host() -> None:
    run = Run.ended("retired", "retired")
    for place in (2, 3):
        run.players.append(create_guest())
        run.sit(place, 21)
    run.sit(0, 22)
    run.tend(23)
    assert run.states() == "open seated seated seated"


RACES = "admin:races_race_changelist"


def staff(*permissions: str) -> Client:
    user = User.objects.create_user(username="Rhadamanthys", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return signed_in(user)


def void(client: Client, race: Race) -> str:
    answer = client.post(reverse(RACES), {"action": "void_selected", "_selected_action": race.pk}, follow=True)
    return answer.content.decode()


def test_a_spoiled_race_is_voided_once_and_not_rated() -> None:
    run = Run.racing(2)
    client = staff("view_race", "change_race")
    assert "void." in void(client, run.race)
    assert (run.race.state, run.race.void) == (Race.State.VOID, Race.Void.SERVER_FAULT)
    assert "is over" in void(client, run.race)
    folding.rate_finished()
    assert not ProvisionalChange.objects.exists()


def test_view_permission_is_not_enough_to_void() -> None:
    run = Run.racing(2)
    void(staff("view_race"), run.race)
    assert run.race.state == Race.State.RACING
