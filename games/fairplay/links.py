"""Links: games of the day that were begun in the same browser.

A browser in which a game is begun has a mark, a random number in a signed cookie. It is kept for thirty days with each
game of the day that was begun there, beside a keyed digest of the network's address. Who begins a deal in a browser in
which another player has begun it before may have known the cards. That is a reason to look, and no more: brothers and
sisters share a computer. The address alone is no reason at all, as families, schools and offices share one.
"""

from __future__ import annotations

import hmac
import uuid
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Final

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import salted_hmac

from games.addresses import UNKNOWN, area_of
from games.compiled import Inserting, Insertion
from games.models import GRACE, Attempt, Start
from games.reasons import Reason, reason
from games.statements import run_in_order

COOKIE: Final = f"{settings.COOKIE_PREFIX}talon_device"
#: How long a browser keeps its mark after the last game begun there.
COOKIE_AGE: Final = timedelta(days=400)
#: How long it is known where a game was begun.
KEPT: Final = timedelta(days=30)
SAME_DEVICE: Final = "same_device"

_SALT: Final = "games.fairplay.links"
_INSERT: Final = Inserting(Start, found_by="attempt.public_id")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

# Written out, as every verdict asks it. A start without an attempt is that of a player who is gone.
_LINKED: Final = (
    "SELECT DISTINCT mine.attempt_id "  # noqa: S608
    f"FROM {Start._meta.db_table} mine JOIN {Attempt._meta.db_table} my ON my.id = mine.attempt_id "
    f"JOIN {Start._meta.db_table} other ON other.device = mine.device AND other.deal_id = mine.deal_id "
    "AND (other.made_at, other.id) < (mine.made_at, mine.id) "
    f"LEFT JOIN {Attempt._meta.db_table} theirs ON theirs.id = other.attempt_id "
    "WHERE mine.attempt_id IN ({ids}) AND (theirs.id IS NULL OR theirs.player_id <> my.player_id)"
)


def device_of(request: HttpRequest) -> uuid.UUID:
    """The mark of the request's browser; a new one when it has none, or one that is not ours."""
    known = request.get_signed_cookie(COOKIE, default=None, salt=_SALT)
    return uuid.UUID(known) if known else uuid.uuid4()


def mark(response: HttpResponseBase, device: uuid.UUID) -> None:
    """Have the browser keep its mark."""
    response.set_signed_cookie(
        COOKIE,
        device.hex,
        salt=_SALT,
        max_age=COOKIE_AGE,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def start_of(attempt: Attempt, request: HttpRequest, device: uuid.UUID) -> Insertion:
    """The row that says from where an attempt is begun, inserted right after the attempt and only if that is."""
    network = network_digest(area_of(request), attempt.started_at)
    made_at = attempt.started_at
    start = Start(attempt=attempt, deal_id=attempt.deal_id, device=device, network=network, made_at=made_at)
    return Insertion(_INSERT, start)


def network_digest(area: str, now: datetime) -> bytes:
    """What is kept of a network's address: equal for two games only within the same thirty days, and not to be undone
    without the site's key; empty for an unknown address.
    """
    if area == UNKNOWN:
        return b""
    key = salted_hmac(_SALT, str((now - _EPOCH) // KEPT), algorithm="sha256").digest()
    return hmac.digest(key, area.encode(), "sha256")[:16]


def linked_among(attempt_ids: Collection[int]) -> set[int]:
    """Those of the attempts whose deal another player had begun before in the same browser."""
    if not attempt_ids:
        return set()
    asked = _LINKED.format(ids=", ".join(["%s"] * len(attempt_ids)))
    (found,) = run_in_order([(asked, list(attempt_ids))])
    return {row[0] for row in found}


def linked_to(attempt: Attempt) -> QuerySet[Attempt]:
    """For staff: the other players' attempts at any deal that were begun in this one's browser, the earliest first."""
    devices = Start.objects.filter(attempt=attempt).values("device")
    others = Attempt.objects.filter(start__device__in=devices).exclude(player=attempt.player_id)
    return others.order_by("started_at", "pk")


def doubt() -> Reason:
    """The reason that is stored and shown: it names nobody."""
    return reason(SAME_DEVICE, "Another player had begun this deal before on the same device.")


def is_doubted(reasons: Collection[Reason]) -> bool:
    """Whether an earlier verdict found a link; what showed it is deleted after a while."""
    return any(one.get("code") == SAME_DEVICE for one in reasons)


def forget(player_id: int, now: datetime) -> None:
    """Delete from where a player's games were begun. Of deals that are still secret only the player is forgotten, until
    they are revealed: otherwise who deletes an account could play them again.
    """
    starts = Start.objects.filter(attempt__player=player_id)
    starts.filter(deal__closes_at__lte=now - GRACE).delete()
    starts.update(attempt=None)
