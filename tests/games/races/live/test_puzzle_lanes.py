"""Lanes of puzzle races: puzzles solved, presence, and nothing of the puzzles."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from games.races.live import progress
from games.races.live.snapshot import EntrantFacts
from games.races.results.places import Figures
from tests.games.puzzles.puzzles import STONEWALL, wrong
from tests.games.races.conftest import Watch
from tests.games.races.live.test_hidden_frames import hidden_words
from tests.games.races.storms import end, house_of_puzzles, pass_time, play, racing_house, solve, storm

pytestmark = pytest.mark.django_db(transaction=True)

racing: Any = sync_to_async(racing_house)


async def test_others_see_only_the_number_solved(watch: Watch) -> None:
    house = await racing(2)
    viewers = [await watch(house, user) for user in (*house.players, None)]
    await sync_to_async(play)(house, 0, 0, 0, wrong(STONEWALL, 0))
    await sync_to_async(solve)(house, 0, 1)
    ms = (await sync_to_async(storm)(house, 0)).solved_ms
    key = (await sync_to_async(house.entrant)(0)).pk
    for viewer in viewers:
        await viewer.until("lanes", lambda message: message["lanes"][0][0] == key)
        assert viewer.lanes()[key] == (key, 1, 0, "racing", False, 1, ms)
    await sync_to_async(end)(house)
    for viewer in viewers:
        await viewer.until_room(lambda one: one.race("last").get("state") == "finished")
        assert viewer.lanes("last")[key] == (key, 1, 0, "timed_out", False, 1, ms)
        assert not hidden_words(viewer.frames)
        assert not [frame for frame in viewer.frames if '"puzzles":' in frame]


async def test_the_watch_of_a_room_ends_the_race(watch: Watch) -> None:
    house = await racing(2)
    await sync_to_async(pass_time)(house, 179)
    viewer = await watch(house)
    await viewer.until_room(lambda one: one.race("last").get("state") == "finished")


async def test_a_racer_is_led_to_the_page_of_the_race(watch: Watch) -> None:
    house = await sync_to_async(house_of_puzzles)(2)
    viewer = await watch(house, house.players[0])
    assert viewer.you["table"] is None
    await sync_to_async(house.start)(60)
    address = f"/races/{house.room.code}/1/puzzles/"
    await viewer.until("you", lambda message: message["table"] == address)
    await viewer.say("leave")
    await viewer.until_room(lambda one: one.you["table"] is None)


async def test_racers_with_a_connection_are_present(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "AWAY_AFTER", 2.0)
    house = await racing(2)
    first = await watch(house, house.players[0])
    seats = list(first.lanes())
    assert [first.lanes()[seat][4] for seat in seats] == [False, False]
    await first.until_room(lambda one: one.lanes()[seats[1]][4])
    assert not first.lanes()[seats[0]][4]


@pytest.mark.parametrize(("state", "figures"), [("racing", Figures(3)), ("timed_out", Figures(2))])
def test_a_late_read_takes_no_puzzle_back(state: str, figures: Figures) -> None:
    lane = progress.EntrantLane(seen_at=0, figures=Figures(3), state="racing", ms=9000)
    read = EntrantFacts(1, 1, state, None, None, None, Figures(2), 8000, answer_by=None, is_bot=False)
    lane.follow(read)
    assert lane.figures == figures
