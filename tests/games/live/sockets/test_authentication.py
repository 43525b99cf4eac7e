"""Authentication of WebSockets, also during a database outage."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.db import OperationalError

from games.live.sockets import authentication
from games.live.sockets.authentication import Visitors


async def test_a_socket_is_asked_to_retry_during_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(_session: Any) -> None:
        raise OperationalError

    async def never(*_: Any) -> None:
        raise AssertionError("nobody knows whose connection it is")

    monkeypatch.setattr(authentication, "user_of", away)
    line = ApplicationCommunicator(Visitors(never), {"type": "websocket", "headers": []})
    await line.send_input({"type": "websocket.connect"})
    assert (await line.receive_output(30))["type"] == "websocket.accept"
    assert await line.receive_output(30) == {"type": "websocket.close", "code": 4303}
