"""Display names of games, variants, options and bots."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games.bots.roster import BOTS
from games.deals.difficulty import grade_name
from games.manifests import MANIFESTS, VARIANTS
from games.races.models import PUZZLES
from games.rules import CATALOGUE, GAMES, Option, open_table

GAME_TITLES: Final[Mapping[str, Promise]] = {
    game: manifest.variants[game].title for game, manifest in MANIFESTS.items()
}
VARIANT_TITLES: Final[Mapping[str, Promise]] = {name: facts.title for name, facts in VARIANTS.items()}
OPTION_TITLES: Final[Mapping[str, Promise]] = {
    "direction": _("Building direction"),
    "redeals": _("Redeals"),
    "first_row": _("First face-down row"),
    "draw": _("Cards drawn at a time"),
    "fool": _("The Fool"),
}
_CHOICE_TITLES: Final[Mapping[tuple[str, object], Promise]] = {
    ("direction", "up"): _("upward"),
    ("direction", "either"): _("the player's choice"),
    ("first_row", True): _("dealt"),
    ("first_row", False): _("left out"),
    ("fool", "wild"): _("wild"),
    ("fool", "trump"): _("the first trump"),
}
PUZZLES_TITLE: Final = _("Puzzles")
#: Grades that describe the bots, in their order.
_BOT_GRADES: Final = (2, 3, 4)


def bot_choices() -> list[dict[str, str]]:
    """Return the bots for a form, from weakest to strongest: `slug`, `name` and `level`."""
    named = zip(BOTS.values(), _BOT_GRADES, strict=True)
    return [{"slug": racer.slug, "name": racer.name, "level": grade_name(grade)} for racer, grade in named]


def deal_title(variant: str, game: str) -> str:
    """Return the title of a deal: of its variant, or of its game if it has custom options; or that of puzzle races."""
    if game == PUZZLES:
        return str(PUZZLES_TITLE)
    return str(VARIANT_TITLES[variant] if variant else GAME_TITLES[game])


def choice_title(option: str, value: object) -> str:
    """Return the display name of an option's value."""
    return str(_CHOICE_TITLES.get((option, value), value))


def options_in_words(options: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return a deal's options with their values, both as display names."""
    return [(str(OPTION_TITLES[name]), choice_title(name, value)) for name, value in options.items()]


def option_fields(options: Iterable[Option], prefix: str = "") -> list[dict[str, Any]]:
    """Return a form's fields for these options, with the choices' values as JSON."""
    return [
        {
            "name": f"{prefix}{option.name}",
            "title": OPTION_TITLES[option.name],
            "choices": [
                {
                    "value": json.dumps(value),
                    "title": choice_title(option.name, value),
                    "standard": value == option.default,
                }
                for value in option.choices
            ],
        }
        for option in options
    ]


def variant_choices() -> list[dict[str, Any]]:
    """Return the variants for a form, in catalogue order."""
    return [{"name": name, "title": VARIANT_TITLES[name]} for name in CATALOGUE]


def games_and_options() -> list[tuple[str, str, tuple[Option, ...]]]:
    """Return every game's name, title and options, in catalogue order."""
    names = dict.fromkeys(variant.game for variant in CATALOGUE.values())
    return [(name, str(GAME_TITLES[name]), GAMES[name].OPTIONS) for name in names]


def rules_context(game: str) -> dict[str, Any]:
    """Return the template context of a game's rules."""
    variants = [
        {"name": name, "title": VARIANT_TITLES[name]} for name, variant in CATALOGUE.items() if variant.game == game
    ]
    games = [{"name": name, "title": title} for name, title, _options in games_and_options()]
    kindred = MANIFESTS[game].kindred
    return {"game": game, "title": GAME_TITLES[game], "variants": variants, "games": games, "kindred": kindred}


@cache
def _goals() -> dict[str, int]:
    """Return the number of cards up in a won game, by game."""
    return {name: open_table(name, bytes(32)).goal for name in GAMES}


def for_client() -> dict[str, Any]:
    """Return all display names in the page's language and each game's goal, for rendering by the client."""
    return {
        "variants": {name: str(title) for name, title in {**VARIANT_TITLES, PUZZLES: PUZZLES_TITLE}.items()},
        "games": {name: str(title) for name, title in GAME_TITLES.items()},
        "options": {name: str(title) for name, title in OPTION_TITLES.items()},
        "choices": {f"{name}={json.dumps(value)}": str(title) for (name, value), title in _CHOICE_TITLES.items()},
        "goals": _goals(),
    }
