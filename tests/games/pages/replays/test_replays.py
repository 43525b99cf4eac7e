"""Replays, records and steps: access and timing, and records that visitors submit."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.attempts.lifecycle import close_attempt, deal_table, start_attempt
from games.deals import publishing
from games.models import GRACE, Deal, Move
from games.rules import Record, open_table, replay
from tests.deals import make_deal
from tests.games.conftest import Play
from tests.players import signed_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("suffix", ["", "steps.json", "record.json"])
def test_a_game_is_public_once_its_deal_is_over(suffix: str, client: Client, mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at()
    path = f"/replay/{attempt.public_id}/{suffix}"
    for closes_at in (None, timezone.now() - GRACE / 2, timezone.now() - 2 * GRACE):
        if closes_at:
            Deal.objects.update(closes_at=closes_at)
        assert mine.get(path).status_code == 403  # still being played
    Deal.objects.update(closes_at=timezone.now() + timedelta(hours=3))
    close_attempt(attempt.pk, "resigned")
    for closes_at in (timezone.now() + timedelta(hours=3), timezone.now() - GRACE / 2):
        Deal.objects.update(closes_at=closes_at)
        assert client.get(path).status_code == 403
    Deal.objects.update(closes_at=timezone.now() - 2 * GRACE)
    assert client.get(path).status_code == 200


def others() -> list[Client]:
    """Browsers of everyone but the player: another account, a guest, a superuser, and a visitor without a session."""
    account = User.objects.create_user(username="Minos", password="the bull of Crete")
    staff = User.objects.create_superuser(username="Daedalus", password="wax and feathers")
    return [signed_in(account), signed_in(create_guest()), signed_in(staff), Client()]


@pytest.mark.parametrize("suffix", ["", "steps.json"])
def test_todays_own_game_is_shown_only_to_its_player(suffix: str, mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at("tarot")
    Move.objects.create(attempt=attempt, n=1, token="d", ms=70)
    close_attempt(attempt.pk, "resigned")
    path = f"/replay/{attempt.public_id}/{suffix}"
    answer = mine.get(path)
    assert answer.status_code == 200
    assert bytes(attempt.deal.seed).hex() not in answer.content.decode()
    assert [client.get(path).status_code for client in others()] == [403] * 4


def test_todays_own_game_shows_only_seen_cards(mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at("tarot")
    Move.objects.create(attempt=attempt, n=1, token="d", ms=70)
    close_attempt(attempt.pk, "resigned")
    steps = mine.get(f"/replay/{attempt.public_id}/steps.json").json()
    table = deal_table(attempt.deal)
    hidden = {table.DECK.names[card] for card in range(len(table.DECK.names)) if table.hidden >> card & 1}
    hidden |= {table.DECK.names[card] for card in table.stock[:-3]}  # one draw turns up to three
    views = json.dumps(steps)
    assert hidden
    assert [name for name in hidden if f'"{name}"' in views] == []
    assert steps["view"]["piles"]["s"] == []
    page = mine.get(f"/replay/{attempt.public_id}/")
    assert not page.context["record_url"]
    assert not page.context["embed_url"]
    assert not page.context["may_be_shared"]
    assert mine.get(f"/replay/{attempt.public_id}/record.json").status_code == 403


def test_a_practice_record_is_private_until_the_game_ends(client: Client, mine: Client, player: Any) -> None:
    attempt = start_attempt(player, publishing.practice_deal("stonewall"))
    path = f"/replay/{attempt.public_id}/record.json"
    assert mine.get(path).status_code == 403
    close_attempt(attempt.pk, "resigned")
    record = Record.from_json(mine.get(path).json())
    assert replay(record).ok
    assert client.get(path).status_code == 403
    # Playing it again hides it again.
    start_attempt(player, attempt.deal)
    assert mine.get(path).status_code == 403


def test_steps_show_what_the_game_showed(client: Client, player: Any, seed: bytes) -> None:
    attempt = start_attempt(player, make_deal("tarot", seed=seed))
    table = open_table("tarot", seed)
    first = table.view()
    Move.objects.create(attempt=attempt, n=1, token="d", ms=70)
    close_attempt(attempt.pk, "resigned")
    Deal.objects.update(closes_at=timezone.now() - 2 * GRACE)
    steps = client.get(f"/replay/{attempt.public_id}/steps.json").json()
    table.push("d")
    assert steps["view"] == first
    assert steps["moved"] == [{"n": 1, "token": "d", "ms": 70, "changes": table.view_changes()}]


def test_another_site_may_frame_only_public_games(client: Client, mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at()
    close_attempt(attempt.pk, "resigned")
    path = f"/replay/{attempt.public_id}/embed/"
    assert mine.get(path).status_code == 403  # framed pages ignore the session
    Deal.objects.update(closes_at=timezone.now() - 2 * GRACE)
    framed = client.get(path)
    assert framed.status_code == 200
    assert "frame-ancestors *" in framed["Content-Security-Policy"]
    assert "script-src 'self'" in framed["Content-Security-Policy"]
    assert "X-Frame-Options" not in framed
    assert not framed.cookies
    assert "<form" not in framed.content.decode()
    assert not client.get(framed.context["steps_url"]).cookies
    assert mine.get(path).content == framed.content
    page = client.get(f"/replay/{attempt.public_id}/")
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    assert f"&lt;iframe src=&quot;{path}" in page.content.decode().replace("http://testserver", "").replace(
        '"', "&quot;"
    )


def record_json(**changes: Any) -> dict[str, Any]:
    return {
        "rules": 1,
        "variant": "braid",
        "seed": "00" * 32,
        "tokens": ["d"],
        "clock": [5],
        "end": {"how": "resigned", "ms": 9},
        **changes,
    }


def test_verifying_a_submitted_record(client: Client) -> None:
    good = client.post("/verify/", {"record": json.dumps(record_json())})
    assert good.context["result"] == replay(Record.from_json(record_json())).to_json()
    assert good.context["result"]["ok"] is True
    illegal = client.post("/verify/", {"record": json.dumps(record_json(tokens=["n"]))})
    assert illegal.context["result"]["failure"]["index"] == 0


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"rules": 1}', "[" * 100_000])
def test_verifying_an_invalid_record(text: str, client: Client) -> None:
    page = client.post("/verify/", {"record": text})
    assert page.status_code == 400
    assert page.context["error"]
