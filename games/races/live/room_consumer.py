"""WebSocket consumer of a room: parse, call, reply. Anyone with the code may watch; commands need a player."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Any, Final
from uuid import UUID

import structlog
from django.contrib.auth import get_user_model
from django.utils import timezone
from msgspec import structs

from games.core import metrics
from games.core.addresses import area, network_of_scope
from games.core.asgi_types import Receive, Scope, Send
from games.core.errors import ErrorCode, RateLimitedError, Refusal
from games.core.events import notifier
from games.core.player_networks import remember_network
from games.db.players import Player
from games.fairplay import account_links
from games.live.loader import in_database
from games.live.sockets.base_consumer import SocketConnection, check_version, session_expired
from games.live.sockets.message_limit import allowance_of, retain_until_full
from games.races import network_limits, origins, rooms, seats, starting
from games.races.bots import seating
from games.races.live import protocol, snapshot
from games.races.live.room_hub import RoomHub, shared_hub
from games.races.live.room_watch import RoomWatch
from games.races.models import Room
from games.races.quick_match import matchmaking
from games.races.room_notifications import room_group

#: Rate limit of a player's reactions: per second, and burst.
REACTIONS: Final = 1.0
REACTIONS_AT_ONCE: Final = 5.0
#: Rate limit of a player's commands: per second, and burst. Each one writes while holding the room's lock.
COMMANDS: Final = 2.0
COMMANDS_AT_ONCE: Final = 20.0


async def race(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one connection, as an ASGI application."""
    await RaceConsumer(scope, send, shared_hub()).run(receive)


