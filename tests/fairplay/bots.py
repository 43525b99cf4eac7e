"""Win rates of the bots and of strong simulated players on random winnable deals.

`python -m tests.fairplay.bots [--deals N] [--seed TEXT] [variant …]` (`make bots`) prints docs/measured/bots.csv; the
exit code is 1 if Rex wins fewer games than it should. Shares have 95 % intervals. Times are medians of the games won,
and CPU seconds those of a game. Two strong people play: one weighs the moves on imagined tables, as in the study of
foresight; the other takes moves back from ten dead ends, as in the study of grades.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections.abc import Callable
from functools import partial
from random import Random
from statistics import median
from typing import Final

from games.bots.game_plan import plan_game
from games.bots.lookahead import SECONDS
from games.bots.roster import BOTS
from games.fairplay.evaluation import SEARCHED, options, prospects
from games.rules import CATALOGUE, Table, open_table
from games.rules.hidden_cards import Unseen
from games.rules.shuffle import SEED_BYTES
from games.solver import Budget, Solution, solve
from games.solver.simulated_players import MOST_TOKENS, SKILLS, piles_of, skilled_game, wish
from games.solver.winnability_figures import interval

DEALS: Final = 100
LIMIT_MS: Final = 1_200_000
NODES: Final = 300_000
#: Shares of deals that Rex should win at least.
AIMS: Final = {"labyrinth": 0.3, "stonewall": 0.12}
#: Look-ahead of a strong person: options, imagined tables and moves.
WIDTH, TABLES, AHEAD = 4, 3, 3

Deal = Callable[[], Table]
Play = Callable[[Deal, Random], float | None]
"""Plays a deal and returns the seconds it took to win, 0 if the player has no pace, and None if the game is not won."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", metavar="variant")
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--seed", default=secrets.token_hex(5))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", file=sys.stderr)
    print("variant,player,deals,won,from,to,s,CPU s")
    met = [study(variant, arguments.deals, arguments.seed) for variant in arguments.variants or CATALOGUE]
    return 0 if all(met) else 1


def study(variant: str, number: int, seed: str) -> bool:
    """Print a variant's rows; return whether Rex wins enough."""
    deals = winnable(variant, number, Random(f"{seed} {variant}"))
    shares = {name: row(variant, name, deals, seed) for name in PLAYERS}
    return shares["Rex"] >= max(shares["weighing"], AIMS.get(variant, 0))


def row(variant: str, name: str, deals: list[Deal], seed: str) -> float:
    """Let a player play the deals, print the row, and return the share won."""
    begun = time.process_time()
    games = [PLAYERS[name](deal, Random(f"{seed} {variant} {name} {number}")) for number, deal in enumerate(deals)]
    cpu = (time.process_time() - begun) / len(deals)
    won = [seconds for seconds in games if seconds is not None]
    share, (low, high) = len(won) / len(deals), interval(len(won), len(deals))
    took = f"{median(won):.0f}" if any(won) else ""
    print(f"{variant},{name},{len(deals)},{share:.0%},{low:.0%},{high:.0%},{took},{cpu:.2f}", flush=True)
    return share


def winnable(variant: str, number: int, chance: Random) -> list[Deal]:
    """Draw deals that the solver wins."""
    found: list[Deal] = []
    while len(found) < number:
        deal = partial(open_table, variant, chance.randbytes(SEED_BYTES))
        if isinstance(solve(deal(), Budget(nodes=NODES)), Solution):
            found.append(deal)
    return found


def bot(deal: Deal, chance: Random, slug: str, *, free_undo: bool = True) -> float | None:
    key = chance.randbytes(8).hex()
    game = plan_game(BOTS[slug], deal, key, LIMIT_MS, free_undo=free_undo, seconds=SECONDS)
    return game.end_ms / 1000 if game.won and game.end_ms <= LIMIT_MS else None


def weighing(deal: Deal, chance: Random) -> float | None:
    return 0 if weighing_person(deal(), chance) else None


def retreating(deal: Deal, chance: Random) -> float | None:
    return 0 if skilled_game(deal(), SKILLS["good"], chance) else None


PLAYERS: Final[dict[str, Play]] = {
    "Rex": partial(bot, slug="rex"),
    "Rex without undoing reveals": partial(bot, slug="rex", free_undo=False),
    "Jack": partial(bot, slug="jack"),
    "Pip": partial(bot, slug="pip"),
    "weighing": weighing,
    "retreating": retreating,
}


def weighing_person(table: Table, chance: Random) -> bool:
    """Play the moves that do best on imagined tables; return whether the game is won."""
    unseen, been = Unseen.at(table), {piles_of(table)}
    while table.token_count < MOST_TOKENS and not table.is_won:
        tokens = list(options(table).values())
        chance.shuffle(tokens)
        tokens.sort(key=lambda token: wish(table, token))
        if table.GAME in SEARCHED or (tokens and wish(table, tokens[0])):
            tokens = best_first(table, unseen, tokens, chance)
        if not any(leads_on(table, token, been) for token in tokens):
            break
        unseen = unseen.after(table)
    return table.is_won


def best_first(table: Table, unseen: Unseen, tokens: list[str], chance: Random) -> list[str]:
    """Return the tokens ordered by how well they do on imagined tables."""
    worth = dict.fromkeys(tokens[:WIDTH], 0.0)
    for cards in unseen.deals(table, chance, TABLES)[1:]:
        for token in worth:
            copy = unseen.with_cards(table, cards)
            copy.push(token)
            worth[token] += prospects(copy, AHEAD)
    return sorted(worth, key=lambda token: -worth[token]) + tokens[WIDTH:]


def leads_on(table: Table, token: str, been: set[tuple[object, ...]]) -> bool:
    """Play the token unless it leads back to an earlier position; return whether it was played."""
    table.push(token)
    position = piles_of(table)
    if position in been:
        table.pop()
        return False
    been.add(position)
    return True


if __name__ == "__main__":
    sys.exit(main())
