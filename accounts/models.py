"""Models for players, follows, bans and reminders: fields and constraints only."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from accounts.managers import ACCOUNT, CONFIRMED_SQL, HAS_PAGE, LISTED, NAMED, PlayerManager
from accounts.preferences import preferences_of


class User(AbstractUser):
    """Player: an account or a guest.

    Players sign in with ``username`` and others see ``display_name``; for an account both are the same text.
    ``name_key`` is that text folded so that no two accounts have names that look alike (see
    ``accounts.names.validation``); guests have none.
    """

    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]

    username = models.CharField(_("name"), max_length=64, unique=True)
    display_name = models.CharField(_("shown name"), max_length=64, blank=True, default="")
    name_key = models.CharField(max_length=128, unique=True, null=True, editable=False)  # noqa: DJ001  unique if any
    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    is_guest = models.BooleanField(_("guest"), default=False)
    preferences = models.JSONField(_("preferences"), default=dict, blank=True)
    session_epoch = models.PositiveIntegerField(default=0, editable=False)
    banned_at = models.DateTimeField(_("banned at"), null=True, blank=True)
    deleted_at = models.DateTimeField(_("deleted at"), null=True, blank=True, editable=False)

    #: Filters for players with an account and for players on boards, as field values.
    ACCOUNT: ClassVar = ACCOUNT
    LISTED: ClassVar = LISTED
    CONFIRMED_SQL: ClassVar = CONFIRMED_SQL

    objects: ClassVar[PlayerManager[Self]] = PlayerManager()

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")
        permissions = (("ban_user", "Can ban players and lift bans"),)
        indexes: ClassVar = [
            models.Index(
                fields=["date_joined"],
                condition=models.Q(is_guest=True),
                name="accounts_guests_by_age",
            )
        ]

    def __str__(self) -> str:
        return self.display_name or self.username

    def save(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's
        """Save the row, but skip Django's `last_login` update for a guest: the row is created with its only sign-in."""
        if not (self.is_guest and kwargs.get("update_fields") == ["last_login"]):
            super().save(*args, **kwargs)

    @property
    def is_former(self) -> bool:
        """True if the account is deleted; its results stay under the site's own name for former players."""
        return self.deleted_at is not None

    @property
    def is_listed(self) -> bool:
        """True if the player appears on boards: has an account that is not banned."""
        return self._is(LISTED)

    @property
    def would_be_listed(self) -> bool:
        """True if the player is kept off the boards only by being a guest."""
        return self._is(NAMED) and not self._is(ACCOUNT)

    @property
    def has_page(self) -> bool:
        """True if others may see the player's name and page."""
        return self._is(HAS_PAGE)

    @property
    def may_be_seen_playing(self) -> bool:
        """True if the player may be named among those playing now."""
        return self.has_page and not preferences_of(self.preferences)["hide_presence"]

    def _is(self, fields: Mapping[str, object]) -> bool:
        return all(getattr(self, field) == value for field, value in fields.items())

    def get_full_name(self) -> str:
        return str(self)

    def get_short_name(self) -> str:
        return str(self)

    def get_absolute_url(self) -> str:
        return reverse("players:profile", args=[self.public_id])

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        # Include the epoch besides the password, so that all of a player's sessions can be ended (ban, deletion, "sign
        # out everywhere") without changing the password.
        return salted_hmac(
            "accounts.models.User.session",
            f"{self.session_epoch}:{self.password}",
            secret=secret,
            algorithm="sha256",
        ).hexdigest()


class HeldName(models.Model):
    """Name given up while deals played under it were still secret, reserved until `until`.

    `key` is a keyed digest of the name's key, so that the name of a deleted account is stored nowhere.
    """

    key = models.CharField(max_length=64, unique=True)
    until = models.DateTimeField(db_index=True)
    # Player who gave the name up and may take it back; null once the account is deleted.
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    def __str__(self) -> str:
        return f"held until {self.until.isoformat()}"


class CalendarLink(models.Model):
    """Subscription to the reminder calendar: daily at `hour` in the reader's local time. Its address contains `key`."""

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="calendar_link"
    )
    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    hour = models.PositiveSmallIntegerField(default=18)
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"calendar of {self.player_id}, at {self.hour}"


class DailyReminder(models.Model):
    """Daily push reminder at `hour` in `zone`, sent to the player's `PushDevice` rows.

    `due_at` is the time of the next reminder. It moves on before anything is sent, so that no failure can cause two
    reminders in a day.
    """

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="daily_reminder"
    )
    hour = models.PositiveSmallIntegerField()
    zone = models.CharField(max_length=64)
    due_at = models.DateTimeField(db_index=True)
    told_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"reminder of {self.player_id}, at {self.hour} in {self.zone}"


class RaceReminder(models.Model):
    """Daily push reminder that the doors to the race of the day at `hour` (UTC) open, sent to the `PushDevice` rows.

    `due_at` is the time of the next reminder, as in `DailyReminder`.
    """

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="race_reminders")
    hour = models.PositiveSmallIntegerField()
    due_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["player", "hour"], name="accounts_race_reminder_once"),
        ]

    def __str__(self) -> str:
        return f"reminder of {self.player_id} for the race at {self.hour}:00 UTC"


class PushDevice(models.Model):
    """Browser that shows a player's push notifications, for as long as the session that enabled them lasts."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="push_devices")
    endpoint = models.CharField(max_length=1000, unique=True)
    p256dh = models.BinaryField(max_length=65)
    auth = models.BinaryField(max_length=16)
    language = models.CharField(max_length=16)
    session_key = models.CharField(max_length=40, db_index=True)
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"device of {self.player_id}, since {self.made_at.isoformat()}"


class Follow(models.Model):
    """Follow relation: ``follower`` sees ``followed`` on the friends' boards."""

    follower = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="following")
    followed = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="followers")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["follower", "followed"], name="accounts_follow_once"),
            models.CheckConstraint(
                condition=~models.Q(follower=models.F("followed")),
                name="accounts_follow_another",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.follower} → {self.followed}"


class Ban(models.Model):
    """Ban of a player: reason, author, end date (none for a permanent ban), and how it ended. Rows are never deleted.

    A player has at most one ban in force, and `User.banned_at` is set while there is one.
    """

    class Why(models.TextChoices):
        """Reason for a ban."""

        UNFAIR = "unfair", _("unfair play")
        ACCOUNTS = "accounts", _("several accounts")
        NAME = "name", _("the name")
        CONDUCT = "conduct", _("conduct")
        OTHER = "other", _("something else")

    class End(models.TextChoices):
        """Way in which a ban ended."""

        LIFTED = "lifted", _("lifted by staff")
        RAN_OUT = "ran_out", _("its term ran out")
        REPLACED = "replaced", _("replaced by another ban")

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="bans")
    why = models.CharField(max_length=8, choices=Why.choices)
    note = models.TextField(blank=True, default="")
    until = models.DateTimeField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    end = models.CharField(max_length=8, choices=End.choices, blank=True, default="")
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("player",), condition=models.Q(ended_at__isnull=True), name="one_ban_stands"
            ),
        )
        indexes = (models.Index(fields=("until",), condition=models.Q(ended_at__isnull=True), name="ban_due"),)

    def __str__(self) -> str:
        return f"{self.get_why_display()}, {self.made_at.date().isoformat()}"
