"""Validation of free text that players and staff write to each other."""

from __future__ import annotations

import unicodedata
from typing import Final

from games.core.errors import ErrorCode, Refusal

#: Unicode bidirectional control characters.
_TURNS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def plain_text(text: str, most: int, *, least: int = 0) -> str:
    """Normalize line ends, remove control characters, and strip surrounding white space.

    :raises Refusal: if the result has fewer characters than `least` or more than `most`.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = "".join(one for one in lines if one in "\n\t" or not _is_unseen(one)).strip()
    if not least <= len(kept) <= most:
        raise Refusal(ErrorCode.BAD_TEXT, f"A text has {least} to {most} characters.", least=least, most=most)
    return kept


def _is_unseen(character: str) -> bool:
    return character in _TURNS or unicodedata.category(character) in {"Cc", "Cs"}
