"""View models: the visible parts of deals, attempts and players.

Templates get these instead of model instances, so that no template can leak a seed, a solution, a record or an email
address.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any, Final, Self, TypeVar
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.utils import timezone

from games.attempts.holds import held_until
from games.core.ladders import LadderSlug
from games.core.verdict_reasons import ShownReason, shown
from games.db.players import Player
from games.deals.difficulty import grade_name
from games.models import GRACE, Attempt, Deal
from games.presentation import titles

_Shown = TypeVar("_Shown")

#: Seconds that people take for a move of the winning line, with moves to undo and time to think.
_SECONDS_A_MOVE: Final = 4


def shown_part(view_model: type[_Shown], row: object, **others: Any) -> _Shown:  # noqa: ANN401
    """Return a view model of `row`: its fields are `others`, or else the row's attributes of the same name."""
    # A view model is a dataclass, or a message of a socket.
    names = getattr(view_model, "__struct_fields__", None) or [field.name for field in fields(view_model)]  # type: ignore[arg-type]
    return view_model(**{name: getattr(row, name) for name in names if name not in others}, **others)


@dataclass(frozen=True, slots=True)
class ShownDeal:
    """A deal as everyone may see it now; `seed` is empty until the deal is revealed."""

    id: int
    variant: str
    game: str
    day: date | None
    relaxed_day: date | None
    title: str
    options: list[tuple[str, str]]
    commitment: str
    proven: bool
    starter: bool
    grade: str
    par: int | None
    is_open: bool
    is_revealed: bool
    reveals_at: datetime | None
    seed: str

    @classmethod
    def of(cls, deal: Deal, now: datetime | None = None) -> Self:
        """Return the visible part of `deal` at `now`."""
        now = now or timezone.now()
        is_revealed = deal.is_revealed(now)
        return shown_part(
            cls,
            deal,
            title=titles.deal_title(deal.variant, deal.game),
            options=titles.options_in_words(deal.options),
            grade=grade_name(deal.grade),
            is_open=deal.is_open(now),
            is_revealed=is_revealed,
            reveals_at=deal.closes_at and deal.closes_at + GRACE,
            seed=bytes(deal.seed).hex() if is_revealed else "",
        )

    @property
    def minutes(self) -> int:
        """About how long the game takes people; from ten minutes in steps of five."""
        minutes = max(1, round((self.par or 0) * _SECONDS_A_MOVE / 60))
        return minutes if minutes < 10 else 5 * round(minutes / 5)


#: States whose reasons are shown to the attempt's player.
_EXPLAINED = frozenset({Attempt.State.REVIEW, Attempt.State.REJECTED})


@dataclass(frozen=True, slots=True)
class ShownAttempt:
    """An attempt without its record; `reasons` explain to its player why it is under review or rejected.

    One under review is released at `held_until`; None if only staff can decide.
    """

    public_id: UUID
    ranked: bool
    hinted: bool
    state: str
    end: str
    started_at: datetime
    cards_up: int | None
    elapsed_ms: int | None
    tokens: int | None
    ladder: LadderSlug | None
    reasons: list[ShownReason]
    held_until: datetime | None

    @classmethod
    def of(cls, attempt: Attempt) -> Self:
        """Return the visible part of `attempt`."""
        reasons = shown(attempt.reasons) if attempt.state in _EXPLAINED else []
        until = held_until(attempt)
        return shown_part(cls, attempt, ladder=attempt.ladder_slug, reasons=reasons, held_until=until)

    @property
    def subjects(self) -> list[str]:
        """Subjects of the reasons, without duplicates."""
        return list(dict.fromkeys(str(reason.about) for reason in self.reasons))

    @property
    def is_over(self) -> bool:
        """True if the attempt takes no more moves."""
        return self.state != Attempt.State.PLAYING


@dataclass(frozen=True, slots=True)
class DealTile:
    """A deal, and a player's attempt at it or None."""

    deal: ShownDeal
    attempt: ShownAttempt | None

    @classmethod
    def of(cls, deal: Deal, attempt: Attempt | None, now: datetime | None = None) -> Self:
        """Return the visible part of both at `now`."""
        return cls(ShownDeal.of(deal, now), None if attempt is None else ShownAttempt.of(attempt))


@dataclass(frozen=True, slots=True)
class ShownPlayer:
    """A player as others may see them."""

    public_id: UUID
    name: str
    joined: datetime
    is_former: bool
    has_page: bool

    @classmethod
    def of(cls, player: Player) -> Self:
        """Return the visible part of `player`."""
        return cls(player.public_id, str(player), player.date_joined, player.is_former, player.has_page)

    def __str__(self) -> str:
        return self.name


def revealed(deal: Deal) -> Deal:
    """Return a deal whose seed is public.

    :raises PermissionDenied: while it may still be played for a rank.
    """
    if not deal.is_revealed(timezone.now()):
        raise PermissionDenied
    return deal
