"""Socket eviction: close a player's sockets in every process as soon as a session ends.

This is only a shortcut: every connection's session is checked against the database once a minute anyway. An evicted
client may reconnect, and its `hello` is answered from the database.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from typing import Any, Final, Protocol
from weakref import WeakSet

from django.db import transaction

from games.core.events import notifier
from games.live.broadcasts import GroupSubscription
from games.live.per_loop import PerLoop

#: Channel-layer group that every process with sockets listens to.
GROUP: Final = "evictions"
#: Seconds after which the group is joined again, because channel layers expire memberships and may be emptied.
JOINED_FOR: Final = 5.0


class Socket(Protocol):
    """An open connection."""

    @property
    def player_id(self) -> int | None:
        """Id of the player it belongs to; None for a visitor."""

    @property
    def session(self) -> str | None:
        """`session_name` of the session it was opened in."""

    def evict(self) -> None:
        """Close without waiting."""

    def close_for_restart(self) -> None:
        """Close once every message received so far is answered; return without waiting."""


def evict_player(player_id: int) -> None:
    """Close every socket of a player once the transaction commits."""
    _broadcast({"type": f"evict.player.{player_id}", "player": player_id})


def evict_session(session_key: str | None) -> None:
    """Close every socket of a session once the transaction commits."""
    if session_key:
        name = session_name(session_key)
        _broadcast({"type": f"evict.session.{name}", "session": name})


def session_name(session_key: str) -> str:
    """Return a hash of the session key for messages between processes; the key itself would be a credential."""
    return hashlib.sha256(session_key.encode()).hexdigest()


def _broadcast(message: dict[str, Any]) -> None:
    # A separate type per player and session, because the notifier keeps only the newest pending message of a type.
    transaction.on_commit(lambda: notifier.send(GROUP, message))


class OpenSockets:
    """The open sockets of a process, and the listener for eviction messages."""

    def __init__(self) -> None:
        self._sockets: WeakSet[Socket] = WeakSet()
        self._notices = GroupSubscription(self.on_message, "evictions.")
        self._subscription: asyncio.Task[None] | None = None
        self.is_draining = False
        """True while the process is shutting down and draining its connections."""

    def __len__(self) -> int:
        return len(self._sockets)

    def __iter__(self) -> Iterator[Socket]:
        return iter(list(self._sockets))

    def add(self, socket: Socket) -> None:
        """Register a socket, to be closed when its session ends."""
        self._sockets.add(socket)
        if self._subscription is None:
            self._subscription = asyncio.create_task(self._stay_subscribed())

    def discard(self, socket: Socket) -> None:
        """Unregister a closed socket."""
        self._sockets.discard(socket)

    def on_message(self, message: dict[str, Any]) -> None:
        """Close the sockets that a message refers to."""
        player, session = message.get("player"), message.get("session")
        for socket in self:
            if (player and socket.player_id == player) or (session and socket.session == session):
                socket.evict()

    async def _stay_subscribed(self) -> None:
        while True:
            await self._notices.watch(GROUP)
            await asyncio.sleep(JOINED_FOR)


open_sockets: Final = PerLoop(OpenSockets)
