"""Forms of the account pages. The modules they call do the work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.account.forms import AddEmailForm, LoginForm, ResetPasswordForm, SignupForm
from allauth.account.models import EmailAddress
from allauth.core import ratelimit
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import HttpRequest, QueryDict
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.names.validation import LONGEST, SHORTEST, alike_keys, clean_name
from accounts.preferences import PREFERENCES, preferences_of
from accounts.sign_in.email_addresses import drop_oldest_claims, owner_of
from accounts.sign_in.providers import describe_name_field
from games.core.addresses import wide_network_of
from games.core.errors import ErrorCode, Refusal
from games.core.events import request_task


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth carries no types
    """Sign-in form: name or email address, and password."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"] = forms.CharField(
            label=_("Name or email address"),
            max_length=EmailAddress._meta.get_field("email").max_length,
            widget=forms.TextInput(attrs={"autocomplete": "username webauthn", "autocapitalize": "none"}),
        )
        self.order_fields(["login", "password"])
        _plain(self)

    def clean_login(self) -> str:
        """Return the account's registered name for a name typed in any case, width or accents, or for a confirmed
        address.

        Thus the password is compared with that of one account, and limits on failed sign-ins count by the registered
        name.
        """
        login: str = super().clean_login()
        if "@" in login:
            owner = owner_of(login)
            return owner.username if owner else login
        keys = alike_keys(login)
        alike = User.objects.filter(Q(username=login) | Q(name_key__in=keys)).values_list("name_key", "username")
        names: dict[str | None, str] = dict(alike)
        # Older names that look alike belong to different players, each as spelled.
        if login in names.values():
            return login
        return next((names[key] for key in keys if key in names), login)


class SignUpForm(SignupForm):  # type: ignore[misc]
    """Sign-up form: name, password, and an optional email address, which makes the password recoverable."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        describe_name_field(self.fields["username"])
        self.fields["email"].label = _("Email address (optional)")
        self.fields["email"].help_text = _(
            "Only used if you forget your password. Confirm it with the link we send you."
        )
        _plain(self)

    def save(self, request: HttpRequest) -> User:
        """Create the account, with an unconfirmed address if one was entered."""
        user: User = super().save(request)
        drop_oldest_claims(user.email)
        return user


class AddressForm(AddEmailForm):  # type: ignore[misc]
    """Form for a new email address, which replaces the old one once it is confirmed."""

    def save(self, request: HttpRequest) -> EmailAddress:
        """Add the unconfirmed address."""
        address = super().save(request)
        drop_oldest_claims(address.email)
        return address


class ForgottenPasswordForm(ResetPasswordForm):  # type: ignore[misc]
    """Form that requests a password reset for a confirmed address."""

    def clean_email(self) -> str:
        """Return the address in lower case. An unknown one is no error."""
        email: str = self.cleaned_data["email"].lower()
        return email

    def save(self, request: HttpRequest, **kwargs: Any) -> str:  # noqa: ANN401, ARG002 - allauth's
        """Have a worker send at most one message an hour, and none to an unknown address.

        For both the request does the same, so neither response nor time tells them apart.

        :raises Refusal: if the queue is down, instead of losing the mail.
        """
        email: str = self.cleaned_data["email"]
        if not ratelimit.consume(request, action="reset_wide", key=wide_network_of(request)):
            raise ImmediateHttpResponse(ratelimit.respond_429(request))
        if ratelimit.consume(request, action="reset_mail", key=email):
            owner = owner_of(email)
            if not request_task("talon.send_reset_mail", owner.pk if owner else 0, get_language() or ""):
                ratelimit.clear(request, action="reset_mail", key=email)
                raise Refusal(ErrorCode.SERVER_BUSY)
        return email


class CredentialField(forms.JSONField):
    """Field with a browser's passkey response, as JSON."""

    widget = forms.HiddenInput

    def to_python(self, value: Any) -> Any:  # noqa: ANN401 - as Django declares it
        """Parse the JSON.

        :raises ValidationError: if it is not JSON, is nested too deeply or has a number that is too large.
        """
        try:
            return super().to_python(value)
        except (ValueError, RecursionError):
            raise ValidationError(self.error_messages["invalid"], code="invalid") from None


class _CredentialForm(forms.Form):
    """Mixin for allauth's passkey forms: malformed passkeys become form errors instead of exceptions."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **kwargs)
        self.fields["credential"] = CredentialField()

    def _clean_fields(self) -> None:
        self._guarded(super()._clean_fields)  # type: ignore[misc] # Django's own step of cleaning

    def _clean_form(self) -> None:
        self._guarded(super()._clean_form)  # type: ignore[misc]

    def _guarded(self, clean: Callable[[], None]) -> None:
        try:
            clean()
        except (ValueError, TypeError, KeyError, AttributeError):
            self.add_error("credential", ValidationError(CredentialField.default_error_messages["invalid"]))


class PasskeySignInForm(_CredentialForm, LoginWebAuthnForm):  # type: ignore[misc]
    """Sign-in with a passkey alone."""


class PasskeySecondForm(_CredentialForm, AuthenticateWebAuthnForm):  # type: ignore[misc]
    """Passkey as a second factor, after the password."""


class PasskeyAgainForm(_CredentialForm, ReauthenticateWebAuthnForm):  # type: ignore[misc]
    """Passkey that confirms an action which needs a fresh sign-in."""


class PasskeyForm(_CredentialForm, AddWebAuthnForm):  # type: ignore[misc]
    """Registration of a passkey, which by default can sign in on its own."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("Name")
        passwordless = self.fields["passwordless"]
        passwordless.initial = True
        passwordless.label = _("Sign in with this passkey alone")
        passwordless.help_text = _(
            "You unlock it with your fingerprint, face or PIN. If not ticked, we ask for it after your password."
        )


