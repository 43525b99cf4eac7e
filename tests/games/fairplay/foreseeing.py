"""Players of three strengths who know only what they have seen, and two who know more."""

from __future__ import annotations

from random import Random
from typing import Final, Literal

from games.fairplay.evaluation import SEARCHED, options, prospects
from games.rules import RULES_VERSION, End, Record, Table, open_table
from games.rules.hidden_cards import Unseen
from games.solver.simulated_players import wish
from tests.games.fairplay import simulated
from tests.games.fairplay.copying import MOST_TOKENS, _leads_on, played, solved

Kind = Literal["weak", "decent", "strong", "peek", "line"]

#: Look-ahead of the strong player: number of options, of sampled deals that look the same, and of moves.
WIDTH: Final = 4
DEALS: Final = 3
AHEAD: Final = 3


def game(variant: str, seed: bytes, kind: Kind, chance: Random) -> Table | None:
    """Return the table after a game of this kind of player.

    Weak, decent and strong players know only what they have seen. The peeker sees hidden cards and makes unusual moves;
    the last kind follows a solver's line, if there is one.
    """
    if kind == "line":
        return _followed(variant, seed)
    if kind in ("strong", "peek"):
        return looking_ahead(variant, seed, chance, peeking=kind == "peek")
    return played(variant, seed, chance, 0.25 if kind == "weak" else 0.02)


def looking_ahead(variant: str, seed: bytes, chance: Random, *, peeking: bool = False) -> Table:
    """Return the table after a game that tries the most inviting moves on deals that would look the same.

    With `peeking`, moves that are better in the real deal than in those come first.
    """
    table = open_table(variant, seed)
    unseen, been = Unseen.at(table), {table.position()}
    while table.token_count < MOST_TOKENS and not table.is_won:
        tokens = list(options(table).values())
        chance.shuffle(tokens)
        tokens.sort(key=lambda token: wish(table, token))
        if table.GAME in SEARCHED or (tokens and wish(table, tokens[0])):
            real, *others = unseen.deals(table, chance, DEALS)
            weights = [(real, float(DEALS if peeking else 0)), *((cards, -1.0 if peeking else 1.0) for cards in others)]
            tokens = _best_first(table, unseen, tokens, weights)
        if not any(_leads_on(table, token, been) for token in tokens):
            break
        unseen = unseen.after(table)
    return table


def _best_first(table: Table, unseen: Unseen, tokens: list[str], deals: list[tuple[list[int], float]]) -> list[str]:
    """Return the tokens ordered by how well they do in the deals."""
    tried = tokens[:WIDTH]
    worth = dict.fromkeys(tried, 0.0)
    for cards, weight in deals:
        for token in tried:
            copy = unseen.with_cards(table, cards)
            copy.push(token)
            worth[token] += weight * prospects(copy, AHEAD)
    return sorted(tried, key=lambda token: -worth[token]) + tokens[WIDTH:]


def _followed(variant: str, seed: bytes) -> Table | None:
    line = solved(variant, seed)
    if line is None:
        return None
    table = open_table(variant, seed)
    for token in line:
        table.push(token)
    return table


def recorded(variant: str, seed: bytes, table: Table, chance: Random, *, by_timer: bool = False) -> Record:
    """Record the game at a human pace, or by a timer with jitter and pauses that is slower than many people."""
    line = simulated.observed(open_table(variant, seed), table.moves)
    if by_timer:
        return _record(variant, seed, table, simulated.run(simulated.timer(900.0, chance), line, chance))
    return _record(variant, seed, table, simulated.play(simulated.person(chance), line, chance))


def _record(variant: str, seed: bytes, table: Table, game: simulated.Game) -> Record:
    """Return the record up to the win; a person may fumble and repeat a move."""
    again, tokens = open_table(variant, seed), list[str]()
    for token in game.tokens:
        if again.is_won:
            break
        again.push(token)
        tokens.append(token)
    clock = game.clock[: len(tokens)]
    end = End("won" if table.is_won else "resigned", clock[-1])
    return Record(RULES_VERSION, variant, None, seed, tuple(tokens), tuple(clock), end)
