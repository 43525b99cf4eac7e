"""Races without looking ahead: a move that revealed a card cannot be undone at the table."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from games.attempts.lifecycle import journal_of
from games.live import loader
from games.live.opening_message import opening_view
from games.live.table_registry import LiveTables
from games.models import Attempt
from games.rules import open_table
from games.rules.hidden_cards import Reveals
from tests.games.conftest import Play, Seated, Sit

pytestmark = pytest.mark.django_db(transaction=True)
SEED = bytes(range(32))


def quiet_move(variant: str) -> str:
    """Return a move at the known deal that reveals nothing."""
    for token in open_table(variant, SEED).legal_moves():
        table = open_table(variant, SEED)
        reveals = Reveals(table)
        table.push(token)
        reveals.push(table, token)
        if not reveals.bars_undo:
            return token
    raise AssertionError("no such move")


def reveal_and_quiet_move() -> tuple[str, ...]:
    """Return moves at the known deal of Stonewall, the last of which reveals nothing, but the one before it a card."""
    for dice in range(1000):
        chance, table = Random(dice), open_table("stonewall", SEED)
        reveals = Reveals(table)
        barred = False
        while legal := table.legal_moves():
            table.push(token := chance.choice(legal))
            reveals.push(table, token)
            if barred and not reveals.bars_undo:
                return table.moves
            barred = reveals.bars_undo
    raise AssertionError("no such line")


def is_refused(answer: dict[str, Any]) -> bool:
    return (answer["type"], answer.get("code")) == ("error", "card_revealed")


async def test_a_draw_cannot_be_undone(seated: Seated) -> None:
    attempt, seat = await seated(free_undo=False)
    assert (await seat.move("d"))["no_undo"] == "revealed"
    assert is_refused(await seat.move("u"))
    assert is_refused(await seat.ask({"type": "rewind", "n": 2}))
    assert [row.token for row in await sync_to_async(journal_of)(attempt.pk)] == ["d"]
    assert (await seat.move("d"))["n"] == 2  # the refusal used no number


async def test_a_move_that_revealed_nothing_can_be_undone(seated: Seated) -> None:
    token = quiet_move("stonewall")
    _, seat = await seated("stonewall", SEED, free_undo=False)
    assert (await seat.move(token))["no_undo"] is None
    assert (await seat.move("u"))["type"] == "moved"
    assert (await seat.move("u"))["code"] == "illegal_move"


async def test_rewind_stops_at_the_last_reveal(seated: Seated) -> None:
    _, seat = await seated("stonewall", SEED, free_undo=False)
    for token in reveal_and_quiet_move():
        moved = await seat.move(token)
    assert moved["no_undo"] is None
    n = seat.n
    view = await seat.ask({"type": "rewind", "n": n + 1})
    assert (view["type"], view["n"], view["no_undo"]) == ("view", n + 1, "revealed")


async def test_undo_is_free_by_default(seated: Seated) -> None:
    _, seat = await seated()
    assert (await seat.move("d"))["no_undo"] is None
    assert (await seat.move("u"))["type"] == "moved"


async def test_another_process_knows_what_was_revealed(attempt_at: Play, sit: Sit, other_tables: LiveTables) -> None:
    attempt = await sync_to_async(attempt_at)(free_undo=False)
    here, there = sit(attempt), sit(attempt, at=other_tables)
    await here.sit()
    await here.move("d")
    assert (await there.sit())["no_undo"] == "revealed"
    assert is_refused(await there.move("u"))


async def test_moves_from_another_process_are_taken_into_account(
    attempt_at: Play, sit: Sit, other_tables: LiveTables
) -> None:
    attempt = await sync_to_async(attempt_at)(free_undo=False)
    here, there = sit(attempt), sit(attempt, at=other_tables)
    await here.sit()
    await there.sit()
    await here.move("d")
    await there.hear_until("moved")
    assert is_refused(await there.move("u"))


async def test_the_page_says_whether_undo_is_possible(seated: Seated) -> None:
    attempt, seat = await seated(free_undo=False)
    await seat.move("d")
    opening = await sync_to_async(lambda: opening_view(loader.read(attempt.public_id)))()
    assert opening["no_undo"] == "revealed"


async def test_a_finished_game_bars_nothing(seated: Seated) -> None:
    attempt, seat = await seated(free_undo=False)
    await seat.move("d")
    await seat.ask({"type": "resign", "n": 2})
    assert (await sync_to_async(Attempt.objects.get)(pk=attempt.pk)).is_over
    assert (await sync_to_async(loader.load)(attempt.public_id)).reveals is None
