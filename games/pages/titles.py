"""What games, variants and options are called on pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games.models import Deal
from games.rules import CATALOGUE, GAMES, Option

GAME_TITLES: Final[Mapping[str, Promise]] = {
    "braid": _("Braid"),
    "labyrinth": _("Labyrinth"),
    "tarot": _("Tarot Solitaire"),
    "plot": _("The Plot"),
    "stonewall": _("Stonewall"),
}
VARIANT_TITLES: Final[Mapping[str, Promise]] = {
    "braid": _("Braid"),
    "braid-either": _("Braid, either way"),
    "pigtail": _("Pigtail"),
    "labyrinth": _("Labyrinth"),
    "tarot": _("Tarot Solitaire"),
    "tarot-novice": _("Tarot Novice"),
    "tarot-adept": _("Tarot Adept"),
    "plot": _("The Plot"),
    "stonewall": _("Stonewall"),
}
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

_REFUSALS: Final[Mapping[str, Promise]] = {
    "bad_record": _("The record is not of the documented form."),
    "bad_option": _("The record names an unknown game or option."),
    "bad_seed": _("The record's seed is not valid."),
    "bad_deck": _("The record's deck is not the game's."),
    "invalid_token": _("This is not a move of the game."),
    "illegal_move": _("The rules do not allow this move."),
    "record_full": _("The record has more moves than allowed."),
    "contradicted_end": _("The game did not end as the record says."),
}


def deal_title(deal: Deal) -> str:
    """A deal's game or variant by name, without its day."""
    return str(VARIANT_TITLES[deal.variant] if deal.variant else GAME_TITLES[deal.game])


def choice_title(option: str, value: object) -> str:
    """One choice of an option in words."""
    return str(_CHOICE_TITLES.get((option, value), value))


def refusal_title(code: str) -> str:
    """What the rules refuse, by the code of their error; their own sentence says it in English and to the letter."""
    return str(_REFUSALS.get(code, _REFUSALS["bad_record"]))


def options_in_words(deal: Deal) -> list[tuple[str, str]]:
    """A deal's options, each with what was chosen."""
    return [(str(OPTION_TITLES[name]), choice_title(name, value)) for name, value in deal.options.items()]


def games_and_options() -> list[tuple[str, str, tuple[Option, ...]]]:
    """Every game's name, title and options, in catalogue order."""
    names = dict.fromkeys(variant.game for variant in CATALOGUE.values())
    return [(name, str(GAME_TITLES[name]), GAMES[name].OPTIONS) for name in names]
