"""allauth account adapter: names, guests, rate limits and mail."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib import auth, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.names.released import HELD, check_not_held
from accounts.names.renaming import TAKEN, check_free
from accounts.names.validation import clean_name, name_key
from accounts.preferences import remember_language
from accounts.sign_in.email_addresses import owner_of
from accounts.sign_in.guests import merge_guest
from accounts.sign_in.reauthentication import check_fresh, services_for
from games.core import limits, metrics
from games.core.addresses import UNKNOWN, client_address, network_of, wide_network_of
from games.core.errors import RateLimitedError
from games.models import Attempt
from games.presentation.titles import deal_title
from leaderboards.boards import relisting

if TYPE_CHECKING:
    from django.forms import Form

#: Messages that anyone can have sent to any address, by signing up or by adding it to an account.
_TO_STRANGERS: Final = ("account/email/email_confirmation", "account/email/email_confirmation_signup")
#: Maximum number of games that the welcome of a new account names.
_GAMES_NAMED: Final = 3


class PlayerAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth carries no types
    """Adapter that applies this site's rules for names, and keeps a guest's attempts at sign-up and sign-in."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": _("Wrong name, email address or password."),
    }

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a message in the site's name; one to a stranger only within the day's budgets."""
        if template_prefix in _TO_STRANGERS and not self._is_within_budget():
            self.request.mail_withheld = True  # the message on the page says so
            return
        site = SimpleNamespace(name=settings.SITE_NAME, domain=settings.SITE_DOMAIN)
        self.render_mail(template_prefix, email, {**context, "email": email, "current_site": site}).send()

    def _is_within_budget(self) -> bool:
        """Count a message to a stranger for the sender's network and the whole site."""
        for spender, budget in ((network_of(self.request), "confirmation"), ("site", "confirmation_site")):
            try:
                limits.spend_of(spender, budget)
            except RateLimitedError:
                metrics.MAILS_WITHHELD.labels(budget).inc()
                return False
        return True

    def get_reset_password_from_key_url(self, key: str) -> str:
        """Return the link to choose a new password, at the public address: the request may name another port."""
        return settings.PUBLIC_URL + reverse("account_reset_password_from_key", args=key.split("-", 1))

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:  # noqa: ANN401, ARG002
        """Return the link that confirms an email address."""
        return settings.PUBLIC_URL + reverse("account_confirm_email", args=[emailconfirmation.key])

    def send_notification_mail(
        self, template_prefix: str, user: User, context: dict[str, Any] | None = None, email: str | None = None
    ) -> None:
        """Tell the owner of an account about a change to it.

        Only a confirmed address is known to be the owner's; a former one gets the notice that it was replaced.
        """
        confirmed = EmailAddress.objects.get_verified(user)
        email = email or (confirmed.email if confirmed else None)
        if email and self._count(self.request, "notice", email.lower()):
            super().send_notification_mail(template_prefix, user, context, email)

    def clean_username(self, username: str, shallow: bool = False) -> str:  # noqa: FBT001, FBT002  allauth's signature
        """Normalise and check a name.

        :raises ValidationError: if it is not allowed as a name or is taken.
        """
        name = clean_name(username)
        if not shallow:
            check_free(name)
            check_not_held(name)
        return name

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Count a sign-up against the wider network too: allauth counts by the /64 of an IPv6 address."""
        if not self._count(request, "signup_wide", wide_network_of(request)):
            raise ImmediateHttpResponse(ratelimit.respond_429(request))
        return True

    def new_user(self, request: HttpRequest) -> User:
        """Return the row to sign up with: the guest's own, so that the attempts stay with it, or a new one."""
        return guest_of(request) or User()

    def save_user(self, request: HttpRequest, user: User, form: Form, commit: bool = True) -> User:  # noqa: FBT001, FBT002
        """Write the account from the validated sign-up ``form``."""
        super().save_user(request, user, form, commit=False)
        user.display_name = user.username
        user.name_key = name_key(user.username)
        if user.is_guest:
            user.date_joined = timezone.now()  # the account's age counts, not the guest's
        user.is_guest = False
        if commit:
            self.write_user(request, user)
        return user

    def write_user(self, request: HttpRequest, user: User, more: Callable[[], None] | None = None) -> None:
        """Save a new account, which may have been a guest's row, and run ``more`` in the same transaction."""
        was_guest = user.pk is not None
        try:
            with transaction.atomic():
                if was_guest:
                    guest = User.objects.select_for_update().filter(pk=user.pk, is_guest=True).first()
                    if guest is None:
                        raise ImmediateHttpResponse(redirect("account_login"))  # another tab signed up first
                    user.preferences = guest.preferences  # they may have changed since the request read them
                user.save()
                check_not_held(user.username)  # after the write, which waits for a transaction that gives the name up
                if was_guest:
                    relisting.mark_outdated(user)
                if more:
                    more()
        except (IntegrityError, ValidationError) as refusal:
            is_held = isinstance(refusal, ValidationError)
            messages.error(request, HELD if is_held else TAKEN)
            raise ImmediateHttpResponse(redirect("account_signup")) from None
        if was_guest:
            relisting.relist_player(user)

    def login(self, request: HttpRequest, user: User) -> None:
        """Start the player's session, and move a guest's attempts to the player."""
        guest = guest_of(request)
        if guest:
            # Django flushes a session when the user changes. A guest's session belongs to the same person and records
            # how they have just authenticated, so it is kept; its key still changes.
            for key in (auth.SESSION_KEY, auth.BACKEND_SESSION_KEY, auth.HASH_SESSION_KEY):
                request.session.pop(key, None)
        super().login(request, user)
        if guest and guest.pk != user.pk and merge_guest(guest, user):
            text = _("Your guest games are now in your account. Daily games among them count as practice.")
            messages.info(request, text)

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client address for allauth's limits, the same as for the site's own.

        :raises PermissionDenied: if it is unknown.
        """
        address = client_address(request)
        if address == UNKNOWN:
            raise PermissionDenied("the client address is unknown")
        return address

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:  # noqa: ANN401 - allauth's
        """Count a sign-in attempt before the password is checked; a correct password rolls the count back.

        A name with many failures stays open to its owner: each network can then try it, at a lower rate.

        :raises ValidationError: after too many failures from this network.
        """
        super().pre_authenticate(request, **credentials)
        name, network = self._login_name(request, **credentials), wide_network_of(request)
        usages = [
            self._count(request, "login_failed_wide", network),
            self._count(request, "login_failed_name", name) or self._count(request, "login_failed_rare", name, network),
        ]
        self._usages = [usage for usage in usages if usage]
        if len(self._usages) < len(usages):
            raise self.validation_error("too_many_login_attempts")

    @staticmethod
    def _count(request: HttpRequest, action: str, *parts: str) -> ratelimit.RateLimitUsage | None:
        return ratelimit.consume(request, app="allauth.account", action=action, key=":".join(parts))

    def _rollback_login_failed_rl_usage(self) -> None:
        for usage in self._usages:
            usage.rollback()
        super()._rollback_login_failed_rl_usage()

    def _login_name(self, request: HttpRequest, **credentials: Any) -> str:  # noqa: ANN401
        name: str = super()._get_login_attempts_cache_key(request, **credentials)
        return name

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:  # noqa: ANN401
        # Counting by name alone would let anyone lock a rival out.
        return f"{self._login_name(request, **credentials)}:{network_of(request)}"

    def _delete_login_attempts_cached_email(self, request: HttpRequest, email: str) -> None:
        # Sign-ins are counted by account name. A new password clears the limits of the network that sets it.
        owner = owner_of(email)
        if owner:
            super()._delete_login_attempts_cached_email(request, username=owner.username)
            key = f"{self._login_name(request, username=owner.username)}:{wide_network_of(request)}"
            ratelimit.clear(request, app="allauth.account", action="login_failed_rare", key=key)

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse:  # noqa: ANN401 - allauth's
        """Complete a sign-in, welcome a new account, and set the browser to the language saved with the account."""
        response: HttpResponse = super().post_login(request, user, **details)
        if details.get("signup"):
            messages.success(request, _welcome_text(user))
        remember_language(response, user.preferences.get("language"))
        return response

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - visitors too
        """Return the ways to reauthenticate; a sign-in through a service if there is no other."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if methods or not user.is_authenticated or not services_for(user):
            return methods
        return [{"id": "service", "description": _("Sign in again"), "url": reverse("players:sign_in_again")}]

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:  # noqa: ANN401 - allauth's
        """Return whether sensitive changes need reauthentication. Accounts with only a service to sign in are checked
        here.

        :raises ReauthenticationRequired: if such an account has not signed in recently.
        """
        required = bool(super().is_reauthentication_required(app=app, **kwargs))
        if required:
            check_fresh(self.request)
        return required


def guest_of(request: HttpRequest) -> User | None:
    """Return the guest that ``PlayerMiddleware`` hides from allauth."""
    return getattr(request, "guest", None)


def _welcome_text(user: User) -> str:
    """Return the welcome of a new account, with the titles of the games that it played as a guest, latest first."""
    attempts = Attempt.objects.filter(player=user).order_by("-started_at")
    games = [str(deal_title(*of)) for of in attempts.values_list("deal__variant", "deal__game")]
    if not games:
        return gettext("Welcome, %(name)s!") % {"name": user}
    titles = list(dict.fromkeys(games))
    named = ", ".join(titles[:_GAMES_NAMED]) + (" …" if len(titles) > _GAMES_NAMED else "")
    text = gettext("Welcome, %(name)s! What you have played is saved in your account: %(games)s.")
    return text % {"name": user, "games": named}
