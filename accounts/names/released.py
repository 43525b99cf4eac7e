"""Released names: names given up by deleting or renaming an account stay reserved for a while.

Otherwise a player could play today's deals a second time under the same name. So a name stays reserved until the deals
played under it are revealed.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.core.exceptions import ValidationError
from django.db.models import Max
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from accounts.models import HeldName, User
from accounts.names.validation import alike_keys
from games.models import GRACE, Attempt

HELD: Final = _("This name was in use today. It becomes free when today's games are over.")


def hold(user: User, key: str | None, *, owner: User | None, now: datetime | None = None) -> None:
    """Reserve the name with this key until the deals that ``user`` has played are revealed.

    ``owner`` may take the name back; with None, no player can. Call this in the transaction that gives the name up,
    before attempts are deleted.
    """
    now = now or timezone.now()
    secret = Attempt.objects.filter(player=user, deal__day__isnull=False, deal__closes_at__gt=now - GRACE)
    closes_at = secret.aggregate(last=Max("deal__closes_at"))["last"]
    if key and closes_at is not None:
        values = {"until": closes_at + GRACE, "player": owner}
        HeldName.objects.update_or_create(key=_digest(key), defaults=values)


def check_not_held(name: str, player: User | None = None, now: datetime | None = None) -> None:
    """Check that a name, or one that reads like it, is not reserved for a player other than ``player``.

    :raises ValidationError: if it is reserved.
    """
    holds = HeldName.objects.filter(key__in=map(_digest, alike_keys(name)), until__gt=now or timezone.now())
    if player is not None and player.pk:
        holds = holds.exclude(player=player)
    if holds.exists():
        raise ValidationError(HELD, code="name_held")


def _digest(key: str) -> str:
    return salted_hmac("accounts.held_names", key, algorithm="sha256").hexdigest()
