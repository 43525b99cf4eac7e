"""Lanes on their way to those who watch: what they have been told, and what is new."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from games.races import protocol


class Viewer(Protocol):
    """A connection that watches a room."""

    @property
    def player_id(self) -> int | None:
        """Whose it is; None for a visitor."""

    def tell(self, frame: str) -> None:
        """Queue a frame; never waits."""

    def dismiss(self, frame: str) -> None:
        """Send a last frame and close."""


class Stream:
    """Those who are told of lanes at one pace, and what they have been told."""

    def __init__(self, every: float) -> None:
        self.every = every
        self.viewers: set[Viewer] = set()
        self.v = 0
        self.told: dict[int, protocol.Lane] = {}
        self.told_at = -every

    def changes(self, lanes: Iterable[protocol.Lane]) -> list[protocol.Lane]:
        """The lanes that are not as they were told."""
        return [lane for lane in lanes if self.told.get(lane.entrant) != lane]

    def is_urgent(self, changed: list[protocol.Lane]) -> bool:
        """Whether somebody's state is another."""
        states = ((self.told.get(lane.entrant), lane.state) for lane in changed)
        return any(told is not None and told.state != state for told, state in states)

    def tell(self, changed: list[protocol.Lane], now: float) -> None:
        """Send what has changed to all."""
        self.v += 1
        self.told_at = now
        self.told.update((lane.entrant, lane) for lane in changed)
        frame = protocol.write(protocol.Lanes(v=self.v, lanes=changed))
        for viewer in list(self.viewers):
            viewer.tell(frame)
