"""An easy Labyrinth, won by moving up every card that can go up."""

from __future__ import annotations

from games.rules import Table, open_table

RANKS = "23456789TJQK"


def easy_labyrinth() -> tuple[Table, list[str]]:
    """Return the table before the first move and the 48 winning tokens; the stock is empty after the 40th."""
    deck = [rank + suit for rank in RANKS for suit in "SHDC"]
    table, tokens = open_table("labyrinth", deck=deck), []
    while token := next((move for move in table.legal_moves() if move.endswith("-f")), None):
        table.push(token)
        tokens.append(token)
    assert table.is_won
    return open_table("labyrinth", deck=deck), tokens
