"""Separate table processes: the responses of each kind of process to requests meant for the other kind.

A proxy routes by path: `/ws/` goes to the tables (`config.processes.websocket_server`), everything else to the web
processes. A request to the wrong process is refused as `misdirected`, so a misconfigured proxy shows at once.
"""

from __future__ import annotations

import asyncio
from typing import Final

from django.conf import settings

from config.http.error_pages import json_error_response
from config.http.handler import send_response
from config.observability.health import LIVENESS, READINESS
from config.observability.metrics_endpoint import METRICS
from games.core import metrics
from games.core.asgi_types import Application, Receive, Scope, Send
from games.core.errors import ErrorCode, Refusal
from games.core.table_capacity import publish
from games.live.per_loop import PerLoop
from games.live.protocol import CLOSE_MISDIRECTED
from games.live.sockets.eviction import open_sockets

_OPERATIONS: Final = {LIVENESS, READINESS, METRICS}


def takes_connections() -> bool:
    """Return True if this process may open more WebSockets."""
    sockets = open_sockets()
    return not sockets.is_draining and not 0 < settings.MAX_SOCKETS <= len(sockets)


_publishing: Final = PerLoop(lambda: asyncio.get_running_loop().create_task(publish(takes_connections)))


class Tables:
    """ASGI application that serves WebSockets, and publishes this process's capacity from the first call on."""

    def __init__(self, sockets: Application) -> None:
        self._sockets = sockets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        _publishing()
        await self._sockets(scope, receive, send)


class TableProcess(Tables):
    """ASGI application of a table process: serves WebSockets and operators' endpoints."""

    def __init__(self, sockets: Application, pages: Application) -> None:
        super().__init__(sockets)
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection or request."""
        if scope["type"] == "websocket":
            await super().__call__(scope, receive, send)
        elif scope["path"] in _OPERATIONS:
            _publishing()
            await self._pages(scope, receive, send)
        else:
            await _refuse_page(send)


async def no_tables(_scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a WebSocket in a web process without tables. Accept it first, so the client sees the close reason."""
    metrics.REFUSALS.labels(ErrorCode.MISDIRECTED).inc()
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": CLOSE_MISDIRECTED, "reason": str(ErrorCode.MISDIRECTED)})


async def _refuse_page(send: Send) -> None:
    metrics.REFUSALS.labels(ErrorCode.MISDIRECTED).inc()
    refusal = Refusal(ErrorCode.MISDIRECTED, "this process serves no pages, only WebSockets")
    await send_response(json_error_response(refusal), send)
