"""Other requests at a table: why a card cannot move, undoing everything, and finishing a won game."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from games.attempts import lifecycle as attempts
from games.attempts.lifecycle import journal_of, record_of
from games.live import loader
from games.live.autofinish import winning_run
from games.models import Attempt
from games.rules import open_table
from games.rules.explanations import explain
from games.rules.illegal_reasons import Why
from tests.games.conftest import Seated, Sit
from tests.games.labyrinths import easy_labyrinth

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "protocol.md").read_text()


async def test_the_tables_reasons_are_the_rules_own(seated: Seated, seed: bytes) -> None:
    _, seat = await seated("labyrinth", seed)
    table = open_table("labyrinth", seed)
    for pile, to in (("t0", ""), ("t1", "f0"), ("t1", "t0"), ("f0", "t1")):
        because = await seat.ask({"type": "why", "pile": pile, "to": to})
        assert (because["type"], because["pile"], because["cards"], because["to"]) == ("because", pile, 1, to)
        assert because["reasons"] == [reason.to_json() for reason in explain(table, pile, 1, to)]
    error = await seat.move("t0-t1")
    assert error["data"] == {"token": "t0-t1", "reason": {"why": "foundations_only"}}


async def test_a_question_without_a_subject_is_refused(seated: Seated) -> None:
    _, seat = await seated()
    assert (await seat.ask({"type": "why", "pile": "t99"}))["code"] == "invalid_token"
    assert (await seat.ask({"type": "why", "pile": "t0", "cards": 0}))["code"] == "bad_frame"


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
    documented = set(
        re.findall(r"^\| `(\w+)` \|", PAGE.partition("## Reasons")[2].partition("## ")[0], flags=re.MULTILINE)
    )
    assert documented - {"why"} == set(Why)
    source = (ROOT / "frontend" / "static" / "js" / "table" / "hud" / "illegal-reasons.js").read_text()
    assert set(Why) <= set(re.findall(r"^ {4}(\w+):\s", source, re.MULTILINE))


def test_a_winning_run_leaves_the_table_unchanged() -> None:
    table, tokens = easy_labyrinth()
    for token in tokens[:40]:
        assert winning_run(table) == ()  # the stock's cards are unknown
        table.push(token)
    view = table.view()
    run = winning_run(table)
    assert len(run) == 8
    assert all(token.endswith("-f") for token in run)
    assert table.view() == view
    for token in run:
        table.push(token)
    assert table.is_won
    assert winning_run(table) == ()


@pytest.mark.parametrize("variant", ["plot", "tarot", "stonewall"])
def test_nothing_is_offered_while_cards_are_hidden(variant: str) -> None:
    chance = random.Random(variant)
    for _ in range(10):
        table = open_table(variant, chance.randbytes(32))
        for _ in range(120):
            view = table.view()
            hidden = any(name != "w" for name in view["under"]) or any(None in pile for pile in view["piles"].values())
            assert not (hidden and winning_run(table))
            assert table.view() == view
            if not (legal := table.legal_moves()):
                break
            table.push(chance.choice(legal))


async def test_the_server_plays_the_run_as_ordinary_tokens(
    seated: Seated, sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = easy_labyrinth()[1]
    for module in (attempts, loader):
        monkeypatch.setattr(module, "deal_table", lambda _: easy_labyrinth()[0])
    attempt, seat = await seated("labyrinth")
    tab = await sit(attempt).opened()
    assert (await seat.ask({"type": "auto", "n": 1}))["code"] == "illegal_move"
    for token in tokens[:40]:
        moved = await seat.move(token)
    assert moved["auto"] is True
    first = await seat.ask({"type": "auto", "n": 41})
    assert first["n"] == 41
    ended = await seat.hear_until("ended")
    assert (ended["how"], ended["n"]) == ("won", 48)
    assert seat.view["won"] is True
    assert await tab.hear_until("ended") == ended
    assert tab.view == seat.view
    closed = await Attempt.objects.aget(pk=attempt.pk)
    assert closed.auto_runs == [[41, 48]]
    assert len(set(record_of(closed).clock[40:])) == 1
    rows = await sync_to_async(journal_of)(attempt.pk)
    assert [row.auto for row in rows] == [False] * 40 + [True] * 8
    # A won game accepts no moves.
    assert (await seat.move("u"))["code"] == "closed"
