"""Challenge pages: send a challenge, show it, and play in answer to it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.attempts.lifecycle import DealClosedError
from games.core import limits
from games.core.addresses import network_of
from games.core.errors import ErrorCode, Refusal, wants_json
from games.core.player_networks import remember_network
from games.db.players import check_may_start, player_for, player_id
from games.deals import publishing
from games.ghosts import challenges
from games.ghosts.models import Challenge
from games.models import Attempt
from games.presentation.view_models import ShownDeal, ShownPlayer, shown_part
from games.replays.side_by_side import MAX_GAMES, together_url

#: Maximum answers listed on the page of a challenge.
MAX_ANSWERS = 50


@dataclass(frozen=True, slots=True)
class ChallengeGame:
    """A game on the page of a challenge: the sender's, or an answer with its outcome."""

    place: int
    player: ShownPlayer
    own: bool
    is_sender: bool
    outcome: str
    attempt: uuid.UUID
    cards_up: int | None
    elapsed_ms: int | None
    tokens: int | None
    paused_ms: int
    hinted: bool

    @classmethod
    def of(cls, place: int, attempt: Attempt, challenge: Challenge, viewer: int | None) -> Self:
        """Return the visible part of `attempt`."""
        is_sender = attempt.pk == challenge.attempt_id
        return shown_part(
            cls,
            attempt,
            place=place,
            player=ShownPlayer.of(attempt.player),
            own=viewer is not None and attempt.player_id == viewer,
            is_sender=is_sender,
            outcome="" if is_sender else challenges.outcome(attempt, challenge.attempt),
            attempt=attempt.public_id,
        )


@require_POST
def send(request: HttpRequest) -> HttpResponse:
    """Challenge others with the finished game `attempt`: anyone with the link, or the account called `name`."""
    limits.spend(request, "challenge")
    if not request.user.is_authenticated:
        raise Refusal(ErrorCode.NOT_SIGNED_IN)
    attempt = get_object_or_404(Attempt.objects.select_related("deal"), public_id=_id(request.POST.get("attempt")))
    name = request.POST.get("name", "").strip()
    try:
        created = challenges.challenge(request.user, attempt, to=name, network=network_of(request))
    except Refusal as refusal:
        if not name or wants_json(request):
            raise
        # If the name cannot be challenged, explain why and create a challenge by link instead.
        messages.error(request, _failure_text(refusal, name))
        created = challenges.challenge(request.user, attempt)
    else:
        if name:
            messages.success(request, _("Challenge sent to %(name)s.") % {"name": name})
    return redirect("games:challenge", code=created.code)


@require_safe
@never_cache
def challenge(request: HttpRequest, code: str) -> HttpResponse:
    """Show a challenge: the game to beat, and the answers so far."""
    found = _find_challenge(code)
    viewer = player_id(request)
    answers = challenges.answers_to(found)
    lines = list(_lines(found, answers[:MAX_ANSWERS], viewer))
    running = Attempt.objects.filter(answer__challenge=found, player=viewer, state=Attempt.State.PLAYING).first()
    context = {
        "deal": ShownDeal.of(found.attempt.deal),
        "code": code,
        "link": settings.PUBLIC_URL + reverse("games:challenge", args=[code]),
        "sender": ShownPlayer.of(found.sender),
        "addressee": found.addressee and ShownPlayer.of(found.addressee),
        "is_mine": found.sender_id == viewer,
        "may_name": found.sender.has_page,
        "goal": next(line for line in lines if line.is_sender),
        "lines": lines if len(lines) > 1 else [],
        "mine": next((line for line in lines if line.own and not line.is_sender), None),
        "running": running and running.public_id,
        "is_playable": challenges.may_challenge(found.attempt, found.sender_id),
        "together": _together(lines) if publishing.may_see_seed(found.attempt.deal, viewer) else "",
    }
    return render(request, "games/challenge.html", context)


@require_POST
def answer(request: HttpRequest, code: str) -> HttpResponse:
    """Start a game in answer to a challenge; a visitor without an account becomes a guest."""
    found = _find_challenge(code)
    check_may_start(request)
    player = player_for(request)
    remember_network(player.pk, network_of(request))
    try:
        attempt = challenges.answer(found, player)
    except DealClosedError as refusal:
        messages.error(request, refusal.sentence)
        return redirect("games:challenge", code=code)
    return redirect("games:table", attempt=attempt.public_id)


def _find_challenge(code: str) -> Challenge:
    try:
        return challenges.find(code)
    except Challenge.DoesNotExist:
        raise Http404 from None


def _lines(challenge: Challenge, answers: list[Attempt], viewer: int | None) -> Iterator[ChallengeGame]:
    """Yield the sender's game and the answers, ranked together; equal games share a place."""
    games = sorted([challenge.attempt, *answers], key=lambda attempt: attempt.score.key)
    for attempt in games:
        place = 1 + sum(other.score.key < attempt.score.key for other in games)
        yield ChallengeGame.of(place, attempt, challenge, viewer)


def _together(lines: list[ChallengeGame]) -> str:
    # The sender's game, the visitor's own, and the best of the others.
    shown = sorted(lines, key=lambda line: not (line.is_sender or line.own))[:MAX_GAMES]
    return together_url([line.attempt for line in shown])


def _failure_text(refusal: Refusal, name: str) -> str:
    if refusal.code == ErrorCode.NOT_FOUND:
        return _("No player is called %(name)s. Share the link instead.") % {"name": name}
    if refusal.code == ErrorCode.NO_CHALLENGE:
        return _("You can't challenge yourself. Share the link with someone else.")
    if refusal.code == ErrorCode.RATE_LIMITED:
        return _("%(name)s can't get more challenges right now. Send them the link instead.") % {"name": name}
    return str(refusal.sentence)


def _id(text: str | None) -> uuid.UUID:
    try:
        return uuid.UUID(text or "")
    except ValueError:
        raise Http404 from None
