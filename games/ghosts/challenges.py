"""Challenges: "beat this". A finished game is sent to a friend, who plays the same deal beside its ghost.

Sender and challenged are told the outcome when the answer has its verdict.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final, Literal

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from games.attempts import close_attempt, start_attempt
from games.deals.publishing import is_secret
from games.errors import ErrorCode, RateLimitedError, Refusal
from games.ghosts import inbox
from games.ghosts.choosing import score_of
from games.ghosts.models import Answer, Challenge, Notice
from games.models import Attempt, Deal
from games.players import Player, people
from games.replays.models import Continuation

Outcome = Literal["won", "lost", "even", "rejected"]

#: How long after its verdict an answer that nobody was told of counts as forgotten.
PATIENCE: Final = timedelta(seconds=60)
_BATCH: Final = 500
_JUDGED: Final = (Attempt.State.VERIFIED, Attempt.State.REJECTED)


def may_challenge(attempt: Attempt, player_id: int | None, now: datetime | None = None) -> bool:
    """Whether the player may challenge others with an attempt: it is their own, verified and played from the first card
    on, and its deal is not open.
    """
    if attempt.player_id != player_id or attempt.state != Attempt.State.VERIFIED or is_secret(attempt.deal, now):
        return False
    return attempt.ranked or not Continuation.objects.filter(attempt=attempt).exists()


def challenge(sender: Player, attempt: Attempt, *, to: str = "", now: datetime | None = None) -> Challenge:
    """Challenge whoever has the link, or the account of the name `to`, who is told of it.

    Asking again gives the same challenge and tells nobody.

    :raises Refusal: for a game that nobody can be challenged with, or a name that cannot be challenged.
    :raises RateLimitedError: when the player of that name has too many challenges to read already.
    """
    now = now or timezone.now()
    if attempt.player_id != sender.pk:
        raise Refusal(ErrorCode.NOT_YOURS)
    if not may_challenge(attempt, sender.pk, now):
        raise Refusal(ErrorCode.NO_CHALLENGE)
    addressee = _addressee(sender, to) if to else None
    with transaction.atomic():
        # Two requests at once wait here for each other.
        Attempt.objects.select_for_update(of=("self",)).only("pk").get(pk=attempt.pk)
        given = {"attempt": attempt, "addressee_id": addressee}
        found, made = Challenge.objects.get_or_create(**given, defaults={"sender_id": sender.pk, "made_at": now})
        if made and addressee is not None:
            inbox.check_room(addressee, "challenged", sender.pk)
            inbox.put(addressee, Notice.Kind.CHALLENGED, {"challenge": found.code, "player": sender.pk}, now)
    return found


def find(code: str) -> Challenge:
    """The challenge with this code. That of a player who was banned or has left is not there.

    :raises Challenge.DoesNotExist: when there is none.
    """
    known = Challenge.objects.select_related("attempt__deal", "attempt__player", "sender", "addressee")
    return known.get(code=code, sender__is_active=True, attempt__state=Attempt.State.VERIFIED)


def answer(found: Challenge, player: Player, now: datetime | None = None) -> Attempt:
    """Begin, or go on with, a player's game in answer to a challenge.

    :raises Refusal: to the sender, and while the deal may not be played.
    """
    if player.pk == found.sender_id:
        raise Refusal(ErrorCode.NO_CHALLENGE)
    if not may_challenge(found.attempt, found.sender_id, now):
        raise Refusal(ErrorCode.NO_CHALLENGE)
    attempt = start_attempt(player, found.attempt.deal, now=now)
    if attempt.ranked:
        return attempt
    try:
        with transaction.atomic():
            attempt = _without_pauses(attempt, player, found.attempt.deal)
            # A game that is running may already be the answer to another challenge with this deal.
            Answer.objects.get_or_create(attempt=attempt, defaults={"challenge": found})
    except IntegrityError:
        raise Refusal(ErrorCode.NO_CHALLENGE) from None  # the challenge was withdrawn at this moment
    return attempt


def _without_pauses(attempt: Attempt, player: Player, deal: Deal) -> Attempt:
    """The attempt, which nobody pauses before it is an answer; another in its place, if it has been paused."""
    locked = Attempt.objects.select_for_update().only("paused_at", "paused_ms").get(pk=attempt.pk)
    if locked.paused_at is None and not locked.paused_ms:
        return attempt
    close_attempt(attempt.pk, "closed")
    return start_attempt(player, deal)


def answers_to(found: Challenge) -> list[Attempt]:
    """The verified answers to a challenge, in the order of the ranking; those of banned players are left out."""
    verified = Attempt.objects.filter(answer__challenge=found, state=Attempt.State.VERIFIED, player__is_active=True)
    return sorted(verified.select_related("player").defer("record"), key=lambda one: score_of(one).rank_key)


def outcome(mine: Attempt, other: Attempt) -> Outcome:
    """How a verified attempt did against another."""
    if mine.state != Attempt.State.VERIFIED:
        return "rejected"
    one, two = score_of(mine).rank_key, score_of(other).rank_key
    return "even" if one == two else "won" if one < two else "lost"


def verdict_given(attempt_ids: Collection[int], now: datetime | None = None) -> int:
    """Tell both sides of those of the attempts that answer a challenge and have their verdict; returns how many.

    An answer is told of once, however often and by however many this is called.
    """
    if not attempt_ids:
        return 0
    waiting = Answer.objects.filter(attempt__in=attempt_ids, told_at=None, attempt__state__in=_JUDGED)
    told = 0
    for one in waiting.select_related("attempt", "challenge__attempt"):
        told += _tell(one, now or timezone.now())
    return told


def tell_forgotten(now: datetime | None = None) -> int:
    """Tell of answers whose verdict came some time ago, but of which nobody was told; returns how many."""
    now = now or timezone.now()
    since = Q(attempt__verified_at__lt=now - PATIENCE, attempt__state__in=_JUDGED)
    keys = Answer.objects.filter(since, told_at=None).order_by("pk").values_list("attempt", flat=True)
    return verdict_given(list(keys[:_BATCH]), now)


@transaction.atomic
def _tell(one: Answer, now: datetime) -> bool:
    """Tell both of an answer, unless somebody else does at this moment."""
    if not Answer.objects.filter(pk=one.pk, told_at=None).update(told_at=now):
        return False
    code, sender, answerer = one.challenge.code, one.challenge.sender_id, one.attempt.player_id
    ended = outcome(one.attempt, one.challenge.attempt)
    inbox.put(answerer, Notice.Kind.ANSWERED, {"challenge": code, "player": sender, "outcome": ended, "own": True}, now)
    if ended != "rejected" and _has_room(sender, answerer):
        turned = outcome(one.challenge.attempt, one.attempt)
        told = {"challenge": code, "player": answerer, "outcome": turned, "own": False}
        inbox.put(sender, Notice.Kind.ANSWERED, told, now)
    return True


def _has_room(player_id: int, answerer_id: int) -> bool:
    """Count one more answer that a player is told of. All answers are on the challenge's page."""
    try:
        inbox.check_room(player_id, "answered", answerer_id)
    except RateLimitedError:
        return False
    return True


def _addressee(sender: Player, name: str) -> int:
    """The account of this name, by id.

    :raises Refusal: when there is none that can be found, when it is the sender's own, and to a sender without a page.
    """
    if not sender.has_page:
        raise Refusal(ErrorCode.ACCOUNT_REQUIRED)
    found = people().find_by_name(name)
    if found is None:
        raise Refusal(ErrorCode.NOT_FOUND)
    if found == sender.pk:
        raise Refusal(ErrorCode.NO_CHALLENGE)
    return found