class RenameForm(forms.Form):
    """Form for a new name of an account."""

    name = forms.CharField(label=_("Name"), min_length=SHORTEST, max_length=LONGEST)

    def clean_name(self) -> str:
        """Normalise and check the name. Availability is checked when it is saved."""
        return clean_name(self.cleaned_data["name"])


class PreferencesForm(forms.Form):
    """Form with one field per preference: a checkbox for on or off, a list for other choices."""

    def __init__(self, user: User, data: QueryDict | None = None, *, language: str) -> None:
        super().__init__(data, initial=preferences_of(user.preferences) | {"language": language})
        for name, choices in PREFERENCES.items():
            self.fields[name] = _field(name, choices)

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the fields by group, with the group's title."""
        return [(str(title), [self[name] for name in names]) for title, names in _GROUPS]


class DeleteForm(forms.Form):
    """Form that confirms account deletion: the player types their name."""

    name = forms.CharField(label=_("Your name"), widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def __init__(self, user: User, data: QueryDict | None = None) -> None:
        super().__init__(data)
        self._user = user

    def clean_name(self) -> str:
        """Check that it is the player's name."""
        name: str = self.cleaned_data["name"]
        if name.strip() != self._user.display_name:
            raise ValidationError(_("This doesn't match the name above."), code="name_mismatch")
        return name


#: Preferences on the settings page; `players/_setting_picture.html` has a picture of each.
_GROUPS = (
    (_("Language and appearance"), ("language", "theme", "motion", "sound")),
    (_("Table and cards"), ("table", "back", "card_face", "left_handed")),
    (_("Moves and clock"), ("one_tap", "letter_keys", "auto_up", "hide_clock")),
    (_("Other players"), ("hide_others", "hide_presence", "puzzles_from_practice")),
)
_LANGUAGES = dict(settings.LANGUAGES)
_HELP = {"auto_up": _("Safe: it never turns a winnable game into a lost one.")}
_LABELS = {
    "language": _("Language"),
    "browser": _("Use browser language"),
    "theme": _("Appearance"),
    "table": _("Table"),
    "back": _("Card backs"),
    "motion": _("Motion"),
    "card_face": _("Card faces"),
    "classic": _("Classic"),
    "large": _("Large figures"),
    "colours": _("Four colours and shapes"),
    "left_handed": _("Left-handed table"),
    "one_tap": _("One tap moves a card with only one place to go"),
    "letter_keys": _("Letter keys"),
    "auto_up": _("Move cards up automatically"),
    "off": _("Never"),
    "safe": _("If safe"),
    "all": _("Always"),
    "hide_clock": _("Hide the clock while playing"),
    "hide_others": _("Hide other players in daily games"),
    "sound": _("Sound"),
    "hide_presence": _("Don't show others that I'm playing"),
    "puzzles_from_practice": _("My practice games may become puzzles"),
    "system": _("Use system setting"),
    "light": _("Light"),
    "dark": _("Dark"),
    "green": _("Green"),
    "blue": _("Blue"),
    "red": _("Red"),
    "slate": _("Slate"),
    "lattice": _("Lattice"),
    "waves": _("Waves"),
    "plain": _("Plain"),
    "full": _("Full"),
    "reduced": _("Reduced"),
}


def _field(name: str, choices: tuple[str | bool, ...]) -> forms.Field:
    if isinstance(choices[0], bool):
        return forms.BooleanField(label=_LABELS[name], required=False)
    named = [(str(choice), _LABELS.get(str(choice)) or _LANGUAGES[str(choice)]) for choice in choices]
    return forms.ChoiceField(label=_LABELS[name], choices=named, widget=_Choice, help_text=_HELP.get(name, ""))


class _Choice(forms.Select):
    """Select widget that marks language names with their language, for screen readers."""

    def create_option(self, name: str, value: Any, *rest: Any, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        """Add a `lang` attribute to the name of a language."""
        option = super().create_option(name, value, *rest, **more)
        if value in _LANGUAGES:
            option["attrs"]["lang"] = value
        return option


def _plain(form: forms.Form) -> None:
    # allauth repeats each label as a placeholder, which disappears as soon as the user types.
    for field in form.fields.values():
        field.widget.attrs.pop("placeholder", None)
