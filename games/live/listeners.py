"""Who listens to a table: its connections here, and who follows how games go."""

from __future__ import annotations

from typing import Any, Protocol


class Connection(Protocol):
    """What a table needs of a connection."""

    def tell(self, frame: str) -> None:
        """Queue a frame; never waits."""


class Follower(Protocol):
    """Who wants to know how the games at some tables go; each is given the `LiveTable`, which uses this module."""

    def follows(self, table: Any) -> bool:  # noqa: ANN401
        """Whether it wants to know of this table, which has just been opened."""

    def changed(self, table: Any) -> None:  # noqa: ANN401
        """Cards, state or connections are others now; called within a move, so it only makes a note."""
