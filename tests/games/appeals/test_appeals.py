"""Appeals: one for each doubted game, by its player, answered by staff."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.sign_in.guests import create_guest, merge_guest
from games.appeals import appeals
from games.appeals.models import APPEAL_LENGTH, Appeal
from games.core import limits
from games.core.errors import ErrorCode, Refusal
from games.ghosts.models import Notice
from games.models import Attempt
from games.tasks import clean_games
from leaderboards.boards import board_queries
from tests.games.appeals.doubtful import doubtful, past
from tests.players import signed_in

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
    made = appeals.appeal(attempt, ada, "  I play\r\nby keyboard.\x00  ")
    assert made.text == "I play\nby keyboard."
    assert refused(attempt, ada, "And again.") == ErrorCode.ALREADY_APPEALED
    assert list(appeals.open_appeals()) == [made]


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
    made = appeals.appeal(attempt, ada, "Please look.")
    appeals.answer_appeal(made, staff, "We have looked.", decision)
    attempt.refresh_from_db()
    assert attempt.state == decision
    assert len(board_queries.page(attempt.deal).entries) == (decision == State.VERIFIED)
    assert list(appeals.open_appeals()) == []
    notice = Notice.objects.get(player=ada)
    assert notice.data == {"address": f"/appeals/{attempt.public_id}/", "granted": decision == State.VERIFIED}
    assert "Your appeal has been answered" in signed_in(ada).get("/inbox/").content.decode()
    page = signed_in(ada).get(f"/appeals/{attempt.public_id}/").content.decode()
    assert "We have looked." in page
    assert "Grace of staff" not in page


def test_a_failed_answer_leaves_the_appeal_open(ada: User, staff: User) -> None:
    made = appeals.appeal(doubtful(ada), ada, "Please look.")
    with pytest.raises(Refusal):
        appeals.answer_appeal(made, staff, "", State.PENDING)
    assert list(appeals.open_appeals()) == [made]
    assert not Notice.objects.exists()
    appeals.answer_appeal(made, staff, "", State.VERIFIED)
    with pytest.raises(Refusal):
        appeals.answer_appeal(made, staff, "", State.REJECTED)
    made.attempt.refresh_from_db()
    assert made.attempt.state == State.VERIFIED


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
        made = appeals.appeal(attempt, ada, "Look.", now)
        appeals.answer_appeal(made, staff, "", State.REJECTED, then)
    Appeal.objects.update(made_at=now - timedelta(days=999))
    appeals.appeal(waiting, ada, "Look.")
    clean_games()
    assert set(Appeal.objects.values_list("attempt", flat=True)) == {young.pk, waiting.pk}
