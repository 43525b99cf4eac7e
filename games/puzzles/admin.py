"""Admin for votes on puzzles: staff see which puzzles players report as wrong."""

from __future__ import annotations

from django.contrib import admin

from games.core.admin_mixins import ReadOnlyRows
from games.puzzles.models import PuzzleVote


@admin.register(PuzzleVote)
class PuzzleVoteAdmin(ReadOnlyRows, admin.ModelAdmin[PuzzleVote]):
    """Read-only admin for votes."""

    list_display = ("puzzle", "vote", "player", "voted_at")
    list_filter = ("vote", "puzzle__variant")
    list_select_related = ("puzzle", "player")
    fields = ("puzzle", "vote", "player", "voted_at")
    ordering = ("-voted_at",)
