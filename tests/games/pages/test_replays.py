"""Replays, their records and steps: who sees them, and when; and records that visitors bring."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.attempts import close_attempt, start_attempt
from games.deals import publishing
from games.models import GRACE, Deal, Move
from games.rules import Record, open_table, replay
from tests.games.conftest import Play, make_deal

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("suffix", ["", "steps.json", "record.json"])
def test_a_record_is_shown_when_nobody_can_play_the_deal_any_more(
    suffix: str, client: Client, mine: Client, attempt_at: Play
) -> None:
    attempt = attempt_at()
    path = f"/replay/{attempt.public_id}/{suffix}"
    for closes_at in (None, timezone.now() - GRACE / 2, timezone.now() - 2 * GRACE):
        if closes_at:
            Deal.objects.update(closes_at=closes_at)
        assert mine.get(path).status_code == 403  # it is still being played
    Deal.objects.update(closes_at=timezone.now() + timedelta(hours=3))
    close_attempt(attempt.pk, "resigned")
    for closes_at in (timezone.now() + timedelta(hours=3), timezone.now() - GRACE / 2):
        Deal.objects.update(closes_at=closes_at)
        assert mine.get(path).status_code == 403
        assert client.get(path).status_code == 403
    Deal.objects.update(closes_at=timezone.now() - 2 * GRACE)
    assert client.get(path).status_code == 200


def test_a_practice_record_is_its_players_once_the_game_is_over(client: Client, mine: Client, player: Any) -> None:
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


def test_steps_are_what_the_game_showed(client: Client, player: Any, seed: bytes) -> None:
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


def test_verifying_a_record_somebody_brings(client: Client) -> None:
    good = client.post("/verify/", {"record": json.dumps(record_json())})
    assert good.context["result"] == replay(Record.from_json(record_json())).to_json()
    assert good.context["result"]["ok"] is True
    illegal = client.post("/verify/", {"record": json.dumps(record_json(tokens=["n"]))})
    assert illegal.context["result"]["failure"]["index"] == 0


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"rules": 1}', "[" * 100_000])
def test_verifying_what_is_no_record(text: str, client: Client) -> None:
    page = client.post("/verify/", {"record": text})
    assert page.status_code == 400
    assert page.context["error"]
