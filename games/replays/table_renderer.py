"""Table renderer: draws piles on a felt with sprites from the sheets of small cards (frontend/artwork/sheets.py).

A picture uses the palette of its deck's sheet, so no colours need to be quantized.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from PIL import Image, ImageDraw, ImageFont

from games.manifests.manifest import PictureLayout, Spot

SHEETS: Final = Path(__file__).resolve().parent / "sheets"

#: Width of a small card, gap between cards, margin around them and corner radius, in pixels.
_UNIT, _GAP, _MARGIN, _CORNER = 44, 6, 10, 3
#: Visible shares of a covered card: of its height in a fan (face up, face down), of its width in a row or a braid.
UP, DOWN, BESIDE, LEAN = 0.34, 0.13, 0.45, 0.3

Cards = Sequence[str | None]


class Sheet:
    """Sprite sheet with the small cards of a deck."""

    def __init__(self, name: str) -> None:
        with Image.open(SHEETS / f"{name}.png") as row:
            row.load()
        self.width, self.height = (int(side) for side in str(row.info["size"]).split())
        scale = self.width // _UNIT
        self.gap, self.margin, corner = (part * scale for part in (_GAP, _MARGIN, _CORNER))
        names = str(row.info["cards"]).split()
        boxes = (self.width * k for k in range(len(names)))
        self.cards = {name: row.crop((x, 0, x + self.width, self.height)) for name, x in zip(names, boxes, strict=True)}
        self.row = row
        swatches = self.width * len(names)
        self.felt, self.ink, self.gold = (_pixel(row, x) for x in (0, swatches + 4 * scale, swatches + 12 * scale))
        self.shape = Image.new("1", (self.width, self.height))
        ImageDraw.Draw(self.shape).rounded_rectangle((0, 0, self.width - 1, self.height - 1), corner, fill=1)

    def card(self, name: str | None, *, mirrored: bool = False) -> Image.Image:
        """Return the face of a card, mirrored for the right side of a braid, or the back for None."""
        return self.cards["back" if name is None else f"{name}-{'d' if mirrored else 'c'}"]

    def blank(self, width: int, height: int) -> Image.Image:
        """Return an empty felt."""
        felt = Image.new("P", (width, height), self.felt)
        felt.putpalette(self.row.getpalette() or [])
        return felt

    def words(self, text: str) -> Image.Image:
        """Render a text in the sheet's colours, on the felt."""
        font = ImageFont.load_default(13)
        left, top, right, bottom = font.getbbox(text)
        colours = self.row.getpalette() or []
        felt, ink = (tuple(colours[3 * index : 3 * index + 3]) for index in (self.felt, self.ink))
        drawn = Image.new("RGB", (int(right - left) + 2, int(bottom - top) + 2), felt)
        ImageDraw.Draw(drawn).text((1 - left, 1 - top), text, fill=ink, font=font)
        return drawn.quantize(palette=self.row, dither=Image.Dither.NONE)


def _pixel(image: Image.Image, x: int) -> int:
    value: object = image.getpixel((x, 0))
    assert isinstance(value, int)
    return value


@cache
def sheet_of(game: str, *, large: bool = False) -> Sheet:
    """Return the (cached) sheet of a game's deck, with small cards or with cards of twice the size."""
    deck = "tarot" if game == "tarot" else "french"
    return Sheet(f"{deck}-large" if large else deck)


class Felt:
    """Picture of one game's piles on a felt, with `room` pixels below them."""

    def __init__(self, sheet: Sheet, plan: PictureLayout, room: int = 0) -> None:
        self.sheet = sheet
        self.pitch = sheet.width + sheet.gap, sheet.height + sheet.gap
        around = 2 * sheet.margin - sheet.gap
        width, height = (round(around + n * p) for n, p in zip((plan.columns, plan.rows), self.pitch, strict=True))
        self.image = sheet.blank(width, height + room)
        self.spots = {spot.pile: spot for spot in plan.spots}

    def show(self, changes: Mapping[str, Any]) -> None:
        """Draw the piles named in a view or a view change."""
        for pile, cards in changes["piles"].items():
            self._draw(self.spots[pile], cards, changes["under"].get(pile, 0))

    def _draw(self, spot: Spot, cards: Cards, under: int) -> None:
        x, y = (
            round(self.sheet.margin + offset * pitch)
            for offset, pitch in zip((spot.x, spot.y), self.pitch, strict=True)
        )
        self._clear(spot, x, y)
        if not cards:
            empty = self.sheet.cards["back" if under else "slot"]
            if under or spot.spread != "braid":
                self.image.paste(empty, (x, y), self.sheet.shape)
            return
        for card, (left, top), mirrored in self._placed(spot, cards, x, y):
            self.image.paste(self.sheet.card(card, mirrored=mirrored), (left, top), self.sheet.shape)

    def _clear(self, spot: Spot, x: int, y: int) -> None:
        lean = round(LEAN * self.sheet.width) if spot.spread == "braid" else 0
        right = x + round(self.sheet.width * (1 + 2 * BESIDE if spot.spread == "row" else 1)) + lean
        self.image.paste(self.sheet.felt, (x - lean, y, right, y + self._room(spot)))

    def _room(self, spot: Spot) -> int:
        return round(spot.rows * self.pitch[1]) - self.sheet.gap

    def _placed(self, spot: Spot, cards: Cards, x: int, y: int) -> Iterator[tuple[str | None, tuple[int, int], bool]]:
        """Yield the visible cards, lowest first, each with its corner and True if it is mirrored."""
        if spot.spread == "stack":
            yield cards[-1], (x, y), False
        elif spot.spread == "row":
            for k, card in enumerate(cards[-3:]):
                yield card, (x + round(k * BESIDE * self.sheet.width), y), False
        elif spot.spread == "braid":
            step = (self._room(spot) - self.sheet.height) / 19
            lean = round(LEAN * self.sheet.width)
            for k, card in enumerate(cards):
                yield card, (x + (lean if k % 2 else -lean), y + round(k * step)), bool(k % 2)
        else:
            for card, top in zip(cards, self._fan(cards, self._room(spot)), strict=True):
                yield card, (x, y + round(top)), False

    def _fan(self, cards: Cards, room: int) -> Iterator[float]:
        steps = [(DOWN if card is None else UP) * self.sheet.height for card in cards[:-1]]
        squeeze = min(1.0, (room - self.sheet.height) / max(1.0, sum(steps)))
        top = 0.0
        for step in (*steps, 0.0):
            yield top
            top += step * squeeze
