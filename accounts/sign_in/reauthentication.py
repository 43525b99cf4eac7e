"""Reauthentication through an OAuth service, for accounts with neither a password nor a second factor.

allauth asks such accounts for nothing (`did_recently_reauthenticate`), so `accounts.sign_in.adapter` asks here. The
service decides if it needs more than a click from a user who is already signed in there.
"""

from __future__ import annotations

import time
from typing import Any, Final

from allauth.account import app_settings
from allauth.account.internal.flows.login import get_authentication_records, record_authentication
from allauth.account.internal.flows.reauthentication import get_reauthentication_flows, resume_request
from allauth.account.utils import get_next_redirect_url
from allauth.account.views import password_set
from allauth.core.exceptions import ImmediateHttpResponse, ReauthenticationRequired
from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.socialaccount.signals import pre_social_login
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import PlayerRequest, account_required
from accounts.models import User
from accounts.sign_in.providers import Service, configured

#: OAuth process name for signing in again, next to allauth's "login" and "connect".
AGAIN: Final = "again"


def services_for(player: User) -> list[Service]:
    """Return the services the player can sign in with again; none if allauth has another way to reauthenticate."""
    if get_reauthentication_flows(player):
        return []
    known = set(SocialAccount.objects.filter(user=player).values_list("provider", flat=True))
    return [service for service in configured() if service.provider in known]


def is_fresh(request: HttpRequest) -> bool:
    """Return whether the visitor signed in through a service within the last few minutes."""
    records = get_authentication_records(request, request.user if request.user.is_authenticated else None)
    at: float = max((record["at"] for record in records if record["method"] == "socialaccount"), default=0)
    return time.time() - at < float(app_settings.REAUTHENTICATION_TIMEOUT)


def check_fresh(request: HttpRequest) -> None:
    """Require a recent sign-in from players who can only sign in through services.

    :raises ReauthenticationRequired: if there was none within the last few minutes.
    """
    player = request.user
    if player.is_authenticated and not is_fresh(request) and services_for(player):
        raise ReauthenticationRequired


@never_cache
@require_safe
@account_required()
def page(request: PlayerRequest) -> HttpResponse:
    """Show the page that sends the player to a service to sign in again."""
    back = get_next_redirect_url(request) or reverse("players:settings")
    services = services_for(request.user)
    if not services:
        return HttpResponseRedirect(back)
    return render(request, "players/sign_in_again.html", {"ways": services, "process": AGAIN, "back": back})


@receiver(pre_social_login)
def resume_interrupted(request: HttpRequest, sociallogin: SocialLogin, **_: Any) -> None:  # noqa: ANN401 - signals are untyped
    """Resume the request that was interrupted for signing in again.

    :raises ImmediateHttpResponse: with the response, if the player left to sign in again.
    """
    if sociallogin.state.get("process") == AGAIN:
        raise ImmediateHttpResponse(_resumed(request, sociallogin))


def _resumed(request: HttpRequest, sociallogin: SocialLogin) -> HttpResponseBase:
    back = sociallogin.get_redirect_url(request) or reverse("players:settings")
    player = request.user
    if not player.is_authenticated or not sociallogin.is_existing or sociallogin.user != player:
        messages.error(request, _("That's not the account you sign in with here."))
        return redirect(f"{reverse('players:sign_in_again')}?{urlencode({'next': back})}")
    account = sociallogin.account
    record_authentication(request, player, "socialaccount", provider=account.provider, uid=account.uid)
    request.GET = QueryDict(urlencode({"next": back}))  # allauth reads `next` from here
    response: HttpResponseBase | None = resume_request(request)
    return response or HttpResponseRedirect(back)


@login_required
def first_password(request: HttpRequest) -> HttpResponseBase:
    """Show allauth's page, after our own check: allauth asks for no reauthentication before a first password is set."""
    check_fresh(request)
    response: HttpResponseBase = password_set(request)
    return response
