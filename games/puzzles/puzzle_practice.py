"""Practice from a puzzle's position."""

from __future__ import annotations

from games.core.errors import ErrorCode, Refusal
from games.db.players import Player
from games.deals import publishing
from games.models import Attempt
from games.puzzles.models import StoredPuzzle
from games.puzzles.puzzle import Puzzle
from games.replays import continuations, permissions
from games.rules import CATALOGUE


def source_of(stored: StoredPuzzle, viewer: int | None) -> Attempt | None:
    """Return the game a puzzle comes from, if its player has a profile and the viewer may watch it."""
    source = stored.source
    is_shown = source is not None and source.player.has_page and permissions.may_watch(source, viewer)
    return source if is_shown else None


def can_play_on(stored: StoredPuzzle, source: Attempt | None) -> bool:
    """Return whether the puzzle's position can be reached: in its source game, or from its own seed."""
    return stored.source_n is not None if source else bool(stored.contents.get("seed"))


def play_on(player: Player, stored: StoredPuzzle) -> Attempt:
    """Start practice from the puzzle's position. Call it once the player's try is over.

    :raises Refusal: NOT_FOUND if the position cannot be reached.
    """
    source = source_of(stored, player.pk)
    if not can_play_on(stored, source):
        raise Refusal(ErrorCode.NOT_FOUND, "the game before this puzzle is not stored")
    if source is not None and stored.source_n is not None:
        return continuations.play_on(player, source, stored.source_n)
    puzzle = Puzzle.from_json(stored.contents)
    deal = publishing.seeded_deal(CATALOGUE[stored.variant], bytes.fromhex(puzzle.seed))
    return continuations.continue_deal(player, deal, puzzle.history)
