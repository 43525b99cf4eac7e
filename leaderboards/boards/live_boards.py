"""Live boards: all watchers of a board in this process share one database read.

On a change notice each process reads the first page once and sends it to all watchers, at most once a second however
many notices arrive.
"""

from __future__ import annotations

from time import monotonic
from typing import Final, NamedTuple

from games.core.ladders import Ladder
from games.live import watcher
from games.live.broadcasts import Notice
from games.live.loader import off_loop
from games.live.per_loop import PerLoop
from games.live.watcher import FrameWatch, Source
from games.models import Deal
from leaderboards.boards import deal_boards
from leaderboards.boards.entries import ALL_BOARDS, board_group
from leaderboards.boards.rank_keys import BoardName
from leaderboards.boards.schemas import BoardFrame, page_fields

SEND_EVERY: Final = 1.0  # minimum s between two reads
POLL_EVERY: Final = 20.0  # s between two reads without a notice


class WatchedBoard(NamedTuple):
    """A board of a deal: of a ladder, or of the one shown first."""

    deal: Deal
    board: BoardName
    ladder: Ladder | None = None


def read_frame(deal: Deal, board: BoardName, ladder: Ladder | None = None) -> str:
    """Return the first page of a board as a live frame: of a ladder, or of the one shown first now."""
    fields = page_fields(board, *deal_boards.opening(deal, board, ladder))
    return BoardFrame.model_validate({**fields, "deal": deal.pk}).model_dump_json()


class BoardHub(watcher.Hub[WatchedBoard, FrameWatch]):
    """The watched boards of a process."""

    PREFIX = "board."

    async def _opened(self, key: WatchedBoard) -> FrameWatch:
        return FrameWatch(
            Source(
                lambda: off_loop(read_frame)(*key),
                lambda: self.listen(board_group(key.deal.pk), ALL_BOARDS),
                SEND_EVERY,
                lambda: monotonic() + POLL_EVERY,
            )
        )

    def _on_notice(self, notice: Notice) -> None:
        for board, watch in self._watches.items():
            if notice.get("deal") in {None, board.deal.pk}:
                watch.schedule_read()


hub: Final = PerLoop(BoardHub)
