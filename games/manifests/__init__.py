"""Manifests of the games, each in a module of its own, named after the game."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final

from games.manifests.manifest import Manifest, VariantFacts
from games.rules import CATALOGUE, GAMES

MANIFESTS: Final[Mapping[str, Manifest]] = {game: import_module(f"{__name__}.{game}").MANIFEST for game in GAMES}
VARIANTS: Final[Mapping[str, VariantFacts]] = {
    name: MANIFESTS[variant.game].variants[name] for name, variant in CATALOGUE.items()
}
"""The facts of every variant, in catalogue order."""
SHORT_VARIANTS: Final = tuple(name for name, variant in CATALOGUE.items() if MANIFESTS[variant.game].is_short)
