"""Players, and whom they follow: fields and constraints only."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from accounts.managers import HAS_PAGE, LISTED, PlayerManager
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

    #: The fields by which a player stands on boards, and their values.
    LISTED: ClassVar = LISTED

    objects: ClassVar[PlayerManager[Self]] = PlayerManager()

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")
        indexes: ClassVar = [
            models.Index(
                fields=["date_joined"],
                condition=models.Q(is_guest=True),
                name="accounts_guests_by_age",
            )
        ]

    def __str__(self) -> str:
        return self.display_name or self.username

    @property
    def is_former(self) -> bool:
        """Whether the account is deleted; its results stay under a name of the site's."""
        return self.deleted_at is not None

    @property
    def is_listed(self) -> bool:
        """Whether the player stands on boards: has an account that is not banned."""
        return self._is(LISTED)

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
