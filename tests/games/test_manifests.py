"""Everything that a game needs besides its rules, so that what a new game lacks is listed at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from games.deals.first_game import winning_lines
from games.deals.starter_deals import shipped
from games.manifests import MANIFESTS
from games.manifests.manifest import VariantFacts
from games.rules import CATALOGUE, GAMES

ROOT = Path(__file__).resolve().parents[2]
#: Files of every game.
FILES = (
    "games/rules/variants/{}.py",
    "games/solver/{}/search.py",
    "games/manifests/{}.py",
    "frontend/static/js/games/{}.js",
    "frontend/static/lessons/{}.json",
    "frontend/templates/games/rules/{}.html",
)
#: Registry of the client, with a line for every game.
CLIENT = "frontend/static/js/games/games.js"
#: Figures that a variant does without: people decide like the solver in Braid, and Tarot has no puzzles.
DONE_WITHOUT = {
    "braid: likeness",
    "tarot: puzzle_points",
    "tarot-novice: puzzle_points",
    "tarot-adept: puzzle_points",
}


def gaps(game: str) -> Iterator[str]:
    """Yield what a game lacks, as a path or as a fact that is missing."""
    yield from (path for each in FILES if not (ROOT / (path := each.format(game))).exists())
    if f'"./{game}.js"' not in (ROOT / CLIENT).read_text():
        yield f"{CLIENT}: {game}"
    variants = [name for name, variant in CATALOGUE.items() if variant.game == game]
    facts = MANIFESTS[game].variants if game in MANIFESTS else {}
    for name in variants:
        missing = [field.name for field in fields(VariantFacts) if getattr(facts.get(name), field.name, None) is None]
        yield from {f"{name}: {field}" for field in missing} - DONE_WITHOUT
        if not (ROOT / f"tests/rules/golden/{name}.json").exists():
            yield f"tests/rules/golden/{name}.json"
        if not winning_lines(name):
            yield f"games/deals/first_games.json: {name}"
        if name not in {starter.variant for starter in shipped()}:
            yield f"games/deals/starter_deals.json: {name}"
    if game not in facts:
        yield f"{game}: no variant is named like the game"


def test_no_game_lacks_anything() -> None:
    assert {game: found for game in GAMES if (found := sorted(gaps(game)))} == {}


def test_every_gap_of_a_new_game_is_listed_at_once() -> None:
    found = set(gaps("castle"))
    assert {path.format("castle") for path in FILES} < found
    assert f"{CLIENT}: castle" in found
    assert "castle: no variant is named like the game" in found
