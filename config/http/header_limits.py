"""HTTP protocol with limits on the size of request heads (request line and headers) and on time.

llhttp, the parser, has no size limit of its own: a head may be arbitrarily large, in one chunk or in many. uvicorn
waits for the rest of a head or body for as long as the connection is open.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, Final, Literal

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES: Final = 16 * 1024
#: websockets parses an upgrade's head again, with limits of 8,192 bytes per line and 128 headers. It sends no response
#: to a head that it rejects, so it must never see a larger one.
MAX_LINE_BYTES: Final = 8_000
MAX_HEADERS: Final = 100


_TIMED_OUT: Final = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: 16\r\nconnection: close\r\n\r\nRequest timeout."
)


class TooLargeError(Exception):
    """A request head exceeds its size limits."""


class Http(HttpToolsProtocol):
    """uvicorn's HTTP protocol with these limits: it answers 400 or 408 and closes the connection."""

    #: Time limits in seconds: for a complete head, for the next chunk of a body, and for a whole body.
    HEAD_SECONDS: ClassVar = 20.0
    PIECE_SECONDS: ClassVar = 20.0
    BODY_SECONDS: ClassVar = 120.0

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - as uvicorn calls it
        super().__init__(*arguments, **named)
        self._in_head = False
        self._size = 0
        """Bytes of the current head parsed so far, without its last, incomplete line."""
        self._pending = 0
        """Bytes received after the chunk in which the head began."""
        self._part: Literal["head", "body"] | None = None
        """The incomplete part that the timer watches; a head counts even before its first byte."""
        self._part_began_at = self._received_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's
        """Start the timer for the first request."""
        super().connection_made(transport)
        self._begin("head")
        self._set_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse a chunk, refusing a head that grows too large."""
        self._received_at = self.loop.time()
        if self._in_head:
            self._pending += len(data)
            if self._pending > MAX_HEAD_BYTES:
                self._refuse()
                return
        super().data_received(data)
        if self.parser is not None:
            self._watch()

    def on_message_begin(self) -> None:
        """Start a head."""
        self._in_head, self._size, self._pending = True, 0, 0
        self._begin("head")
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Add the request target, or a piece of it.

        :raises TooLargeError: which the parser treats like any malformed request.
        """
        super().on_url(url)
        self._add(len(url), len(self.url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header. Trailers after a body are ignored: nothing reads them.

        :raises TooLargeError: as in `on_url`.
        """
        if not self._in_head:
            return
        super().on_header(name, value)
        size = len(name) + len(value)
        self._add(size, size)
        if len(self.headers) > MAX_HEADERS:
            raise TooLargeError

    def on_headers_complete(self) -> None:
        """Finish the head and start the body."""
        self._in_head = False
        self._begin("body")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Finish the body."""
        self._part = None
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over to a WebSocket.

        Parser and protocol reference each other and are no longer needed. Breaking the cycle frees them at once instead
        of at the next garbage collection.
        """
        self._stop_timer()
        super().handle_websocket_upgrade()
        self.parser = None  # type: ignore[assignment] # as uvicorn does when a connection is lost

    def _add(self, size: int, line: int) -> None:
        self._size += size
        if line > MAX_LINE_BYTES or self._size > MAX_HEAD_BYTES:
            raise TooLargeError

    def _begin(self, part: Literal["head", "body"]) -> None:
        self._part, self._part_began_at = part, self.loop.time()

    def _watch(self) -> None:
        """Start or stop the timer after a chunk, depending on the incomplete part."""
        if self._part is None and self._is_idle():
            self._begin("head")  # line breaks before a request, which the parser skips
        if self._part is None:
            self._stop_timer()
        elif self._timer is None:
            self._set_timer()

    def _is_idle(self) -> bool:
        """Return True if no request is being answered."""
        cycle: Any = self.cycle  # None before the first request
        return cycle is None or bool(cycle.response_complete)

    def _set_timer(self) -> None:
        self._timer = self.loop.call_at(self._latest(), self._check_time)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _latest(self) -> float:
        """Return the time by which the next chunk must arrive."""
        if self._part == "head":
            return self._part_began_at + self.HEAD_SECONDS
        received_at = self.loop.time() if self.flow.read_paused else self._received_at
        return min(received_at + self.PIECE_SECONDS, self._part_began_at + self.BODY_SECONDS)

    def _check_time(self) -> None:
        if self.loop.time() < self._latest():
            self._set_timer()
            return
        self._timer = None
        # A browser may open a connection early and send nothing; a client that has a response already gets no second
        # one.
        if self._received_at and (self._is_idle() if self._part == "head" else not self.cycle.response_started):
            self.transport.write(_TIMED_OUT)
        self.transport.close()

    def _refuse(self) -> None:
        message = "Request head too large."
        self.logger.warning(message)
        self.send_400_response(message)
