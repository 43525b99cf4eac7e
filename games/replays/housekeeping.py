"""Retention rule for pictures. Continuations are deleted with their attempts."""

from __future__ import annotations

from typing import Final

from games.core.retention import Aged
from games.replays.models import Picture
from games.replays.pictures import KEPT

KINDS: Final = (Aged(Picture, "animated pictures of games", KEPT, "asked_at", batch=50),)
