"""Observer interfaces of a table: its local connections, and followers of its progress."""

from __future__ import annotations

from typing import Any, Protocol


class Connection(Protocol):
    """A connection, as a table uses it."""

    def send_frame(self, frame: str) -> None:
        """Queue a frame without waiting."""


class Follower(Protocol):
    """An observer of the games at some tables. `game` is a `LiveGame`, whose module imports this one."""

    def follows(self, game: Any) -> bool:  # noqa: ANN401
        """Return whether to observe this game, which has just been opened."""

    def changed(self, game: Any) -> None:  # noqa: ANN401
        """Note a change of cards, state or connections. Called in the middle of a move, so it must be cheap."""
