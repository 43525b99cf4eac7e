"""Choice of a bot's next move.

The strategy never gets the real table. It works on imagined ones, which look the same to a player, but on which the
cards that the player has not seen are shuffled. So nothing it can reach depends on a hidden card.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random
from typing import Final

from games.bots.roster import Bot
from games.rules import Table
from games.rules.hidden_cards import Unseen
from games.solver.simulated_players import Position, greedy_game, piles_of, wish

#: Moves that are tried on imagined tables, most promising first.
TRIED: Final = 6


def imagine(table: Table, unseen: Unseen, number: int, chance: Random) -> list[Table]:
    """Return `number` copies of the table, without its history, on which the unseen cards are shuffled."""
    return [unseen.with_cards(table, cards) for cards in unseen.deals(table, chance, number)[1:]]


def choose(bot: Bot, imagined: Sequence[Table], seen: Collection[Position], chance: Random) -> str | None:
    """Return the bot's move, or None if every move leads back to a position in `seen`.

    `imagined` are tables that look the same to a player; with more than one, the moves are tried on them.
    """
    table = imagined[0]
    moves = table.legal_moves()
    chance.shuffle(moves)
    has_slipped = chance.random() < bot.slips
    if not has_slipped:
        moves.sort(key=lambda token: wish(table, token))
    fresh = [token for token in moves if _after(table, token) not in seen]
    if not fresh:
        return None
    if has_slipped or len(imagined) == 1:
        return fresh[0]
    return max(fresh[:TRIED], key=lambda token: sum(_cards_up(copy, token, chance) for copy in imagined))


def _after(table: Table, token: str) -> Position:
    table.push(token)
    position = piles_of(table)
    table.pop()
    return position


def _cards_up(table: Table, token: str, chance: Random) -> int:
    """Return the cards up after the move and a quick game to the end."""
    start = table.token_count
    table.push(token)
    greedy_game(table, chance)
    cards_up = table.cards_up
    while table.token_count > start:
        table.pop()
    return cards_up
