"""Players, and whom they follow: fields and constraints only."""

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

from accounts.managers import ACCOUNT, HAS_PAGE, LISTED, NAMED, PlayerManager
from accounts.preferences import preferences_of


class User(AbstractUser):
    """A player: an account or a guest.

    Players sign in with ``username`` and others see ``display_name``; for an account both are the same text.
    ``name_key`` is that text folded so that no two accounts have names that look alike (see ``accounts.names``); guests
    have none.
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

    #: The fields by which a player has an account, and stands on boards, and their values.
    ACCOUNT: ClassVar = ACCOUNT
    LISTED: ClassVar = LISTED

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
        """Write the row; of a guest not once more when Django notes a sign-in: the row is made with its only one."""
        if not (self.is_guest and kwargs.get("update_fields") == ["last_login"]):
            super().save(*args, **kwargs)

    @property
    def is_former(self) -> bool:
        """Whether the account is deleted; its results stay under a name of the site's."""
        return self.deleted_at is not None

    @property
    def is_listed(self) -> bool:
        """Whether the player stands on boards: has an account that is not banned."""
        return self._is(LISTED)

    @property
    def would_be_listed(self) -> bool:
        """Whether the player stands on no board for want of an account alone."""
        return self._is(NAMED) and not self._is(ACCOUNT)

    @property
    def has_page(self) -> bool:
        """Whether others may be shown the player by name and visit the player's page."""
        return self._is(HAS_PAGE)

    @property
    def may_be_seen_playing(self) -> bool:
        """Whether the player may be named among those who are playing now."""
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
        # The hash includes the epoch besides the password, so that all of a player's sessions can be ended
        # (ban, deletion, "sign out everywhere") without changing the password.
        return salted_hmac(
            "accounts.models.User.session",
            f"{self.session_epoch}:{self.password}",
            secret=secret,
            algorithm="sha256",
        ).hexdigest()


class HeldName(models.Model):
    """A name that was given up while deals played under it were still secret: nobody else gets it before `until`.

    `key` is a keyed digest of the name's key, so that the name of a deleted account is stored nowhere.
    """

    key = models.CharField(max_length=64, unique=True)
    until = models.DateTimeField(db_index=True)
    # Who has given it up and may take it back; nobody once the account is deleted.
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    def __str__(self) -> str:
        return f"held until {self.until.isoformat()}"


class CalendarLink(models.Model):
    """That a player has a calendar of reminders, daily at `hour` of the reader's own time; `key` is in its address."""

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="calendar_link"
    )
    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    hour = models.PositiveSmallIntegerField(default=18)
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"calendar of {self.player_id}, at {self.hour}"


class DailyReminder(models.Model):
    """That a player is reminded of the day's deals, daily at `hour` in `zone`, on the devices of `PushDevice`.

    `due_at` is when next, and moves on before anything is sent: whatever fails, nobody is told twice a day.
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


class PushDevice(models.Model):
    """A browser that shows a player's reminders, as long as the session lasts in which that was chosen."""

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
    """``follower`` sees ``followed`` on the friends' boards."""

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
    """A ban of a player: why, by whom, until when (for good without a date), and how it ended. Rows are never deleted.

    A player has at most one that stands; `User.banned_at` says whether there is one.
    """

    class Why(models.TextChoices):
        """What a player is banned for."""

        UNFAIR = "unfair", _("unfair play")
        ACCOUNTS = "accounts", _("several accounts")
        NAME = "name", _("the name")
        CONDUCT = "conduct", _("conduct")
        OTHER = "other", _("something else")

    class End(models.TextChoices):
        """How a ban ended."""

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
