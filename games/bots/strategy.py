"""Choice of a bot's next move by what looks promising, without looking ahead."""

from __future__ import annotations

from collections.abc import Collection
from random import Random

from games.bots.imagination import Imagined
from games.bots.roster import Bot
from games.solver.simulated_players import Position, piles_of, wish


def choose(bot: Bot, imagined: Imagined, seen: Collection[Position], chance: Random) -> str | None:
    """Return the bot's move, or None if every move leads back to a position in `seen`."""
    table = imagined.table
    moves = table.legal_moves()
    chance.shuffle(moves)
    if chance.random() >= bot.slips:
        moves.sort(key=lambda token: wish(table, token))
    for token in moves:
        table.push(token)
        position = piles_of(table)
        table.pop()
        if position not in seen:
            return token
    return None
