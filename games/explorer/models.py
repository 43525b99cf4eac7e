"""Models of the explorer: fields and constraints only. No row names a player or a game."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q


class Explorer(models.Model):
    """Statistics of the games at a deal, built once the deal is revealed and again after a change.

    `changes` counts changes of the games that count, and `built` is its value at the last build: if they differ, a
    build is due. `summary` is the JSON form of `games.explorer.deal_summary.DealSummary`. `proofs` has the
    verdicts that the search has proved, for the next build: MessagePack of verdicts by digest.
    """

    deal = models.OneToOneField("games.Deal", on_delete=models.CASCADE, primary_key=True, related_name="explorer")
    changes = models.PositiveIntegerField(default=1)
    built = models.PositiveIntegerField(default=0)
    built_at = models.DateTimeField(null=True)
    games = models.PositiveIntegerField(default=0)
    wins = models.PositiveIntegerField(default=0)
    chunks = models.PositiveIntegerField(default=0)
    summary = models.JSONField(default=dict)
    proofs = models.BinaryField(null=True)

    class Meta:
        indexes = [models.Index(fields=["deal"], condition=~Q(built=F("changes")), name="explorer_due")]

    def __str__(self) -> str:
        return f"explorer of deal {self.pk}"


class ExplorerChunk(models.Model):
    """Some of the positions of a deal, packed (`games.explorer.counts.pack`)."""

    pk = models.CompositePrimaryKey("explorer_id", "number")
    explorer = models.ForeignKey(Explorer, on_delete=models.CASCADE, related_name="packed", db_index=False)
    number = models.PositiveIntegerField()
    positions = models.BinaryField()
