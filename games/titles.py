"""What games, variants and options are called on pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from games.models import Deal
from games.rules import CATALOGUE, GAMES, Option

GAME_TITLES: Final = {
    "braid": "Braid",
    "labyrinth": "Labyrinth",
    "tarot": "Tarot Solitaire",
    "plot": "The Plot",
    "stonewall": "Stonewall",
}
VARIANT_TITLES: Final = {
    "braid": "Braid",
    "braid-either": "Braid, either way",
    "pigtail": "Pigtail",
    "labyrinth": "Labyrinth",
    "tarot": "Tarot Solitaire",
    "tarot-novice": "Tarot Novice",
    "tarot-adept": "Tarot Adept",
    "plot": "The Plot",
    "stonewall": "Stonewall",
}
OPTION_TITLES: Final = {
    "direction": "Building direction",
    "redeals": "Redeals",
    "first_row": "First face-down row",
    "draw": "Cards drawn at a time",
    "fool": "The Fool",
}
_CHOICE_TITLES: Final[Mapping[tuple[str, object], str]] = {
    ("direction", "up"): "upward",
    ("direction", "either"): "the player's choice",
    ("first_row", True): "dealt",
    ("first_row", False): "left out",
    ("fool", "wild"): "wild",
    ("fool", "trump"): "the first trump",
}


def deal_title(deal: Deal) -> str:
    """A deal's game or variant by name, without its day."""
    return VARIANT_TITLES[deal.variant] if deal.variant else GAME_TITLES[deal.game]


def choice_title(option: str, value: object) -> str:
    """One choice of an option in words."""
    return _CHOICE_TITLES.get((option, value), str(value))


def options_in_words(deal: Deal) -> list[tuple[str, str]]:
    """A deal's options, each with what was chosen."""
    return [(OPTION_TITLES[name], choice_title(name, value)) for name, value in deal.options.items()]


def games_and_options() -> list[tuple[str, str, tuple[Option, ...]]]:
    """Every game's name, title and options, in catalogue order."""
    names = dict.fromkeys(variant.game for variant in CATALOGUE.values())
    return [(name, GAME_TITLES[name], GAMES[name].OPTIONS) for name in names]
