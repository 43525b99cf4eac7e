"""Challenges: a finished game is sent to a friend, who plays the same deal beside its ghost.

Both players are notified of the outcome once the answer has its verdict.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final, Literal

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from games.attempts.lifecycle import close_attempt, start_attempt
from games.core.addresses import UNKNOWN
from games.core.errors import ErrorCode, RateLimitedError, Refusal
from games.core.player_networks import networks_of
from games.db.players import Player, player_services
from games.deals.publishing import is_secret
from games.ghosts.choice import rank_key
from games.ghosts.models import Answer, Challenge
from games.inbox import notices
from games.inbox.models import Notice
from games.models import Attempt, Deal
from games.replays.models import Continuation

Outcome = Literal["won", "lost", "even", "rejected"]

#: Time after its verdict when an answer without notices counts as forgotten.
PATIENCE: Final = timedelta(seconds=60)
_BATCH: Final = 500
_JUDGED: Final = (Attempt.State.VERIFIED, Attempt.State.REJECTED)


def may_challenge(attempt: Attempt, player_id: int | None, now: datetime | None = None) -> bool:
    """Return whether the player may challenge others with an attempt.

    The attempt must be their own, verified and played from the first card, and its deal must not be secret.
    """
    if attempt.player_id != player_id or attempt.state != Attempt.State.VERIFIED or is_secret(attempt.deal, now):
        return False
    return attempt.ranked or not Continuation.objects.filter(attempt=attempt).exists()


def challenge(
    sender: Player, attempt: Attempt, *, to: str = "", network: str = UNKNOWN, now: datetime | None = None
) -> Challenge:
    """Challenge anyone with the link, or the account named `to`, which is notified; `network` is the sender's.

    Repeating the call returns the same challenge and sends no second notice.

    :raises Refusal: if the game cannot be used for a challenge, or the named player cannot be challenged.
    :raises RateLimitedError: if the named player has too many unread challenges.
    """
    now = now or timezone.now()
    if attempt.player_id != sender.pk:
        raise Refusal(ErrorCode.NOT_YOURS)
    if not may_challenge(attempt, sender.pk, now):
        raise Refusal(ErrorCode.NO_CHALLENGE)
    addressee = _addressee(sender, to) if to else None
    with transaction.atomic():
        # Serialize concurrent requests for the same attempt.
        Attempt.objects.select_for_update(of=("self",)).only("pk").get(pk=attempt.pk)
        key = {"attempt": attempt, "addressee_id": addressee}
        row, is_new = Challenge.objects.get_or_create(**key, defaults={"sender_id": sender.pk, "made_at": now})
        if is_new and addressee is not None:
            notices.check_limits(addressee, "challenged", sender.pk, network)
            notices.put(addressee, Notice.Kind.CHALLENGED, {"challenge": row.code, "player": sender.pk}, now)
    return row


def find(code: str) -> Challenge:
    """Return the challenge with this code. Challenges by banned or former players are not found.

    :raises Challenge.DoesNotExist: if there is none.
    """
    challenges = Challenge.objects.select_related("attempt__deal", "attempt__player", "sender", "addressee")
    return challenges.get(code=code, sender__is_active=True, attempt__state=Attempt.State.VERIFIED)


def answer(challenge: Challenge, player: Player, now: datetime | None = None) -> Attempt:
    """Start or resume a player's game in answer to a challenge.

    :raises Refusal: if the player is the sender, or the deal may not be played now.
    """
    if player.pk == challenge.sender_id or not may_challenge(challenge.attempt, challenge.sender_id, now):
        raise Refusal(ErrorCode.NO_CHALLENGE)
    attempt = start_attempt(player, challenge.attempt.deal, now=now)
    if attempt.ranked:
        return attempt
    try:
        with transaction.atomic():
            attempt = _without_pauses(attempt, player, challenge.attempt.deal)
            # The running game may already answer another challenge with this deal.
            Answer.objects.get_or_create(attempt=attempt, defaults={"challenge": challenge})
    except IntegrityError:
        raise Refusal(ErrorCode.NO_CHALLENGE) from None  # the challenge was withdrawn at this moment
    return attempt


def _without_pauses(attempt: Attempt, player: Player, deal: Deal) -> Attempt:
    """Return the attempt, or a new one if it was paused. The row lock keeps it from being paused before it is an
    answer.
    """
    locked = Attempt.objects.select_for_update().only("paused_at", "paused_ms").get(pk=attempt.pk)
    if locked.paused_at is None and not locked.paused_ms:
        return attempt
    close_attempt(attempt.pk, "closed")
    return start_attempt(player, deal)


def answers_to(challenge: Challenge) -> list[Attempt]:
    """Return the verified answers to a challenge in ranking order, without banned players."""
    verified = Attempt.objects.filter(answer__challenge=challenge, state=Attempt.State.VERIFIED, player__is_active=True)
    return sorted(verified.select_related("player").defer("record"), key=rank_key)


def outcome(own: Attempt, other: Attempt) -> Outcome:
    """Return the outcome of a judged attempt against another."""
    if own.state != Attempt.State.VERIFIED:
        return "rejected"
    one, two = own.score.key, other.score.key
    return "even" if one == two else "won" if one < two else "lost"


def notify_verdicts(attempt_ids: Collection[int], now: datetime | None = None) -> int:
    """Notify both players of those attempts that answer a challenge and have a verdict; return the number of answers.

    Idempotent: each answer is announced once, even under concurrent calls.
    """
    if not attempt_ids:
        return 0
    waiting = Answer.objects.filter(attempt__in=attempt_ids, told_at=None, attempt__state__in=_JUDGED)
    notified = 0
    for answer in waiting.select_related("attempt", "challenge__attempt"):
        notified += _notify_players(answer, now or timezone.now())
    return notified


def notify_forgotten(now: datetime | None = None) -> int:
    """Announce answers whose verdict is some time old but whose players were not notified; return their number."""
    now = now or timezone.now()
    since = Q(attempt__verified_at__lt=now - PATIENCE, attempt__state__in=_JUDGED)
    keys = Answer.objects.filter(since, told_at=None).order_by("pk").values_list("attempt", flat=True)
    return notify_verdicts(list(keys[:_BATCH]), now)


@transaction.atomic
def _notify_players(answer: Answer, now: datetime) -> bool:
    """Notify both players of an answer, unless a concurrent call has claimed it."""
    if not Answer.objects.filter(pk=answer.pk, told_at=None).update(told_at=now):
        return False
    code, sender, answerer = answer.challenge.code, answer.challenge.sender_id, answer.attempt.player_id
    ended = outcome(answer.attempt, answer.challenge.attempt)
    notices.put(
        answerer, Notice.Kind.ANSWERED, {"challenge": code, "player": sender, "outcome": ended, "own": True}, now
    )
    if ended != "rejected" and _has_room(sender, answerer):
        turned = outcome(answer.challenge.attempt, answer.attempt)
        data = {"challenge": code, "player": answerer, "outcome": turned, "own": False}
        notices.put(sender, Notice.Kind.ANSWERED, data, now)
    return True


def _has_room(player_id: int, answerer_id: int) -> bool:
    """Count a notice about an answer against the receiver's limits. The challenge's page lists all answers anyway."""
    try:
        network = networks_of([answerer_id]).get(answerer_id, UNKNOWN)
        notices.check_limits(player_id, "answered", answerer_id, network)
    except RateLimitedError:
        return False
    return True


def _addressee(sender: Player, name: str) -> int:
    """Return the id of the account with this name.

    :raises Refusal: if no such account can be found, it is the sender's own, or the sender has no page.
    """
    if not sender.has_page:
        raise Refusal(ErrorCode.ACCOUNT_REQUIRED)
    player_id = player_services().find_by_name(name)
    if player_id is None:
        raise Refusal(ErrorCode.NOT_FOUND)
    if player_id == sender.pk:
        raise Refusal(ErrorCode.NO_CHALLENGE)
    return player_id
