"""Models of continuations and animated pictures: fields and constraints only."""

from __future__ import annotations

from django.db import models


class Continuation(models.Model):
    """Practice game that continues after `n` tokens of `origin`, or of the game before a puzzle if that is null."""

    attempt = models.OneToOneField("games.Attempt", on_delete=models.CASCADE, related_name="continuation")
    origin = models.ForeignKey("games.Attempt", on_delete=models.SET_NULL, null=True, related_name="continued")
    n = models.PositiveSmallIntegerField()

    def __str__(self) -> str:
        return f"attempt {self.attempt_id} from move {self.n} of {self.origin_id}"


class Picture(models.Model):
    """The animated picture of a finished game, kept for some days; `image` is null until it is drawn."""

    attempt = models.OneToOneField("games.Attempt", on_delete=models.CASCADE, related_name="picture")
    asked_at = models.DateTimeField()
    image = models.BinaryField(null=True)

    class Meta:
        indexes = [models.Index(fields=["asked_at"], name="picture_age")]

    def __str__(self) -> str:
        return f"picture of {self.attempt_id}"
