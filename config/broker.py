"""Celery's Redis transport, mended: a worker that holds tasks when Redis goes away takes up its work when it is back.

A closed channel of the library's gives unfinished tasks back, or acknowledges them, over a connection that is no more,
and fails with an AttributeError that ends the worker. A connection error in its place is one that every caller expects.
"""

from __future__ import annotations

from typing import Any

import kombu.transport
from kombu.transport import redis as library
from redis.exceptions import ConnectionError as LostError


class Channel(library.Channel):
    """A channel that says so when its connection is gone."""

    def _connparams(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        if self.connection.client is None:
            raise LostError("the connection of this channel is closed")
        return super()._connparams(*arguments, **options)  # type: ignore[no-untyped-call]


class Transport(library.Transport):
    """The transport with these channels."""

    Channel = Channel


def install() -> None:
    """Have `redis://` and `rediss://` mean this transport."""
    kombu.transport.TRANSPORT_ALIASES |= dict.fromkeys(("redis", "rediss"), f"{__name__}:Transport")
