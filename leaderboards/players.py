"""Players as the boards know them: rows of the user model, whichever that is."""

from __future__ import annotations

from typing import Any, Protocol


class Player(Protocol):
    """A row of the user model."""

    pk: Any
