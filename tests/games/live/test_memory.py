"""Memory: a server process retains nothing of finished games."""

from __future__ import annotations

import gc
from collections import Counter
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer

from games.attempts.lifecycle import start_attempt
from games.deals.publishing import practice_deal
from games.live.sockets import message_limit
from games.live.table_registry import LiveTables
from games.models import Attempt
from games.rules import CATALOGUE
from tests.games.seats import Seat

pytestmark = pytest.mark.django_db(transaction=True)

#: These may grow, but only with the tokens of a game's vocabulary seen so far.
BOUNDED = {"games.rules.tokens.Move"}
MODULES = ("games.", "asyncio.", "_asyncio.", "channels.", "config.")


def kept() -> Counter[str]:
    """Count the living objects of our own code, asyncio and Channels, by type."""
    gc.collect()
    names = (f"{type(thing).__module__}.{type(thing).__qualname__}" for thing in gc.get_objects())
    return Counter(name for name in names if name.startswith(MODULES) and name not in BOUNDED)


def begin(player: Any, variant: str) -> Attempt:
    attempt = start_attempt(player, practice_deal(variant))
    attempt.player = player
    return attempt


async def play_games(count: int, tables: LiveTables, player: Any) -> None:
    """Play games of every variant in turn on two connections each; some are resigned, some just left."""
    for number in range(count):
        attempt = await sync_to_async(begin)(player, list(CATALOGUE)[number % len(CATALOGUE)])
        seats = [Seat(tables, attempt.public_id, player) for _ in range(2)]
        for seat in seats:
            await seat.sit()
        for _ in range(4):
            if seats[0].legal:
                await seats[0].move(seats[0].legal[0])
                await seats[1].hear()
        if number % 2:
            await seats[0].ask({"type": "resign", "n": seats[0].n})
        for seat in seats:
            await seat.leave()


async def test_finished_games_leave_no_objects(
    tables: LiveTables, player: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts after a first round of all variants, which fills permanent caches, and again after two more."""
    monkeypatch.setattr(message_limit.Allowance, "spend", lambda _self: 0)  # faster than people play
    layer: Any = get_channel_layer()
    await play_games(9, tables, player)
    before, groups = kept(), len(layer.groups)
    await play_games(18, tables, player)
    after = kept()
    assert len(tables) == 0
    assert not tables._users
    assert len(layer.groups) == groups
    grown = {name: (before[name], count) for name, count in after.items() if count > before[name] + 3}
    assert not grown
