"""Form for the game of a room: a variant, or a game with custom options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.http import QueryDict

from games.core.errors import ErrorCode, Refusal
from games.core.json_body import parse_json
from games.presentation import titles
from games.races.models import PUZZLES
from games.races.rooms import LIMITS_S, MAX_SEATS, MIN_SEATS
from games.rules import GAMES

#: Prefix of a game played with the custom options of the form.
OWN: Final = "own:"
_NAME: Final = "stonewall"
_LIMIT_S: Final = 900
_SEATS: Final = 8


@dataclass(frozen=True, slots=True)
class Chosen:
    """The contents of the form."""

    name: str
    options: dict[str, Any] | None
    limit_s: int
    seats: int
    public: bool
    free_undo: bool


def chosen(form: QueryDict) -> Chosen:
    """Parse the form. The room checks later that the game exists.

    :raises Refusal: if the form is invalid.
    """
    name = form.get("name", _NAME)
    try:
        options = None
        if name.startswith(OWN):
            name = name.removeprefix(OWN)
            options = _options(name, form)
        limit_s, seats = int(form.get("limit", _LIMIT_S)), int(form.get("seats", _SEATS))
    except ValueError:
        raise Refusal(ErrorCode.BAD_OPTION) from None
    return Chosen(name, options, limit_s, seats, form.get("privacy") == "public", form.get("undo") != "unseen")


def _options(game: str, form: QueryDict) -> dict[str, Any]:
    if game not in GAMES:
        raise ValueError("there is no such game")
    names = [option.name for option in GAMES[game].OPTIONS]
    return {name: parse_json(str(form[key])) for name in names if (key := f"option-{game}-{name}") in form}


def choices() -> dict[str, Any]:
    """Return the form's choices for its template."""
    return {
        "variants": [variant | {"standard": variant["name"] == _NAME} for variant in titles.variant_choices()],
        "puzzles": {"name": PUZZLES, "title": titles.PUZZLES_TITLE},
        "games": [
            {"name": name, "title": title, "options": titles.option_fields(options)}
            for name, title, options in titles.games_and_options()
            if options
        ],
        "limits": [{"seconds": limit, "minutes": limit // 60, "standard": limit == _LIMIT_S} for limit in LIMITS_S],
        "bots": titles.bot_choices(),
        "seats": [{"count": count, "standard": count == _SEATS} for count in range(MIN_SEATS, MAX_SEATS + 1)],
    }
