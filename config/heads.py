"""HTTP as the server speaks it, with limits on the size of request heads (method, address and headers) and on time.

llhttp, which reads them, has no limit of its own: a head may be as large as somebody sends it, in one piece or in many.
uvicorn waits for the rest of a head or body for as long as the connection stands.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, Final, Literal

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES: Final = 16 * 1024
#: websockets parses the head of an upgrade again, with lines of at most 8,192 bytes and 128 headers. It does not answer
#: what it refuses, so it must never see more.
MAX_LINE_BYTES: Final = 8_000
MAX_HEADERS: Final = 100


_TIMED_OUT: Final = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: 16\r\nconnection: close\r\n\r\nRequest timeout."
)


class TooLargeError(Exception):
    """The head of a request is larger than it may be."""


class Http(HttpToolsProtocol):
    """uvicorn's HTTP protocol with these limits: it answers 400 or 408 and closes."""

    #: Seconds for a head to be complete, for the next piece of a body, and for a whole body.
    HEAD_SECONDS: ClassVar = 20.0
    PIECE_SECONDS: ClassVar = 20.0
    BODY_SECONDS: ClassVar = 120.0

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - as uvicorn calls it
        super().__init__(*arguments, **named)
        self._in_head = False
        self._size = 0
        """Of the head so far, without the line that is not complete."""
        self._pending = 0
        """What has come since the piece in which the head began."""
        self._part: Literal["head", "body"] | None = None
        """What is not complete, as far as time goes: a head is waited for before its first byte."""
        self._part_began_at = self._heard_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's
        """Wait for the first request."""
        super().connection_made(transport)
        self._begin("head")
        self._set_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what has come."""
        self._heard_at = self.loop.time()
        if self._in_head:
            self._pending += len(data)
            if self._pending > MAX_HEAD_BYTES:
                self._refuse()
                return
        super().data_received(data)
        if self.parser is not None:
            self._watch()

    def on_message_begin(self) -> None:
        """A head begins."""
        self._in_head, self._size, self._pending = True, 0, 0
        self._begin("head")
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """The address, or a piece of it.

        :raises TooLargeError: which the parser answers as anything else that is not HTTP.
        """
        super().on_url(url)
        self._add(len(url), len(self.url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header. One that follows the body of a request is nothing that anybody asks for, and no header of it.

        :raises TooLargeError: as `on_url`.
        """
        if not self._in_head:
            return
        super().on_header(name, value)
        size = len(name) + len(value)
        self._add(size, size)
        if len(self.headers) > MAX_HEADERS:
            raise TooLargeError

    def on_headers_complete(self) -> None:
        """The head is complete."""
        self._in_head = False
        self._begin("body")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The body is complete."""
        self._part = None
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over to a WebSocket.

        Parser and protocol hold each other, and nobody needs either any more: they go at once, not at a collection.
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
        """After a piece has come, keep an eye on the time of the part that is not complete, if there is one."""
        if self._part is None and self._is_idle():
            self._begin("head")  # line breaks before a request, which the parser passes over
        if self._part is None:
            self._stop_timer()
        elif self._timer is None:
            self._set_timer()

    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        cycle: Any = self.cycle  # None before the first request
        return cycle is None or bool(cycle.response_complete)

    def _set_timer(self) -> None:
        self._timer = self.loop.call_at(self._latest(), self._check_time)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _latest(self) -> float:
        """Until when the next piece must be here."""
        if self._part == "head":
            return self._part_began_at + self.HEAD_SECONDS
        heard_at = self.loop.time() if self.flow.read_paused else self._heard_at
        return min(heard_at + self.PIECE_SECONDS, self._part_began_at + self.BODY_SECONDS)

    def _check_time(self) -> None:
        if self.loop.time() < self._latest():
            self._set_timer()
            return
        self._timer = None
        # A browser may open a connection ahead and say nothing; whoever has an answer already gets no other.
        if self._heard_at and (self._is_idle() if self._part == "head" else not self.cycle.response_started):
            self.transport.write(_TIMED_OUT)
        self.transport.close()

    def _refuse(self) -> None:
        message = "Request head too large."
        self.logger.warning(message)
        self.send_400_response(message)
