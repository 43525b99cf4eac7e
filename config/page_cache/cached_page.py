"""Cached page with placeholders for each visitor's own values."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

Headers = list[tuple[bytes, bytes]]

#: Values that are cut out of a page: CSRF tokens, the server time for the browser's countdown, and the notice on an old
#: copy.
_OWN: Final = re.compile(
    rb'(?<=name="csrfmiddlewaretoken" value=")(?P<token>[A-Za-z0-9]{64})|(?<= data-now=")(?P<now>[^"]+)'
    rb"|(?P<notice><!--copy-->)"
)
TOKEN: Final = b"token"
NOW: Final = b"now"
NOTICE: Final = b"notice"

#: A gzip header without name or time, and the final deflate block.
_GZIP: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_END: Final = b"\x03\x00"


@dataclass(frozen=True, slots=True)
class Piece:
    """A section of the page, plain and compressed, and the name of the placeholder that follows, if any."""

    plain: bytes
    packed: bytes
    placeholder: bytes


@dataclass(frozen=True, slots=True)
class SplitPage:
    """A rendered page without its visitor's own values."""

    headers: Headers
    pieces: tuple[Piece, ...]

    @property
    def has_token(self) -> bool:
        """True if a form on the page needs a CSRF token."""
        return any(piece.placeholder == TOKEN for piece in self.pieces)

    def plain(self, own: dict[bytes, bytes]) -> bytes:
        """Return the page with its placeholders filled."""
        return b"".join(self._filled(own))

    def packed(self, own: dict[bytes, bytes]) -> bytes:
        """Return the filled page as gzip. Visitors' own values stay uncompressed, so no length leaks them."""
        crc, size, parts = 0, 0, [_GZIP]
        for piece in self.pieces:
            filling = own.get(piece.placeholder, b"")
            parts += [piece.packed, _stored(filling)]
            crc = zlib.crc32(filling, zlib.crc32(piece.plain, crc))
            size += len(piece.plain) + len(filling)
        return b"".join([*parts, _END, struct.pack("<II", crc, size & 0xFFFFFFFF)])

    def _filled(self, own: dict[bytes, bytes]) -> Iterable[bytes]:
        for piece in self.pieces:
            yield piece.plain
            yield own.get(piece.placeholder, b"")


def split(headers: Headers, body: bytes) -> SplitPage:
    """Split a page at its visitor's own values."""
    pieces, at = [], 0
    for found in _OWN.finditer(body):
        pieces.append(_piece(body[at : found.start()], (found.lastgroup or "").encode()))
        at = found.end()
    pieces.append(_piece(body[at:], b""))
    return SplitPage(headers, tuple(pieces))


def _piece(plain: bytes, placeholder: bytes) -> Piece:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return Piece(plain, packer.compress(plain) + packer.flush(zlib.Z_FULL_FLUSH), placeholder)


def _stored(filling: bytes) -> bytes:
    """Return a stored (uncompressed) deflate block with these bytes."""
    return b"\x00" + struct.pack("<HH", len(filling), len(filling) ^ 0xFFFF) + filling if filling else b""
