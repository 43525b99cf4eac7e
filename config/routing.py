"""WebSocket routes of all apps."""

from __future__ import annotations

from typing import Any

from django.urls import re_path

from games.routing import websocket_urlpatterns as games
from leaderboards.routing import websocket_urlpatterns as boards


async def refuse(_scope: Any, _receive: Any, send: Any) -> None:  # noqa: ANN401
    """Refuse a connection to an unknown path."""
    await send({"type": "websocket.close"})


websocket_routes = [
    *games,
    *boards,
    re_path("", refuse),  # type: ignore[arg-type] # an ASGI application instead of a view
]
