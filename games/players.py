"""Who is playing. Accounts build on games, so they register what games ask of them (`AccountsConfig.ready`)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from django.http import HttpRequest

from games import limits
from games.compiled import Insertion

Names = dict[int, tuple[str, UUID]]
"""By the ids of players: the names that are shown, and their public ids."""


class Player(Protocol):
    """A row of the user model, whichever that is."""

    pk: Any
    public_id: Any
    date_joined: Any

    @property
    def is_former(self) -> bool:
        """Whether the account was deleted."""

    @property
    def has_page(self) -> bool:
        """Whether others may see the player's page."""


class Newcomer(NamedTuple):
    """A new guest who is signed in already, and whose rows are still to be inserted."""

    player: Player
    rows: list[Insertion]


@dataclass(frozen=True, slots=True)
class People:
    """What games ask of whoever keeps the accounts."""

    player_for: Callable[[HttpRequest], Player]
    """Whoever plays in this session; a new guest when there is nobody yet."""
    newcomer_for: Callable[[HttpRequest], Newcomer]
    """A new guest for a session in which nobody plays yet."""
    accounts_among: Callable[[Collection[int]], set[int]]
    """Those players, by id, who have accounts."""
    shown_names: Callable[[Collection[int]], Names]
    """The names of those players, by id, who may be named while they play."""
    names_on_pages: Callable[[Collection[int]], Names]
    """The names of those players, by id, who have pages: they are named with their results."""
    names_of: Callable[[Collection[int]], Names]
    """The names of those players, by id, guests among them, who are neither banned nor gone."""
    streak_of: Callable[[int, date], int]
    """The streak of a player, by id, on a day: days won in a row."""
    find_by_name: Callable[[str], int | None]
    """The id of the account of this name that others may find."""
    follows: Callable[[int, int], bool]
    """Whether one player, by id, follows another."""
    avatar_of: Callable[[str], str]
    """Where the picture of the player of this name is; without a name, the one of who is not named."""


_registered: list[People] = []


def register(known: People) -> None:
    """Ask these from now on."""
    _registered[:] = [known]


def people() -> People:
    """Whoever keeps the accounts."""
    return _registered[0]


def player_for(request: HttpRequest) -> Player:
    """Whoever plays in this session; a new guest when there is nobody yet. `check_may_begin` comes first."""
    return people().player_for(request)


def newcomer_for(request: HttpRequest) -> Newcomer:
    """A new guest for a session in which nobody plays yet, for whoever inserts the rows with others.

    `check_may_begin` comes first.
    """
    return people().newcomer_for(request)


def check_may_begin(request: HttpRequest) -> None:
    """Count one game begun: of the player, or of the address from which a new guest comes. Nothing is made before.

    :raises RateLimitedError: when too many games are begun, or too many guests come from one address.
    """
    limits.spend(request, "start" if request.user.is_authenticated else "guest")


def has_account(request: HttpRequest) -> bool:
    """Whether the visitor is signed in with an account, not as a guest."""
    return request.user.is_authenticated and request.user.has_page


def player_id(request: HttpRequest) -> int | None:
    """The player's id, or None for a visitor who has not played."""
    return request.user.pk if request.user.is_authenticated else None
