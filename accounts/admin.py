"""Admin for players: look up, ban, rename, erase; superusers can grant staff rights."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from allauth.account.decorators import secure_admin_login
from allauth.socialaccount import admin as _services  # noqa: F401 - which registers what is taken away below
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.formats import date_format
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from accounts.lifecycle.ban_admin import MOST, RIGHT, ban_page, ban_url
from accounts.lifecycle.bans import lift_ban
from accounts.lifecycle.erasure import erase_player
from accounts.models import Ban, User
from accounts.names.renaming import neutralise_name
from accounts.sign_in.second_factors import ask_for_second_factor, has_second_factor
from games.core.admin_mixins import ServiceRows
from games.core.errors import ErrorCode, Refusal
from leaderboards.desk import access
from leaderboards.desk.views import together_url

_has_permission, _login = admin.site.has_permission, admin.site.login


def _may_enter(request: HttpRequest) -> bool:
    """Let staff in if they have used their second factor, or need none."""
    return _has_permission(request) and has_second_factor(request)


def _enter(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
    """Send signed-in staff who lack a second factor to the page that asks for it."""
    return _login(request, extra_context) if has_second_factor(request) else ask_for_second_factor(request)


# Staff sign in on the ordinary page, with its limits on attempts. All admin and desk pages call `has_permission`.
admin.site.has_permission = _may_enter  # type: ignore[method-assign]
admin.site.login = secure_admin_login(_enter)  # type: ignore[method-assign]

# Keys belong to the settings, and a connection is a credential: editing one would allow signing in as any player.
admin.site.unregister([SocialAccount, SocialApp, SocialToken])

_RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")
_FIELDS = (
    "display_name", "username", "public_id", "email", "is_guest", "date_joined", "last_login", "banned_at",
    "deleted_at", *_RIGHTS,
)  # fmt: skip


@admin.register(User)
class PlayerAdmin(ServiceRows, admin.ModelAdmin[User]):
    """Admin with read-only fields. Actions change players, through the services.

    Deletion is refused, since boards would lose results; the erase action removes personal data.
    """

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
    actions = ("ban", "unban", "decide_all", "neutral_name", "erase")

    def get_urls(self) -> list[URLPattern]:
        """Put the page for bans before the row pages."""
        return [path("ban/", self.admin_site.admin_view(ban_page), name="accounts_ban"), *super().get_urls()]

    def has_ban_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may ban players and lift bans."""
        return request.user.has_perm(RIGHT)

    def has_decide_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may decide about attempts."""
        return request.user.has_perms({access.VIEW, access.DECIDE})

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:  # noqa: ARG002
        """Make everything read-only except rights, which only superusers can edit."""
        free = _RIGHTS if request.user.is_superuser else ()
        return [*(name for name in _FIELDS if name not in free), "bans"]

    def get_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:  # noqa: ARG002
        """Show the list of bans only to staff with the right to ban."""
        behind = _FIELDS.index("deleted_at") + 1
        return (*_FIELDS[:behind], "bans", *_FIELDS[behind:]) if self.has_ban_permission(request) else _FIELDS

    @admin.display(description=_("bans"))
    def bans(self, player: User) -> SafeString:
        """List the player's bans, latest first."""
        return format_html_join("", "<p>{}</p>", ((_in_words(ban),) for ban in player.bans.select_related("by")))

    @admin.action(description=_("Ban: end sessions, take results off the leaderboards"), permissions=["ban"])
    def ban(self, request: HttpRequest, chosen: QuerySet[User]) -> HttpResponse | None:
        """Ban the chosen players, on a page that asks for the terms."""
        players = list(chosen.filter(deleted_at=None, is_staff=False, is_superuser=False)[: MOST + 1])
        if not players:
            self._report_changed(request, 0)
            return None
        return redirect(ban_url(_few(players)))

    @admin.action(description=_("Lift the ban"), permissions=["ban"])
    def unban(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        """Lift the bans of the chosen players."""
        lift = partial(lift_ban, by=cast("User", request.user))
        self._each(request, chosen.exclude(banned_at=None), lift, "Ban lifted.")

    @admin.action(description=_("Decide about all their attempts together"), permissions=["decide"])
    def decide_all(self, request: HttpRequest, chosen: QuerySet[User]) -> HttpResponse:  # noqa: ARG002
        """Verify or reject all attempts of the chosen players, on a page that asks for the reason."""
        return redirect(together_url(players=[player.public_id for player in _few(list(chosen[: MOST + 1]))]))

    @admin.action(description=_("Replace the shown name by a neutral one"), permissions=["change"])
    def neutral_name(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        """Give the chosen accounts generated names."""
        self._each(request, chosen.filter(is_guest=False, deleted_at=None), neutralise_name, "Name replaced.")

    @admin.action(description=_("Erase at the player's request (cannot be undone)"), permissions=["change"])
    def erase(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        """Erase the chosen players."""
        self._each(request, chosen.filter(deleted_at=None), erase_player, "Erased.")

    def _each(self, request: HttpRequest, chosen: QuerySet[User], act: Callable[[User], None], message: str) -> None:
        # Skip staff, including the acting user by mistake: a superuser removes staff rights first.
        players = list(chosen.filter(is_staff=False, is_superuser=False))
        for player in players:
            self.log_change(request, player, message)
            act(player)
        self._report_changed(request, len(players))

    def _report_changed(self, request: HttpRequest, number: int) -> None:
        text = ngettext("%(count)d player changed.", "%(count)d players changed.", number)
        self.message_user(request, text % {"count": number}, messages.SUCCESS)


def _few(players: list[User]) -> list[User]:
    """Return the players, unless they are too many for a URL.

    :raises Refusal: if they are.
    """
    if len(players) > MOST:
        raise Refusal(ErrorCode.BAD_REQUEST)
    return players


def _in_words(ban: Ban) -> str:
    by = "–" if ban.by is None else str(ban.by)
    until = gettext("for good") if ban.until is None else gettext("until %(day)s") % {"day": date_format(ban.until)}
    ended = f" {ban.get_end_display()}, {date_format(ban.ended_at)}." if ban.ended_at is not None else ""
    note = f" {ban.note}" if ban.note else ""
    return f"{date_format(ban.made_at)}, {by}: {ban.get_why_display()}, {until}.{ended}{note}"
