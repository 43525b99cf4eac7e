"""Middleware that keeps guests away from allauth's pages and push devices on the current session key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from accounts.push import devices

_ALLAUTH = ("account_", "mfa_", "usersessions_", "socialaccount_", "google_", "github_", "discord_")


class DeviceMiddleware(MiddlewareMixin):
    """Middleware that keeps a browser's reminders going when its session key changes (see `accounts.push.devices`).

    Sessions that the request did not access stay untouched, so responses shared by all visitors remain cacheable.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compare the session's key with that of its device; this takes no query."""
        session = getattr(request, "session", None)
        if session is not None and session.accessed:
            devices.follow(session)
        return response


class PlayerMiddleware(MiddlewareMixin):
    """Middleware that hides guests from allauth's pages.

    A guest has a session but no account. Without this, the sign-in page would redirect guests as if they were signed
    in, and the pages for passwords and passkeys would let them in. ``request.guest`` keeps the guest for sign-up and
    sign-in (see ``accounts.sign_in.adapter``). Signing out is not affected.
    """

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],  # noqa: ARG002
        args: Sequence[Any],  # noqa: ARG002
        kwargs: Mapping[str, Any],  # noqa: ARG002
    ) -> None:
        """Hide the guest if the view is one of allauth's."""
        match = request.resolver_match
        name = (match and match.url_name) or ""
        if not name.startswith(_ALLAUTH) or name == "account_logout":
            return
        if request.user.is_authenticated and request.user.is_guest:
            request.guest = request.user  # type: ignore[attr-defined]
            request.user = AnonymousUser()
