"""Telling everybody who watches a room that something has changed there; what it is they read from the database."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from django.db import transaction

from games.events import notifier

#: So many groups share all rooms. One message then tells of all the rooms of a group, and a process has few groups to
#: be in; but it hears of rooms at which nobody looks there. 200 rooms of a process cost it 16 messages at a time.
GROUPS: Final = 16


def room_group(room_id: int) -> str:
    """The channel-layer group of every process in which somebody watches the room, or another one of the group."""
    return f"race.rooms.{room_id % GROUPS}"


def by_group(room_ids: Iterable[int]) -> dict[str, list[int]]:
    """Rooms by their group."""
    found: dict[str, list[int]] = {}
    for room_id in room_ids:
        found.setdefault(room_group(room_id), []).append(room_id)
    return found


def tell_room(room_id: int, what: str = "changed", **data: Any) -> None:  # noqa: ANN401
    """Send `room.<what>` to all who watch the room, after the commit; never waits and never fails."""
    message = {"type": f"room.{what}", "room": room_id, **data}
    transaction.on_commit(partial(notifier.send, room_group(room_id), message, about=room_id))


def tell_rooms(room_ids: Iterable[int]) -> None:
    """Send that these rooms have changed to all who watch them, as `tell_room` does."""
    for group, rooms in by_group(room_ids).items():
        message = {"type": "rooms.changed", "rooms": rooms}
        transaction.on_commit(partial(notifier.send, group, message, about=tuple(rooms)))
