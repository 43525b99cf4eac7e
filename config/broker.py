"""Celery's Redis transport with a fix: workers that hold tasks when Redis goes away continue when it is back.

When a channel of the library is closed, it returns or acknowledges its unfinished tasks over a connection that no
longer exists. That fails with an AttributeError, which ends the worker. Here it fails with a connection error, which
all callers expect.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import redis as library
from redis.exceptions import ConnectionError as LostError


class Channel(library.Channel):
    """A channel that raises a connection error when its connection is gone."""

    def _connparams(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        if self.connection.client is None:
            raise LostError("the connection of this channel is closed")
        return super()._connparams(*arguments, **options)  # type: ignore[no-untyped-call]


class Transport(library.Transport):
    """The Redis transport with these channels."""

    Channel = Channel
