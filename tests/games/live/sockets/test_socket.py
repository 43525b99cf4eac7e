"""The socket as the site serves it: addresses, origins, sessions, hostile frames, slow clients, and log output."""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.conf import settings
from django.db import OperationalError

from config.asgi import application
from games.live import table_registry
from games.live.play_consumer import PlayConsumer
from games.live.protocol import CODES, INCOMING
from games.live.sockets import authentication, send_queue
from games.live.sockets.authentication import Visitors
from games.live.sockets.send_queue import Outbox
from games.live.sockets.wire_format import MAX_FRAME
from games.live.table_registry import LiveTables
from games.models import Attempt
from tests.config.malformed import VALUES
from tests.factories import signed_in
from tests.games.conftest import Seated, Sit
from tests.games.seats import PATIENCE, _Lazy

pytestmark = pytest.mark.django_db(transaction=True)


HOST = "127.0.0.1:8000"


def cookie_of(player: Any) -> str:
    client = signed_in(player)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def socket(
    public_id: uuid.UUID, *, cookie: str = "", origin: str = f"http://{HOST}", query: str = ""
) -> ApplicationCommunicator:
    """Return a connection of a page to a table; pages with different queries do not replace each other."""
    headers = {"host": HOST, "origin": origin, "cookie": cookie}
    path = f"/ws/play/{public_id}/"
    return ApplicationCommunicator(
        application,
        {
            "type": "websocket",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
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


async def leave(line: ApplicationCommunicator) -> None:
    await line.send_input({"type": "websocket.disconnect", "code": 1001})
    await line.wait(PATIENCE)
    await table_registry.shared_tables().close()


async def test_pages_of_other_sites_are_refused(attempt_at: Any) -> None:
    attempt = await sync_to_async(attempt_at)()
    cookie = await sync_to_async(cookie_of)(attempt.player)
    line = socket(attempt.public_id, cookie=cookie, origin="http://evil.example")
    assert await opened(line) == "websocket.close"


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
    await leave(line)
    attempt = await Attempt.objects.select_related("deal").aget(pk=attempt.pk)
    written = "\n".join(
        logging.Formatter("%(message)s").format(record) + str(record.__dict__) for record in caplog.records
    )
    for secret in (seed.hex(), repr(seed), str(bytes(attempt.deal.seed)), repr(bytes(attempt.record or b""))):
        assert secret not in written
    assert seed.hex() not in repr(attempt) + repr(attempt.deal)


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


async def test_no_frame_ends_the_connection(seated: Seated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.live.sockets.message_limit.Allowance.spend", lambda _: 0)  # not under test here
    _, seat = await seated()
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


class Wire:
    """The client's end of the connection; it accepts nothing while it is shut."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.open = asyncio.Event()
        self.open.set()
        self.three = asyncio.Event()

    async def send(self, message: dict[str, Any]) -> None:
        await self.open.wait()
        self.sent.append(message.get("text", message["type"]))
        if len(self.sent) == 3:
            self.three.set()


async def test_frames_are_sent_in_order() -> None:
    wire = Wire()
    box = Outbox(wire.send)
    wire.open.clear()
    box.put("1")  # goes out without a flush
    await asyncio.sleep(0)
    box.hold()
    box.put("2")
    flushing = asyncio.create_task(box.flush())
    box.put("3")
    await asyncio.sleep(0)
    wire.open.set()
    await flushing
    await asyncio.wait_for(wire.three.wait(), 30)
    assert wire.sent == ["1", "2", "3"]


async def test_held_frames_wait_for_the_flush() -> None:
    wire = Wire()
    box = Outbox(wire.send)
    box.hold()
    box.put("1")
    await asyncio.sleep(0)
    assert wire.sent == []
    await box.flush()
    assert wire.sent == ["1"]


async def test_a_tab_that_does_not_read_is_disconnected(
    attempt_at: Any, sit: Sit, tables: LiveTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(send_queue, "MAX_FRAMES", 3)
    attempt = await sync_to_async(attempt_at)()
    closed: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    stuck, seated = asyncio.Event(), asyncio.Event()
    inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "websocket.close":
            closed.set_result(message["code"])
        elif '"moved"' in message.get("text", ""):
            await stuck.wait()
        elif "text" in message:
            seated.set()

    scope = {"url_route": {"kwargs": {"attempt": attempt.public_id}}, "user": _Lazy(attempt.player)}
    tab = asyncio.create_task(PlayConsumer(scope, send, tables).run(inbox.get))
    await inbox.put({"type": "websocket.connect"})
    await inbox.put({"type": "websocket.receive", "text": '{"type":"hello","v":1}'})
    await asyncio.wait_for(seated.wait(), 30)  # otherwise moves may be made before the tab is seated
    seat = await sit(attempt).opened()
    for number in range(1, 9):
        assert (await seat.move("d"))["n"] == number
    assert await asyncio.wait_for(closed, 30) == 4408
    stuck.set()
    await inbox.put({"type": "websocket.disconnect"})
    await asyncio.wait_for(tab, 30)


async def test_play_continues_without_the_channel_layer(
    seated: Seated, sit: Sit, tables: LiveTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away:
        def __getattr__(self, name: str) -> Any:
            async def fails(*_: Any) -> None:
                raise ConnectionError(name)

            return fails

    monkeypatch.setattr(tables.notices, "_layer", Away())
    monkeypatch.setattr("games.core.events.get_channel_layer", Away)
    attempt, seat = await seated()
    tab = await sit(attempt).opened()
    assert (await seat.move("d"))["n"] == 1
    assert (await tab.hear())["n"] == 1
    assert (await seat.ask({"type": "resign", "n": 2}))["type"] == "ended"
    await seat.leave()
    await tab.leave()
    assert len(tables) == 0
