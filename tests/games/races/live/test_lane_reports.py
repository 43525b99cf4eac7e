"""Lanes of a race: reports on racers, frequency and versions of updates, and absence."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.db import OperationalError

from games.live.table_registry import LiveTables
from games.models import Attempt
from games.races import starting
from games.races.live import audience, host_succession, lane_reports, snapshot
from games.races.live import progress as progress_of
from games.races.live.lane_reports import LaneReporter
from games.races.live.progress import EntrantLane
from games.races.live.room_hub import RoomHub
from games.races.results.places import Figures
from games.races.room_notifications import room_group
from games.rules import NO_PROGRESS
from tests.games.conftest import Sit
from tests.games.races.conftest import House, Watch, house_of
from tests.games.races.live.viewers import Viewer
from tests.games.seats import Seat

pytestmark = pytest.mark.django_db(transaction=True)


async def running(count: int) -> tuple[House, list[Attempt]]:
    house = await house_of(count)
    await sync_to_async(house.run)()
    return house, await sync_to_async(house.attempts)()


async def play(seat: Seat, count: int) -> None:
    for _ in range(count):
        moved = await seat.move(seat.legal[0] if seat.legal else "u")
        assert moved["type"] == "moved", moved


def progress(viewer: Viewer) -> list[tuple[int, int]]:
    return [(lane[1], lane[2]) for lane in viewer.lanes().values()]


async def test_moves_are_seen_by_all_viewers(sit: Sit, watch: Watch, other_hub: RoomHub) -> None:
    house, (mine, _) = await running(2)
    racer, visitor = await watch(house, house.players[1]), await watch(house, at=other_hub)
    seat = await sit(mine).opened()
    await play(seat, 4)
    up = seat.view["cards_up"]
    for viewer in (racer, visitor):
        await viewer.until_room(lambda one: progress(one)[0] == (up, 4))
        assert viewer.states("running") == ["racing", "racing"]


async def test_a_late_viewer_gets_the_current_progress(sit: Sit, watch: Watch) -> None:
    house, (mine, other) = await running(2)
    seat = await sit(mine).opened()
    await play(seat, 3)
    await seat.leave()
    gone = await sit(other).opened()
    await play(gone, 2)
    await gone.ask({"type": "resign", "n": 3})
    viewer = await watch(house)
    assert progress(viewer) == [(seat.view["cards_up"], 3), (gone.view["cards_up"], 2)]
    assert viewer.states("running") == ["racing", "retired"]
    assert list(viewer.lanes().values())[1][6] is not None


async def test_updates_are_batched_with_consecutive_versions(
    sit: Sit, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`Viewer` asserts that each version follows the one before."""
    monkeypatch.setattr(lane_reports, "REPEAT_EVERY", 3600.0)
    house, (mine, _) = await running(2)
    viewer = await watch(house, house.players[1])
    seat = await sit(mine).opened()
    begun = asyncio.get_running_loop().time()
    await play(seat, 40)
    await viewer.until_room(lambda one: progress(one)[0][1] == 40)
    took = asyncio.get_running_loop().time() - begun
    told = [frame for frame in viewer.frames if json.loads(frame)["type"] == "lanes"]
    assert len(told) <= took / audience.RACERS_EVERY + 2
    assert all(len(json.loads(frame)["lanes"]) <= 2 for frame in told)


async def test_a_viewer_who_missed_updates_is_resynchronized(sit: Sit, watch: Watch) -> None:
    house, (mine, _) = await running(2)
    viewer, seat = await watch(house), await sit(mine).opened()
    await play(seat, 3)
    await viewer.until_room(lambda one: progress(one)[0][1] == 3)
    version = viewer.room["v"]
    assert version > 0
    viewer.room = {}
    await viewer.say("sync")
    room = await viewer.until("room")
    assert room["v"] >= version
    assert progress(viewer)[0][1] == 3
    await play(seat, 1)
    await viewer.until_room(lambda one: progress(one)[0][1] == 4)


