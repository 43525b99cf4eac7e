"""Access decorators: let some visitors see a page and redirect the others to sign in or sign up."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from allauth.account.decorators import reauthentication_required
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import resolve_url

from accounts.models import User
from games.core.errors import ErrorCode, Refusal, wants_json

P = ParamSpec("P")


class PlayerRequest(HttpRequest):
    """Request from a signed-in visitor."""

    user: User


View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
PlayerView = Callable[Concatenate[PlayerRequest, P], HttpResponseBase]


def player_required(view: PlayerView[P]) -> View[P]:
    """Let players in, guests included; send all other visitors to sign in."""
    return _guarded(view, lambda user: user.is_authenticated)


def account_required(*, back: str = "") -> Callable[[PlayerView[P]], View[P]]:
    """Let players with an account in; send guests to sign up and all other visitors to sign in.

    ``back`` names the page to return to afterwards, resolved with the view's own arguments. It defaults to the
    requested page.
    """

    def decorate(view: PlayerView[P]) -> View[P]:
        return _guarded(view, lambda user: user.is_authenticated and not user.is_guest, back)

    return decorate


def fresh_sign_in_required(view: PlayerView[P]) -> PlayerView[P]:
    """Require reauthentication unless the player signed in within the last few minutes.

    Guests pass. Accounts without a password or second factor sign in through their service
    (`accounts.sign_in.reauthentication`). If the site no longer has keys for that service, they pass too, because there
    is nothing left to ask for.
    """
    guarded = reauthentication_required(enabled=lambda request: not request.user.is_guest)(view)
    return cast("PlayerView[P]", guarded)


def _guarded(view: PlayerView[P], may_enter: Callable[[User | AnonymousUser], bool], back: str = "") -> View[P]:
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if may_enter(request.user):
            return view(cast("PlayerRequest", request), *args, **kwargs)
        return _sign_in_required(request, resolve_url(back, *args, **kwargs) if back else request.get_full_path())

    return guarded


def _sign_in_required(request: HttpRequest, back: str) -> HttpResponseBase:
    is_guest = request.user.is_authenticated
    if not wants_json(request):
        return redirect_to_login(back, "account_signup" if is_guest else "account_login")
    raise Refusal(ErrorCode.ACCOUNT_REQUIRED if is_guest else ErrorCode.SESSION_EXPIRED)
