"""Admin for votes on puzzles: staff see which puzzles players report as wrong, and whether their proofs hold."""

from __future__ import annotations

from django.contrib import admin

from games.core.admin_mixins import ReadOnlyRows
from games.puzzles.models import PuzzleVote


@admin.register(PuzzleVote)
class PuzzleVoteAdmin(ReadOnlyRows, admin.ModelAdmin[PuzzleVote]):
    """Read-only admin for votes."""

    fields = list_display = ("puzzle", "vote", "proof", "counts", "player", "voted_at")
    list_filter = ("vote", "proof", "puzzle__variant")
    list_select_related = ("puzzle", "player")
    ordering = ("-voted_at",)
