"""Bots at a watched room: their lanes move on time, also after the process that moved them is gone."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from games.bots.game_plan import GamePlan
from games.models import Move
from games.races import rooms
from games.races.bots import seating
from games.races.live.room_hub import RoomHub
from games.races.models import Entrant
from tests.games.races.conftest import House, Watch
from tests.games.races.runs import planned

pytestmark = [pytest.mark.asyncio, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("requested_tasks")]


@sync_to_async
def house_with(slug: str) -> tuple[House, Entrant, GamePlan]:
    house = House.opened(1, "labyrinth")
    seating.add_bot(house.room.pk, house.players[0].pk, slug)
    house.run()
    entrant = Entrant.objects.select_related("race", "attempt__deal").get(race=house.race, bot=slug)
    return house, entrant, planned(entrant)


@sync_to_async
def journal(entrant: Entrant) -> list[str]:
    moves = Move.objects.filter(attempt=entrant.attempt_id).exclude(token="").order_by("n")
    return list(moves.values_list("token", flat=True))


async def test_every_viewer_sees_a_bot_move(watch: Watch, other_hub: RoomHub) -> None:
    house, entrant, game = await house_with("rex")
    player, visitor = await watch(house, house.players[0]), await watch(house, at=other_hub)
    for viewer in (player, visitor):
        (seat,) = [seat for seat in viewer.race("running")["seats"] if seat["house_racer"]]
        assert (seat["entrant"], seat["name"], seat["guest"]) == (entrant.pk, "Rex (bot)", True)
        await viewer.until_room(lambda viewer: viewer.lanes()[entrant.pk][2] >= 2)
        assert not viewer.lanes()[entrant.pk][4], "never away"
    tokens = await journal(entrant)
    assert len(tokens) >= 2
    assert tokens == list(game.tokens[: len(tokens)]), "two processes wrote each move once"


async def test_the_host_adds_a_bot(watch: Watch) -> None:
    house: Any = await sync_to_async(House.opened)(2)
    host, other = [await watch(house, user) for user in house.players]
    assert await other.refused("bot", racer="pip") == "not_host"
    assert await host.refused("bot", racer="hal") == "bad_option"
    await host.say("bot", racer="pip")
    await other.until_room(lambda viewer: len(viewer.race("to_come")["seats"]) == 3)
    assert other.states("to_come") == ["seated", "seated", "seated"]
    await sync_to_async(rooms.close)(house.room)
