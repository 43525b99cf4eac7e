"""Models of challenges and notices: fields and constraints only."""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


def new_code() -> str:
    """Return a random challenge code that cannot be guessed."""
    return secrets.token_urlsafe(9)


class Challenge(models.Model):
    """A finished game that other players are challenged to beat."""

    code = models.CharField(max_length=12, unique=True, default=new_code, editable=False)
    # The game to beat, and its player.
    attempt = models.ForeignKey("games.Attempt", on_delete=models.CASCADE, related_name="challenges")
    sender = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    # Player challenged by name; null if anyone with the link may answer.
    addressee = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"challenge {self.code}"


class Answer(models.Model):
    """A player's game in answer to a challenge."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="answers")
    attempt = models.OneToOneField("games.Attempt", on_delete=models.CASCADE, related_name="answer")
    # Set once the game is over and both players have been notified.
    told_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["id"], condition=Q(told_at=None), name="answer_untold")]

    def __str__(self) -> str:
        return f"answer {self.pk} to challenge {self.challenge_id}"


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
        indexes = [
            models.Index(fields=["player", "-id"], name="notice_inbox"),
            models.Index(fields=["player"], condition=Q(seen_at=None), name="notice_unread"),
            models.Index(fields=["made_at"], name="notice_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for player {self.player_id}"
