"""Models of challenges: fields and constraints only. Notices are in the same app."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q

from games.inbox.models import Notice

__all__ = ["Answer", "Challenge", "Notice"]


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
