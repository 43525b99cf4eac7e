"""The client's side of a `moved` message: apply its changes to a view."""

from __future__ import annotations

from typing import Any


def applied(view: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return the view after the changes, as docs/protocol.md describes."""
    piles = {**view["piles"], **changes["piles"]}
    under = {name: count for name, count in {**view["under"], **changes["under"]}.items() if count}
    return {**view, **changes, "piles": piles, "under": under}
