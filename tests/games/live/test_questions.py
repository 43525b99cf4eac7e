"""Other requests at a table: why a card cannot move, and undoing everything."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from games.attempts.lifecycle import journal_of
from games.rules import CATALOGUE, open_table
from games.rules.explanations import explain
from games.rules.illegal_reasons import Why
from tests.games.conftest import Seated, Sit

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "protocol.md").read_text()


@pytest.mark.parametrize("variant", CATALOGUE)
async def test_the_tables_reasons_are_the_rules_own(variant: str, seated: Seated, seed: bytes) -> None:
    _, seat = await seated(variant, seed)
    table = open_table(variant, seed)
    for pile, to in (("t0", ""), ("t1", "f0"), ("t1", "t0"), ("f0", "t1")):
        because = await seat.ask({"type": "why", "pile": pile, "to": to})
        assert (because["type"], because["pile"], because["cards"], because["to"]) == ("because", pile, 1, to)
        assert because["reasons"] == [reason.to_json() for reason in explain(table, pile, 1, to)]


async def test_a_question_without_a_subject_is_refused(seated: Seated) -> None:
    _, seat = await seated()
    assert (await seat.ask({"type": "why", "pile": "t99"}))["code"] == "invalid_token"
    assert (await seat.ask({"type": "why", "pile": "t0", "cards": 0}))["code"] == "bad_frame"


async def test_an_illegal_move_gets_the_same_reason(seated: Seated) -> None:
    _, seat = await seated("labyrinth")
    error = await seat.move("t0-t1")
    assert error["data"] == {"token": "t0-t1", "reason": {"why": "foundations_only"}}


async def test_undo_all_is_one_commit_seen_by_every_tab(attempt_at: Any, sit: Sit) -> None:
    attempt = await sync_to_async(attempt_at)("tarot")
    seat, other = sit(attempt), sit(attempt)
    first = await seat.sit()
    await other.sit()
    for token in ("d", "d", "u", "d"):
        await seat.move(token)
        await other.hear()
    await seat.send('{"type": "rewind", "n": 5}')
    for one in (seat, other):
        view = await one.hear()
        assert (view["type"], view["n"]) == ("view", 6)
        assert view["view"]["piles"] == first["view"]["piles"]
        assert (view["view"]["can_undo"], view["view"]["moves"]) == (False, 6)
    rows = await sync_to_async(journal_of)(attempt.pk)
    assert [(row.token, row.auto) for row in rows[4:]] == [("u", False)] * 2
    assert (await seat.ask({"type": "rewind", "n": 7}))["code"] == "illegal_move"


def test_every_reason_is_documented_and_has_client_text() -> None:
    told = set(re.findall(r"^\| `(\w+)` \|", PAGE.partition("## Reasons")[2].partition("## ")[0], flags=re.MULTILINE))
    assert told - {"why"} == set(Why)
    source = (ROOT / "frontend" / "static" / "js" / "table" / "hud" / "illegal-reasons.js").read_text()
    assert set(Why) <= set(re.findall(r"^ {4}(\w+):\s", source, re.MULTILINE))
