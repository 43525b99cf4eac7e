"""The games, their daily variants, and opening a table of any of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from games.rules.cards import Deck
from games.rules.errors import OptionError, SeedError, quoted
from games.rules.shuffle import shuffled
from games.rules.table import Options, Table
from games.rules.variants.braid import Braid
from games.rules.variants.labyrinth import Labyrinth
from games.rules.variants.plot import Plot
from games.rules.variants.stonewall import Stonewall
from games.rules.variants.tarot import Tarot

RULES_VERSION: Final = 1
"""The rules version of new deals."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A game with fixed options, under its name in the daily catalogue."""

    name: str
    game: str
    options: Mapping[str, bool | int | str]


@dataclass(frozen=True, slots=True)
class Ruleset:
    """One version of the rules: its games and its variants, both by name.

    Released rules never change. A new ruling creates a new version; the games it changes become subclasses next to the
    old ones.
    """

    version: int
    games: Mapping[str, type[Table]]
    variants: Mapping[str, Variant]


GAMES: Final[Mapping[str, type[Table]]] = MappingProxyType(
    {game.GAME: game for game in (Braid, Labyrinth, Tarot, Plot, Stonewall)}
)


def _variant(name: str, game: str, **options: bool | int | str) -> tuple[str, Variant]:
    return name, Variant(name, game, MappingProxyType(GAMES[game].checked_options(options)))


CATALOGUE: Final[Mapping[str, Variant]] = MappingProxyType(
    dict(
        [
            _variant("braid", "braid"),
            _variant("braid-either", "braid", direction="either"),
            _variant("pigtail", "braid", redeals=3),
            _variant("labyrinth", "labyrinth"),
            _variant("tarot", "tarot"),
            _variant("tarot-novice", "tarot", first_row=False, draw=1),
            _variant("tarot-adept", "tarot", draw=3, fool="trump"),
            _variant("plot", "plot"),
            _variant("stonewall", "stonewall"),
        ]
    )
)


RULESETS: Final[dict[int, Ruleset]] = {RULES_VERSION: Ruleset(RULES_VERSION, GAMES, CATALOGUE)}
"""All versions that records can be replayed under."""


def resolve(
    name: object, options: Mapping[str, object] | None = None, *, version: object = RULES_VERSION
) -> tuple[type[Table], Options]:
    """Return the game class and the complete options for a variant's name, or for a game's name with `options`.

    :raises OptionError: for an unknown name, option or version, or for options given with a variant's name.
    """
    ruleset = RULESETS.get(version) if type(version) is int else None
    if ruleset is None:
        raise OptionError(f"rules version {quoted(version)} is not known")
    if options is None and isinstance(name, str) and name in ruleset.variants:
        variant = ruleset.variants[name]
        return ruleset.games[variant.game], dict(variant.options)
    game = ruleset.games.get(name) if isinstance(name, str) else None
    if game is None:
        if isinstance(name, str) and name in ruleset.variants:
            raise OptionError(f"{name} is a variant, whose options are fixed")
        raise OptionError(f"no variant or game is called {quoted(name)}")
    return game, game.checked_options(options)


def open_table(
    name: str,
    seed: bytes | None = None,
    options: Mapping[str, object] | None = None,
    *,
    deck: Sequence[str] | None = None,
    version: int = RULES_VERSION,
) -> Table:
    """Deal a new table.

    `name` is a catalogue variant, or a game together with `options`. The cards come either from `seed`, 32 bytes, by
    the shuffle of docs/shuffle.md, or from `deck`, a sequence of card names in deck order.

    :raises OptionError: for an unknown name, option or version.
    :raises SeedError: for a bad seed, or unless exactly one of seed and deck is given.
    :raises DeckError: for a deck that is not a permutation of the game's deck.
    """
    game, checked = resolve(name, options, version=version)
    if (seed is None) == (deck is None):
        raise SeedError("a table is opened from either a seed or a deck")
    if deck is not None:
        return game.dealt(checked, game.DECK.read(deck))
    assert seed is not None
    return game.dealt(checked, shuffled(game.DECK.cards, seed))


def shuffled_deck(name: str, seed: bytes) -> list[str]:
    """Return a game's or variant's deck shuffled by a 32-byte seed, as card names in deck order (docs/shuffle.md).

    :raises OptionError: for an unknown name.
    :raises SeedError: unless the seed is 32 bytes.
    """
    deck: Deck = resolve(name)[0].DECK
    return deck.written(shuffled(deck.cards, seed))
