"""Separate table processes: the responses of each kind of process to requests meant for the other kind.

A proxy routes by path: `/ws/` goes to the tables (`config.processes.websocket_server`), everything else to the web
processes. A request to the wrong process is refused as `misdirected`, so a misconfigured proxy shows at once.
"""

from __future__ import annotations

from typing import Final

from config.admission.load import Load
from config.admission.table_capacity import publish
from config.http.error_pages import json_error_response
from config.http.handler import send_response
from config.observability.health import LIVENESS, READINESS
from config.observability.metrics_endpoint import METRICS
from games.core import metrics
from games.core.asgi_types import Application, Receive, Scope, Send
from games.core.errors import ErrorCode, Refusal
from games.live.protocol import CLOSE_MISDIRECTED
from games.live.sockets.eviction import open_sockets

_OPERATIONS: Final = {LIVENESS, READINESS, METRICS}


class TableProcess:
    """ASGI application of a table process: serves WebSockets and operators' endpoints, and publishes its capacity."""

    def __init__(self, sockets: Application, pages: Application, load: Load) -> None:
        self._sockets = sockets
        self._pages = pages
        self._load = load
        load.jobs.append(lambda: publish(self._is_open, lambda: load.is_overloaded))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection or request."""
        self._load.start()
        if scope["type"] == "websocket":
            await self._sockets(scope, receive, send)
        elif scope["path"] in _OPERATIONS:
            await self._pages(scope, receive, send)
        else:
            await _refuse_page(send)

    def _is_open(self) -> bool:
        return self._load.has_free_socket and not open_sockets().is_draining


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
