"""Animated GIFs of whole games; GIF is the only animated format that every site and chat shows.

From one frame to the next, only the piles changed by a move are redrawn.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from PIL import Image

from games.manifests import MANIFESTS
from games.replays.table_renderer import Felt, sheet_of
from games.rules import Record

#: Maximum number of frames; longer games skip moves, so that drawing time and file size stay bounded.
MOST_FRAMES: Final = 400
#: Durations in ms: target for the whole game, shortest and longest frame, first frame, last frame.
LENGTH, FASTEST, SLOWEST, FIRST, LAST = 36_000, 60, 400, 1200, 3500

FOOT: Final = 26  # height of the footer below the cards
_GOLD_HEIGHT: Final = 3


class Canvas(Felt):
    """Picture of one game's table, with a footer below it."""

    def __init__(self, view: Mapping[str, Any], foot: str) -> None:
        super().__init__(sheet_of(view["game"]), MANIFESTS[view["game"]].picture, room=FOOT)
        self.foot = self.image.height - FOOT + 2
        self.goal = view["goal"]
        self.image.paste(self.sheet.words(foot), (self.sheet.margin, self.foot))
        self._cards_up = -1
        self.show(view)

    def show(self, changes: Mapping[str, Any]) -> None:
        """Draw the piles named in a view or a view change, and the number of cards up."""
        super().show(changes)
        if changes["cards_up"] != self._cards_up:
            self._cards_up = changes["cards_up"]
            self._draw_foot()

    def _draw_foot(self) -> None:
        width, height = self.image.size
        words = self.sheet.words(f"{self._cards_up}/{self.goal}")
        self.image.paste(self.sheet.felt, (width // 2, self.foot, width, height))
        self.image.paste(words, (width - self.sheet.margin - words.width, self.foot))
        filled = round(width * self._cards_up / self.goal)
        self.image.paste(self.sheet.felt, (filled, height - _GOLD_HEIGHT, width, height))
        self.image.paste(self.sheet.gold, (0, height - _GOLD_HEIGHT, filled, height))


def animation(record: Record, foot: str) -> bytes:
    """Return a whole game as an animated GIF, with `foot` as its footer."""
    shown = _shown(len(record.tokens))
    frames = _frames(record, foot, shown)
    pace = max(FASTEST, min(SLOWEST, LENGTH // max(1, len(shown))))
    durations = [FIRST, *[pace] * (len(shown) - 1), LAST] if shown else [LAST]
    out = io.BytesIO()
    first = next(frames)
    first.save(out, "GIF", save_all=True, append_images=frames, duration=durations, loop=0, optimize=True, disposal=1)
    return out.getvalue()


def _shown(moves: int) -> list[int]:
    """Return the numbers of the moves after which there is a frame, always including the last."""
    frames = min(moves, MOST_FRAMES)
    return [round((k + 1) * moves / frames) for k in range(frames)]


def _frames(record: Record, foot: str, shown: Sequence[int]) -> Iterator[Image.Image]:
    table = record.open_table()
    canvas = Canvas(table.view(), foot)
    yield canvas.image.copy()
    frame_numbers = frozenset(shown)
    for n, token in enumerate(record.tokens, start=1):
        table.push(token)
        canvas.show(table.view_changes())
        if n in frame_numbers:
            yield canvas.image.copy()
