"""Separate web and table processes: each refuses the other's requests as misdirected."""

from __future__ import annotations

import json
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.core.cache import cache
from pytest_django import Settings

from config.processes.table_process import TableProcess, Tables, no_tables, takes_connections
from games.core import table_capacity
from games.core.table_capacity import OPEN, RUNNING, tables_are_full
from games.live import draining
from games.live.protocol import CLOSE_MISDIRECTED
from games.live.sockets.eviction import OpenSockets
from tests.config.asking import ask
from tests.services.sockets import until


def part(name: str) -> Any:
    async def says(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "reason": name})
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": name.encode()})

    return says


@pytest.fixture
def tables() -> TableProcess:
    return TableProcess(part("sockets"), part("pages"))


async def connected(site: Any) -> list[dict[str, Any]]:
    """Return all messages a browser receives on a WebSocket until it is closed."""
    line = ApplicationCommunicator(site, {"type": "websocket", "path": "/ws/play/1/", "headers": []})
    await line.send_input({"type": "websocket.connect"})
    told = [await line.receive_output(30)]
    while told[-1]["type"] != "websocket.close":
        told.append(await line.receive_output(30))
    return told


async def test_tables_serve_sockets(tables: TableProcess) -> None:
    assert await connected(tables) == [{"type": "websocket.close", "reason": "sockets"}]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
async def test_tables_answer_operations_requests(tables: TableProcess, path: str) -> None:
    assert (await ask(tables, path)).text == "pages"


@pytest.mark.parametrize("path", ["/", "/table/1/", "/api/v1/deals/1", "/static/css/base.css"])
async def test_tables_serve_no_pages(tables: TableProcess, path: str) -> None:
    answer = await ask(tables, path)
    assert answer.status == 421
    assert json.loads(answer.text)["error"]["code"] == "misdirected"


@pytest.mark.parametrize(("limit", "takes"), [(0, True), (1, False), (2, True)])
async def test_a_process_without_a_free_socket_takes_no_connections(
    limit: int, takes: bool, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(OpenSockets, "__len__", lambda _: 1)
    settings.MAX_SOCKETS = limit
    assert takes_connections() == takes


@pytest.mark.parametrize("kind", [TableProcess, Tables])
async def test_a_process_with_tables_publishes_until_its_players_leave(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_capacity, "EVERY", 0.01)
    cache.delete_many([RUNNING, OPEN])
    parts = [part("sockets"), part("pages")]
    await connected(kind(*parts[: 1 + (kind is TableProcess)]))
    await until(lambda: OPEN in cache)
    await draining.drain(lambda: True)
    for _ in range(2):  # the first entries may have been written before
        cache.delete_many([RUNNING, OPEN])
        await until(lambda: RUNNING in cache)
    assert tables_are_full()


async def test_a_web_process_refuses_tables_with_a_reason() -> None:
    accepted, closed = await connected(no_tables)
    assert accepted["type"] == "websocket.accept"
    assert (closed["code"], closed["reason"]) == (CLOSE_MISDIRECTED, "misdirected")
