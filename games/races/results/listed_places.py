"""Places of the players whom tables list, and the races that they have won: the same for all tables.

Guests and removed players are not listed, and those behind them move up. A lifted ban brings a player back.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Exists, OuterRef, Q, QuerySet

from games.races.models import Entrant, Race


def listed() -> QuerySet[Entrant]:
    """Return the entrants of finished races that have a page and a place, except disqualified ones."""
    users: Any = get_user_model()
    return _placed().filter(player__in=users.objects.with_page()).exclude(state=Entrant.State.DISQUALIFIED)


def has_won() -> Q:
    """Return the condition that a listed entrant has won the race: is first in it, alone or shared."""
    return ~Q(Exists(listed().filter(race=OuterRef("race"), place__lt=OuterRef("place"))))


def removed() -> QuerySet[Entrant]:
    """Return the placed entrants, other than guests, that are banned or have deleted their account."""
    users: Any = get_user_model()
    return _placed().filter(as_guest=False).exclude(player__in=users.objects.named())


def _placed() -> QuerySet[Entrant]:
    return Entrant.objects.filter(race__state=Race.State.FINISHED, place__isnull=False)
