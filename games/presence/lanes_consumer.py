"""WebSocket consumer of a daily deal's lanes, which anyone may watch while the deal is open."""

from __future__ import annotations

from django.utils import timezone

from games.core import metrics
from games.core.asgi_types import Receive, Scope, Send
from games.live.loader import off_loop
from games.live.sockets.frame_socket import FrameSocket
from games.live.watcher import FrameWatch, Hub
from games.presence import daily_lanes


async def watch(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one connection to `/ws/lanes/<deal id>/`, as an ASGI application."""
    await LanesConsumer(scope, send).run(receive)


class LanesConsumer(FrameSocket[int]):
    """A connection that watches one deal's lanes."""

    SOCKETS = metrics.SOCKETS.labels("lanes")

    def _hub(self) -> Hub[int, FrameWatch]:
        return daily_lanes.hub()

    async def _subject(self) -> int | None:
        deal_id: int = self._scope["url_route"]["kwargs"]["deal"]
        return deal_id if await off_loop(daily_lanes.watchable)(deal_id, timezone.now()) else None