async def test_places_are_live(sit: Sit, watch: Watch) -> None:
    house, (mine, _, third) = await running(3)
    viewer = await watch(house)
    assert [lane[5] for lane in viewer.lanes().values()] == [1, 1, 1]
    seat, gone = await sit(mine).opened(), await sit(third).opened()
    await play(seat, 2)
    await gone.ask({"type": "resign", "n": 1})
    await viewer.until_room(lambda one: one.states("running")[2] == "retired" and progress(one)[0][1] == 2)
    await viewer.until_room(lambda one: [lane[5] for lane in one.lanes().values()] == [1, 2, 2])


def test_running_and_ended_racers_are_placed_by_one_order() -> None:
    lanes = {
        "running": EntrantLane(0, Figures(8, 30, 20_000), state="racing"),
        "slower": EntrantLane(0, Figures(8, 9, 30_000), state="retired", ms=31_000),
        "resigned at once": EntrantLane(0, Figures(4, 0, NO_PROGRESS), state="retired", ms=600),
        "winner": EntrantLane(0, Figures(52, 90, 80_000), state="won", ms=80_000),
        "reported by an old process": EntrantLane(0, Figures(4, 12, None), state="racing"),
    }
    scores = {name: progress_of._score(lane) for name, lane in lanes.items()}
    assert sorted(scores, key=lambda name: scores[name].key) == [
        "winner",
        "running",
        "slower",
        "reported by an old process",
        "resigned at once",
    ]


async def test_an_end_is_sent_at_once(sit: Sit, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if lanes are updated rarely."""
    monkeypatch.setattr(lane_reports, "REPORT_EVERY", 3600.0)
    monkeypatch.setattr(audience, "RACERS_EVERY", 3600.0)
    monkeypatch.setattr(audience, "OTHERS_EVERY", 3600.0)
    house, (mine, _) = await running(2)
    viewer, seat = await watch(house), await sit(mine).opened()
    await seat.ask({"type": "resign", "n": 1})
    await viewer.until_room(lambda one: one.states("running") == ["retired", "racing"])
    assert next(iter(viewer.lanes().values()))[6] is not None


async def test_the_first_view_marks_a_racer_present(sit: Sit, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recorded even if the database fails at first; players who never open the table stay as they were."""
    monkeypatch.setattr(lane_reports, "REPORT_EVERY", 0.01)
    really, failures = starting.mark_dealt, [True, True]

    def sometimes(attempt_ids: Any) -> int:
        if failures:
            failures.pop()
            raise OperationalError
        return really(attempt_ids)

    monkeypatch.setattr(starting, "mark_dealt", sometimes)
    house = await house_of(2)
    await sync_to_async(house.start)(0.3)
    viewer = await watch(house, house.players[0])
    attempts = await sync_to_async(house.attempts)()
    seat = sit(attempts[0])
    if (await seat.sit())["type"] == "waiting":
        await seat.hear_until("view")
    await viewer.until_room(lambda one: one.states("running") == ["racing", "seated"])
    assert not failures
    assert viewer.race("running")["state"] == "racing"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_of, "AWAY_AFTER", 0.6)
    monkeypatch.setattr(lane_reports, "REPEAT_EVERY", 0.1)
    monkeypatch.setattr(lane_reports, "REPORT_EVERY", 0.05)
    monkeypatch.setattr(host_succession, "HEARTBEAT_EVERY", 0.1)
    monkeypatch.setattr(audience, "RACERS_EVERY", 0.05)
    monkeypatch.setattr(audience, "OTHERS_EVERY", 0.05)


def away(viewer: Viewer, which: str = "running") -> list[bool]:
    return [lane[4] for lane in viewer.lanes(which).values()]


@pytest.mark.usefixtures("quick")
async def test_a_disconnected_racer_is_away_until_back(sit: Sit, watch: Watch) -> None:
    house, (mine, other) = await running(2)
    viewer = await watch(house)
    seat, stays = await sit(mine).opened(), await sit(other).opened()
    await seat.leave()
    await viewer.until_room(lambda one: away(one) == [True, False])
    again = await sit(mine).opened()
    await viewer.until_room(lambda one: away(one) == [False, False])
    await stays.ask({"type": "resign", "n": 1})
    await stays.leave()
    await again.leave()
    await viewer.until_room(lambda one: away(one) == [True, False])
    assert viewer.states("running") == ["racing", "retired"]


