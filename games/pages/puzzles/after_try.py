"""Facts that a puzzle's page shows once the try is over: themes, the game it comes from, and the player's vote."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from games.db.players import has_account, player_id
from games.pages.puzzles.theme_titles import THEME_TITLES
from games.puzzles.models import StoredPuzzle
from games.puzzles.tries import Progress
from games.puzzles.votes import vote_of
from games.replays import access


def after_try(request: HttpRequest, stored: StoredPuzzle, progress: Progress) -> dict[str, Any] | None:
    """Return the `themes`, each with the address of another puzzle, the `source` and the `vote`.

    None until the try is over. The vote is None for guests.
    """
    if not progress.is_over:
        return None
    return {"themes": _themes(stored), "source": _source(stored, player_id(request)), "vote": _vote(request, stored)}


def _themes(stored: StoredPuzzle) -> list[dict[str, str]]:
    found = set(stored.themes.values_list("theme", flat=True))
    address = reverse("games:another_puzzle")
    return [
        {"title": str(title), "address": f"{address}?theme={theme}"}
        for theme, title in THEME_TITLES.items()
        if theme in found
    ]


def _vote(request: HttpRequest, stored: StoredPuzzle) -> dict[str, str] | None:
    player = player_id(request)
    if player is None or not has_account(request):
        return None
    return {"address": reverse("games:puzzle_vote", args=[stored.pk]), "mine": vote_of(player, stored)}


def _source(stored: StoredPuzzle, viewer: int | None) -> dict[str, Any] | None:
    """Return the player and the addresses of the source game, if the viewer may see both."""
    attempt = stored.source
    if attempt is None or not (attempt.player.has_page and access.may_watch(attempt, viewer)):
        return None
    address = reverse("games:replay", args=[attempt.public_id])
    place = "" if stored.source_n is None else f"?n={stored.source_n}"
    return {
        "player": str(attempt.player),
        "address": address + place,
        "play_on": reverse("games:play_on", args=[attempt.public_id]),
        "n": stored.source_n,
    }
