"""The catalogues keep to the glossary: its words not to use occur in no text."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

import pytest

from frontend import messages
from tests.config.wording.test_catalogues import PLACES, forms, texts

with (messages.ROOT / "docs" / "glossary.csv").open(newline="") as stream:
    ROWS = list(csv.reader(stream))
#: Texts that only the staff's admin shows.
ADMIN = re.compile(r"(?:^|/)(?:admin|desk|verdicts|lifecycle)(?:/|\.py)|^leaderboards/models\.py")


def banned(column: str) -> re.Pattern[str]:
    """Return a pattern for the words in a column: `(s)` is optional, and `*` stands for any ending."""
    cells = [row[ROWS[0].index(column)] for row in ROWS[1:]]
    words = [re.escape(word.strip()) for cell in cells for word in cell.split(",") if word.strip()]
    ends = [re.sub(r"\\\((\w+)\\\)", r"(?:\1)?", word).replace(r"\*", r"\w*") for word in words]
    return re.compile(rf"\b(?:{'|'.join(ends)})\b", re.IGNORECASE)


def read_by_players(language: str, domain: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the English and the translated forms of each text outside the admin."""
    for message in texts(language, domain):
        if not all(ADMIN.search(path) for path, _ in message.locations):
            yield bare(message.id), bare(message.string)


def bare(text: object) -> list[str]:
    """Return the forms of a text without their placeholders."""
    return [PLACES.sub(" ", form) for form in forms(text)]


@pytest.mark.parametrize("domain", messages.DOMAINS)
@pytest.mark.parametrize(("language", "name"), [("de", "German"), ("fr", "French"), ("es", "Spanish")])
def test_texts_use_no_word_that_the_glossary_bans(language: str, name: str, domain: str) -> None:
    english, translated = banned("not (English)"), banned(f"not ({name})")
    found = list(read_by_players(language, domain))
    assert [text for shown, _ in found for text in shown if english.search(text)] == []
    assert [text for _, shown in found for text in shown if translated.search(text)] == []
