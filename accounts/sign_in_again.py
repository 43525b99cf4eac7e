"""Signing in again by a service: for accounts that have neither a password nor a second factor to be asked for.

allauth asks such accounts for nothing (`did_recently_reauthenticate`), so `accounts.adapter` asks here. Whether the
service wants more than a click from whoever is signed in there is the service's to decide.
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
from accounts.providers import Service, configured

#: What one leaves for a service for, beside allauth's "login" and "connect".
AGAIN: Final = "again"


def ways_for(player: User) -> list[Service]:
    """The services by which the player can sign in again; none when there is something else to ask for."""
    if get_reauthentication_flows(player):
        return []
    known = set(SocialAccount.objects.filter(user=player).values_list("provider", flat=True))
    return [service for service in configured() if service.provider in known]


def is_fresh(request: HttpRequest) -> bool:
    """Whether the visitor has signed in by a service minutes ago."""
    records = get_authentication_records(request, request.user if request.user.is_authenticated else None)
    at: float = max((one["at"] for one in records if one["method"] == "socialaccount"), default=0)
    return time.time() - at < float(app_settings.REAUTHENTICATION_TIMEOUT)


def check_fresh(request: HttpRequest) -> None:
    """Ask whoever has only services to sign in by for a sign-in, unless there was one minutes ago.

    :raises ReauthenticationRequired: to be asked.
    """
    player = request.user
    if player.is_authenticated and not is_fresh(request) and ways_for(player):
        raise ReauthenticationRequired


@never_cache
@require_safe
@account_required()
def page(request: PlayerRequest) -> HttpResponse:
    """Where one leaves for the service once more."""
    back = get_next_redirect_url(request) or reverse("players:settings")
    ways = ways_for(request.user)
    if not ways:
        return HttpResponseRedirect(back)
    return render(request, "players/sign_in_again.html", {"ways": ways, "process": AGAIN, "back": back})


@receiver(pre_social_login)
def come_back(request: HttpRequest, sociallogin: SocialLogin, **_: Any) -> None:  # noqa: ANN401 - signals are untyped
    """Go on with what was asked for before one left.

    :raises ImmediateHttpResponse: with the answer, if one had left to sign in again.
    """
    if sociallogin.state.get("process") == AGAIN:
        raise ImmediateHttpResponse(_gone_on(request, sociallogin))


def _gone_on(request: HttpRequest, sociallogin: SocialLogin) -> HttpResponseBase:
    back = sociallogin.get_redirect_url(request) or reverse("players:settings")
    player = request.user
    if not player.is_authenticated or not sociallogin.is_existing or sociallogin.user != player:
        messages.error(request, _("That account is not the one you sign in with here."))
        return redirect(f"{reverse('players:sign_in_again')}?{urlencode({'next': back})}")
    account = sociallogin.account
    record_authentication(request, player, "socialaccount", provider=account.provider, uid=account.uid)
    request.GET = QueryDict(urlencode({"next": back}))  # where allauth looks for it
    answer: HttpResponseBase | None = resume_request(request)
    return answer or HttpResponseRedirect(back)


@login_required
def first_password(request: HttpRequest) -> HttpResponseBase:
    """allauth's page, which asks for nothing: whoever sets a password could be asked for it from then on."""
    check_fresh(request)
    answer: HttpResponseBase = password_set(request)
    return answer
