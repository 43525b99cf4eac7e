"""Change notices for rooms, sent after commit; the receivers read the database."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from django.db import transaction

from games.core.events import notifier

#: Number of channel-layer groups that all rooms are spread over. One message can cover all rooms of a group, and a
#: process joins few groups, but it also hears of rooms that it does not watch. 200 rooms of a process cost it 16
#: messages at a time.
GROUPS: Final = 16


def room_group(room_id: int) -> str:
    """Return the room's channel-layer group, joined by every process that watches a room of the group."""
    return f"race.rooms.{room_id % GROUPS}"


def by_group(room_ids: Iterable[int]) -> dict[str, list[int]]:
    """Return room ids by group."""
    groups: dict[str, list[int]] = {}
    for room_id in room_ids:
        groups.setdefault(room_group(room_id), []).append(room_id)
    return groups


def notify_room(room_id: int, event: str = "changed", **data: Any) -> None:  # noqa: ANN401
    """Send `room.<event>` to all processes that watch the room, after the commit; it never blocks or raises."""
    message = {"type": f"room.{event}", "room": room_id, **data}
    transaction.on_commit(partial(notifier.send, room_group(room_id), message, about=room_id))


def notify_rooms(room_ids: Iterable[int]) -> None:
    """Send change notices for several rooms, one per group; otherwise like `notify_room`."""
    for group, rooms in by_group(room_ids).items():
        message = {"type": "rooms.changed", "rooms": rooms}
        transaction.on_commit(partial(notifier.send, group, message, about=tuple(rooms)))
