"""Analyses of finished games: fields and constraints only."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q


class Analysis(models.Model):
    """The one analysis of a finished game: asked for, being made, or done. Deleting the row ends the search.

    `findings` are those of `games.analysis.findings`, packed; while the search runs they are what it knows so far, from
    which another can go on. One that is done without findings has failed.
    """

    class State(models.TextChoices):
        """Whether a worker has it."""

        WAITING = "waiting"
        WORKING = "working"
        DONE = "done"

    attempt = models.OneToOneField("games.Attempt", on_delete=models.CASCADE, related_name="analysis")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    asked_at = models.DateTimeField()
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    # The worker that has it, and when it was last heard of.
    claim = models.UUIDField(null=True)
    seen_at = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)
    percent = models.PositiveSmallIntegerField(default=0)
    findings = models.BinaryField(null=True)
    done_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "analyses"
        constraints = [
            models.CheckConstraint(
                condition=Q(state="done", done_at__isnull=False) | (~Q(state="done") & Q(done_at=None)),
                name="analysis_done_at_a_time",
            ),
        ]
        indexes = [
            models.Index(fields=["asked_at"], condition=~Q(state="done"), name="analysis_open"),
            models.Index(fields=["done_at"], name="analysis_age"),
        ]

    def __str__(self) -> str:
        return f"analysis of {self.attempt_id}: {self.state}"
