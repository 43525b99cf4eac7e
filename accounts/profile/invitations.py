"""Invitation links: the page where a player gets one, the landing page, and accepting.

A link carries the inviter's public id, signed with a timestamp, and expires: nothing is stored. It also becomes invalid
when the account is deleted or banned. A player who accepts gets a seat in a new room, and the inviter gets a notice.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import PlayerRequest, account_required
from accounts.models import User
from accounts.profile import follows
from games.core import limits
from games.core.addresses import is_known, network_of
from games.core.errors import RateLimitedError, Refusal
from games.db.players import has_account, player_id
from games.inbox import notices
from games.inbox.models import Notice
from games.presentation.view_models import ShownPlayer
from games.races.joining import check_may_sit, open_own_room, refused
from games.races.rooms import Settings

#: Lifetime of a link.
LIFETIME: Final = timedelta(days=14)
_SIGNER: Final = signing.TimestampSigner(sep=".", salt="invitation")


def token_of(player: User) -> str:
    """Return a new token for a player's invitation link."""
    return _SIGNER.sign(player.public_id.hex)


def inviter_of(token: str) -> User | None:
    """Return the inviter of a token, or None if it has expired or the player no longer has a page."""
    try:
        key = UUID(hex=_SIGNER.unsign(token, max_age=LIFETIME))
    except (signing.BadSignature, ValueError):
        return None
    return User.objects.with_page().filter(public_id=key).first()


@require_safe
@never_cache
@account_required()
def invite(request: PlayerRequest) -> HttpResponse:
    """Show the player's invitation link."""
    link = settings.PUBLIC_URL + reverse("players:join", args=[token_of(request.user)])
    return render(request, "players/invite.html", {"link": link, "until": timezone.now() + LIFETIME})


@require_safe
@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show the landing page of an invitation: play as a guest, make an account, or race at once."""
    inviter = inviter_of(token)
    if inviter is None:
        return _invitation_over(request)
    if inviter.pk == player_id(request):
        return redirect("players:invite")
    context = {"inviter": ShownPlayer.of(inviter), "token": token, "has_account": has_account(request)}
    return render(request, "players/join.html", context)


@require_POST
def accept(request: HttpRequest, token: str) -> HttpResponse:
    """Open a room and notify the inviter; a visitor without an account becomes a guest.

    A player with an account follows the inviter from then on.
    """
    inviter = inviter_of(token)
    if inviter is None:
        return _invitation_over(request)
    if inviter.pk == player_id(request):
        return redirect("players:invite")
    limits.spend(request, "room")
    check_may_sit(request)
    try:
        room = open_own_room(request, Settings())
    except Refusal as refusal:
        return refused(request, refusal)
    if request.user.is_authenticated and not request.user.is_guest:
        with suppress(ValidationError):  # the limit on follows may be reached
            follows.follow(request.user, inviter)
    address = reverse("games:room", args=[room.code])
    if _notify(inviter, room.host_id, address, network_of(request)):
        messages.success(request, _("We told %(name)s that you're here.") % {"name": inviter})
    else:
        text = _("%(name)s gets too many messages right now. Send them the link to this room yourself.")
        messages.warning(request, text % {"name": inviter})
    return redirect(address)


def _notify(inviter: User, guest_id: int | None, address: str, network: str) -> bool:
    """Notify the inviter that a player is waiting in the room; return False if an hourly limit is reached.

    Repeated acceptances by the same player renew a single unread notice.
    """
    data = {"player": guest_id, "address": address}
    if notices.renew(inviter.pk, Notice.Kind.JOINED, data):
        return True
    try:
        if is_known(network):
            limits.spend_of(network, "invited_network", receiver=inviter.pk)
        limits.spend_of(inviter.pk, "invited")
    except RateLimitedError:
        return False
    notices.put(inviter.pk, Notice.Kind.JOINED, data)
    return True


def _invitation_over(request: HttpRequest) -> HttpResponse:
    return render(request, "players/join_over.html", status=404)
