"""What a client makes of the changes that a `moved` tells."""

from __future__ import annotations

from typing import Any


def applied(view: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The view after the changes, as docs/protocol.md says."""
    piles = {**view["piles"], **changes["piles"]}
    under = {name: count for name, count in {**view["under"], **changes["under"]}.items() if count}
    return {**view, **changes, "piles": piles, "under": under}
