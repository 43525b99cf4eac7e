"""Generated avatars: a tile with a left-right symmetric pattern, derived from the player's name.

A picture's address contains only a digest of the folded name (`accounts.names.validation.name_key`), and the picture
follows from the digest alone: nothing is stored, no player is looked up, and the content of an address never changes. A
player who changes their name gets another picture; a player who takes a free name gets the picture that belongs to it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from typing import Final, Protocol

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from accounts.names.validation import name_key

#: Avatar of players who are not named to others: guests, banned and former players.
NEUTRAL: Final = "guest"
#: Version of the drawing, part of the digest. Change it with the drawing, as pictures are cached for good.
_DRAWING: Final = "1"
_DIGEST: Final = re.compile("[0-9a-f]{16}", re.ASCII)

#: Colours of the tile and two figures. A tile contrasts with light and dark pages, and the figures with their tile.
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
#: SVG paths that fill a cell: a quarter disc in each corner, a disc, nothing, and a leaf in each direction.
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


class HasName(Protocol):
    """Object with a name: a player, or an entry of a board."""

    def __str__(self) -> str: ...


def address_of(name: str) -> str:
    """Return the address of the avatar for a name; without a name, the neutral one."""
    return f"/avatars/{_digest(name) if name else NEUTRAL}.svg"


def address_for(who: HasName) -> str:
    """Return the address of the avatar of a player, or of a board entry."""
    is_named = getattr(who, "has_page", True) and not getattr(who, "is_former", False)
    return address_of(str(who) if is_named else "")


@require_safe
@cache_control(public=True, max_age=365 * 24 * 3600, immutable=True)
def avatar(request: HttpRequest, digest: str) -> HttpResponse:  # noqa: ARG001
    """Serve the avatar of a digest, even if no player has such a name."""
    if digest != NEUTRAL and not _DIGEST.fullmatch(digest):
        raise Http404
    picture = _neutral() if digest == NEUTRAL else draw(bytes.fromhex(digest))
    return HttpResponse(picture, content_type="image/svg+xml")


def draw(digest: bytes) -> str:
    """Draw the avatar of a digest of at least five bytes, as SVG."""
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
