"""Page cache for visitors without a session.

Traffic peaks at midnight, and most requests come from visitors without a session. Their pages differ only in the CSRF
token (`games.presentation.anonymous_cache`), so a process caches each page for a few seconds and answers on the event
loop, before Django runs. No proxy stores a copy: copies keep the page's original headers, including `Cache-Control:
private`. Processes share copies only for outages, when players get them too, marked as old.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from http import HTTPStatus
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, parse_cookie
from django.middleware.csrf import CSRF_SECRET_LENGTH, get_token
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve
from django.utils import timezone, translation
from django.utils.translation import get_language_from_request

from config.backends.circuit_breaker import database
from config.page_cache.cached_page import NOTICE, NOW, TOKEN, Headers, SplitPage, split
from games.core.asgi_types import Application, Receive, Scope, Send
from games.core.metrics import PAGES_COPIED
from games.core.waiting import COOKIE
from games.db.shared_cache import SharedCache, outdated_values
from games.presentation.anonymous_cache import CHOICES, MARK

Key = tuple[object, ...]

#: Maximum number of cached pages.
MAX_ENTRIES: Final = 128
#: Seconds before the next attempt at a page that could not be made or may not be cached.
_REFUSED: Final = 1.0
#: Seconds that a visitor waits for a new copy if there is an old one.
_STALE_AFTER: Final = 0.5
#: Seconds beyond its lifetime after which a copy is marked as old, and those for which other processes can use it.
_OLD: Final = 5.0
_SHARED: Final = 600.0
#: Seconds between looks at the database while it makes a player's page.
_LOOK_EVERY: Final = 0.1
#: The secret in a CSRF cookie, as Django generates it.
_SECRET: Final = re.compile(rf"[A-Za-z0-9]{{{CSRF_SECRET_LENGTH}}}")
_GZIP: Final = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))")
#: Headers from which Django determines the host and scheme.
_PLACE: Final = (b"host", b"x-forwarded-host", b"x-forwarded-proto")
#: Headers that belong to one response, not to the page.
_OF_ONE: Final = {b"content-length", b"set-cookie", b"content-encoding"}


@dataclass(frozen=True, slots=True)
class Visit:
    """The parts of a request that matter here."""

    scope: Scope
    headers: dict[bytes, str]
    cookies: dict[str, str]

    @classmethod
    def of(cls, scope: Scope) -> Visit:
        """Parse a request's headers and cookies."""
        headers: dict[bytes, str] = {}
        for name, value in scope["headers"]:
            earlier, between = headers.get(name), "; " if name == b"cookie" else ","
            headers[name] = value.decode("latin1") if earlier is None else f"{earlier}{between}{value.decode('latin1')}"
        return cls(scope, headers, parse_cookie(headers.get(b"cookie", "")))

    @property
    def seconds(self) -> float:
        """Lifetime of a copy of this page; 0 if it may not be cached."""
        is_page = (
            self.scope["method"] in {"GET", "HEAD"}
            and not self.scope["query_string"]
            and "application/json" not in self.headers.get(b"accept", "")
        )
        return _seconds_of(self.scope["path"]) if is_page else 0.0

    @property
    def is_anonymous(self) -> bool:
        """True for a browser without a session."""
        known = {settings.CSRF_COOKIE_NAME, settings.LANGUAGE_COOKIE_NAME, COOKIE, *CHOICES}
        return self.cookies.keys() <= known and self.cookies.get(settings.CSRF_COOKIE_NAME, "") == self.secret

    @property
    def secret(self) -> str:
        """The secret of the CSRF cookie, or an empty string if it is missing or malformed; a new one is then issued."""
        secret = self.cookies.get(settings.CSRF_COOKIE_NAME, "")
        return secret if _SECRET.fullmatch(secret) else ""

    @property
    def language(self) -> str:
        """The language of the page."""
        request = HttpRequest()
        request.COOKIES, request.META = self.cookies, {"HTTP_ACCEPT_LANGUAGE": self.headers.get(b"accept-language", "")}
        return get_language_from_request(request)

    @property
    def key(self) -> Key:
        """The cache key: everything the page depends on. Host and scheme are for Django to judge."""
        headers = tuple(self.headers.get(name) for name in _PLACE)
        chosen = tuple(name in self.cookies for name in CHOICES)
        return (self.scope["path"], self.scope["scheme"], headers, self.language, chosen, timezone.now().date())

    def anonymous_scope(self) -> Scope:
        """Return the scope of an anonymous visit with the same key. Nothing else in the request can change the page."""
        headers = [(name, value) for name, value in self.scope["headers"] if name in _PLACE]
        cookies = [f"{settings.LANGUAGE_COOKIE_NAME}={self.language}"]
        cookies += [f"{name}=1" for name in CHOICES if name in self.cookies]
        headers += [(b"accept", b"text/html"), (b"cookie", "; ".join(cookies).encode("ascii"))]
        return {**self.scope, "method": "GET", "headers": headers, "for_all": True}


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page, and the CSRF cookie that comes with it (b"" for none), with `%s` in place of the secret."""

    page: SplitPage
    cookie: bytes
    made_at: float = field(default_factory=time.time)

    def for_visitor(self, visit: Visit) -> tuple[Headers, dict[bytes, bytes]]:
        """Return the headers for a visitor and the values for the page's placeholders."""
        headers, own = list(self.page.headers), {NOW: timezone.now().isoformat().encode()}
        is_old = not visit.is_anonymous or time.time() - self.made_at > visit.seconds + _OLD
        if is_old:
            own[NOTICE] = _notice(f"{datetime.fromtimestamp(self.made_at, UTC):%H:%M}", visit.language)
        if self.cookie:
            request = HttpRequest()
            if visit.secret:
                request.META["CSRF_COOKIE"] = visit.secret
            own[TOKEN] = get_token(request).encode()
            if not visit.secret:
                headers.append((b"Set-Cookie", self.cookie.replace(b"%s", request.META["CSRF_COOKIE"].encode(), 1)))
        return headers, own

    async def send_to(self, visit: Visit, send: Send) -> None:
        """Send the copy with the visitor's own values."""
        headers, own = self.for_visitor(visit)
        if _GZIP.search(visit.headers.get(b"accept-encoding", "")):
            body = self.page.packed(own)
            headers.append((b"Content-Encoding", b"gzip"))
        else:
            body = self.page.plain(own)
        headers.append((b"Content-Length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body if visit.scope["method"] == "GET" else b""})


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """Cache entry: a copy, or None for a response that may not be cached, and its expiry time (monotonic)."""

    copy: CachedPage | None
    until: float


#: Copies that processes share through Redis.
shared_copies: Final = SharedCache("page_copies", CachedPage, fresh=_SHARED)


class UnavailableError(Exception):
    """The application cannot make the page now."""


class PageCache:
    """Page cache of a process. The application makes each copy on demand."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._entries: dict[Key, CacheEntry] = {}
        self._making: dict[Key, asyncio.Task[CacheEntry]] = {}

    async def get(self, visit: Visit) -> CachedPage | None:
        """Return the page, made once in its lifetime for all visitors, or None if it may not be cached.

        While a new copy is slow or cannot be made, the old one is served (stale-while-revalidate and stale-if-error,
        RFC 5861).
        """
        key = visit.key
        entry = self._entries.get(key)
        if entry is not None and time.monotonic() < entry.until:
            return entry.copy
        making = self._making.get(key)
        if making is None:
            making = self._making[key] = asyncio.create_task(self._make(key, visit))
            making.add_done_callback(lambda _: self._making.pop(key))
        if (await asyncio.wait({making}, timeout=_STALE_AFTER))[0]:
            return making.result().copy
        return await self.old(visit) or (await asyncio.shield(making)).copy  # other visitors wait for it too

    async def old(self, visit: Visit) -> CachedPage | None:
        """Return the latest copy, however old, or another process's."""
        entry = self._entries.get(visit.key)
        copy = entry.copy if entry else None
        if copy or not settings.REDIS_SERVERS:
            return copy
        try:
            return await asyncio.to_thread(shared_copies.get, _name_of(visit.key), _refuse)
        except UnavailableError:
            return None

    async def _make(self, key: Key, visit: Visit) -> CacheEntry:
        started = time.monotonic()
        outdated: list[float] = []
        outdated_values.set(outdated)
        try:
            copy = await _render(self._application, visit)
        except UnavailableError:
            return self._store(key, CacheEntry(await self.old(visit), time.monotonic() + _REFUSED))
        if copy and outdated:
            copy = replace(copy, made_at=min(outdated))
        if copy and settings.REDIS_SERVERS:
            storing = partial(shared_copies.renew, _name_of(key), lambda: copy)
            asyncio.get_running_loop().run_in_executor(None, storing)
        return self._store(key, CacheEntry(copy, started + (visit.seconds if copy else _REFUSED)))

    def _store(self, key: Key, entry: CacheEntry) -> CacheEntry:
        self._entries.pop(key, None)  # keeps the newest last
        while len(self._entries) >= MAX_ENTRIES:
            del self._entries[next(iter(self._entries))]
        self._entries[key] = entry
        return entry


class AnonymousPages:
    """ASGI middleware that answers visitors without a session from the cache, and players too during an outage."""

    def __init__(self, application: Application, page_cache: PageCache) -> None:
        self._application = application
        self._page_cache = page_cache

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        visit = Visit.of(scope)
        if not visit.seconds:
            await self._application(scope, receive, send)
        elif not visit.is_anonymous:
            await self._serve_player(visit, receive, send)
        elif copy := await self._page_cache.get(visit):
            PAGES_COPIED.inc()
            await copy.send_to(visit, send)
        else:
            await self._application(scope, receive, send)

    async def _serve_player(self, visit: Visit, receive: Receive, send: Send) -> None:
        """Serve a player's own page, or the visitors' copy while the database does not answer."""
        messages: list[Any] = []

        async def collect(message: dict[str, Any]) -> None:
            messages.append(message)

        making = asyncio.ensure_future(self._application(visit.scope, receive, collect))
        while not (await asyncio.wait({making}, timeout=_LOOK_EVERY))[0] and not database.is_failing:
            pass
        has_failed = not making.done() or (messages and messages[0]["status"] >= HTTPStatus.INTERNAL_SERVER_ERROR)
        if has_failed and database.is_failing and (copy := await self._page_cache.old(visit)):
            await copy.send_to(visit, send)
            return
        await making
        for message in messages:
            await send(message)


async def _render(application: Application, visit: Visit) -> CachedPage | None:
    """Return a copy of the page as the application makes it now, or None if the response may not be cached.

    :raises UnavailableError: if the response is a server error.
    """
    messages: list[Any] = []
    requests = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> dict[str, Any]:
        return requests.pop() if requests else await asyncio.Future()

    async def listen(message: dict[str, Any]) -> None:
        messages.append(message)

    await application(visit.anonymous_scope(), receive, listen)
    if messages and messages[0]["status"] >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise UnavailableError
    if not messages or messages[0]["status"] != HTTPStatus.OK:
        return None
    headers: Headers = messages[0]["headers"]
    body = b"".join(message.get("body", b"") for message in messages[1:])
    page = split([header for header in headers if header[0].lower() not in _OF_ONE], body)
    return _without_secret(page, [value for name, value in headers if name.lower() == b"set-cookie"])


def _without_secret(page: SplitPage, cookies: list[bytes]) -> CachedPage | None:
    """Return the page and its CSRF cookie with the secret removed, or None if that is not possible."""
    if not cookies and not page.has_token:
        return CachedPage(page, b"")
    name = settings.CSRF_COOKIE_NAME.encode() + b"="
    if len(cookies) != 1 or not cookies[0].startswith(name):
        return None
    secret, _, rest = cookies[0].removeprefix(name).partition(b";")
    if secret in rest or any(secret in piece.plain for piece in page.pieces):
        return None
    return CachedPage(page, name + b"%s;" + rest)


@lru_cache(maxsize=256)
def _seconds_of(path: str) -> float:
    """Return the cache lifetime of a page at this path; 0 if it may not be cached."""
    try:
        view = resolve(path).func
    except Resolver404:
        return 0.0
    return float(getattr(view, MARK, 0.0))


@lru_cache(maxsize=64)
def _notice(made: str, language: str) -> bytes:
    """Render the notice on an old copy, made at this time of day in UTC."""
    with translation.override(language):
        return render_to_string("_old_copy.html", {"made": made}).encode()


def _name_of(key: Key) -> str:
    return hashlib.sha256(repr(key).encode()).hexdigest()


def _refuse() -> CachedPage:
    raise UnavailableError
