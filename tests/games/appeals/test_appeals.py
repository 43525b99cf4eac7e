"""Appeals by the player of a doubted game, and reports of public games: permissions, and answers by staff."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.sign_in.guests import create_guest, merge_guest
from games.appeals import appeals, reports
from games.appeals.models import APPEAL_LENGTH, REPORT_LENGTH, Appeal, Report
from games.core import limits
from games.core.errors import ErrorCode, Refusal
from games.inbox.models import Notice
from games.models import Attempt, Deal
from games.tasks import clean_games
from leaderboards.boards import deal_boards
from leaderboards.verdicts.decisions import decide
from tests.factories import make_deal, signed_in
from tests.games.appeals.doubtful import doubtful, past

pytestmark = pytest.mark.django_db(transaction=True)
State = Attempt.State


@pytest.fixture
def staff(transactional_db: None) -> User:
    return User.objects.create_superuser("Grace of staff")


def refused(*arguments: Any, **fields: Any) -> ErrorCode:
    with pytest.raises(Refusal) as refusal:
        appeals.appeal(*arguments, **fields)
    return refusal.value.code


@pytest.mark.parametrize("state", [State.REVIEW, State.REJECTED])
def test_a_player_appeals_once(ada: User, state: State) -> None:
    attempt = doubtful(ada, state=state)
    appeal = appeals.appeal(attempt, ada, "  I play\r\nby keyboard.\x00  ")
    assert appeal.text == "I play\nby keyboard."
    assert refused(attempt, ada, "And again.") == ErrorCode.ALREADY_APPEALED
    assert list(appeals.open_appeals()) == [appeal]


@pytest.mark.parametrize("state", [State.PENDING, State.VERIFIED])
def test_an_undoubted_game_has_no_appeal(ada: User, state: State) -> None:
    assert refused(doubtful(ada, state=state, reasons=[]), ada, "?") == ErrorCode.NO_APPEAL


def test_a_late_appeal_is_refused(ada: User) -> None:
    now = timezone.now()
    attempt = doubtful(ada, judged=now - appeals.WITHIN - timedelta(seconds=1))
    assert refused(attempt, ada, "Late.", now) == ErrorCode.NO_APPEAL


def test_a_player_cannot_appeal_for_another(ada: User, staff: User) -> None:
    attempt = doubtful(ada)
    assert refused(attempt, staff, "Let him go.") == ErrorCode.NOT_YOURS
    path = f"/appeals/{attempt.public_id}/"
    for visit in (signed_in(staff).get(path), signed_in(staff).post(path, {"text": "x"})):
        assert visit.status_code == 403
    assert Client().get(path).status_code == 302
    assert Client().post(path, {"text": "x"}).status_code == 302
    assert not Appeal.objects.exists()


@pytest.mark.parametrize("text", ["", " \n\x07", "x" * (APPEAL_LENGTH + 1)], ids=["empty", "unseen", "long"])
def test_a_text_of_a_wrong_length_is_shown_again(ada: User, text: str) -> None:
    attempt = doubtful(ada)
    assert refused(attempt, ada, text) == ErrorCode.BAD_TEXT
    page = signed_in(ada).post(f"/appeals/{attempt.public_id}/", {"text": text})
    assert page.status_code == 422
    assert 'role="alert"' in page.content.decode()
    assert not Appeal.objects.exists()


def test_the_page_shows_the_appeal_as_plain_text(ada: User) -> None:
    attempt = doubtful(ada)
    path = f"/appeals/{attempt.public_id}/"
    form = signed_in(ada).get(path).content.decode()
    assert f'maxlength="{APPEAL_LENGTH}"' in form
    page = signed_in(ada).post(path, {"text": "<b>I am</b> quick."}, follow=True).content.decode()
    assert "&lt;b&gt;I am&lt;/b&gt; quick." in page
    assert "<textarea" not in page
    assert signed_in(ada).post(path, {"text": "Again."}).status_code == 409


def test_appeals_are_limited(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "appeal", "1/h")
    path, mine = f"/appeals/{doubtful(ada).public_id}/", signed_in(ada)
    assert [mine.post(path, {"text": ""}).status_code for _ in range(2)] == [422, 429]


@pytest.mark.parametrize("decision", [State.VERIFIED, State.REJECTED])
def test_the_answer_decides_the_game_and_notifies_its_player(ada: User, staff: User, decision: State) -> None:
    attempt = doubtful(ada)
    appeal = appeals.appeal(attempt, ada, "Please look.")
    appeals.answer_appeal(appeal, staff, "We have looked.", decision)
    attempt.refresh_from_db()
    assert attempt.state == decision
    assert len(deal_boards.page(attempt.deal).entries) == (decision == State.VERIFIED)
    assert list(appeals.open_appeals()) == []
    notice = Notice.objects.get(player=ada)
    assert notice.data == {"address": f"/appeals/{attempt.public_id}/", "granted": decision == State.VERIFIED}
    assert "Your appeal was" in signed_in(ada).get("/inbox/").content.decode()
    page = signed_in(ada).get(f"/appeals/{attempt.public_id}/").content.decode()
    assert "We have looked." in page
    assert "Grace of staff" not in page


def test_a_failed_answer_leaves_the_appeal_open(ada: User, staff: User) -> None:
    appeal = appeals.appeal(doubtful(ada), ada, "Please look.")
    with pytest.raises(Refusal):
        appeals.answer_appeal(appeal, staff, "", State.PENDING)
    assert list(appeals.open_appeals()) == [appeal]
    assert not Notice.objects.exists()
    appeals.answer_appeal(appeal, staff, "", State.VERIFIED)
    with pytest.raises(Refusal):
        appeals.answer_appeal(appeal, staff, "", State.REJECTED)
    appeal.attempt.refresh_from_db()
    assert appeal.attempt.state == State.VERIFIED


def test_staff_answer_in_the_admin(ada: User, staff: User) -> None:
    written, quick = (appeals.appeal(doubtful(ada, past(name)), ada, "Look.") for name in ("stonewall", "plot"))
    desk = signed_in(staff)
    assert desk.get("/admin/appeals/appeal/").status_code == 200
    path = f"/admin/appeals/appeal/{written.pk}/change/"
    assert "Look." in desk.get(path).content.decode()
    desk.post(path, {"decision": "rejected", "answer": "No."})
    desk.post("/admin/appeals/appeal/", {"action": "grant", "_selected_action": [quick.pk]})
    written.refresh_from_db()
    quick.refresh_from_db()
    assert (written.attempt.state, written.answer, written.answered_by) == (State.REJECTED, "No.", staff)
    assert quick.attempt.state == State.VERIFIED
    desk.post(path, {"decision": "verified", "answer": "Yes."})
    written.refresh_from_db()
    assert (written.decision, written.answer) == ("rejected", "No.")


def test_an_appeal_is_deleted_with_its_account(ada: User) -> None:
    guest = create_guest()
    attempt = doubtful(guest)
    appeals.appeal(attempt, guest, "I am a guest.")
    merge_guest(guest, ada)
    assert "I am a guest." in signed_in(ada).get(f"/appeals/{attempt.public_id}/").content.decode()
    erase_player(ada)
    assert not Appeal.objects.exists()


def test_appeals_are_deleted_a_year_after_their_answer(ada: User, staff: User) -> None:
    now = timezone.now()
    old, young, waiting = (doubtful(ada, past(name)) for name in ("stonewall", "plot", "braid"))
    for attempt, ago in ((old, 366), (young, 364)):
        then = now - timedelta(days=ago)
        appeal = appeals.appeal(attempt, ada, "Look.", now)
        appeals.answer_appeal(appeal, staff, "", State.REJECTED, then)
    Appeal.objects.update(made_at=now - timedelta(days=999))
    appeals.appeal(waiting, ada, "Look.")
    clean_games()
    assert set(Appeal.objects.values_list("attempt", flat=True)) == {young.pk, waiting.pk}


def public(player: User, deal: Deal | None = None, **fields: Any) -> Attempt:
    return doubtful(player, deal, **{"state": "verified", "reasons": [], **fields})


def report_refused(attempt: Attempt, reporter: User, reason: str = "speed", text: str = "") -> ErrorCode:
    with pytest.raises(Refusal) as refusal:
        reports.report(attempt, reporter, reason, text)
    return refusal.value.code


def test_a_report_waits_for_staff_and_changes_nothing(ada: User, brook: User) -> None:
    attempt = public(ada)
    report = reports.report(attempt, brook, "speed", " Look at the end. ")
    assert (report.text, list(Report.objects.filter(answered_at=None))) == ("Look at the end.", [report])
    attempt.refresh_from_db()
    assert (attempt.state, attempt.reasons) == ("verified", [])
    assert not Notice.objects.exists()


def test_one_report_a_player_and_game(ada: User, brook: User) -> None:
    attempt = public(ada)
    reports.report(attempt, brook, "speed", "")
    assert report_refused(attempt, brook) == ErrorCode.ALREADY_REPORTED
    reports.report(attempt, User.objects.create_user("Cleo"), "speed", "")


def test_games_that_cannot_be_reported(ada: User, brook: User) -> None:
    deal = past()
    assert report_refused(public(brook, deal), brook) == ErrorCode.NO_REPORT
    for attempt in (
        public(ada, deal, ranked=False),
        public(create_guest(), deal, state="rejected"),
        public(ada, make_deal("plot")),  # still open: its games are hidden
    ):
        assert report_refused(attempt, brook) == ErrorCode.NO_REPORT
    assert report_refused(public(create_guest(), deal), create_guest()) == ErrorCode.ACCOUNT_REQUIRED
    assert report_refused(public(create_guest(), deal), brook, "nonsense") == ErrorCode.BAD_REQUEST
    assert report_refused(public(create_guest(), deal), brook, text="x" * (REPORT_LENGTH + 1)) == ErrorCode.BAD_TEXT
    assert not Report.objects.exists()


def test_the_report_button_is_for_accounts_and_others_games(ada: User, brook: User) -> None:
    attempt = public(ada)
    path, link = f"/replay/{attempt.public_id}/", f"/reports/{attempt.public_id}/"
    browsers = {name: signed_in(who) for name, who in (("guest", create_guest()), ("own", ada), ("other", brook))}
    browsers["stranger"] = Client()
    shown = {name: link in browser.get(path).content.decode() for name, browser in browsers.items()}
    assert shown == {"stranger": False, "guest": False, "own": False, "other": True}


def test_the_page_takes_a_report_and_shows_its_outcome(ada: User, brook: User) -> None:
    path = f"/reports/{public(ada).public_id}/"
    mine = signed_in(brook)
    assert "Played faster than a person can" in mine.get(path).content.decode()
    page = mine.post(path, {"reason": "foresight", "text": "<i>Hm.</i>"}, follow=True).content.decode()
    assert "&lt;i&gt;Hm.&lt;/i&gt;" in page
    assert "check it and answer in your inbox." in page
    assert mine.post(path, {"reason": "speed"}).status_code == 409
    assert signed_in(ada).get(path).status_code == 409
    assert (Client().get(path).status_code, signed_in(create_guest()).get(path).status_code) == (302, 403)


def test_a_long_text_is_shown_again(ada: User, brook: User) -> None:
    path = f"/reports/{public(ada).public_id}/"
    page = signed_in(brook).post(path, {"reason": "copy", "text": "x" * (REPORT_LENGTH + 1)})
    assert page.status_code == 422
    assert 'value="copy" selected' in page.content.decode()


def test_reports_are_limited(ada: User, brook: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "report", "1/h")
    deal, mine = past(), signed_in(brook)
    paths = [f"/reports/{public(who, deal).public_id}/" for who in (ada, create_guest())]
    assert [mine.post(path, {"reason": "speed"}).status_code for path in paths] == [302, 429]


@pytest.mark.parametrize("taken", [True, False])
def test_reporters_only_learn_that_staff_have_looked(ada: User, brook: User, *, taken: bool) -> None:
    attempt, cleo, staff = public(ada), User.objects.create_user("Cleo"), User.objects.create_superuser("Grace")
    first = reports.report(attempt, brook, "speed", "")
    second = reports.report(attempt, cleo, "name", "")
    assert reports.answer_report(first, staff, action_taken=taken) == 2
    assert list(Report.objects.filter(answered_at=None)) == []
    notices = {notice.player_id: notice.data for notice in Notice.objects.all()}
    data = {"address": f"/reports/{attempt.public_id}/", "taken": taken}
    assert notices == {brook.pk: data, cleo.pk: data}
    said = "took action" if taken else "found nothing wrong"
    for path in ("/inbox/", f"/reports/{attempt.public_id}/"):
        assert said in signed_in(cleo).get(path).content.decode()
    with pytest.raises(Refusal):
        reports.answer_report(second, staff, action_taken=not taken)


def test_only_rejecting_a_game_answers_its_reports(ada: User, brook: User) -> None:
    attempt = public(ada)
    report = reports.report(attempt, brook, "speed", "")
    decide(attempt.pk, Attempt.State.VERIFIED, "ada-of-staff")
    assert list(Report.objects.filter(answered_at=None)) == [report]
    decide(attempt.pk, Attempt.State.REJECTED, "ada-of-staff")
    report.refresh_from_db()
    assert report.action_taken is True
    assert Notice.objects.get().player_id == brook.pk


def test_staff_answer_reports_in_the_admin(ada: User, brook: User) -> None:
    report = reports.report(public(ada), brook, "speed", "Hm.")
    desk = signed_in(User.objects.create_superuser("Grace"))
    assert "Hm." in desk.get("/admin/appeals/report/").content.decode()
    assert desk.get(f"/admin/appeals/report/{report.pk}/change/").status_code == 200
    desk.post("/admin/appeals/report/", {"action": "found_nothing", "_selected_action": [report.pk]})
    report.refresh_from_db()
    assert report.action_taken is False


def test_reports_are_deleted_with_the_account_or_after_a_year(ada: User, brook: User) -> None:
    now, deal, staff = timezone.now(), past(), User.objects.create_superuser("Grace")
    report = [reports.report(public(create_guest(), deal), brook, "speed", "") for _ in range(3)]
    for one, ago in zip(report, (366, 364), strict=False):
        reports.answer_report(one, staff, action_taken=True, now=now - timedelta(days=ago))
    clean_games()
    assert list(Report.objects.order_by("pk")) == report[1:]
    erase_player(brook)
    assert not Report.objects.exists()
