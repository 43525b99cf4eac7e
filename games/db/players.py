"""Player lookups. `accounts` depends on `games`, so it registers the functions needed here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, NamedTuple, Protocol
from uuid import UUID

from django.http import HttpRequest

from games.core import limits
from games.core.registry import Provider
from games.core.waiting import check_may_join

Names = dict[int, tuple[str, UUID]]
"""Display name and public id by player id."""


class WinStreaks(NamedTuple):
    """Streaks of a player, in days won: with any of the dailies, and with today's game."""

    any_game: int
    todays_game: int


class Player(Protocol):
    """Interface of the user model."""

    pk: Any
    public_id: Any
    date_joined: Any

    @property
    def is_former(self) -> bool:
        """True if the account was deleted."""

    @property
    def has_page(self) -> bool:
        """True if others may see the player's page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerServices:
    """Functions that `accounts` provides to `games`. Sets and mappings are keyed by player id."""

    player_for: Callable[[HttpRequest], Player]
    """Return the session's player, creating a guest if there is none."""
    create_guest: Callable[[], Player]
    """Create a guest."""
    bot_player: Callable[[str, str], Player]
    """Return the player of a bot, by slug and name, creating it if there is none."""
    sign_in: Callable[[HttpRequest, Player], None]
    """Sign a new guest in to the session."""
    accounts_among: Callable[[Collection[int]], set[int]]
    """Return those players who have accounts."""
    shown_names: Callable[[Collection[int]], Names]
    """Return the names of those players who may be named while they play."""
    names_on_pages: Callable[[Collection[int]], Names]
    """Return the names of those players who have pages and so are named with their results."""
    names_of: Callable[[Collection[int]], Names]
    """Return the names of those players, guests included, who are neither banned nor deleted."""
    streaks_of: Callable[[int, date], WinStreaks]
    """Return a player's streaks on a day."""
    relaxed_streak_of: Callable[[int, date], int]
    """Return a player's streak on a day, in days with a relaxed game won."""
    find_by_name: Callable[[str], int | None]
    """Return the id of the account with this name, or None if there is none that others may find."""
    follows: Callable[[int, int], bool]
    """Return True if the first player follows the second."""
    avatar_of: Callable[[str], str]
    """Return the URL of the avatar for a player's name, or of the anonymous avatar for an empty name."""


player_services: Final = Provider[PlayerServices]()


def player_for(request: HttpRequest) -> Player:
    """Return the session's player, creating a guest if there is none. Call `check_may_start` first."""
    return player_services().player_for(request)


def check_may_start(request: HttpRequest) -> None:
    """Count one new game of the player, or a new guest of the visitor's network; call it before creating anything.

    :raises RateLimitedError: when too many games were begun, or too many guests came from one network.
    """
    if request.user.is_authenticated:
        limits.spend(request, "start")
    else:
        check_may_join(request)


def has_account(request: HttpRequest) -> bool:
    """Return True if the visitor is signed in with an account, not as a guest."""
    return request.user.is_authenticated and request.user.has_page


def player_id(request: HttpRequest) -> int | None:
    """Return the player's id, or None for a visitor who has not played."""
    return request.user.pk if request.user.is_authenticated else None
