"""Manifests of the games, each in a module of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from games.manifests import braid, labyrinth, plot, stonewall, tarot
from games.manifests.manifest import Manifest, VariantFacts
from games.rules import CATALOGUE

MANIFESTS: Final[Mapping[str, Manifest]] = {
    "braid": braid.MANIFEST,
    "labyrinth": labyrinth.MANIFEST,
    "tarot": tarot.MANIFEST,
    "plot": plot.MANIFEST,
    "stonewall": stonewall.MANIFEST,
}
VARIANTS: Final[Mapping[str, VariantFacts]] = {
    name: MANIFESTS[variant.game].variants[name] for name, variant in CATALOGUE.items()
}
"""The facts of every variant, in catalogue order."""
SHORT_VARIANTS: Final = tuple(name for name, variant in CATALOGUE.items() if MANIFESTS[variant.game].is_short)
