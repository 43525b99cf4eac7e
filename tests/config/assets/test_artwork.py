"""Card deck files: one symbol per line, as the client expects, with everything the symbol uses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from games.rules import open_table

SYMBOL = re.compile(r'^(?:<defs>)?<(g|symbol) id="([^"]+)"[^>]*>(.*)</\1>(?:</defs>)?$', flags=re.MULTILINE)
SUFFIXES = {"french": ["", "-i", "-j", "-c", "-d"], "tarot": ["", "-i", "-c"]}


def cards_of(deck: str) -> set[str]:
    if deck == "french":
        return {rank + suit for rank in "A23456789TJQK" for suit in "SHDC"}
    return {rank + suit for rank in "A23456789TPNQK" for suit in "WCSP"} | {f"M{number}" for number in range(22)}


@pytest.mark.parametrize("name", ["french.svg", "tarot.svg", "tarot.de.svg"])
def test_every_card_has_its_symbols_one_per_line(name: str) -> None:
    text, deck = Path(str(finders.find(f"cards/{name}"))).read_text(), name.partition(".")[0]
    symbols = {name: inside for _, name, inside in SYMBOL.findall(text)}
    assert len(symbols) == text.count(' id="')
    assert {card + suffix for card in cards_of(deck) for suffix in SUFFIXES[deck]} <= set(symbols)
    for symbol, inside in symbols.items():
        used = re.findall(r'<use href="#([^"]+)"(?: transform="[^"]*")?/>', inside)
        assert len(used) == inside.count("<use"), symbol
        assert all("<use" not in symbols[other] for other in used), symbol
        assert "style=" not in inside, f"{symbol}: the content security policy forbids it"


def test_the_cards_match_the_rules() -> None:
    for variant, deck in (("stonewall", "french"), ("tarot", "tarot")):
        shown = {card for pile in open_table(variant, bytes(32)).view()["piles"].values() for card in pile if card}
        assert shown <= cards_of(deck)
