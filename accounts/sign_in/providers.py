"""Social sign-in with Google, GitHub or Discord, where the site has keys for them.

Only the service's number for the player and a confirmed email address are stored. A service never signs anyone in to
an account that is not connected to it: the address may belong to another player here.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final

from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.forms import SignupForm
from allauth.socialaccount.internal.flows.signup import clear_pending_signup
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models.signals import pre_save
from django.dispatch import receiver
from django.http import HttpRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.names.validation import LONGEST, SHORTEST, clean_name

_NAMES: Final = {"google": "Google", "github": "GitHub", "discord": "Discord"}

#: Time limit for choosing a name after coming back: another person may use the browser later.
PENDING: Final = timedelta(minutes=15)
_SIGNED_IN_AT: Final = "told_at"


@dataclass(frozen=True, slots=True)
class Service:
    """OAuth service as pages show it; `address` starts the sign-in, `provider` is allauth's id."""

    name: str
    address: str
    provider: str


@dataclass(frozen=True, slots=True)
class LinkedService:
    """Service connected to an account; the form that disconnects it sends `id`."""

    id: int
    service: str
    since: Any


def configured() -> list[Service]:
    """Return the services that the site has keys for."""
    known = settings.SOCIALACCOUNT_PROVIDERS
    return [
        Service(name, reverse(f"{provider}_login"), provider) for provider, name in _NAMES.items() if provider in known
    ]


class ServicesAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth carries no types
    """allauth adapter that reads keys from the settings only, and creates accounts as password sign-up does."""

    error_messages = DefaultSocialAccountAdapter.error_messages | {
        "no_password": _("Set a password or connect another service first, or you can't sign in again."),
        "connected_other": _("That account is already connected to another player."),
    }

    def list_apps(
        self,
        request: HttpRequest,  # noqa: ARG002
        provider: str | None = None,
        client_id: str | None = None,  # noqa: ARG002
    ) -> list[SocialApp]:
        """Return apps from the settings. A service asked for by name is included without keys: it may be connected."""
        known = settings.SOCIALACCOUNT_PROVIDERS
        providers = [provider] if provider in _NAMES else known
        keys = {key: known[key]["APPS"][0] if key in known else {"client_id": ""} for key in providers}
        return [SocialApp(provider=key, name=_NAMES[key], **fields) for key, fields in keys.items()]

    def new_user(self, request: HttpRequest, sociallogin: SocialLogin) -> User:  # noqa: ARG002
        """Return an empty user; `save_user` decides between this session's guest and a new player."""
        return User()

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> User:  # noqa: ARG002
        """Propose the player's user name at the service; never a real name, because names are public here."""
        user: User = sociallogin.user
        try:
            user.username = clean_name(data.get("username") or "")
        except ValidationError:
            user.username = ""
        return user

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:  # noqa: ARG002
        """Drop everything the service sent except one confirmed address, if there is one.

        The rest may wait in the session until a name is chosen or a password entered.
        """
        sociallogin.token = None
        sociallogin.account.extra_data = {}
        sociallogin.state[_SIGNED_IN_AT] = time.time()
        sociallogin.email_addresses = [address for address in sociallogin.email_addresses if address.verified][:1]

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Return whether sign-up may continue with the service's data.

        :raises ImmediateHttpResponse: if the data is too old; it is dropped.
        """
        if time.time() - sociallogin.state.get(_SIGNED_IN_AT, 0) > PENDING.total_seconds():
            clear_pending_signup(request)
            messages.error(request, _("Your sign-in has expired. Please sign in again."))
            raise ImmediateHttpResponse(redirect("account_login"))
        return super().is_open_for_signup(request, sociallogin)  # type: ignore[no-any-return]

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: NameForm) -> User:
        """Create the account; if a guest is playing in this session, the guest's row becomes the account."""
        user = sociallogin.user = get_account_adapter().new_user(request)
        if is_taken(sociallogin):
            sociallogin.email_addresses = []
        get_account_adapter().save_user(request, user, form, commit=False)
        get_account_adapter().write_user(request, user, partial(self._connect, request, sociallogin))
        return user  # type: ignore[no-any-return]

    def _connect(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Write the connection and the address together with the account."""
        try:
            with transaction.atomic():
                sociallogin.save(request)
        except IntegrityError:  # another tab did the same first
            messages.error(request, self.error_messages["connected_other"])
            raise ImmediateHttpResponse(redirect("account_login")) from None


def describe_name_field(field: forms.Field) -> None:
    """Set the label, help text and limits of a sign-up form's field for the name."""
    field.label = _("Name")
    field.help_text = _("Other players see this. You can change it later.")
    field.widget.attrs |= {"minlength": SHORTEST, "maxlength": LONGEST, "autocapitalize": "words"}
    field.widget.attrs.pop("placeholder", None)


class NameForm(SignupForm):  # type: ignore[misc]
    """Form for the player's name, after the first sign-in through a service."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["email"]
        describe_name_field(self.fields["username"])

    def clean(self) -> dict[str, Any]:
        """Skip allauth's email field: a confirmed address from the service is already there."""
        cleaned: dict[str, Any] = super().clean()
        return {**cleaned, "email": ""}

    @property
    def service(self) -> str:
        """Display name of the service."""
        return _NAMES[self.sociallogin.account.provider]

    @property
    def is_known(self) -> bool:
        """True if an account here has, or claims, the address that the service confirmed."""
        return EmailAddress.objects.lookup([address.email for address in self.sociallogin.email_addresses]).exists()  # type: ignore[no-any-return]


def is_taken(sociallogin: SocialLogin) -> bool:
    """Return whether an account here has confirmed an address that the service has confirmed too."""
    return any(EmailAddress.objects.is_verified(address.email) for address in sociallogin.email_addresses)


def connections_of(player: User) -> list[LinkedService]:
    """Return the services connected to a player's account."""
    rows = SocialAccount.objects.filter(user=player).order_by("date_joined")
    return [LinkedService(row.pk, _NAMES.get(row.provider, row.provider), row.date_joined) for row in rows]


@receiver(pre_save, sender=SocialAccount)
def drop_profile_data(instance: SocialAccount, **_: Any) -> None:  # noqa: ANN401
    """Drop the extra profile data a service sends."""
    instance.extra_data = {}
