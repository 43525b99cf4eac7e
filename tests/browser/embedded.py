"""The embedded site, with room for all guests of a test run, who share one address, play fast and miss races.

It also speaks `LONG_TEXTS`, a language of the longest texts in any language. With `CLOCK_FILE`, its wall clock
is ahead of the machine's by the seconds in that file (`tests.ordinary_life.page_clock.ServerClock`).
"""

from __future__ import annotations

import math
import mmap
import os
import re
import struct
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import django
from django.conf import settings
from django.utils import timezone
from django.utils.translation import trans_real
from uvicorn import server

from config.processes import embedded
from tests.control import QUICK_HASHERS

#: Code of a language that Django has and the site does not.
LONG_TEXTS = "eo"
#: Most letters of a text that may be a button or a tab.
LABEL = 25

_setup = django.setup
#: Placeholders, tags and entities, which stay as they are; or a word.
_PART = re.compile(r"%\(\w+\)\w|\{[^}]*\}|<[^>]*>|&\w+;|([^\W\d_]{2,})")


class _LongTexts(trans_real.DjangoTranslation):
    """The site's texts in the language that needs the most room, or in English with words 40 % longer."""

    def gettext(self, message: str) -> str:
        if (djangos := super().gettext(message)) != message:
            return str(djangos)
        return _longest(message, lambda language: language.gettext(message))

    def ngettext(self, singular: str, plural: str, n: int) -> str:
        return _longest(singular if n == 1 else plural, lambda language: language.ngettext(singular, plural, n))


def _longest(message: str, translate: Callable[[Any], str]) -> str:
    english = message.rpartition(trans_real.CONTEXT_SEPARATOR)[2]
    texts = [translate(trans_real.translation(code)) for code, _ in settings.LANGUAGES]
    texts = [_longer(english), *(text for text in texts if text != message)]
    return max(texts, key=partial(_room, is_label=len(english) <= LABEL))


def _room(text: str, *, is_label: bool) -> tuple[int, int]:
    """Return the letters that must stay together and all letters; a label stays on one line."""
    longest = max((len(match[1] or "") for match in _PART.finditer(text)), default=0)
    return (len(text) if is_label else longest, len(text))


def _longer(text: str) -> str:
    def part(match: re.Match[str]) -> str:
        word = match[1] or ""
        return match[0] + word[: math.ceil(len(word) * 0.4)].lower()

    return _PART.sub(part, text)


def _follow_clock_file(file: Path) -> None:
    with file.open("rb") as opened:
        mapped = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)

    def ahead() -> float:
        return float(struct.unpack("d", mapped)[0])

    # Before the models bind it.
    timezone.now = lambda: datetime.now(UTC) + timedelta(seconds=ahead())
    _setup()
    from games.live import attempt_state  # noqa: PLC0415

    shifted = SimpleNamespace(time_ns=lambda: time.time_ns() + int(ahead() * 1e9))
    patch.object(attempt_state, "time", shifted).start()
    # The `Date` of responses, which changes once a second.
    patch.object(server, "formatdate", lambda now, *, usegmt: formatdate(now + ahead(), usegmt=usegmt)).start()


def _prepare(set_prefix: bool = True) -> None:
    if file := os.environ.get("CLOCK_FILE"):
        _follow_clock_file(Path(file))
    _setup(set_prefix)
    from games.core import limits  # noqa: PLC0415
    from games.fairplay import pace  # noqa: PLC0415
    from games.templatetags import client  # noqa: PLC0415

    limits.RATES["guest"] = limits.RATES["spoil_network"] = "10000/10m"
    pace.POINT_MS = pace.AGAIN_MS = 30  # type: ignore[misc]  # so that a test may win in seconds
    settings.PASSWORD_HASHERS = QUICK_HASHERS
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 3600  # a test may look at all pages of a member
    languages = {**dict(settings.LANGUAGES), LONG_TEXTS: "Long texts"}
    patch.object(trans_real, "get_languages", lambda: languages).start()
    patch.dict("django.utils.translation.trans_real._translations", {LONG_TEXTS: _LongTexts(LONG_TEXTS)}).start()
    patch.object(client, "get_language", _language_of_files).start()


def _language_of_files() -> str | None:
    """Return the language whose static files a page needs; there are none with long texts."""
    language = trans_real.get_language()
    return None if language == LONG_TEXTS else language


if __name__ == "__main__":
    django.setup = _prepare
    embedded.main()
