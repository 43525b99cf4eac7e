"""Steps of a game for the replay viewer, in the form of the game protocol's messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.rules import Record, Table


def steps_of(record: Record) -> dict[str, Any]:
    """Convert a record for the replay viewer: the first view, the changes of each token, and the end."""
    steps = steps_from(record.open_table(), record.tokens, record.clock)
    return steps | {"end": {"how": record.end.how, "ms": record.end.ms}}


def steps_from(table: Table, tokens: Sequence[str], clock: Sequence[int]) -> dict[str, Any]:
    """Return a table's view, and the changes of each token; `clock` has a time in ms for each token."""
    view = table.view()
    moved: list[dict[str, Any]] = []
    for n, (token, ms) in enumerate(zip(tokens, clock, strict=True), start=1):
        table.push(token)
        moved.append({"n": n, "token": token, "ms": ms, "changes": table.view_changes()})
    return {"view": view, "moved": moved}
