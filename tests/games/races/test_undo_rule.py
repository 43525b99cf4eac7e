"""Races without looking ahead: a move that revealed a card cannot be undone."""

from __future__ import annotations

import html
import json
from random import Random
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.urls import reverse

from games.attempts.lifecycle import journal_of
from games.attempts.verification import judge_alone
from games.live import frames, loader
from games.live.table_registry import LiveTables
from games.models import Attempt, Deal, Move
from games.races import rooms
from games.races.live.snapshot import read_rooms
from games.races.models import Race, Room
from games.races.results import download
from games.rules import RaceFile, check_race, commitment, open_table
from games.rules.hidden_cards import Reveals, undone_reveal
from tests.factories import signed_in
from tests.games.conftest import Seated, Sit
from tests.games.races.runs import Run, winning

pytestmark = pytest.mark.django_db(transaction=True)


def frozen(**settings: Any) -> Run:
    run = Run.of(2, **settings)
    run.host_starts()
    run.easy()
    assert run.race.state == Race.State.COUNTDOWN
    return run


def test_the_host_changes_the_rule() -> None:
    run = Run.of(2)
    unchanged: dict[str, Any] = {"limit_s": run.room.limit_s, "seats": run.room.seats, "public": False}
    rooms.change(run.room.pk, run.players[0].pk, "stonewall", **unchanged, free_undo=False)
    assert not run.race.free_undo


def test_a_new_room_follows_the_form(mine: Client) -> None:
    mine.post("/races/new", {"name": "stonewall", "undo": "unseen"})
    assert not Room.objects.get().free_undo


@pytest.mark.parametrize("free", [True, False])
def test_the_table_says_the_rule_before_the_start(free: bool) -> None:
    run = frozen(free_undo=free)
    table = reverse("games:table", args=[run.attempt(0).public_id])
    page = signed_in(run.players[0]).get(table).content.decode()
    assert ("you can't undo a move that turns up a card" in html.unescape(page)) is not free


def revealing() -> tuple[str, ...]:
    """Return the winning line up to the first move that reveals a card, which is undone at the end."""
    tokens = winning().tokens
    for count in range(1, len(tokens)):
        line = (*tokens[:count], "u")
        if undone_reveal(winning().open_table(), line):
            return line
    raise AssertionError("no move reveals a card")


@pytest.mark.parametrize("free", [True, False])
def test_a_rooms_rule_is_shown_and_judged(free: bool) -> None:
    run = frozen(free_undo=free)
    assert run.race.free_undo is free
    assert set(Attempt.objects.values_list("free_undo", flat=True)) == {free}
    shown = read_rooms([run.room.pk])[run.room.pk].to_come
    assert shown is not None
    assert shown.message.free_undo is free
    Deal.objects.filter(races=run.race).update(commitment=commitment(run.seed))
    attempt, line = run.attempt(0), revealing()
    Move.objects.bulk_create([Move(attempt=attempt, n=n, token=token, ms=1000 * n) for n, token in enumerate(line, 1)])
    run.tend(15.1)
    run.resign(0, 60)
    run.resign(1, 61)
    judgement = judge_alone(run.attempt(0))
    codes = [reason["code"] for reason in judgement.reasons]
    assert codes == ([] if free else ["undone_reveal"])
    assert all(reason["n"] == len(line) for reason in judgement.reasons)
    run.judge()
    file = download.race_file(run.race).to_json()
    assert file["race"].get("free_undo", True) is free
    read = RaceFile.from_json(json.loads(json.dumps(file)))
    assert [problem.code for problem in check_race(read).problems] == codes


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
    opening = await sync_to_async(lambda: frames.opening(loader.load(attempt.public_id)))()
    assert opening["no_undo"] == "revealed", "the page says so, too"
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


async def test_other_processes_know_what_was_revealed(seated: Seated, sit: Sit, other_tables: LiveTables) -> None:
    attempt, here = await seated(free_undo=False)
    there = await sit(attempt, at=other_tables).opened()
    await here.move("d")
    await there.hear_until("moved")
    assert is_refused(await there.move("u"))
    await there.leave()
    again = sit(attempt, at=other_tables)
    assert (await again.sit())["no_undo"] == "revealed"
    assert is_refused(await again.move("u"))