class RaceConsumer(SocketConnection):
    """A connection to one room."""

    __slots__ = (
        "_code",
        "_commands",
        "_device",
        "_hub",
        "_network",
        "_reactions",
        "_watch",
        "heard_at",
        "is_elsewhere",
    )

    FATAL = protocol.FATAL
    SOCKETS = metrics.SOCKETS.labels("race")

    def __init__(self, scope: Scope, send: Send, hub: RoomHub) -> None:
        super().__init__(scope, send)
        self._code: str = scope["url_route"]["kwargs"]["code"]
        self._hub = hub
        self._network = network_of_scope(scope)
        self._device = account_links.known_device(scope.get("cookies", {}))
        self._watch: RoomWatch | None = None
        self.is_elsewhere = False
        self.heard_at = monotonic()
        self._reactions = allowance_of(self.player_id, "reactions", REACTIONS, REACTIONS_AT_ONCE)
        self._commands = allowance_of(self.player_id, "commands", COMMANDS, COMMANDS_AT_ONCE)

    async def run(self, receive: Receive) -> None:
        """Serve the connection until it ends."""
        structlog.contextvars.bind_contextvars(room=self._code)
        await super().run(receive)

    def dismiss(self, frame: str) -> None:
        """Send a last frame and close."""
        self.send_frame(frame)
        self._closer = asyncio.ensure_future(self._close(protocol.CLOSE_GONE))

    async def _do(self, text: str) -> None:
        self.heard_at = monotonic()
        message = protocol.parse(text)
        if self.player_id is not None and self._is_check_due():
            await self._check_session()
        if type(message) is protocol.Hello:
            self._stop_clock()
            await self._hello(message)
            return
        if type(message) is protocol.Ping:
            self.send_frame(protocol.write(protocol.Pong(t=message.t, now=protocol.clock(timezone.now()))))
            return
        watch = self._watch
        if watch is None:
            raise Refusal(ErrorCode.BAD_FRAME, "the first message must be hello")
        if type(message) is protocol.Sync:
            watch.audience.show(self)
        elif self.player_id is None:
            raise session_expired()
        elif type(message) is protocol.React:
            self._react(watch, self.player_id, message.kind)
        else:
            call = _command_call(message, watch.facts.id, self.player_id, self._network, self._device)
            await self._command(watch, call)

    async def _hello(self, message: protocol.Hello) -> None:
        check_version(message.v, protocol.VERSION)
        self.is_elsewhere = message.elsewhere
        if self._watch is None:
            self._watch = await self._hub.enter(self._code, self)
        else:
            self._watch.audience.show(self)
        self.replace_older()
        await self._send_to_division(self._watch)

    async def _send_to_division(self, watch: RoomWatch) -> None:
        """Redirect a player who missed the division of the heat to their own room."""
        facts, player_id = watch.facts, self.player_id
        if facts.kind != Room.Kind.HEAT or player_id is None or watch.entrant_of(player_id) is not None:
            return
        code = await in_database(snapshot.division_of, facts.id, player_id)
        if code is not None and code != self._code:
            self.send_frame(protocol.write(protocol.Moved(code=code)))

    async def _command(self, watch: RoomWatch, call: Callable[[], object]) -> None:
        """Execute a command and have the room read again, which sends all viewers the changes."""
        if wait := self._commands.spend():
            raise Refusal(ErrorCode.RATE_LIMITED, "too many commands", retry_after_ms=wait)
        try:
            await in_database(call)
        except RateLimitedError as error:  # from the HTTP rate limiter, which counts in seconds
            wait = 1000 * error.data.pop("retry_after")
            raise Refusal(ErrorCode.RATE_LIMITED, "too often", retry_after_ms=wait, **error.data) from None
        watch.schedule_read()

    def _react(self, watch: RoomWatch, player_id: int, kind: protocol.Reaction) -> None:
        entrant = watch.entrant_of(player_id)
        if entrant is None:
            raise Refusal(ErrorCode.NOT_ENTERED)
        if wait := self._reactions.spend():
            raise Refusal(ErrorCode.RATE_LIMITED, "too many reactions", retry_after_ms=wait)
        notice = {"type": "room.reacted", "room": watch.facts.id, "entrant": entrant.id, "kind": kind}
        notifier.send(room_group(watch.facts.id), notice, about=entrant.id)

    async def _refuse(self, error: Refusal) -> None:
        """Refuse, and close a player's connection if the session has ended; the client may return as a visitor."""
        await super()._refuse(error)
        if error.code is ErrorCode.SESSION_EXPIRED and self.player_id is not None:
            self.evict()

    async def _leave(self) -> None:
        retain_until_full(self._reactions)
        retain_until_full(self._commands)
        if self._watch is not None:
            self._hub.leave(self._watch.facts.id, self)

    def _error_frame(self, error: Refusal) -> str:
        return protocol.write(protocol.Error(code=error.code, message=error.message, data=error.data))


def _command_call(
    message: protocol.ClientMessage, room_id: int, player_id: int, network: str, device: UUID | None
) -> Callable[[], Any]:
    """Return the function that executes a command; each function checks permissions itself.

    :raises Refusal: unknown_type for a message that is no command.
    """
    match message:
        case protocol.Sit():
            return lambda: _sit(room_id, player_id, network, device)
        case protocol.Leave():
            return lambda: seats.leave(room_id, player_id)
        case protocol.Here():
            return lambda: matchmaking.answer(room_id, player_id)
        case protocol.Start():
            return lambda: starting.start(room_id, host_id=player_id)
        case protocol.Kick(entrant=entrant):
            return lambda: seats.kick(room_id, player_id, entrant)
        case protocol.Bot(racer=racer):
            return lambda: seating.add_bot(room_id, player_id, racer)
        case protocol.Settings():
            return lambda: rooms.change(room_id, player_id, **structs.asdict(message))
        case _:
            raise Refusal(ErrorCode.UNKNOWN_TYPE, "unknown command")


def _sit(room_id: int, player_id: int, network: str, device: UUID | None) -> None:
    player: Player | None = get_user_model().objects.filter(pk=player_id, is_active=True).first()
    if player is None:
        raise session_expired()  # banned or removed since the connection was opened
    network_limits.check_may_sit(player_id, network, has_account=player.has_page)
    remember_network(player_id, network)
    if seats.sit(room_id, player).race.rated:
        origins.record(player_id, device, area(network))
