"""Hostile frames: the player's socket answers or refuses any of them, and stays open."""

from __future__ import annotations

import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from games.live.protocol import CODES, INCOMING
from games.live.sockets.wire_format import MAX_FRAME
from tests.config.malformed import VALUES
from tests.games.conftest import Play, Sit

#: Fields whose values are arbitrary here. Another protocol version or a frame that is too long closes the connection.
FIELDS = ("n", "t", "have", "token", "type")
ODD: list[Any] = [
    -1,
    2**31,
    2**53,
    2**63,
    2**64,
    10**30,
    1e308,
    0.5,
    True,
    None,
    "",
    "\x00",
    "\ud800",
    "x" * 3_000,
    [[]],
    {},
]


def frames() -> list[str]:
    found = [value[:MAX_FRAME] for value in VALUES.values()]
    kinds = [message.__name__.lower() for message in INCOMING if message.__name__ != "Resign"]
    for kind in kinds:
        full = {"type": kind, "v": 1, "n": 1, "t": 1, "have": 0, "token": "zz"}
        found += [json.dumps({**full, field: odd}) for field in FIELDS for odd in ODD]
        found += [json.dumps({**full, field: 0})[:-2] + "9" * 3_000 + "}" for field in FIELDS]
    return [*found, "", "\x00", "\ufffe", '{"type":"ping","t":1}' * 2]


@pytest.mark.django_db(transaction=True)
async def test_no_frame_ends_the_connection(attempt_at: Any, sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.live.sockets.message_limit.Allowance.spend", lambda _: 0)  # not under test here
    begin: Play = attempt_at
    seat = sit(await sync_to_async(begin)("plot"))
    await seat.sit()
    refused = 0
    for frame in frames():
        await seat.send(frame)
        heard = await seat.hear()
        if heard["type"] == "error":
            assert heard["code"] in CODES, frame[:80]
            refused += 1
        else:
            assert heard["type"] in {"view", "pong", "resumed"}, frame[:80]
    assert refused > 100
    await seat.send(json.dumps({"type": "ping", "t": 7}))
    while (heard := await seat.hear())["type"] != "pong":
        assert heard["type"] != "closed"
    assert heard["t"] == 7
