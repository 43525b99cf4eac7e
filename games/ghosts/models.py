"""Challenges and notices: fields and constraints only."""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


def new_code() -> str:
    """A challenge's code, which nobody guesses."""
    return secrets.token_urlsafe(9)


class Challenge(models.Model):
    """ "Beat this": a finished game that others are asked to play against."""

    code = models.CharField(max_length=12, unique=True, default=new_code, editable=False)
    # The game to beat, and whose it is.
    attempt = models.ForeignKey("games.Attempt", on_delete=models.CASCADE, related_name="challenges")
    sender = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    # Whom it was sent to by name; null for anybody who has the link.
    addressee = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"challenge {self.code}"


class Answer(models.Model):
    """Somebody's game in answer to a challenge."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="answers")
    attempt = models.OneToOneField("games.Attempt", on_delete=models.CASCADE, related_name="answer")
    # Set when the game is over and both have been told.
    told_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["id"], condition=Q(told_at=None), name="answer_untold")]

    def __str__(self) -> str:
        return f"answer {self.pk} to challenge {self.challenge_id}"


class Notice(models.Model):
    """Something that a player is told on the site, in the inbox; `data` fills the kind's sentence."""

    class Kind(models.TextChoices):
        """What it is about."""

        CHALLENGED = "challenged", _("Somebody has challenged you")
        ANSWERED = "answered", _("Somebody has answered your challenge")
        RATING_MOVED = "rating_moved", _("Your rating has changed after a decision")
        APPEALED = "appealed", _("Your appeal has been answered")
        REPORTED = "reported", _("Your report has been answered")
        JOINED = "joined", _("Somebody has accepted your invitation")

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices", db_index=False
    )
    kind = models.CharField(max_length=12, choices=Kind.choices)
    data: models.JSONField[Any, Any] = models.JSONField(default=dict, blank=True)
    made_at = models.DateTimeField()
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["player", "-id"], name="notice_inbox"),
            models.Index(fields=["player"], condition=Q(seen_at=None), name="notice_unread"),
            models.Index(fields=["made_at"], name="notice_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for player {self.player_id}"