@pytest.mark.usefixtures("quick")
async def test_racers_of_a_killed_process_are_away(tables: LiveTables, sit: Sit, watch: Watch) -> None:
    """It sends nothing any more, not even that they have left."""
    house, (mine, _) = await running(2)
    viewer = await watch(house)
    await sit(mine).opened()
    await viewer.until_room(lambda one: away(one) == [False, True])
    for companion in tables.companions:
        await companion.close()
    await viewer.until_room(lambda one: away(one) == [True, True])


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("leaves", [True, False], ids=["leaves", "falls asleep"])
async def test_before_the_start_answers_in_the_room_count(watch: Watch, other_hub: RoomHub, leaves: bool) -> None:
    house = await house_of(2)
    host, visitor = await watch(house, house.players[0]), await watch(house, at=other_hub)
    host.is_awake = True
    staying = asyncio.create_task(host.stay())
    await visitor.until_room(lambda one: away(one, "to_come") == [False, True])
    host.is_awake = False
    await staying
    if leaves:
        await host.leave()
    await visitor.until_room(lambda one: away(one, "to_come") == [True, True])


async def test_an_ordinary_table_is_not_reported(tables: LiveTables, sit: Sit, attempt_at: Any) -> None:
    attempt = await sync_to_async(attempt_at)()
    await sit(attempt).opened()
    assert tables._tables[attempt.public_id].subscribers.followers == ()


async def test_a_lost_report_is_repeated(sit: Sit, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_reports, "REPEAT_EVERY", 0.1)
    house, (mine, _) = await running(2)
    viewer, seat = await watch(house), await sit(mine).opened()
    with monkeypatch.context() as patch:
        patch.setattr(get_channel_layer(), "group_send", _lost)
        await play(seat, 3)
        await asyncio.sleep(0.2)
    await viewer.until_room(lambda one: progress(one)[0][1] == 3)


async def _lost(*_: Any) -> None:
    raise ConnectionError


async def test_reports_for_unknown_rooms_and_entrants_are_ignored(watch: Watch) -> None:
    house, _ = await running(2)
    viewer = await watch(house)
    layer: Any = get_channel_layer()
    group = room_group(house.room.pk)
    strangers = [[10**6, 5, 5, None, None, True]]
    lanes_told = [[0, []], [house.room.pk, strangers]]
    await layer.group_send(group, {"type": "rooms.lanes", "by": "x", "rooms": lanes_told})
    await layer.group_send(group, {"type": "rooms.here", "process": "x", "rooms": [[0, [], None]]})
    await layer.group_send(group, {"type": "rooms.changed", "rooms": [0]})
    await viewer.say("sync")
    await viewer.until("room")
    assert len(viewer.lanes()) == 2


async def test_a_repetition_delays_no_move(tables: LiveTables, sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    _, (mine, _) = await running(2)
    sent: list[list[Any]] = []

    async def send(_group: str, rooms: list[Any]) -> bool:
        sent.extend(reports for _room, reports in rooms)
        return True

    seat = await sit(mine).opened()
    told = LaneReporter(tables)
    monkeypatch.setattr(told, "_send", send)
    monkeypatch.setattr(told, "_keep_reporting", lambda: asyncio.sleep(0))
    table = tables._tables[mine.public_id]
    told.changed(table)
    await told.report(100.0)
    await told.report(100.0 + lane_reports.REPEAT_EVERY)  # nothing has changed: every lane is repeated
    await play(seat, 1)
    told.changed(table)
    await told.report(100.1 + lane_reports.REPEAT_EVERY)
    assert [lane[2] for (lane,) in sent] == [0, 0, 1]


async def test_a_reload_keeps_the_progress_time(tables: LiveTables, sit: Sit) -> None:
    _, (mine, _) = await running(2)
    seat = await sit(mine).opened()
    await play(seat, 6)
    await seat.ask({"type": "rewind", "n": 7})
    await play(seat, 3)
    table = tables._tables[mine.public_id]
    known = table.attempt.progress.ms
    for is_doubtful in (False, True):
        table.is_doubtful = is_doubtful
        await table._reload()
        assert table.attempt.progress.ms == known
    replayed = await sync_to_async(snapshot.read_figures)([mine.pk])
    assert replayed[mine.pk].progress_ms == known
