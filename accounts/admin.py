"""Players in the admin: look up, ban, rename, erase; superusers can give staff rights."""

from __future__ import annotations

from collections.abc import Callable

from allauth.account.decorators import secure_admin_login
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.deletion import erase_player
from accounts.models import User
from accounts.moderation import ban_player, lift_ban
from accounts.renaming import neutralise_name

# Staff sign in on the ordinary page, with their second factor and its limits on attempts.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

_RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")
_FIELDS = (
    "display_name", "username", "public_id", "email", "is_guest", "date_joined", "last_login", "banned_at",
    "deleted_at", *_RIGHTS,
)  # fmt: skip


@admin.register(User)
class PlayerAdmin(admin.ModelAdmin[User]):
    """The fields are read-only. Actions change players, through the services."""

    list_display = ("display_name", "username", "is_guest", "is_staff", "date_joined", "banned_at", "deleted_at")
    list_filter = (
        "is_guest",
        "is_staff",
        ("banned_at", admin.EmptyFieldListFilter),
        ("deleted_at", admin.EmptyFieldListFilter),
    )
    search_fields = ("username", "display_name", "email", "public_id")
    ordering = ("-date_joined",)
    show_full_result_count = False
    fields = _FIELDS
    filter_horizontal = ("groups", "user_permissions")
    actions = ("ban", "unban", "neutral_name", "erase")

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:  # noqa: ARG002
        """Only rights can be edited, and only by superusers."""
        free = _RIGHTS if request.user.is_superuser else ()
        return [name for name in _FIELDS if name not in free]

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """Nobody adds players: they sign up."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:  # noqa: ARG002
        """Rows are never deleted, since boards would lose results. The erase action does what is allowed."""
        return False

    @admin.action(description=_("Ban: end sessions, take results off the boards"), permissions=["change"])
    def ban(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        """Ban the chosen players."""
        self._each(request, chosen.filter(deleted_at=None), ban_player, "Banned.")

    @admin.action(description=_("Lift the ban"), permissions=["change"])
    def unban(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        """Lift the bans of the chosen players."""
        self._each(request, chosen.exclude(banned_at=None), lift_ban, "Ban lifted.")

    @admin.action(description=_("Replace the shown name by a neutral one"), permissions=["change"])
    def neutral_name(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        """Give the chosen accounts generated names."""
        self._each(request, chosen.filter(is_guest=False, deleted_at=None), neutralise_name, "Name replaced.")

    @admin.action(description=_("Erase at the player's request (cannot be undone)"), permissions=["change"])
    def erase(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        """Erase the chosen players."""
        self._each(request, chosen.filter(deleted_at=None), erase_player, "Erased.")

    def _each(self, request: HttpRequest, chosen: QuerySet[User], act: Callable[[User], None], message: str) -> None:
        # Not for staff, nor by mistake for oneself: a superuser removes staff rights first.
        players = list(chosen.filter(is_staff=False, is_superuser=False))
        for player in players:
            self.log_change(request, player, message)
            act(player)
        text = ngettext("%(count)d player changed.", "%(count)d players changed.", len(players))
        self.message_user(request, text % {"count": len(players)}, messages.SUCCESS)
