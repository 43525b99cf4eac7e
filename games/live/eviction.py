"""Closing a player's sockets at once when a session ends, in every process.

This only speeds things up: each connection's session is checked against the database every minute anyway. A connection
closed this way may come back, and its `hello` is answered from the database.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Iterable, Iterator
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary, WeakSet

from channels.layers import get_channel_layer
from django.db import transaction

from games.events import notifier

log = logging.getLogger(__name__)

#: The one channel-layer group that every process with sockets listens to.
GROUP: Final = "evictions"
#: Seconds after which the group is joined again: the layers forget members.
RENEWED_EVERY: Final = 1800.0
_PAUSE: Final = 5.0  # seconds between two tries to listen


class Socket(Protocol):
    """An open connection."""

    @property
    def player_id(self) -> int | None:
        """Whose it is."""

    @property
    def session(self) -> str | None:
        """The `session_name` of the session it was opened in."""

    def evict(self) -> None:
        """Close; does not wait."""

    def go_away(self) -> None:
        """Close when what has arrived is answered; does not wait."""


def evict_player(player_id: int) -> None:
    """After the commit, close every socket of a player."""
    _tell({"type": f"evict.player.{player_id}", "player": player_id})


def evict_session(session_key: str | None) -> None:
    """After the commit, close every socket of a session."""
    if session_key:
        name = session_name(session_key)
        _tell({"type": f"evict.session.{name}", "session": name})


def session_name(session_key: str) -> str:
    """A session's name in messages between processes: a hash, as the key itself would sign the reader in."""
    return hashlib.sha256(session_key.encode()).hexdigest()


def _tell(message: dict[str, Any]) -> None:
    # Each player and session is a type of its own: of messages of one type only the newest that waits is sent.
    transaction.on_commit(lambda: notifier.send(GROUP, message))


class OpenSockets:
    """The sockets of one process, and its listener for messages that close them."""

    def __init__(self) -> None:
        self._sockets: WeakSet[Socket] = WeakSet()
        self._listener: asyncio.Task[None] | None = None
        self.are_leaving = False
        """Whether the process stops, and hands its players over to others."""

    def __len__(self) -> int:
        return len(self._sockets)

    def __iter__(self) -> Iterator[Socket]:
        return iter(list(self._sockets))

    def add(self, socket: Socket) -> None:
        """Close the socket when its session ends."""
        self._sockets.add(socket)
        if self._listener is None:
            self._listener = asyncio.create_task(self._keep_listening())

    def discard(self, socket: Socket) -> None:
        """The socket is closed."""
        self._sockets.discard(socket)

    def heard(self, message: dict[str, Any]) -> None:
        """Close those that a message is about."""
        for socket in self._meant(message):
            socket.evict()

    def _meant(self, message: dict[str, Any]) -> Iterable[Socket]:
        player, session = message.get("player"), message.get("session")
        for socket in self:
            if (player and socket.player_id == player) or (session and socket.session == session):
                yield socket

    async def _keep_listening(self) -> None:
        while True:
            try:
                await self._listen()
            except Exception:
                log.warning("evictions not heard", exc_info=True)
            await asyncio.sleep(_PAUSE)

    async def _listen(self) -> None:
        layer: Any = get_channel_layer()
        channel = await layer.new_channel("evictions.")
        while True:
            hearing = asyncio.ensure_future(layer.receive(channel))
            try:
                # A receive that is cancelled gives its channel up: it is left alone while the group is joined again.
                while not hearing.done():
                    await layer.group_add(GROUP, channel)
                    await asyncio.wait({hearing}, timeout=RENEWED_EVERY)
                self.heard(hearing.result())
            finally:
                hearing.cancel()


_shared: WeakKeyDictionary[asyncio.AbstractEventLoop, OpenSockets] = WeakKeyDictionary()


def open_sockets() -> OpenSockets:
    """The sockets of the running loop: of the process, as a server has one."""
    return _shared.setdefault(asyncio.get_running_loop(), OpenSockets())
