"""The socket as the site serves it: addresses, origins, sessions, and log output."""

from __future__ import annotations

import json
import logging
import sys
import uuid
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.conf import settings

from config.asgi import application
from config.observability.logs import logging_config
from games.live import live_table, table_registry
from games.models import Attempt
from tests.games.seats import PATIENCE
from tests.players import signed_in

pytestmark = pytest.mark.django_db(transaction=True)
HOST = "127.0.0.1:8000"


def cookie_of(player: Any) -> str:
    client = signed_in(player)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def socket(public_id: uuid.UUID, *, cookie: str = "", origin: str = f"http://{HOST}") -> ApplicationCommunicator:
    headers = {"host": HOST, "origin": origin, "cookie": cookie}
    path = f"/ws/play/{public_id}/"
    return ApplicationCommunicator(
        application,
        {
            "type": "websocket",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "subprotocols": [],
            "headers": [(name.encode(), value.encode()) for name, value in headers.items() if value],
            "client": ("127.0.0.1", 5),
        },
    )


async def opened(line: ApplicationCommunicator) -> str:
    await line.send_input({"type": "websocket.connect"})
    return str((await line.receive_output(PATIENCE))["type"])


async def ask(line: ApplicationCommunicator, message: dict[str, Any]) -> dict[str, Any]:
    await line.send_input({"type": "websocket.receive", "text": json.dumps(message)})
    answer: dict[str, Any] = json.loads((await line.receive_output(PATIENCE))["text"])
    return answer


async def left(line: ApplicationCommunicator) -> None:
    await line.send_input({"type": "websocket.disconnect", "code": 1001})
    await line.wait(PATIENCE)
    await table_registry.shared_tables().close()


async def test_playing_with_the_sessions_cookie(attempt_at: Any) -> None:
    attempt = await sync_to_async(attempt_at)()
    line = socket(attempt.public_id, cookie=await sync_to_async(cookie_of)(attempt.player))
    assert await opened(line) == "websocket.accept"
    assert (await ask(line, {"type": "hello", "v": 1}))["attempt"] == str(attempt.public_id)
    assert (await ask(line, {"type": "move", "n": 1, "token": "d"}))["type"] == "moved"
    await left(line)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1.evil.example"])
async def test_pages_of_other_sites_are_refused(origin: str, attempt_at: Any) -> None:
    attempt = await sync_to_async(attempt_at)()
    cookie = await sync_to_async(cookie_of)(attempt.player)
    line = socket(attempt.public_id, cookie=cookie, origin=origin)
    assert await opened(line) == "websocket.close"


async def test_without_a_session(attempt_at: Any) -> None:
    attempt = await sync_to_async(attempt_at)()
    line = socket(attempt.public_id)
    await opened(line)
    assert (await ask(line, {"type": "hello", "v": 1}))["code"] == "session_expired"
    await left(line)


async def test_a_session_ended_everywhere_closes_the_connection(
    attempt_at: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ban or a sign-out changes the session's hash, and the open connection ends."""
    attempt = await sync_to_async(attempt_at)()
    line = socket(attempt.public_id, cookie=await sync_to_async(cookie_of)(attempt.player))
    await opened(line)
    assert (await ask(line, {"type": "hello", "v": 1}))["type"] == "view"
    monkeypatch.setattr("games.live.sockets.base_consumer.SESSION_GOOD_FOR", -1.0)
    assert (await ask(line, {"type": "move", "n": 1, "token": "d"}))["type"] == "moved"
    attempt.player.session_epoch += 1
    await attempt.player.asave()
    assert (await ask(line, {"type": "move", "n": 2, "token": "d"}))["code"] == "session_expired"
    await left(line)


async def test_the_log_contains_no_secrets(
    attempt_at: Any, seed: bytes, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checks all log output of a game that is played, finished, and broken by an internal error."""
    caplog.set_level(logging.DEBUG)
    attempt = await sync_to_async(attempt_at)("stonewall", seed)
    line = socket(attempt.public_id, cookie=await sync_to_async(cookie_of)(attempt.player))
    await opened(line)
    legal = (await ask(line, {"type": "hello", "v": 1}))["legal"]
    await ask(line, {"type": "move", "n": 1, "token": legal[0]})
    await ask(line, {"type": "move", "n": 2, "token": "nonsense"})
    await ask(line, {"type": "resign", "n": 2})
    await left(line)
    attempt = await Attempt.objects.select_related("deal").aget(pk=attempt.pk)
    written = "\n".join(
        logging.Formatter("%(message)s").format(record) + str(record.__dict__) for record in caplog.records
    )
    for secret in (seed.hex(), repr(seed), str(bytes(attempt.deal.seed)), repr(bytes(attempt.record or b""))):
        assert secret not in written
    empty = live_table.LiveTable.__new__(live_table.LiveTable)
    assert seed.hex() not in repr(empty)
    assert seed.hex() not in repr(attempt) + repr(attempt.deal)


def test_a_traceback_in_the_log_shows_no_variables(seed: bytes) -> None:
    """Locals of a failing function may contain a deck or a seed."""

    def fails(order: bytes) -> None:
        raise RuntimeError("a fault")

    formatter = logging_config(level="INFO", form="json")["formatters"]["event"]
    made = formatter.pop("()")(**formatter)
    try:
        fails(seed)
    except RuntimeError:
        record = logging.LogRecord("games", logging.ERROR, __file__, 1, "failed", (), sys.exc_info())
    text = made.format(record)
    assert "a fault" in text
    assert repr(seed)[2:-1] not in text.replace("\\\\", "\\")
    assert "locals" not in text
