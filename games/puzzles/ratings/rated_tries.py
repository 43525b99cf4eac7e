"""Ratings from tries: each try of a player with an account is rated once, when it is decided."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from games.db.players import player_services
from games.puzzles.models import PuzzleRating, PuzzleTry, SeenPuzzle, StoredPuzzle
from games.puzzles.ratings import rating_model
from games.puzzles.ratings.rating_model import RatingEstimate


def rate(row: PuzzleTry, stored: StoredPuzzle) -> None:
    """Rate a try that its last move has decided, and set the fields of `row` and `stored`; the caller saves `row`.

    Locks the player's rating, and then the puzzle's if the try moves it: call it in the transaction of the move.
    """
    if not player_services().accounts_among([row.player_id]):
        return
    own, _ = PuzzleRating.objects.select_for_update().get_or_create(player_id=row.player_id)
    player = RatingEstimate(own.mu, own.sigma)
    if player.is_settled:
        locked = StoredPuzzle.objects.select_for_update(no_key=True)  # new tries need the row for their foreign key
        stored.refresh_from_db(fields=["mu", "sigma"], from_queryset=locked)
    puzzle = RatingEstimate(stored.mu, stored.sigma)
    after, puzzle_after = rating_model.rate(player, puzzle, solved=row.mistakes == 0)
    row.mu_before, row.mu_after, row.rated_at = player.mu, after.mu, timezone.now()
    own.mu, own.sigma = after
    own.save(update_fields=["mu", "sigma"])
    if puzzle_after != puzzle:
        stored.mu, stored.sigma = puzzle_after
        stored.save(update_fields=["mu", "sigma"])


def shown_ratings(account: int | None, stored: StoredPuzzle, seen: str, *, is_decided: bool) -> dict[str, Any]:
    """Return the player's `own` rating in whole points, and the `puzzle`'s once the try is decided.

    If the player has `seen` the puzzle in a run, `seen_in` is its kind, and the try is not rated. Pass None as
    `account` for guests and visitors, who have no rating.
    """
    estimate = estimate_of(account)
    return {
        "own": None if account is None else round(estimate.mu),
        "provisional": not estimate.is_settled,
        "puzzle": round(stored.mu) if is_decided else None,
        "seen_in": None if account is None or seen == SeenPuzzle.Place.PAGE else seen,
    }


def estimate_of(player: int | None) -> RatingEstimate:
    """Return the estimate of a player's skill: the initial one without a rated try."""
    own = player and PuzzleRating.objects.filter(player=player).first()
    return RatingEstimate(own.mu, own.sigma) if own else RatingEstimate()
