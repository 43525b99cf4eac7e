"""Hand-made positions, written as the rules write them."""

from __future__ import annotations

from collections import Counter

from games.rules import GAMES
from tests.rules.reference import unshuffled


def written(head: str, piles: dict[str, str]) -> str:
    """Return a position's line in its one spelling.

    Cards not named are the stock, in Stonewall under the king of hearts.
    """
    game = head.split(" ", maxsplit=1)[0]
    aces = ["AS", "AH", "AD", "AC"] if game == "labyrinth" else []
    rest = Counter([*unshuffled(game), *aces])
    rest.subtract(card.lstrip("*") for cards in piles.values() for card in cards.split())
    left = list((+rest).elements())
    if game == "stonewall":
        left.remove("KH")
        piles = {**piles, "t5": " ".join([*(f"*{card}" for card in left), "KH"])}
    elif left:
        piles = {**piles, "s": " ".join(left)}
    fields = [f"{name} {'.'.join(piles[name].split())}" for name in GAMES[game].pile_names() if piles.get(name)]
    return " | ".join([head, *fields])
