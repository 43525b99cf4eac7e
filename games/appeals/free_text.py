"""Validation of free text that players and staff write to each other."""

from __future__ import annotations

import unicodedata
from typing import Final

from games.core.errors import ErrorCode, Refusal

#: Unicode bidirectional control characters.
_TURNS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def plain_text(text: str, maximum: int, *, minimum: int = 0) -> str:
    """Normalize line ends, remove control characters, and strip surrounding white space.

    :raises Refusal: if the result has fewer characters than `minimum` or more than `maximum`.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    cleaned = "".join(character for character in lines if character in "\n\t" or not _is_unseen(character)).strip()
    if not minimum <= len(cleaned) <= maximum:
        raise Refusal(ErrorCode.BAD_TEXT, f"A text has {minimum} to {maximum} characters.", least=minimum, most=maximum)
    return cleaned


def _is_unseen(character: str) -> bool:
    return character in _TURNS or unicodedata.category(character) in {"Cc", "Cs"}
