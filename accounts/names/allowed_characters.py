"""Characters and scripts allowed in names: an identifier profile (Unicode Technical Standard 39).

No library has the standard's list of characters recommended for identifiers, so `is_fit` applies its criteria: the
scripts in everyday use, and the letters of the alphabets people write with. The properties of characters come from
`regex`.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

import regex

#: Scripts in everyday use: table 5 of Unicode Standard Annex 31.
SCRIPTS: Final = (
    "Arabic", "Armenian", "Bengali", "Bopomofo", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati",
    "Gurmukhi", "Han", "Hangul", "Hebrew", "Hiragana", "Kannada", "Katakana", "Khmer", "Lao", "Latin", "Malayalam",
    "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thaana", "Thai", "Tibetan",
)  # fmt: skip
#: Scripts that one name may mix: the standard's "highly restrictive" level.
_ALLOWED: Final = (
    *(frozenset({script}) for script in SCRIPTS),
    frozenset({"Latin", "Han", "Hiragana", "Katakana"}),
    frozenset({"Latin", "Han", "Bopomofo"}),
    frozenset({"Latin", "Han", "Hangul"}),
)
#: Blocks of everyday capitals in scripts with two cases. A letter whose capital lies elsewhere, or that has none, is
#: phonetic notation, a small capital, a click or a letter of old manuscripts.
_CAPITALS: Final = regex.compile(
    r"[\p{Block=Basic_Latin}\p{Block=Latin_1_Supplement}\p{Block=Latin_Extended_A}\p{Block=Latin_Extended_B}"
    r"\p{Block=Latin_Extended_Additional}\p{Block=Greek_And_Coptic}\p{Block=Greek_Extended}\p{Block=Cyrillic}"
    r"\p{Block=Combining_Diacritical_Marks}]+"
)
_CASED: Final = regex.compile(r"[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}&&\p{L}]", regex.VERSION1)
_UNFIT: Final = regex.compile(
    r"[\P{XID_Continue}\p{Default_Ignorable_Code_Point}\p{Deprecated}\p{Noncharacter_Code_Point}"
    r"\p{Joining_Type=Join_Causing}]"
)
#: Accents and digits belong to no particular script.
_SHARED: Final = regex.compile(r"[0-9\p{Block=Combining_Diacritical_Marks}]")
_OF_SCRIPT: Final = {script: regex.compile(rf"\p{{Script_Extensions={script}}}") for script in SCRIPTS}


def is_fit(character: str) -> bool:
    """Return whether a letter, digit or mark is allowed in a name."""
    if _UNFIT.match(character):
        return False
    if _CASED.match(character):
        capital = character.upper()
        is_small_capital = "SMALL CAPITAL" in unicodedata.name(character, "")
        return capital != character.lower() and not is_small_capital and _CAPITALS.fullmatch(capital) is not None
    return bool(_SHARED.match(character) or _scripts(character))


def is_of_one_script(text: str) -> bool:
    """Return whether all letters, marks and digits belong to one script, or to scripts that are written together."""
    found = [_scripts(character) for character in text if not _SHARED.match(character)]
    found = [scripts for scripts in found if scripts]
    return not found or any(all(scripts & allowed for scripts in found) for allowed in _ALLOWED)


def has_one_kind_of_digits(text: str) -> bool:
    """Return whether all decimal digits belong to one numeral system."""
    digits = (character for character in text if unicodedata.category(character) == "Nd")
    return len({ord(digit) - unicodedata.decimal(digit) for digit in digits}) <= 1


@lru_cache(maxsize=4096)
def _scripts(character: str) -> frozenset[str]:
    return frozenset(script for script, pattern in _OF_SCRIPT.items() if pattern.match(character))
