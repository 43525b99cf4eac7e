"""Model of notices: fields and constraints only."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Notice(models.Model):
    """A message to a player in the inbox; `data` fills in the sentence of its kind."""

    class Kind(models.TextChoices):
        """The subject of the notice."""

        CHALLENGED = "challenged", _("Someone challenged you")
        ANSWERED = "answered", _("Someone answered your challenge")
        RATING_MOVED = "rating_moved", _("Your rating has changed after a decision")
        APPEALED = "appealed", _("We answered your appeal")
        REPORTED = "reported", _("We answered your report")
        JOINED = "joined", _("Someone accepted your invitation")

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices", db_index=False
    )
    kind = models.CharField(max_length=12, choices=Kind.choices)
    data: models.JSONField[Any, Any] = models.JSONField(default=dict, blank=True)
    made_at = models.DateTimeField()
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        app_label = "ghosts"  # whose migrations created the table
        indexes = [
            models.Index(fields=["player", "-id"], name="notice_inbox"),
            models.Index(fields=["player"], condition=Q(seen_at=None), name="notice_unread"),
            models.Index(fields=["made_at"], name="notice_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for player {self.player_id}"
