"""Service worker script: the offline pages, and push notifications.

The script names its version and the files that a browser caches: the pages of `games.presentation.offline` in the
visitor's language and every file they need, collected from the pages themselves. All visitors get the same. A browser
requests the script at every visit; changed bytes install a new worker, which caches the new files and drops the old
ones.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from games.presentation import offline
from games.rules import GAMES

SCRIPT: Final = "js/worker.js"

_IN_PAGES: Final = re.compile(rf"{re.escape(settings.STATIC_URL)}[\w./-]+")
#: Static and dynamic imports of a script.
_IN_SCRIPTS: Final = re.compile(r'(?:^import\s*(?:\{[^}]*\}\s*from\s*)?|\bimport\()"(\.{1,2}/[^"]+)"', re.MULTILINE)
_IN_STYLES: Final = re.compile(r"""(?:@import\s+|url\()["']?([\w./-]+)(?=["')])""")


@dataclass(frozen=True, slots=True)
class OfflineFiles:
    """Offline files for the browser's cache, by address."""

    version: str
    home: str
    """The offline page shown instead of any other page."""
    pages: dict[str, str]
    """Pages that have an offline page of their own, mapped to it."""
    unsent: str
    """The page shown instead of the response to a form."""
    files: tuple[str, ...]


@require_safe
@cache_control(no_cache=True)
def worker(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - the language is settled already
    """Return the service worker script in the visitor's language."""
    language = get_language() or settings.LANGUAGE_CODE
    offline = offline_files(language)
    configuration = {
        "version": f"{language}-{offline.version}",
        "home": offline.home,
        "pages": offline.pages,
        "unsent": offline.unsent,
        "files": offline.files,
        "icon": static("img/icon-192.png"),
        "renewed": reverse("players:push_renewed"),
    }
    script = f"self.talon = {json.dumps(configuration)};\nimportScripts({json.dumps(static(SCRIPT))});\n"
    return HttpResponse(script, content_type="text/javascript; charset=utf-8")


@cache
def offline_files(language: str) -> OfflineFiles:
    """Return the offline files of a language. Cached for the process: files change only with a restart."""
    unsent = offline.unsent_address(language)
    texts = {offline.address_of(language, game): offline.rendered(language, game) for game in ("", *GAMES)}
    texts[unsent] = offline.rendered_unsent(language)
    files = _files(texts.values())
    contents = [*(text.encode() for text in texts.values()), *files.values(), _read(static(SCRIPT))]
    digest = hashlib.sha256()
    for content in contents:
        digest.update(hashlib.sha256(content).digest())
    home = offline.address_of(language)
    return OfflineFiles(digest.hexdigest()[:16], home, dict(offline.replacements(language)), unsent, tuple(files))


def _files(pages: Iterable[str]) -> dict[str, bytes]:
    """Return the files that the pages name, and in turn the files that these name, by address."""
    waiting = [address for page in pages for address in _IN_PAGES.findall(page)]
    found: dict[str, bytes] = {}
    while waiting:
        address = waiting.pop()
        if address not in found:
            found[address] = _read(address)
            waiting += _named_in(address, found[address])
    return dict(sorted(found.items()))


def _named_in(address: str, content: bytes) -> Iterator[str]:
    pattern = {".js": _IN_SCRIPTS, ".css": _IN_STYLES}.get(posixpath.splitext(address)[1])
    for name in pattern.findall(content.decode()) if pattern else ():
        yield posixpath.normpath(posixpath.join(posixpath.dirname(address), name))


def _read(address: str) -> bytes:
    name = address.removeprefix(settings.STATIC_URL)
    path = str(settings.STATIC_ROOT / name) if settings.COLLECTED_STATIC else finders.find(name)
    if path is None:
        raise FileNotFoundError(name)
    return Path(path).read_bytes()
