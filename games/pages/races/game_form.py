"""Form for the game of a room: a variant, or a game with custom options."""

from __future__ import annotations

from typing import Any, Final

from django.http import QueryDict

from games.core.errors import ErrorCode, Refusal
from games.core.json_body import parse_json
from games.presentation import titles
from games.races.models import PUZZLES
from games.races.rooms import LIMITS_S, MAX_SEATS, MIN_SEATS, Settings
from games.rules import GAMES

#: Prefix of a game played with the custom options of the form.
OWN: Final = "own:"
_DEFAULT: Final = Settings()


def chosen(form: QueryDict) -> Settings:
    """Parse the form. The room checks later that the game exists.

    :raises Refusal: if the form is invalid.
    """
    name = form.get("name", _DEFAULT.name)
    try:
        options = None
        if name.startswith(OWN):
            name = name.removeprefix(OWN)
            options = _options(name, form)
        limit_s, seats = int(form.get("limit", _DEFAULT.limit_s)), int(form.get("seats", _DEFAULT.seats))
    except ValueError:
        raise Refusal(ErrorCode.BAD_OPTION) from None
    return Settings(name, options, limit_s, seats, form.get("privacy") == "public", form.get("undo") != "unseen")


def _options(game: str, form: QueryDict) -> dict[str, Any]:
    if game not in GAMES:
        raise ValueError("there is no such game")
    names = [option.name for option in GAMES[game].OPTIONS]
    return {name: parse_json(str(form[key])) for name in names if (key := f"option-{game}-{name}") in form}


def choices() -> dict[str, Any]:
    """Return the form's choices for its template."""
    return {
        "variants": [variant | {"standard": variant["name"] == _DEFAULT.name} for variant in titles.variant_choices()],
        "puzzles": {"name": PUZZLES, "title": titles.PUZZLES_TITLE},
        "games": [
            {"name": name, "title": title, "options": titles.option_fields(options)}
            for name, title, options in titles.games_and_options()
            if options
        ],
        "limits": [
            {"seconds": limit, "minutes": limit // 60, "standard": limit == _DEFAULT.limit_s} for limit in LIMITS_S
        ],
        "bots": titles.bot_choices(),
        "seats": [{"count": count, "standard": count == _DEFAULT.seats} for count in range(MIN_SEATS, MAX_SEATS + 1)],
    }
