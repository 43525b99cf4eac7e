"""Celery's Redis transport, patched so that workers holding tasks survive a Redis restart.

When a channel closes, the library returns or acknowledges its unfinished tasks over a connection that no longer exists.
That fails with an AttributeError, which ends the worker. Here it fails with a connection error, which all callers
handle.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import redis as library
from redis.exceptions import ConnectionError as LostError


class Channel(library.Channel):
    """Channel that raises a connection error when its connection is gone."""

    def _connparams(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        if self.connection.client is None:
            raise LostError("the connection of this channel is closed")
        return super()._connparams(*arguments, **options)  # type: ignore[no-untyped-call]


class Transport(library.Transport):
    """Redis transport with the patched channel."""

    Channel = Channel
