"""Limit and URL of the page that shows games side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.urls import reverse
from django.utils.http import urlencode

#: Maximum games: as many as a race has entrants.
MAX_GAMES: Final = 16


def together_url(games: Sequence[UUID]) -> str:
    """Return the URL of the page with these games; empty for fewer than two."""
    query = urlencode({"game": [str(game) for game in games]}, doseq=True)
    return f"{reverse('games:together')}?{query}" if len(games) > 1 else ""
