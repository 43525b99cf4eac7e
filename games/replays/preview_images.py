"""Link preview images (Open Graph): a name, a date and the opening layout of the cards.

An image is drawn only from the data in its `Preview`. That of a secret deal cannot give any card away, because it is
laid out from the variant alone, with all cards face down. Images are cached on disk under a digest of their content.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Final

from django.core.cache import caches
from PIL import Image

from games.attempts.lifecycle import deal_table
from games.manifests import MANIFESTS
from games.models import Deal
from games.replays.table_renderer import SHEETS, Felt, sheet_of
from games.rules import CATALOGUE, open_table

WIDTH: Final = 1200
HEIGHT: Final = 630
#: Version of the drawing code; part of the cache key, so that a new version redraws all images.
_FORM: Final = 1

#: Layout of the text and the tables, in pixels.
_LEFT, _WORDS_WIDTH = 64, 400
_TABLES: Final = (478, 36, 1164, 594)
_BETWEEN: Final = 18
_COLOURS: Final = 128


@dataclass(frozen=True, slots=True)
class Preview:
    """Content of an image: the title in large letters, the lines around it, and the views of one or more tables."""

    above: str
    title: str
    below: Sequence[str]
    tables: Sequence[Mapping[str, Any]]

    @property
    def key(self) -> str:
        """The cache key: a digest of the content."""
        facts = json.dumps([_FORM, asdict(self)], sort_keys=True)
        return hashlib.sha256(facts.encode()).hexdigest()


def face_down(variant: str) -> Mapping[str, Any]:
    """Return a variant's opening layout with all cards face down: the same for every deal."""
    view = open_table(variant, bytes(32)).view()
    backs = {pile: [None] * len(cards) for pile, cards in view["piles"].items()}
    return {"game": CATALOGUE[variant].game, "piles": backs, "under": view["under"]}


def opening(deal: Deal) -> Mapping[str, Any]:
    """Return a deal's opening layout; the caller must have checked that the deal is public."""
    view = deal_table(deal).view()
    return {"game": deal.game, "piles": view["piles"], "under": view["under"]}


def image_of(preview: Preview) -> bytes:
    """Return the image as PNG, from the cache if possible."""
    cache = caches["previews"]
    image: bytes | None = cache.get(preview.key)
    if image is None:
        image = draw(preview)
        cache.set(preview.key, image)
    return image


def draw(preview: Preview) -> bytes:
    """Draw an image and return it as PNG."""
    felt, ink, gold = (_swatch(name) for name in ("felt", "ink", "gold"))
    image = Image.new("RGB", (WIDTH, HEIGHT), felt)
    image.paste(gold, (0, HEIGHT - 8, WIDTH, HEIGHT))
    for view, box in zip(preview.tables, _boxes(len(preview.tables)), strict=True):
        _paste_table(image, view, box)
    title, text = Lettering("title"), Lettering("text")
    lines = _wrapped(preview.title, title)
    y = HEIGHT // 2 - (len(lines) * title.height + text.height * (len(preview.below) + 1)) // 2
    text.write(image, preview.above, (_LEFT, y), gold)
    y += text.height + 6
    for line in lines:
        title.write(image, line, (_LEFT, y), ink)
        y += title.height
    for line in preview.below:
        y += 8
        text.write(image, line, (_LEFT, y), ink)
        y += text.height
    out = io.BytesIO()
    image.quantize(_COLOURS, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


class Lettering:
    """Bitmap font from a sheet (frontend/artwork/sheets.py), in any colour; missing letters are skipped."""

    def __init__(self, name: str) -> None:
        self._row, self._advances = _letters(name)
        self._cell = self._row.height
        self.height = round(self._cell * 0.58)

    def width(self, text: str) -> float:
        """Return the width of a text in pixels."""
        return sum(self._advances.get(letter, (0, 0.0))[1] for letter in text)

    def write(self, image: Image.Image, text: str, corner: tuple[int, int], colour: tuple[int, int, int]) -> None:
        """Write a line with its upper left corner at `corner`."""
        x, y = float(corner[0]), corner[1] - (self._cell - self.height) // 2
        for letter in text:
            if letter not in self._advances:
                continue
            index, advance = self._advances[letter]
            shape = self._row.crop((index * self._cell, 0, (index + 1) * self._cell, self._cell))
            image.paste(colour, (round(x) - self._cell // 4, y), shape)
            x += advance


@cache
def _letters(name: str) -> tuple[Image.Image, dict[str, tuple[int, float]]]:
    """Load a font sheet: the row of letters as a mask, and each letter's index and advance width."""
    with Image.open(SHEETS / f"letters-{name}.png") as row:
        row.load()
        advances = [float(advance) for advance in str(row.info["advances"]).split()]
        letters = str(row.info["letters"])
        places = enumerate(zip(letters, advances, strict=True))
        return row.convert("L"), {letter: (index, glyph_width) for index, (letter, glyph_width) in places}


def _swatch(name: str) -> tuple[int, int, int]:
    """Return the RGB colour of the felt, ink or gold, as on every table."""
    sheet = sheet_of("braid", large=True)
    index = {"felt": sheet.felt, "ink": sheet.ink, "gold": sheet.gold}[name]
    red, green, blue = (sheet.row.getpalette() or [])[3 * index : 3 * index + 3]
    return red, green, blue


def _wrapped(text: str, lettering: Lettering) -> list[str]:
    """Wrap a title to the width of the text column, at spaces and after hyphens."""
    lines = [""]
    for part in text.replace("-", "-\0").replace(" ", " \0").split("\0"):
        if lines[-1] and lettering.width((lines[-1] + part).rstrip()) > _WORDS_WIDTH:
            lines.append("")
        lines[-1] += part
    return [line.rstrip() for line in lines]


def _boxes(tables: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the boxes of `tables` tables in a square grid."""
    side = next(n for n in range(1, 9) if n * n >= tables)
    left, top, right, bottom = _TABLES
    width, height = ((room - _BETWEEN * (side - 1)) // side for room in (right - left, bottom - top))
    for k in range(tables):
        x, y = left + k % side * (width + _BETWEEN), top + k // side * (height + _BETWEEN)
        yield x, y, x + width, y + height


def _paste_table(image: Image.Image, view: Mapping[str, Any], box: tuple[int, int, int, int]) -> None:
    """Draw a table centred in its box, scaled down to fit."""
    felt = Felt(sheet_of(view["game"], large=True), MANIFESTS[view["game"]].picture)
    felt.show(view)
    cropped = felt.image.crop(felt.image.point(lambda colour: colour != felt.sheet.felt, "1").getbbox())
    left, top, right, bottom = box
    scale = min(1.0, (right - left) / cropped.width, (bottom - top) / cropped.height)
    width, height = round(cropped.width * scale), round(cropped.height * scale)
    small = cropped.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
    image.paste(small, (left + (right - left - width) // 2, top + (bottom - top - height) // 2))
