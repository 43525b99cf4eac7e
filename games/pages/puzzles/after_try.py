"""Facts that a puzzle's page shows once the try is over: themes, the game it comes from, and the player's vote."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from games.db.players import has_account, player_id
from games.models import Attempt
from games.puzzles import daily, puzzle_practice
from games.puzzles.models import StoredPuzzle
from games.puzzles.move_check import position_at
from games.puzzles.puzzle import Puzzle
from games.puzzles.selection import new_left
from games.puzzles.themes import Theme
from games.puzzles.tries import Progress
from games.puzzles.votes import vote_of


def after_try(request: HttpRequest, stored: StoredPuzzle, progress: Progress) -> dict[str, Any] | None:
    """Return the `themes`, each with the address of another puzzle, the `source`, the address to `play_on` in
    practice, the `vote`, the `turns` with their losing moves, everyone's results on the puzzle's `day`, and the number
    of new puzzles `left`; None until the try is over.

    The source and the address are None without a game that may be shown, the vote for guests, the day for puzzles of
    no day, and the number unless few are left.
    """
    if not progress.is_over:
        return None
    source = puzzle_practice.source_of(stored, player_id(request))
    can_play_on = puzzle_practice.can_play_on(stored, source)
    return {
        "themes": _themes(stored),
        "source": source and _source(source, stored.source_n),
        "play_on": reverse("games:play_on_puzzle", args=[stored.pk]) if can_play_on else None,
        "vote": _vote(request, stored),
        "turns": _turns(Puzzle.from_json(stored.contents)),
        "day": daily.results_of(stored, timezone.now().date()),
        "left": new_left(player_id(request)),
    }


def _turns(puzzle: Puzzle) -> list[dict[str, Any]]:
    """Return the `view` of each turn, and its `losing` moves."""
    return [
        {"view": position_at(puzzle, turn)["view"], "losing": [*losses]} for turn, losses in enumerate(puzzle.losses)
    ]


def _themes(stored: StoredPuzzle) -> list[dict[str, str]]:
    found = set(stored.themes.values_list("theme", flat=True))
    address = reverse("games:another_puzzle")
    return [{"title": str(theme.label), "address": f"{address}?theme={theme}"} for theme in Theme if theme in found]


def _vote(request: HttpRequest, stored: StoredPuzzle) -> dict[str, str] | None:
    player = player_id(request)
    if player is None or not has_account(request):
        return None
    return {"address": reverse("api-1:vote_on_puzzle", args=[stored.pk]), "mine": vote_of(player, stored)}


def _source(attempt: Attempt, n: int | None) -> dict[str, str]:
    """Return the player of the source game, and its address."""
    address = reverse("games:replay", args=[attempt.public_id])
    return {"player": str(attempt.player), "address": address if n is None else f"{address}?n={n}"}
