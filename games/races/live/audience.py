"""The viewers of a room in this process, and the messages that tell them of its changes."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from time import monotonic
from typing import Final, Protocol

from django.utils import timezone

from games.races.live import protocol, snapshot
from games.races.live.progress import RaceProgress
from games.races.live.snapshot import RoomFacts
from games.races.models import PUZZLES, Race, Room

#: Minimum seconds between lane messages, to racers and to all other viewers.
RACERS_EVERY: Final = 0.5
OTHERS_EVERY: Final = 1.0

_OPEN: Final = Race.State.OPEN


class Viewer(Protocol):
    """A connection that watches a room."""

    @property
    def player_id(self) -> int | None:
        """Id of the player it belongs to; None for a visitor."""

    @property
    def is_elsewhere(self) -> bool:
        """True if its page is not one of the race: it only follows the race for the player."""

    @property
    def heard_at(self) -> float:
        """Time of its last message, on the monotonic clock."""

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


class Audience:
    """The viewers of one room, with the facts and the progress that they are shown."""

    def __init__(self, facts: RoomFacts) -> None:
        self.facts = facts
        self.progress = RaceProgress(facts)
        self._racers, self._others = Stream(RACERS_EVERY), Stream(OTHERS_EVERY)
        self._yours: dict[Viewer, protocol.You] = {}
        self._called_at = -inf

    def add(self, viewer: Viewer) -> None:
        """Show the room to a viewer from now on."""
        self._yours[viewer] = snapshot.you_message(self.facts, viewer.player_id)
        self._place(viewer)
        self.show(viewer)
        self._dismiss([viewer])

    def discard(self, viewer: Viewer) -> None:
        """Remove a viewer."""
        self._yours.pop(viewer, None)
        self._racers.viewers.discard(viewer)
        self._others.viewers.discard(viewer)

    def seated(self) -> list[int]:
        """Return the entrants of the next race with a page of it open here; any page of the site keeps up a seek."""
        return sorted({yours.to_come for _viewer, yours in self._at_the_race() if yours.to_come is not None})

    def call(self) -> None:
        """Ask the players who should be here for an answer, since a connection may be dead without the server noticing.

        Hidden tabs answer, too: only their timers are throttled.
        """
        self._called_at = monotonic()
        _send(protocol.Call(), self.awaited())

    def present(self) -> list[int]:
        """Return the entrants of the next race and of a running puzzle race who were heard since the last call.

        Other running races count the connections of their tables instead.
        """
        here = list(self._heard())
        seats = [yours.to_come for yours in here] + [yours.running for yours in here if self._is_puzzle_race()]
        return sorted({entrant for entrant in seats if entrant is not None})

    def moved_from(self, facts: RoomFacts) -> set[int]:
        """Return the seats here that are in none of the races of `facts`."""
        return set(self.seated()) - {entrant.id for race in facts.races() for entrant in race.entrants}

    def has_host(self) -> bool:
        """Return whether the host has the room open here."""
        host = self.facts.host_id
        return host is not None and any(yours.host for yours in self._heard())

    def heirs(self) -> list[int]:
        """Return the possible new hosts: other players here who are seated in a race that is still open."""
        race, host = self.facts.to_come, self.facts.host_id
        if race is None or race.state != _OPEN:
            return []
        seated = {viewer.player_id for viewer, yours in self._yours.items() if yours.to_come is not None}
        return sorted(player for player in seated if player is not None and player != host)

    def show(self, viewer: Viewer) -> None:
        """Send a viewer the `you` and `room` messages."""
        stream = self._racers if viewer in self._racers.viewers else self._others
        viewer.send_frame(protocol.write(self._yours[viewer]))
        viewer.send_frame(self._room_frame(stream, to_all=len(stream.viewers) == 1))

    def show_all(self) -> None:
        """Send a change of the room to all viewers: `you` first where it has changed, then `room`."""
        for viewer, previous in list(self._yours.items()):
            yours = self._yours[viewer] = snapshot.you_message(self.facts, viewer.player_id)
            self._place(viewer)
            if yours != previous:
                viewer.send_frame(protocol.write(yours))
        for stream in (self._racers, self._others):
            if stream.viewers:
                stream.send(self._room_frame(stream, to_all=True))
        self._dismiss(list(self._yours))

    def send_reaction(self, entrant: int, kind: protocol.Reaction) -> None:
        """Send an entrant's reaction to all viewers."""
        _send(protocol.Reacted(entrant=entrant, kind=kind), self._yours)

    def send_moved(self, entrant: int, code: str) -> None:
        """Send an entrant's player the code of the room that their seat was moved to."""
        _send(protocol.Moved(code=code), [viewer for viewer, yours in self._yours.items() if yours.to_come == entrant])

    async def send_due_lanes(self) -> float:
        """Send changed lanes to each stream that is due, or at once if a game has begun or ended."""
        now, lanes = monotonic(), self.progress.all()
        times = self.progress.next_away(now)
        for stream in (self._racers, self._others):
            changed = stream.changes(lanes) if stream.viewers else []
            due_at = stream.sent_at + stream.every
            if changed and (now >= due_at or stream.is_urgent(changed)):
                stream.send_lanes(changed, now)
            elif changed:
                times.append(due_at)
        return min(times, default=inf)

    def _at_the_race(self) -> Iterable[tuple[Viewer, protocol.You]]:
        is_queue = self.facts.kind == Room.Kind.QUICK
        return ((viewer, yours) for viewer, yours in self._yours.items() if is_queue or not viewer.is_elsewhere)

    def _heard(self) -> Iterable[protocol.You]:
        """Return the viewers whose pages answered the last roll call."""
        return (yours for viewer, yours in self._at_the_race() if viewer.heard_at >= self._called_at)

    def awaited(self) -> list[Viewer]:
        """Return the viewers whose presence matters."""
        is_puzzle_race = self._is_puzzle_race()
        return [
            viewer
            for viewer, yours in self._at_the_race()
            if yours.host or yours.to_come is not None or (is_puzzle_race and yours.running is not None)
        ]

    def _is_puzzle_race(self) -> bool:
        race = self.facts.running
        return race is not None and race.message.game == PUZZLES

    def _room_frame(self, stream: Stream, *, to_all: bool) -> str:
        if to_all:
            stream.sent = {lane.entrant: lane for lane in self.progress.all()}
        return protocol.write(snapshot.room_message(self.facts, self.progress.of, stream.v, timezone.now()))

    def _place(self, viewer: Viewer) -> None:
        """Assign a viewer to the stream of the racers or to that of the others."""
        yours = self._yours[viewer]
        races = yours.running is not None or yours.to_come is not None
        stream, other = (self._racers, self._others) if races else (self._others, self._racers)
        other.viewers.discard(viewer)
        stream.viewers.add(viewer)

    def _dismiss(self, viewers: Iterable[Viewer]) -> None:
        """Send `gone` to these viewers and remove them, if the room is closed or they were kicked."""
        for viewer in viewers:
            if self.facts.is_closed or viewer.player_id in self.facts.kicked:
                self.discard(viewer)
                viewer.dismiss(protocol.write(protocol.Gone(why="closed" if self.facts.is_closed else "kicked")))


def _send(message: protocol.ServerMessage, viewers: Iterable[Viewer]) -> None:
    frame = protocol.write(message)
    for viewer in list(viewers):
        viewer.send_frame(frame)
