"""Reasons of verdicts: players see a code and a sentence everywhere, staff also the rest."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import translation

from accounts.models import User
from games.appeals import appeals
from games.core.verdict_reasons import for_player, reason, shown
from games.inbox import notices
from games.models import Attempt
from games.pages.info.inbox_page import shown_notices
from leaderboards.verdicts.settlement import AttemptVerdict, do_settle
from tests.accounts.conftest import exported
from tests.factories import signed_in
from tests.games.appeals.doubtful import CODES, REASONS, SECRETS, doubtful
from tests.games.conftest import Sit


def leaks(text: str) -> list[str]:
    return [secret for secret in SECRETS if secret in text]


def test_a_player_sees_only_code_and_sentence() -> None:
    found = for_player(REASONS, "review")
    assert [one["code"] for one in found] == CODES
    assert all(one.keys() == {"code", "message"} for one in found)
    assert leaks(json.dumps(found)) == []


def test_api_reasons_are_english_and_pages_translated() -> None:
    with translation.override("de"):
        english, german = for_player(REASONS, "review")[0]["message"], str(shown(REASONS)[0].sentence)
    assert english.startswith("Faster than people")
    assert german != english


def test_duplicate_reasons_are_shown_once() -> None:
    assert [one.code for one in shown([*REASONS, *REASONS])] == CODES


def test_a_general_pace_reason_is_shown_only_alone() -> None:
    quick = [reason("pace", "120 ms a move"), reason("burst", "9 moves in a second"), reason("steady", "± 2 ms")]
    assert [one.code for one in shown(quick)] == ["burst", "steady"]
    assert [one.code for one in shown(quick[:1])] == ["pace"]


APPEAL, PROFILE = "/appeals/{attempt.public_id}/", "/players/{attempt.player.public_id}/"
DOORS: dict[str, set[str]] = {
    "/table/{attempt.public_id}/": set(),
    APPEAL: {"review", "rejected"},
    PROFILE: {"review"},
    "/boards/{attempt.deal.day}/{attempt.deal.variant}/": {"review"},
    "/api/v1/deals/{attempt.deal.pk}/board": set(),
    "/deals/{attempt.deal.day}/{attempt.deal.variant}/": set(),
    "/api/v1/records/{attempt.public_id}": set(),
    "/replay/{attempt.public_id}/": set(),
    "/inbox/": set(),
}
"""Addresses, and the states in which the player finds the reasons there."""


def page_at(address: str, attempt: Attempt) -> str:
    return signed_in(attempt.player).get(address.format(attempt=attempt)).content.decode()


@pytest.mark.parametrize("state", ["review", "rejected"])
def test_no_page_api_or_export_shows_more(state: str, ada: User) -> None:
    attempt = doubtful(ada, state=state)
    for door, states in DOORS.items():
        text = page_at(door, attempt)
        assert leaks(text) == [], door
        assert ("Faster than people" in text) == (state in states), door
    text = json.dumps(exported(ada), ensure_ascii=False)
    assert leaks(text) == []
    assert "Faster than people" in text


async def test_no_table_frame_shows_more(ada: User, sit: Sit) -> None:
    attempt = await sync_to_async(doubtful)(ada)
    seat = await sit(attempt, user=ada).opened()
    while "verdict" not in seat.frames[-1]:
        await seat.hear()
    frames = " ".join(seat.frames)
    assert '"pace"' in frames
    assert leaks(frames) == []


def test_no_verdict_message_shows_more(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(
        "leaderboards.verdicts.settlement.notifier.send", lambda *message, **_about: sent.append(message)
    )
    attempt = doubtful(ada, state="pending")
    assert do_settle(attempt, AttemptVerdict(Attempt.State.REVIEW, REASONS, None), expected=Attempt.State.PENDING)
    assert "copied_line" in json.dumps(sent)
    assert leaks(json.dumps(sent)) == []


def test_no_notice_of_an_answer_shows_more(ada: User) -> None:
    attempt = doubtful(ada)
    appeal = appeals.appeal(attempt, ada, "I was just quick.")
    appeals.answer_appeal(appeal, User.objects.create_user("ada-of-staff"), "Fine.", Attempt.State.VERIFIED)
    (notice,) = shown_notices(notices.latest(ada.pk))
    assert leaks(f"{notice} {exported(ada)} {page_at(APPEAL, attempt)}") == []


def test_the_profile_explains_a_review(ada: User) -> None:
    attempt = doubtful(ada)
    page = page_at(PROFILE, attempt)
    assert re.search(r"Under review:\s+Faster than people usually play\.", page)
    assert f'href="/appeals/{attempt.public_id}/"' in page
