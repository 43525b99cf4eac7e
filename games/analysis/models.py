"""Model of game analyses: fields and constraints only."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q


class Analysis(models.Model):
    """The analysis of a finished game: queued, running or done. Deleting the row ends the search.

    `findings` holds packed `games.analysis.findings.Findings`; while the search runs they are partial, and another
    search can continue from them. An analysis that is done without findings has failed.
    """

    class State(models.TextChoices):
        """Progress of an analysis through the queue."""

        WAITING = "waiting"
        WORKING = "working"
        DONE = "done"

    attempt = models.OneToOneField("games.Attempt", on_delete=models.CASCADE, related_name="analysis")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    asked_at = models.DateTimeField()
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    # The worker's claim, and its last heartbeat.
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
