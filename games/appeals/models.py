"""Models of appeals and reports: fields and constraints only."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

#: Maximum characters of a player's text and of the staff's answer.
APPEAL_LENGTH: Final = 1000
REPORT_LENGTH: Final = 500


class Appeal(models.Model):
    """A player's only appeal against the verdict on an attempt, with the answer."""

    class Decision(models.TextChoices):
        """The staff's decision, which is also the attempt's new state."""

        GRANTED = "verified", _("Granted: the game is verified")
        DISMISSED = "rejected", _("Dismissed: the game is rejected")

    attempt = models.OneToOneField("games.Attempt", on_delete=models.CASCADE, related_name="appeal")
    text = models.TextField(max_length=APPEAL_LENGTH)
    made_at = models.DateTimeField()
    decision = models.CharField(max_length=8, choices=Decision.choices, blank=True, default="")
    answer = models.TextField(max_length=APPEAL_LENGTH, blank=True, default="")
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        verbose_name = _("appeal")
        verbose_name_plural = _("appeals")
        constraints = [
            models.CheckConstraint(
                condition=Q(answered_at=None, decision="") | (Q(answered_at__isnull=False) & ~Q(decision="")),
                name="appeal_answered_with_a_decision",
            ),
        ]
        indexes = [
            models.Index(fields=["made_at"], condition=Q(answered_at=None), name="appeal_open"),
            models.Index(fields=["answered_at"], name="appeal_age"),
        ]

    def __str__(self) -> str:
        return f"appeal {self.pk}"


class ReportReason(models.TextChoices):
    """The problem that a report suspects."""

    SPEED = "speed", _("Played faster than a person can")
    FORESIGHT = "foresight", _("Seems to know hidden cards")
    COPY = "copy", _("Copied from another player")
    ACCOUNTS = "accounts", _("One person with several accounts")
    NAME = "name", _("An offensive name")
    OTHER = "other", _("Something else")


class Report(models.Model):
    """A player's report of another player's public game. It is not a flag, and the reported player never sees it."""

    attempt = models.ForeignKey("games.Attempt", on_delete=models.CASCADE, related_name="reports", db_index=False)
    reporter = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="reports")
    reason = models.CharField(max_length=9, choices=ReportReason.choices)
    text = models.TextField(max_length=REPORT_LENGTH, blank=True, default="")
    made_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)
    action_taken = models.BooleanField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        constraints = [
            models.UniqueConstraint(fields=["attempt", "reporter"], name="report_once"),
            models.CheckConstraint(
                condition=Q(answered_at=None, action_taken=None)
                | Q(answered_at__isnull=False, action_taken__isnull=False),
                name="report_answered_with_an_outcome",
            ),
        ]
        indexes = [
            models.Index(fields=["made_at"], condition=Q(answered_at=None), name="report_open"),
            models.Index(fields=["answered_at"], name="report_age"),
        ]

    def __str__(self) -> str:
        return f"report {self.pk}"
