"""Players who win or try to, and disguises with which a copier hides the origin of a line."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from games.rules import IllegalMoveError, Table, open_table
from games.solver import Budget, Solution, shorten, solve
from games.solver.simulated_players import wish

MOST_TOKENS = 600

#: Seeds of deals that simple players win often, several of them in the same way; Stonewall has none.
EASY = {
    "braid": bytes([7]) * 32,
    "labyrinth": bytes([29]) * 32,
    "tarot-novice": bytes([5]) * 32,
    "plot": bytes([25]) * 32,
}


def solved(variant: str, seed: bytes) -> list[str] | None:
    """Return a winning line that the solver finds with all cards known."""
    table = open_table(variant, seed)
    found = solve(table, Budget(nodes=60_000))
    return list(shorten(table, found.tokens)) if isinstance(found, Solution) else None


def played(variant: str, seed: bytes, chance: Random | None, strays: float = 0.0) -> Table:
    """Return the table after a simple player's game that never repeats a position.

    The player makes the most promising move but strays at random at the rate `strays`; without `chance`, it makes the
    first legal move.
    """
    table = open_table(variant, seed)
    seen = {table.position()}
    while table.token_count < MOST_TOKENS and (legal := table.legal_moves()):
        if chance is not None:
            chance.shuffle(legal)
            if chance.random() >= strays:
                legal.sort(key=lambda token: wish(table, token))
        if not any(_leads_on(table, token, seen) for token in legal):
            break
    return table


def _leads_on(table: Table, token: str, seen: set[str]) -> bool:
    """Play the token unless that leads to a position seen before."""
    table.push(token)
    position = table.position()
    if position in seen:
        table.pop()
        return False
    seen.add(position)
    return True


def disguised(variant: str, seed: bytes, line: Sequence[str], chance: Random, *, undone: int = 10) -> list[str]:
    """Return the same game in disguise.

    Neighbouring moves are swapped where that makes no difference, moves are made and undone, cards are sent there and
    back, and the stock is gone through.
    """
    disguise = _swapped(variant, seed, line, chance)
    before_the_end = range(len(disguise) - 1)  # the winning move is not undone
    places = [chance.sample(before_the_end, k=min(len(before_the_end), n)) for n in (undone, 5, 2)]
    table, tokens = open_table(variant, seed), list[str]()
    for n, token in enumerate(disguise):
        if n in places[0]:
            tokens += [chance.choice(table.legal_moves()), "u"]
        if n in places[1]:
            tokens += _there_and_back(table, chance)
        if n in places[2]:
            tokens += _round_the_stock(table)
        tokens.append(token)
        table.push(token)
    return tokens


def _swapped(variant: str, seed: bytes, line: Sequence[str], chance: Random) -> list[str]:
    tokens, table = list(line), open_table(variant, seed)
    for _ in range(2):
        table = open_table(variant, seed)
        for n in range(len(tokens) - 1):
            if chance.random() < 0.5 and _ends_equally(table, tokens[n : n + 2]):
                tokens[n : n + 2] = tokens[n + 1], tokens[n]
            table.push(tokens[n])
    return tokens


def _ends_equally(table: Table, pair: Sequence[str]) -> bool:
    one, other = _ending(table, pair), _ending(table, pair[::-1])
    return one is not None and one == other


def _ending(table: Table, tokens: Sequence[str]) -> str | None:
    """Return the position after the tokens if they are legal. The table does not change."""
    done = 0
    try:
        for token in tokens:
            table.push(token)
            done += 1
        return table.position()
    except IllegalMoveError:
        return None
    finally:
        for _ in range(done):
            table.pop()


def _there_and_back(table: Table, chance: Random) -> list[str]:
    here, legal = table.position(), [token for token in table.legal_moves() if token.startswith("t")]
    for token in chance.sample(legal, len(legal)):
        source, _, rest = token.partition("-")
        target, cross, count = rest.partition("x")
        way = [token, f"{target}-{source}{cross}{count}"]
        if target != "f" and _ending(table, way) == here:
            return way
    return []


def _round_the_stock(table: Table) -> list[str]:
    if table.GAME != "tarot" or not (table.stock or table.pile("w")):
        return []
    here, tokens = table.position(), list[str]()
    while not tokens or (table.position() != here and len(tokens) < 200):
        tokens.append("d" if table.stock else "n")
        table.push(tokens[-1])
    back = table.position() == here
    for _ in tokens:
        table.pop()
    return tokens if back else []
