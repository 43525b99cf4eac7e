"""Links between players: games of the day that started in the same browser or network.

A browser gets a device mark when a game starts in it: a random number in a signed cookie. The mark is stored for thirty
days with each game of the day started there, beside a keyed digest of the network address. A player who starts a deal
in a browser where another player started it earlier may have known the cards. That is only a reason to look, because
siblings share a computer. The network alone is no reason at all, because families, schools and offices share one; it
is only added to other reasons.
"""

from __future__ import annotations

import hmac
import uuid
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import salted_hmac

from games.core.addresses import UNKNOWN, area_of
from games.core.verdict_reasons import VerdictReason, reason
from games.db.statements import run_in_order
from games.models import GRACE, Attempt, Start

COOKIE: Final = f"{settings.COOKIE_PREFIX}talon_device"
#: Lifetime of the device mark after the last game started in the browser.
COOKIE_AGE: Final = timedelta(days=400)
#: Retention of the device mark and network digest of a game.
KEPT: Final = timedelta(days=30)
Link = Literal["same_device", "same_network"]
SAME_DEVICE: Final[Link] = "same_device"
SAME_NETWORK: Final[Link] = "same_network"

_SALT: Final = "games.fairplay.links"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_SHARED: Final[dict[Link, str]] = {
    SAME_DEVICE: "other.device = mine.device",
    SAME_NETWORK: "other.network = mine.network AND length(mine.network) > 0",
}

# Hand-written SQL because every verdict runs it. A start without an attempt belongs to a deleted player.
_LINKED: Final = (
    "SELECT DISTINCT mine.attempt_id "  # noqa: S608
    f"FROM {Start._meta.db_table} mine JOIN {Attempt._meta.db_table} my ON my.id = mine.attempt_id "
    f"JOIN {Start._meta.db_table} other ON {{shared}} AND other.deal_id = mine.deal_id "
    "AND (other.made_at, other.id) < (mine.made_at, mine.id) "
    f"LEFT JOIN {Attempt._meta.db_table} theirs ON theirs.id = other.attempt_id "
    "WHERE mine.attempt_id IN ({ids}) AND (theirs.id IS NULL OR theirs.player_id <> my.player_id)"
)


def device_of(request: HttpRequest) -> uuid.UUID:
    """Return the device mark of the request's browser, or a new one if the cookie is missing or not ours."""
    stored = request.get_signed_cookie(COOKIE, default=None, salt=_SALT)
    return uuid.UUID(stored) if stored else uuid.uuid4()


def known_device(cookies: Mapping[str, str]) -> uuid.UUID | None:
    """Return the device mark among the cookies of a WebSocket's browser; None if it is missing or not ours."""
    request = HttpRequest()  # only requests can check signed cookies
    request.COOKIES = dict(cookies)
    stored = request.get_signed_cookie(COOKIE, default=None, salt=_SALT)
    return uuid.UUID(stored) if stored else None


def mark(response: HttpResponseBase, device: uuid.UUID) -> None:
    """Set the device cookie."""
    response.set_signed_cookie(
        COOKIE,
        device.hex,
        salt=_SALT,
        max_age=COOKIE_AGE,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def record_start(attempt: Attempt, request: HttpRequest, device: uuid.UUID) -> None:
    """Store the origin of a new attempt, in the transaction that creates the attempt."""
    network = network_digest(area_of(request), attempt.started_at)
    made_at = attempt.started_at
    Start.objects.create(attempt=attempt, deal_id=attempt.deal_id, device=device, network=network, made_at=made_at)


def network_digest(area: str, now: datetime) -> bytes:
    """Return a keyed digest of a network address; empty for an unknown address.

    Digests of two games are comparable only within the same thirty days, and cannot be reversed without the site's key.
    """
    if area == UNKNOWN:
        return b""
    key = salted_hmac(_SALT, str((now - _EPOCH) // KEPT), algorithm="sha256").digest()
    return hmac.digest(key, area.encode(), "sha256")[:16]


def linked_among(attempts: Collection[Attempt], link: Link = SAME_DEVICE) -> set[int]:
    """Return the ids of the attempts whose deal another player had started earlier in the same browser or network.

    Attempts with this reason from an earlier verdict are included, as the data behind it is deleted after a while.
    """
    if not attempts:
        return set()
    sql = _LINKED.format(shared=_SHARED[link], ids=", ".join(["%s"] * len(attempts)))
    (rows,) = run_in_order([(sql, [attempt.pk for attempt in attempts])])
    known = {attempt.pk for attempt in attempts if any(entry.get("code") == link for entry in attempt.reasons)}
    return known | {row[0] for row in rows}


def linked_to(attempt: Attempt) -> QuerySet[Attempt]:
    """Return other players' attempts at any deal that were started in this attempt's browser, earliest first. For
    staff.
    """
    devices = Start.objects.filter(attempt=attempt).values("device")
    others = Attempt.objects.filter(start__device__in=devices).exclude(player=attempt.player_id)
    return others.order_by("started_at", "pk")


def on_network_of(attempt: Attempt) -> QuerySet[Attempt]:
    """Return other players' attempts at this deal that were started in this attempt's network, earliest first. For
    staff.
    """
    networks = Start.objects.filter(attempt=attempt).exclude(network=b"").values("network")
    others = Attempt.objects.filter(start__deal=attempt.deal_id, start__network__in=networks)
    return others.exclude(player=attempt.player_id).order_by("started_at", "pk")


def with_links(attempts: QuerySet[Attempt]) -> QuerySet[Any]:
    """Annotate whether other players started any deal in the same browser (`on_device`), this deal there during the
    attempt (`during`), or this deal in the same network (`on_network`). For staff.
    """
    others = Start.objects.exclude(attempt__player=OuterRef("player"))
    on_device = others.filter(device=OuterRef("start__device"))
    during = on_device.filter(deal=OuterRef("deal"), made_at__range=(OuterRef("started_at"), OuterRef("finished_at")))
    on_network = others.filter(deal=OuterRef("deal"), network=OuterRef("start__network")).exclude(network=b"")
    return attempts.annotate(on_device=Exists(on_device), during=Exists(during), on_network=Exists(on_network))


def doubt(link: Link) -> VerdictReason:
    """Return the reason to store. It names no player."""
    return reason(link, f"Another player started this deal earlier on the same {link.removeprefix('same_')}.")


def forget(player_id: int, now: datetime) -> None:
    """Delete the origins of a player's games.

    For deals that are still secret, only the player is removed until the deal is revealed. Otherwise a player could
    delete the account and play the deal again.
    """
    starts = Start.objects.filter(attempt__player=player_id)
    starts.filter(deal__closes_at__lte=now - GRACE).delete()
    starts.update(attempt=None)
