"""Interface from pages to the day's leaders and places, which `leaderboards` implements."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final
from uuid import UUID

from games.core.ladders import LadderSlug
from games.core.registry import Provider
from games.db.players import Player
from games.models import Deal


@dataclass(frozen=True, slots=True)
class Leader:
    """The leader of a board: by cards up for a deal, by points for the nine. A former player has a generic name.

    `game` is the leader's attempt at a deal, to link to once the deal is revealed.
    """

    player: UUID
    name: str
    is_former: bool
    figure: int
    elapsed_ms: int
    game: UUID | None = None

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class DayBoards:
    """Public part of a day's boards: the leader of each deal by its id, and the best of the nine.

    `nines` has the ids of the nine's boards by ladder; `ladder` is the one shown.
    """

    leaders: Mapping[int, Leader] = field(default_factory=dict)
    best: tuple[Leader, ...] = ()
    players: int = 0
    ladder: LadderSlug = "established"
    nines: Mapping[LadderSlug, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Place:
    """A rank from 1 on a ladder."""

    rank: int
    ladder: LadderSlug


@dataclass(frozen=True, slots=True)
class OwnPlaces:
    """A player's places on the boards of the day's deals, by deal id, and on the board of the nine."""

    deals: Mapping[int, Place] = field(default_factory=dict)
    nine: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Boards:
    """Queries on the boards of a day."""

    of_day: Callable[[date, Collection[int]], DayBoards]
    """Returns the boards of a day, given the ids of its deals."""
    own: Callable[[int, Collection[int], DayBoards], OwnPlaces]
    """Returns a player's places on the boards of these deals and of the nine."""
    ladder_of: Callable[[Player, Deal], LadderSlug | None]
    """Returns the ladder for a player's result at a deal; None if there is one ladder for all."""


boards: Final = Provider[Boards]()
