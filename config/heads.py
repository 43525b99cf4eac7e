"""HTTP as the server speaks it, with a limit on the head of requests (method, address and headers).

llhttp, which reads them, has no limit of its own: a head may be as large as somebody sends it, in one piece or in many.
"""

from __future__ import annotations

from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES: Final = 16 * 1024
#: websockets parses the head of an upgrade again, with lines of at most 8,192 bytes and 128 headers. It does not answer
#: what it refuses, so it must never see more.
MAX_LINE_BYTES: Final = 8_000
MAX_HEADERS: Final = 100


class TooLargeError(Exception):
    """The head of a request is larger than it may be."""


class Http(HttpToolsProtocol):
    """uvicorn's HTTP protocol with these limits: it answers 400 and closes."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - as uvicorn calls it
        super().__init__(*arguments, **named)
        self._in_head = False
        self._size = 0
        """Of the head so far, without the line that is not complete."""
        self._pending = 0
        """What has come since the piece in which the head began."""

    def data_received(self, data: bytes) -> None:
        """Read what has come."""
        if self._in_head:
            self._pending += len(data)
            if self._pending > MAX_HEAD_BYTES:
                self._refuse()
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        """A head begins."""
        self._in_head, self._size, self._pending = True, 0, 0
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
        super().on_headers_complete()

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over to a WebSocket.

        Parser and protocol hold each other, and nobody needs either any more: they go at once, not at a collection.
        """
        super().handle_websocket_upgrade()
        self.parser = None  # type: ignore[assignment] # as uvicorn does when a connection is lost

    def _add(self, size: int, line: int) -> None:
        self._size += size
        if line > MAX_LINE_BYTES or self._size > MAX_HEAD_BYTES:
            raise TooLargeError

    def _refuse(self) -> None:
        message = "Request head too large."
        self.logger.warning(message)
        self.send_400_response(message)
