"""Leaders and places of a day: asked of the boards, which build on games and register it when they are ready."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from uuid import UUID

from games.ladders import LadderSlug
from games.models import Deal
from games.players import Player


@dataclass(frozen=True, slots=True)
class Leader:
    """Who leads a board: of a deal by cards up, of the nine by points. The name of a former player is the site's."""

    player: UUID
    name: str
    is_former: bool
    figure: int
    elapsed_ms: int

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class DayBoards:
    """What everybody may see of a day's boards: the leader of each deal, by its id, and the best of the nine.

    `nines` are the ids of the nine's boards by ladder, `ladder` the one shown.
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
    """Where a player stands: on the boards of the day's deals, by their ids, and on that of the nine."""

    deals: Mapping[int, Place] = field(default_factory=dict)
    nine: Place | None = None


@dataclass(frozen=True, slots=True)
class Boards:
    """What the pages of a day ask."""

    of_day: Callable[[date, Collection[int]], DayBoards]
    """The boards of a day, whose deals have these ids."""
    own: Callable[[int, Collection[int], DayBoards], OwnPlaces]
    """The places of a player, by id, on the boards of these deals and on the nine's."""
    ladder_of: Callable[[Player, Deal], LadderSlug | None]
    """The ladder on which a player's result at a deal will stand; None where there is one for all."""


_registered: list[Boards] = []


def register(known: Boards) -> None:
    """Ask these from now on."""
    _registered[:] = [known]


def boards() -> Boards:
    """Whoever keeps the boards."""
    return _registered[0]
