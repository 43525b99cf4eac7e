"""Confusable characters (Unicode Technical Standard 39).

The standard's table comes from `confusable_homoglyphs`, and the class of invisible characters from `regex`.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any, Final

import regex
from confusable_homoglyphs.utils import load

#: Invisible characters, and extenders such as the Arabic tatweel, which only make the letter before them wider.
_INVISIBLE: Final = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Joining_Type=Join_Causing}]+")
_LEFT_TO_RIGHT: Final = "\u200e"


def without_invisible(text: str) -> str:
    """Remove invisible characters and extenders from the text."""
    return str(_INVISIBLE.sub("", text))


def prototype(character: str) -> str:
    """Return the standard's prototype of a character, which represents all look-alikes and may be several characters.

    A letter that looks like an ASCII letter in only one of its cases has that letter as its prototype.
    """
    own = _prototypes().get(character, character)
    capital = _prototypes().get(character.upper(), "")
    return capital if not own.isascii() and capital.isascii() and capital.isalpha() else own


@cache
def _prototypes() -> dict[str, str]:
    """Return the prototype of each confusable character.

    The data lists the neighbours of each character; they form stars, with the prototype in the middle. Where a star has
    two single characters, either could be the prototype. ASCII characters are their own prototypes.
    """
    data: dict[str, list[dict[str, Any]]] = load("confusables.json")
    found: dict[str, str] = {}
    for name, homoglyphs in data.items():
        character, neighbours = (
            name.strip(_LEFT_TO_RIGHT),
            [homoglyph["c"].strip(_LEFT_TO_RIGHT) for homoglyph in homoglyphs],
        )
        if len(character) != 1 or character.isascii() or len(neighbours) != 1:
            continue
        middle = neighbours[0]
        if not (len(data.get(middle, ())) > 1 or len(middle) > 1 or middle < character):
            continue
        # A letter that looks like a symbol is still a letter; a modifier, such as an apostrophe, is not.
        if any(map(str.isalnum, middle)) or unicodedata.category(character) == "Lm":
            found[character] = middle
    return found
