"""Hand-made positions for both the engine and the reference implementation."""

from __future__ import annotations

from collections import Counter
from typing import Any

from games.rules import GAMES, Table, from_position
from tests.rules.reference import STANDARD, SlowTable, unshuffled
from tests.rules.variants.comparison import check_same


def lay(game: str, piles: dict[str, str], options: dict[str, Any] | None = None, **facts: Any) -> Table:
    """Lay out a position and check that engine and reference see the same in it.

    Piles are written bottom to top with blanks between the cards and a star before a face-down card. Cards not named
    are the stock; in a game without one they lie face down under the king of hearts in the last pile.
    """
    chosen = {**STANDARD[game], **(options or {})}
    if game == "stonewall":
        hidden = [f"*{card}" for card in _rest(game, {**piles, "t5": "KH"})]
        piles = {**piles, "t5": " ".join([*hidden, "KH"])}
    else:
        piles = {**piles, "s": " ".join(_rest(game, piles))}
    table = from_position(_text(game, piles, chosen, facts))
    check_same(table, _slow(game, piles, chosen, facts))
    return table


def _rest(game: str, piles: dict[str, str]) -> list[str]:
    named = Counter(card.lstrip("*") for cards in piles.values() for card in cards.split())
    rest = Counter(unshuffled(game))
    rest.subtract(named)
    assert min(rest.values()) >= 0, "a card occurs too often"
    return list(rest.elements())


def _text(game: str, piles: dict[str, str], options: dict[str, Any], facts: dict[str, Any]) -> str:
    changed = [f"{name}={str(value).lower()}" for name, value in options.items() if value != STANDARD[game][name]]
    fields = [" ".join([game, *changed])]
    fields += [f"{name}={value}" for name, value in facts.items()]
    fields += [f"{name} {'.'.join(piles[name].split())}" for name in GAMES[game].pile_names() if piles.get(name)]
    return " | ".join(fields)


def _slow(game: str, piles: dict[str, str], options: dict[str, Any], facts: dict[str, Any]) -> SlowTable:
    slow = SlowTable(game, unshuffled(game), options)
    for name in slow.state.piles:
        cards = piles.get(name, "").split()
        slow.state.piles[name] = [card.lstrip("*") for card in cards]
        slow.state.face_down[name] = {place for place, card in enumerate(cards) if card[0] == "*"}
    if "f0" in piles:
        slow.state.base = piles["f0"][0]
    if "rounds" in facts:
        slow.state.rounds_left = facts["rounds"]
    slow.deck = [card for cards in slow.state.piles.values() for card in cards]
    return slow
