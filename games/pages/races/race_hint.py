"""Race hint: a dismissible suggestion to confirm a strong daily game in a race. It never implies doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

from django.conf import settings
from django.http import HttpRequest

from games.db.players import has_account
from games.models import Attempt, Deal
from games.presentation import titles
from games.races.results.confirming_races import has_raced
from games.rules import CATALOGUE

#: Cookie of a player who has dismissed the hint.
COOKIE: Final = f"{settings.COOKIE_PREFIX}talon_race_hint"


@dataclass(frozen=True, slots=True)
class RaceHint:
    """Contents of the hint: the game's title, and the variants for a quick match."""

    game: str
    variants: list[str]
    cookie: str = COOKIE

    @classmethod
    def of(cls, deal: Deal) -> Self:
        """Return the hint for a deal's game."""
        variants = [name for name, variant in CATALOGUE.items() if variant.game == deal.game]
        return cls(str(titles.GAME_TITLES[deal.game]), variants)


def may_suggest(request: HttpRequest) -> bool:
    """Return whether the visitor has an account and has not dismissed the hint."""
    return has_account(request) and COOKIE not in request.COOKIES


def hint_at(request: HttpRequest, attempt: Attempt) -> RaceHint | None:
    """Return the hint for a ranked daily game, to show if it ends on a top place."""
    is_candidate = attempt.ranked and attempt.deal.day is not None and may_suggest(request)
    return RaceHint.of(attempt.deal) if is_candidate and not has_raced(attempt.player_id, attempt.deal.game) else None
