"""Everything that a game needs besides its rules, so that what a new game lacks is listed at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

from games.deals.first_game import winning_lines
from games.deals.starter_deals import shipped
from games.manifests import MANIFESTS
from games.manifests.manifest import VariantFacts
from games.rules import CATALOGUE, GAMES

ROOT = Path(__file__).resolve().parents[2]
#: Files of every game, without which it can't be played.
FILES = (
    "games/rules/variants/{}.py",
    "games/solver/searches/{}.py",
    "games/manifests/{}.py",
    "frontend/static/js/games/{}.js",
    "frontend/static/lessons/{}.json",
    "frontend/templates/games/rules/{}.html",
)
#: Registries with a line for every game.
REGISTRIES = {"games/rules/catalogue.py": '"{}"', "frontend/static/js/games/games.js": '"./{}.js"'}
#: Files that show that a game is right.
PROOFS = ("tests/rules/reference/{}.py",)
#: The same for every variant.
VARIANT_PROOFS = ("docs/vectors/{}.json", "tests/rules/golden/{}.json", "tests/rules/perft/{}.txt")
#: Texts that say in words how many variants or games there are.
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
COUNTS_VARIANTS = (
    "README.md",
    "accounts/profile/calendar_feed.py",
    "config/assets/webmanifest.py",
    "docs/boards.md",
    "frontend/static/js/races/lobby/lobby.js",
    "frontend/templates/base.html",
    "frontend/templates/boards/_after.html",
    "frontend/templates/boards/period.html",
    "frontend/templates/games/_day.html",
    "frontend/templates/games/archive.html",
    "frontend/templates/races/lobby.html",
    "games/deals/daily_points.py",
    "games/pages/replays/link_previews.py",
    "leaderboards/models.py",
)
COUNTS_GAMES = ("frontend/templates/games/rules/index.html",)
#: Figures that a variant does without: people decide like the solver in Braid, and only Tarot Adept has Tarot puzzles.
DONE_WITHOUT = {
    "braid: likeness",
    "tarot: puzzle_points",
    "tarot-novice: puzzle_points",
}


def gaps(game: str) -> Iterator[str]:
    """Yield what a game lacks, as a path or as a fact that is missing."""
    yield from absent(FILES + PROOFS, game)
    yield from (f"{path}: {game}" for path, line in REGISTRIES.items() if line.format(game) not in text(path))
    variants = [name for name, variant in CATALOGUE.items() if variant.game == game]
    facts = MANIFESTS[game].variants if game in MANIFESTS else {}
    for name in variants or [game]:
        missing = [field.name for field in fields(VariantFacts) if getattr(facts.get(name), field.name, None) is None]
        yield from {f"{name}: {field}" for field in missing} - DONE_WITHOUT
        yield from absent(VARIANT_PROOFS, name)
        if name not in CATALOGUE or not winning_lines(name):
            yield f"games/deals/first_games.json: {name}"
        if name not in {starter.variant for starter in shipped()}:
            yield f"games/deals/starter_deals.json: {name}"
    if game not in facts:
        yield f"{game}: no variant is named like the game"
    is_new = game not in GAMES
    yield from miscounted(COUNTS_VARIANTS, len(CATALOGUE) + is_new)
    yield from miscounted(COUNTS_GAMES, len(GAMES) + is_new)


def absent(paths: Iterable[str], name: str) -> Iterator[str]:
    return (path for each in paths if not (ROOT / (path := each.format(name))).exists())


def miscounted(paths: Iterable[str], number: int) -> Iterator[str]:
    """Yield the texts that do not say a number."""
    word = NUMBERS[number]
    return (f"{path}: {word}" for path in paths if not re.search(rf"\b{word}\b", text(path), re.IGNORECASE))


@cache
def text(path: str) -> str:
    return (ROOT / path).read_text()


def test_no_game_lacks_anything() -> None:
    assert {game: found for game in GAMES if (found := sorted(gaps(game)))} == {}


def test_every_gap_of_a_new_game_is_listed_at_once() -> None:
    found = set(gaps("canfield"))
    assert {path.format("canfield") for path in FILES + PROOFS + VARIANT_PROOFS} < found
    assert {f"{path}: canfield" for path in REGISTRIES} < found
    assert {f"canfield: {field.name}" for field in fields(VariantFacts)} < found
    assert {"canfield: no variant is named like the game", "frontend/templates/base.html: ten"} < found
