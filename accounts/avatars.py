"""Pictures made from names: a tile with a pattern that is the same in its left and its right half.

A picture's address bears a digest of the folded name (`accounts.names.name_key`) and nothing else, and the picture
follows from the digest alone: nothing is stored, nobody is looked up, and what is at an address never changes. Who
changes the name has another picture; whoever takes a name that is free has the picture that goes with it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from typing import Final, Protocol

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from accounts.names import name_key

#: The picture of all who are not named to others: guests, the banned and former players.
NEUTRAL: Final = "guest"
#: Part of what is digested. Another drawing needs another one, as pictures are kept for ever.
_DRAWING: Final = "1"
_DIGEST: Final = re.compile("[0-9a-f]{16}", re.ASCII)

#: Tile and two figures. A tile stands out from light pages and dark ones, and the figures from their tile.
PALETTES: Final = (
    ("#cd575c", "#ffe7bf", "#f6dcfc"), ("#c56118", "#eceea8", "#ffdbeb"), ("#a47504", "#c8f6bd", "#ffdddc"),
    ("#818107", "#a8fadd", "#fedecd"), ("#418d2f", "#9bf9fe", "#f7e2c0"), ("#0a8e6f", "#cfefff", "#e5e7c2"),
    ("#028b91", "#deebff", "#d2eccc"), ("#0187b2", "#eae8fe", "#c3eede"), ("#457cd6", "#f9e3fe", "#bdeef0"),
    ("#816ed3", "#fee3ee", "#c3ebff"), ("#a961b9", "#ffe4e3", "#d6e6ff"), ("#c3588f", "#ffe5d7", "#e4e2fe"),
)  # fmt: skip
GREY: Final = ("#7f7d77", "#ece7d9")

_CELL: Final = 12
_MARGIN: Final = 8
_ROWS: Final = 4
#: What a cell may hold: a quarter of a disc in each corner, a disc, nothing, and a leaf either way.
_SHAPES: Final = (
    "h12a12 12 0 0 1-12 12z",
    "h12v12a12 12 0 0 1-12-12z",
    "m12 12h-12a12 12 0 0 1 12-12z",
    "m0 12v-12a12 12 0 0 1 12 12z",
    "m1 6a5 5 0 0 0 10 0a5 5 0 0 0-10 0z",
    "",
    "a12 12 0 0 1 12 12a12 12 0 0 1-12-12z",
    "m12 0a12 12 0 0 1-12 12a12 12 0 0 1 12-12z",
)


class Named(Protocol):
    """Somebody with a name: a player, or an entry of a board."""

    def __str__(self) -> str: ...


def address_of(name: str) -> str:
    """Where the picture of the player of this name is; without a name, the neutral one."""
    return f"/avatars/{_digest(name) if name else NEUTRAL}.svg"


def address_for(who: Named) -> str:
    """Where the picture of a player, or of an entry of a board, is."""
    is_named = getattr(who, "has_page", True) and not getattr(who, "is_former", False)
    return address_of(str(who) if is_named else "")


@require_safe
@cache_control(public=True, max_age=365 * 24 * 3600, immutable=True)
def avatar(request: HttpRequest, digest: str) -> HttpResponse:  # noqa: ARG001
    """The picture of a digest, whether somebody has such a name or not."""
    if digest != NEUTRAL and not _DIGEST.fullmatch(digest):
        raise Http404
    picture = _neutral() if digest == NEUTRAL else draw(bytes.fromhex(digest))
    return HttpResponse(picture, content_type="image/svg+xml")


def draw(digest: bytes) -> str:
    """The picture of a digest, of at least five bytes, as SVG."""
    tile, *colours = PALETTES[digest[0] % len(PALETTES)]
    paths = ["", ""]
    for n in range(2 * _ROWS):
        nibble = digest[1 + n // 2] >> 4 * (n % 2) & 15
        x, y = _MARGIN + _CELL * (n % 2), _MARGIN + _CELL * (n // 2)
        shape = _SHAPES[nibble & 7]
        paths[nibble >> 3] += f"M{x} {y}{shape}" if shape else ""
    half = "".join(f'<path fill="{fill}" d="{d}"/>' for fill, d in zip(colours, paths, strict=True) if d)
    return _framed(tile, f'<g id="half">{half}</g><use href="#half" transform="matrix(-1 0 0 1 64 0)"/>')


def _neutral() -> str:
    tile, figure = GREY
    shapes = '<circle cx="32" cy="25" r="10"/><path d="M12 54a20 17 0 0 1 40 0z"/>'
    return _framed(tile, f'<g fill="{figure}">{shapes}</g>')


def _framed(tile: str, inside: str) -> str:
    size = 2 * _MARGIN + _ROWS * _CELL
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}">'
        f'<rect width="{size}" height="{size}" rx="12" fill="{tile}"/>{inside}</svg>'
    )


@lru_cache(maxsize=4096)
def _digest(name: str) -> str:
    return sha256(f"{_DRAWING}:{name_key(name)}".encode()).hexdigest()[:16]
