"""Limits the head of requests (method, address and headers), of plain ones and of WebSocket upgrades.

h11's own limit is for heads that arrive in pieces; one that arrives at once may have any size.
"""

from __future__ import annotations

from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_HEAD_BYTES: Final = 16 * 1024
#: websockets parses the head of an upgrade again, with lines of at most 8,192 bytes and 128 headers. It does not answer
#: what it refuses, so it must never see more.
MAX_LINE_BYTES: Final = 8_000
MAX_HEADERS: Final = 100


class Connection(h11.Connection):
    """One HTTP connection, which refuses requests whose head is too large."""

    def next_event(self) -> Any:  # noqa: ANN401 - h11's union of events and markers
        """The next event.

        :raises h11.RemoteProtocolError: for a request that is not HTTP, or is too large.
        """
        event = super().next_event()
        if isinstance(event, h11.Request) and _is_too_large(event):
            raise h11.RemoteProtocolError("Request head too large", error_status_hint=431)
        return event


class Http(H11Protocol):
    """uvicorn's HTTP protocol over such a connection: it answers 400 and closes."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - as uvicorn calls it
        super().__init__(*arguments, **named)
        self.conn = Connection(h11.SERVER, MAX_HEAD_BYTES)


def _is_too_large(request: h11.Request) -> bool:
    headers = list(request.headers)
    lines = [len(request.method) + len(request.target), *(len(name) + len(value) for name, value in headers)]
    return len(headers) > MAX_HEADERS or max(lines) > MAX_LINE_BYTES or sum(lines) > MAX_HEAD_BYTES
