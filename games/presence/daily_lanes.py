"""Progress lanes of a daily deal: how many cards each current player has up, but never which cards.

The figures come from the processes' presence reports (`games.presence.heartbeat`). Each process reads them every few
seconds, once per deal for all its watchers. Guests, and players who prefer not to be named, are counted but get no
lane.
"""

from __future__ import annotations

from datetime import datetime
from time import monotonic
from typing import Final

import msgspec
from django.utils import timezone

from games.db.players import player_services
from games.db.shared_cache import SharedCache
from games.live import watcher
from games.live.broadcasts import Notice
from games.live.loader import off_loop
from games.live.per_loop import PerLoop
from games.live.watcher import FrameWatch, Source
from games.models import Deal, Presence
from games.presence.heartbeat import GOOD_FOR, PERIOD

#: Maximum lanes shown per deal: those with the most cards up.
MAX_LANES: Final = 24


class Lane(msgspec.Struct, array_like=True, gc=False):
    """A player's progress: only the number of cards up, never which cards."""

    #: Public id of the player, which leads to their page.
    player: str
    name: str
    cards_up: int


class Lanes(msgspec.Struct, tag="lanes", tag_field="type", gc=False):
    """The number of current players of a deal, and the lanes of those that may be named."""

    players: int
    lanes: list[Lane]


def write(message: Lanes) -> str:
    """Encode a message as a frame."""
    return msgspec.json.encode(message).decode()


def watchable(deal_id: int, now: datetime) -> str:
    """Return the variant of an open daily deal; empty for any other deal."""
    deal = Deal.objects.filter(pk=deal_id, day__isnull=False).first()
    return deal.variant if deal is not None and deal.is_open(now) else ""


def read(variant: str, now: datetime) -> Lanes:
    """Read the lanes of today's deal of a variant."""
    players, up = 0, dict[int, int]()
    for row in Presence.objects.filter(seen_at__gt=now - GOOD_FOR, day=now.date()):
        counts = row.tables.get(variant)
        if counts is not None:
            players += counts["now"]
            up |= zip(counts["accounts"], counts["cards_up"], strict=True)
    names = player_services().shown_names(up.keys())
    furthest = sorted(names.keys() & up.keys(), key=lambda player: (-up[player], player))[:MAX_LANES]
    return Lanes(players, [Lane(str(names[player][1]), names[player][0], up[player]) for player in furthest])


frames: Final = SharedCache("lanes", str, fresh=PERIOD / 2)


def frame_of(deal_id: int) -> str | None:
    """Return a deal's lanes as a frame, from a cache shared by all processes; None once the deal is closed."""
    now = timezone.now()
    variant = watchable(deal_id, now)
    return frames.get(str(deal_id), lambda: write(read(variant, now))) if variant else None


class LanesHub(watcher.Hub[int, FrameWatch]):
    """The watched deals of a process. Reports are frequent and come from all processes, so they are only polled."""

    PREFIX = "lanes."

    async def _opened(self, key: int) -> FrameWatch:
        return FrameWatch(Source(lambda: off_loop(frame_of)(key), self.listen, PERIOD, lambda: monotonic() + PERIOD))

    def _on_notice(self, notice: Notice) -> None:
        pass


hub: Final = PerLoop(LanesHub)
