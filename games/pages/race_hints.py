"""A hint to confirm a strong game of the day in a race: to be sent away, and never a doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

from django.conf import settings
from django.http import HttpRequest

from games.models import Attempt, Deal
from games.pages import titles
from games.players import has_account
from games.races.control import has_raced
from games.rules import CATALOGUE

#: The cookie of a player who has sent the hint away.
COOKIE: Final = f"{settings.COOKIE_PREFIX}talon_race_hint"


@dataclass(frozen=True, slots=True)
class RaceHint:
    """What the hint says: the game by name, and the variants of a quick match of it."""

    game: str
    variants: list[str]
    cookie: str = COOKIE

    @classmethod
    def of(cls, deal: Deal) -> Self:
        """The hint for a deal's game."""
        variants = [name for name, variant in CATALOGUE.items() if variant.game == deal.game]
        return cls(str(titles.GAME_TITLES[deal.game]), variants)


def is_wanted(request: HttpRequest) -> bool:
    """Whether the visitor may be given the hint: has an account, and has not sent it away."""
    return has_account(request) and COOKIE not in request.COOKIES


def hint_at(request: HttpRequest, attempt: Attempt) -> RaceHint | None:
    """The hint for the end of a ranked game of the day, should it end on a top place."""
    asks = attempt.ranked and attempt.deal.day is not None and is_wanted(request)
    return RaceHint.of(attempt.deal) if asks and not has_raced(attempt.player_id, attempt.deal.game) else None
