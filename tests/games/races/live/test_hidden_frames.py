"""Secrecy of a whole race: tables are shown only to their players, and nothing before the start.

There are racers, spectators with and without a session, and outsiders who try the racers' sockets. All frames and the
log are searched for cards, tokens, seeds and solutions.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from accounts.sign_in.guests import create_guest
from games.live import attempt_state
from games.live.table_registry import LiveTables
from games.models import Attempt, Deal
from games.races import starting
from games.rules import Record
from leaderboards.verdicts.settlement import settle
from tests.games.races.conftest import House, Watch, house_of
from tests.games.races.live.viewers import Viewer
from tests.games.races.runs import Run, at, winning
from tests.games.seats import CARD, Closed, Seat
from tests.games.test_secrecy import revealed, spellings, written

pytestmark = pytest.mark.django_db(transaction=True)

COUNTDOWN = 1.0
WORDS = ('"piles"', '"under"', '"legal"', '"changes"', '"token"', '"view"')


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts(item)


class Audience:
    """All connections and their frames, by receiver."""

    def __init__(self, house: House, watch: Watch, tables: LiveTables) -> None:
        self.house, self.watch, self.tables = house, watch, tables
        self.viewers: list[Viewer] = []
        self.seats: list[Seat] = []
        self.intruders: list[Seat] = []

    async def connect(self, attempts: list[Attempt]) -> None:
        """Connect everyone, including outsiders to sockets that are not theirs."""
        stranger = await sync_to_async(create_guest)()
        for user in (*self.house.players, stranger, None):
            self.viewers.append(await self.watch(self.house, user))
        for attempt in attempts:
            seat = Seat(self.tables, attempt.public_id, attempt.player)
            self.seats.append(seat)
            assert (await seat.sit())["type"] == "waiting"
            for other in (stranger, AnonymousUser(), *(one.player for one in attempts if one != attempt)):
                await self._try(attempt, other)

    async def _try(self, attempt: Attempt, user: Any) -> None:
        intruder = Seat(self.tables, attempt.public_id, user)
        self.intruders.append(intruder)
        assert (await intruder.sit())["code"] in {"not_yours", "session_expired"}
        with pytest.raises(Closed):
            await intruder.hear()
        await intruder.leave()

    async def leave(self) -> None:
        for seat in self.seats:
            await seat.leave()

    def frames_of_others(self) -> list[str]:
        """Return all frames but those sent to players at their own tables."""
        return [frame for connection in (*self.viewers, *self.intruders) for frame in connection.frames]


def hidden_words(frames: list[str]) -> list[str]:
    return [found for frame in frames for found in (*CARD.findall(frame), *(word for word in WORDS if word in frame))]


@sync_to_async
def give_known_deal(house: House) -> set[str]:
    """Put the race on a deal with known seed and winning line, and return their possible spellings."""
    record = winning()
    Deal.objects.filter(races=house.race).update(seed=record.seed, solution=record.to_bytes())
    return spellings(record.seed, record.to_bytes())


async def play(seat: Seat, tokens: tuple[str, ...]) -> None:
    for token in tokens:
        assert (await seat.move(token))["type"] == "moved"


async def test_a_whole_race(
    tables: LiveTables, watch: Watch, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr("games.live.sockets.message_limit.Allowance.spend", lambda _: 0)
    house: House = await house_of(3)
    secrets = await give_known_deal(house)
    await sync_to_async(house.start)(COUNTDOWN)
    attempts = await sync_to_async(house.attempts)()
    race = await sync_to_async(lambda: house.race)()
    assert race.starts_at is not None
    audience = Audience(house, watch, tables)

    # Nothing is sent before the start. The clock of the tables stops there, however slow the machine is.
    really, before = attempt_state.now_ms, round(race.starts_at.timestamp() * 1000) - 100
    with monkeypatch.context() as stopped:
        stopped.setattr(attempt_state, "now_ms", lambda: min(really(), before))
        await audience.connect(attempts)
        for seat in audience.seats:
            assert (await seat.ask({"type": "move", "n": 1, "token": "d"}))["code"] == "not_begun"
        early = [*audience.frames_of_others(), *(frame for seat in audience.seats for frame in seat.frames)]
    assert not hidden_words(early)
    assert not revealed(secrets, " ".join(early))
    for seat in audience.seats:
        await seat.hear_until("view")
        assert timezone.now() >= race.starts_at

    # The race: one wins, one resigns, one leaves through the room.
    winner, second, third = audience.seats
    line = Record.from_bytes(winning().to_bytes()).tokens
    visitor = audience.viewers[-1]
    await visitor.until_room(lambda one: one.states("running") == ["racing"] * 3)
    await play(second, line[:5])
    await play(third, line[:3])
    await play(winner, line)
    await winner.hear_until("ended")
    await second.ask({"type": "resign", "n": 6})
    await audience.viewers[2].say("leave")
    await third.hear_until("ended")
    await visitor.until_room(lambda one: one.states("running") == ["won", "retired", "retired"])
    for attempt in attempts:
        await sync_to_async(settle)(attempt.pk)
    for viewer in audience.viewers:
        await viewer.until_room(lambda one: one.race("last").get("state") == "finished")
    # The winner played at a program's pace, which costs no one anything in this race.
    assert [lane[5] for lane in visitor.lanes("last").values()] == [1, 2, 3]
    await audience.leave()

    frames = audience.frames_of_others()
    assert len(frames) > 30
    assert not hidden_words(frames)
    played = {token for token in line if len(token) > 1}
    assert not [text for frame in frames for text in texts(json.loads(frame)) if text in played]
    assert not revealed(secrets, " ".join(frames))
    assert not revealed(secrets, written(caplog))
    keys = {str(attempt.public_id) for attempt in attempts}
    for seat, viewer, attempt in zip(audience.seats, audience.viewers, attempts, strict=False):
        own = " ".join(viewer.frames)
        assert f'"/table/{attempt.public_id}/"' in own
        for text in (own, " ".join(seat.frames)):
            assert not [key for key in keys - {str(attempt.public_id)} if key in text]
        assert not revealed(secrets, " ".join(seat.frames))


async def test_a_cancelled_countdown_deals_nothing(tables: LiveTables, watch: Watch) -> None:
    house: House = await house_of(2)
    await sync_to_async(house.start)(6.0)
    first, second = await sync_to_async(house.attempts)()
    stays = Seat(tables, second.public_id, second.player)
    assert (await stays.sit())["type"] == "waiting"
    viewer = await watch(house, house.players[0])
    await viewer.say("leave")
    await viewer.until_room(lambda one: one.race("to_come").get("state") == "open")
    table = tables._tables[second.public_id]
    await table.prepare_deal()
    assert (await stays.hear())["code"] == "not_found"
    assert table.start is not None
    assert table.start.is_cancelled
    assert (await stays.move("d", 1))["code"] == "not_begun"
    assert not hidden_words(stays.frames)
    await stays.leave()
    assert not await Attempt.objects.filter(pk=first.pk).aexists()
    assert not await sync_to_async(starting.start_racing)(timezone.now())


def test_the_cards_are_dealt_despite_a_late_departure(transactional_db: None) -> None:
    """In the last seconds tables deal from memory, so leaving resigns, and the deal is used up."""
    early, late = Run.counting(2), Run.counting(2)
    early.leave(0, 11.9)
    assert early.states() == "open seated"
    late.leave(0, 12.0)
    assert late.states() == "countdown retired seated"
    assert starting.start_racing(at(15)) == [late.race.pk]
    assert not starting.cancel_start(late.room.pk, at(14))
