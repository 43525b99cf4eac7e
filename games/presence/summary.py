"""Who is playing today's deals at this moment, added up from what the processes report, for the home page."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Count
from django.utils import timezone

from games.live.loading import off_loop
from games.models import Attempt, Presence
from games.players import people
from games.presence.reporting import GOOD_FOR

ADDRESS: Final = "/playing.json"
#: Seconds that one reading serves everybody who asks a process.
FRESH: Final = 5.0
#: How many are named of all players, and of those at one deal.
NAMES: Final = 8
NAMES_AT_DEAL: Final = 3

_HEADERS: Final = [
    (b"content-type", b"application/json"),
    (b"cache-control", f"max-age={FRESH:.0f}".encode()),
    (b"x-content-type-options", b"nosniff"),
]

Playing = dict[str, Any]
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Application = Callable[[Any, Any, Any], Awaitable[None]]


def read(now: datetime) -> Playing:
    """How many players are at the tables now, how many have begun each of today's deals, and the names of some.

    Guests are counted and not named.
    """
    rows = list(Presence.objects.filter(seen_at__gt=now - GOOD_FOR, day=now.date()))
    seated: Counter[str] = Counter()
    accounts: dict[str, list[int]] = {}
    for row in rows:
        for variant, told in row.tables.items():
            seated[variant] += told["now"]
            accounts.setdefault(variant, []).extend(told["accounts"])
    names = people().shown_names({player for players in accounts.values() for player in players})
    begun = _begun(now)
    everybody = dict.fromkeys(player for players in accounts.values() for player in players if player in names)
    return {
        "players": sum(row.players for row in rows),
        "names": [_named(names[player]) for player in list(everybody)[:NAMES]],
        "deals": {
            variant: {
                "now": seated[variant],
                "begun": max(begun.get(variant, 0), seated[variant]),
                "names": [names[player][0] for player in accounts.get(variant, []) if player in names][:NAMES_AT_DEAL],
            }
            for variant in sorted(begun.keys() | seated.keys())
        },
    }


def _begun(now: datetime) -> dict[str, int]:
    ranked = Attempt.objects.filter(deal__day=now.date(), ranked=True).order_by()
    return dict(ranked.values_list("deal__variant").annotate(begun=Count("id")))


def _named(name: tuple[str, UUID]) -> dict[str, str]:
    return {"name": name[0], "player": str(name[1])}


class Glance:
    """One reading for all who ask within a few seconds; while it is renewed others get the one before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read_at = -FRESH
        self._found: Playing | None = None

    @property
    def fresh(self) -> Playing | None:
        """The last reading, unless it is too old."""
        return self._found if time.monotonic() - self._read_at < FRESH else None

    def get(self) -> Playing:
        """Who is playing, as of some seconds ago at most; reads when it has to."""
        fresh = self.fresh
        if fresh is not None:
            return fresh
        found = self._found
        if self._lock.acquire(blocking=found is None):
            try:
                # Whoever had to wait for the first reading takes it.
                if self._found is found:
                    self._found, self._read_at = read(timezone.now()), time.monotonic()
            finally:
                self._lock.release()
        assert self._found is not None
        return self._found


_glance: Final = Glance()


def now_playing() -> Playing:
    """Who is playing; costs nothing however often it is asked."""
    return _glance.get()


class PlayingNow:
    """Answers `ADDRESS` before Django has to do anything, and hands on all other requests.

    Every home page that somebody looks at asks now and then, and each gets the same few hundred bytes.
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["path"] != ADDRESS or scope["method"] not in {"GET", "HEAD"}:
            await self._application(scope, receive, send)
            return
        found = _glance.fresh or await off_loop(_glance.get)()
        body = json.dumps(found).encode()
        headers = [*_HEADERS, (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body if scope["method"] == "GET" else b""})
