"""Who is playing today's deals at this moment, added up from what the processes report, for the home page."""

from __future__ import annotations

import json
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
from games.readings import SharedCopies

ADDRESS: Final = "/playing.json"
#: Seconds that one reading serves everybody who asks.
FRESH: Final = 5.0
#: Seconds for which a process gives the same answer without asking the cache.
HELD: Final = 1.0
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


copies: Final = SharedCopies(FRESH)


def now_playing() -> Playing:
    """Who is playing, as of some seconds ago at most; it is read once for all who ask, in all processes."""
    return copies.get("playing", lambda: read(timezone.now()))


class PlayingNow:
    """Answers `ADDRESS` before Django has to do anything, and hands on all other requests.

    Every home page that somebody looks at asks now and then, and each gets the same few hundred bytes.
    """

    def __init__(self, application: Application) -> None:
        self._application = application
        self._body = b""
        self._good_until = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["path"] != ADDRESS or scope["method"] not in {"GET", "HEAD"}:
            await self._application(scope, receive, send)
            return
        if time.monotonic() >= self._good_until:
            self._body = json.dumps(await off_loop(now_playing)()).encode()
            self._good_until = time.monotonic() + HELD
        body = self._body
        headers = [*_HEADERS, (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body if scope["method"] == "GET" else b""})
