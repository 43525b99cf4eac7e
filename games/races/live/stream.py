"""Lane streams: send viewers only the lanes that have changed since the last message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from games.races.live import protocol


class Viewer(Protocol):
    """A connection that watches a room."""

    @property
    def player_id(self) -> int | None:
        """Id of the player it belongs to; None for a visitor."""

    def send_frame(self, frame: str) -> None:
        """Queue a frame without waiting."""

    def dismiss(self, frame: str) -> None:
        """Send a last frame and close."""


class Stream:
    """The viewers served at the same rate, and the last lanes sent to them."""

    def __init__(self, every: float) -> None:
        self.every = every
        self.viewers: set[Viewer] = set()
        self.v = 0
        self.sent: dict[int, protocol.Lane] = {}
        self.sent_at = -every

    def changes(self, lanes: Iterable[protocol.Lane]) -> list[protocol.Lane]:
        """Return the lanes that differ from the last ones sent."""
        return [lane for lane in lanes if self.sent.get(lane.entrant) != lane]

    def is_urgent(self, changed: list[protocol.Lane]) -> bool:
        """Return whether an entrant's state has changed."""
        states = ((self.sent.get(lane.entrant), lane.state) for lane in changed)
        return any(sent is not None and sent.state != state for sent, state in states)

    def send_lanes(self, changed: list[protocol.Lane], now: float) -> None:
        """Send the changed lanes to all viewers, as a new version."""
        self.v += 1
        self.sent_at = now
        self.sent.update((lane.entrant, lane) for lane in changed)
        self.send(protocol.write(protocol.Lanes(v=self.v, lanes=changed)))

    def send(self, frame: str) -> None:
        """Send a frame to all viewers."""
        for viewer in list(self.viewers):
            viewer.send_frame(frame)
