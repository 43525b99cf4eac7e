"""WebSocket consumer of the live board, which anyone may watch."""

from __future__ import annotations

from urllib.parse import parse_qs

from games.core import metrics
from games.core.asgi_types import Receive, Scope, Send
from games.core.ladders import Ladder
from games.live.loader import off_loop
from games.live.sockets.frame_socket import FrameSocket
from games.live.watcher import FrameWatch, Hub
from games.models import Deal
from leaderboards.boards import live_boards
from leaderboards.boards.listings import ladder_named
from leaderboards.boards.rank_keys import BOARDS, BoardName


async def watch(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve `/ws/board/<deal id>/?board=race|fewest&ladder=established|newcomers`, as an ASGI application.

    Without a ladder the connection watches the one shown first.
    """
    await BoardConsumer(scope, send).run(receive)


class BoardConsumer(FrameSocket[live_boards.WatchedBoard]):
    """A connection that watches a board."""

    SOCKETS = metrics.SOCKETS.labels("board")

    def _hub(self) -> Hub[live_boards.WatchedBoard, FrameWatch]:
        return live_boards.hub()

    async def _subject(self) -> live_boards.WatchedBoard | None:
        board, ladder = _board_in(self._scope["query_string"])
        deal = await off_loop(_deal)(self._scope["url_route"]["kwargs"]["deal"])
        return None if deal is None or board is None else live_boards.WatchedBoard(deal, board, ladder)


def _deal(deal_id: int) -> Deal | None:
    return Deal.objects.filter(pk=deal_id, day__isnull=False).first()


def _board_in(query: bytes) -> tuple[BoardName | None, Ladder | None]:
    """Parse the board and the ladder from the query string; the board is None if either is unknown."""
    fields = parse_qs(query.decode("latin-1"))
    name, slug = fields.get("board", ["race"])[0], fields.get("ladder", [""])[0]
    board = next((board for board in BOARDS if board == name), None)
    ladder = ladder_named(slug)
    return (board if ladder or not slug else None), ladder
