"""Reports of public games: accounts only, one per player and game, no automatic flags, answered by staff."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.appeals import reports
from games.appeals.models import REPORT_LENGTH, Report
from games.core import limits
from games.core.errors import ErrorCode, Refusal
from games.ghosts.models import Notice
from games.models import Attempt, Deal
from games.tasks import clean_games
from leaderboards.verdicts.decisions import decide
from tests.deals import make_deal
from tests.games.appeals.doubtful import doubtful, past
from tests.players import signed_in

pytestmark = pytest.mark.django_db(transaction=True)


def public(player: User, deal: Deal | None = None, **fields: Any) -> Attempt:
    return doubtful(player, deal, **{"state": "verified", "reasons": [], **fields})


def refused(attempt: Attempt, reporter: User, reason: str = "speed", text: str = "") -> ErrorCode:
    with pytest.raises(Refusal) as refusal:
        reports.report(attempt, reporter, reason, text)
    return refusal.value.code


def test_a_report_waits_for_staff_and_changes_nothing(ada: User, brook: User) -> None:
    attempt = public(ada)
    made = reports.report(attempt, brook, "speed", " Look at the end. ")
    assert (made.text, list(Report.objects.filter(answered_at=None))) == ("Look at the end.", [made])
    attempt.refresh_from_db()
    assert (attempt.state, attempt.reasons) == ("verified", [])
    assert not Notice.objects.exists()


def test_one_report_a_player_and_game(ada: User, brook: User) -> None:
    attempt = public(ada)
    reports.report(attempt, brook, "speed", "")
    assert refused(attempt, brook) == ErrorCode.ALREADY_REPORTED
    reports.report(attempt, User.objects.create_user("Cleo"), "speed", "")


def test_games_that_cannot_be_reported(ada: User, brook: User) -> None:
    deal = past()
    assert refused(public(brook, deal), brook) == ErrorCode.NO_REPORT
    for attempt in (
        public(ada, deal, ranked=False),
        public(create_guest(), deal, state="rejected"),
        public(ada, make_deal("plot")),  # still open: its games are hidden
    ):
        assert refused(attempt, brook) == ErrorCode.NO_REPORT
    assert refused(public(create_guest(), deal), create_guest()) == ErrorCode.ACCOUNT_REQUIRED
    assert refused(public(create_guest(), deal), brook, "nonsense") == ErrorCode.BAD_REQUEST
    assert refused(public(create_guest(), deal), brook, text="x" * (REPORT_LENGTH + 1)) == ErrorCode.BAD_TEXT
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
    assert "Somebody will look at it." in page
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
    told = {notice.player_id: notice.data for notice in Notice.objects.all()}
    data = {"address": f"/reports/{attempt.public_id}/", "taken": taken}
    assert told == {brook.pk: data, cleo.pk: data}
    said = "action was taken" if taken else "nothing was found"
    for path in ("/inbox/", f"/reports/{attempt.public_id}/"):
        assert said in signed_in(cleo).get(path).content.decode()
    with pytest.raises(Refusal):
        reports.answer_report(second, staff, action_taken=not taken)


def test_only_rejecting_a_game_answers_its_reports(ada: User, brook: User) -> None:
    attempt = public(ada)
    made = reports.report(attempt, brook, "speed", "")
    decide(attempt.pk, Attempt.State.VERIFIED, "ada-of-staff")
    assert list(Report.objects.filter(answered_at=None)) == [made]
    decide(attempt.pk, Attempt.State.REJECTED, "ada-of-staff")
    made.refresh_from_db()
    assert made.action_taken is True
    assert Notice.objects.get().player_id == brook.pk


def test_staff_answer_in_the_admin(ada: User, brook: User) -> None:
    made = reports.report(public(ada), brook, "speed", "Hm.")
    desk = signed_in(User.objects.create_superuser("Grace"))
    assert "Hm." in desk.get("/admin/appeals/report/").content.decode()
    assert desk.get(f"/admin/appeals/report/{made.pk}/change/").status_code == 200
    desk.post("/admin/appeals/report/", {"action": "found_nothing", "_selected_action": [made.pk]})
    made.refresh_from_db()
    assert made.action_taken is False


def test_reports_are_deleted_with_the_account_or_after_a_year(ada: User, brook: User) -> None:
    now, deal, staff = timezone.now(), past(), User.objects.create_superuser("Grace")
    made = [reports.report(public(create_guest(), deal), brook, "speed", "") for _ in range(3)]
    for one, ago in zip(made, (366, 364), strict=False):
        reports.answer_report(one, staff, action_taken=True, now=now - timedelta(days=ago))
    clean_games()
    assert list(Report.objects.order_by("pk")) == made[1:]
    erase_player(brook)
    assert not Report.objects.exists()
