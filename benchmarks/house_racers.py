"""Strength of the house racers: how often simulated players of three skills win a race against each.

`python -m benchmarks.house_racers [--races N] [--variants NAME ...] [--seed TEXT]`; the exit code is 1 if a newcomer
does not win about two races in three against the weakest racer. Every race is on a fresh random deal. The simulated
players choose and move by models of their own (`games.solver.simulated_players`, `tests.games.fairplay`).
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from functools import partial
from random import Random

import django

from benchmarks.references import announce, verdict
from games.house_racers.game_plan import GamePlan, plan_game
from games.house_racers.racers import HOUSE_RACERS
from games.rules import CATALOGUE, Table, open_table
from games.rules.shuffle import SEED_BYTES
from games.solver.simulated_players import SKILLS, skilled_game

RACES = 60
LIMIT_MS = 1_200_000
#: Skill of a newcomer's moves, and of their pace (0.7 is an occasional player, 1 the fastest).
NEWCOMER = "poor"
PACES = {"poor": 0.7, "fair": 0.85, "good": 1.0}
#: Share of races that a newcomer should win against the weakest racer.
LEAST, MOST = 0.57, 0.77

Result = tuple[bool, int, int]
"""Won, cards up, and ms."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--races", type=int, default=RACES, help="of each player against each racer and variant")
    parser.add_argument("--variants", nargs="+", default=list(CATALOGUE), choices=list(CATALOGUE))
    parser.add_argument("--seed", default=secrets.token_hex(8), help="of the deals and the players")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()  # for the models that the simulated players import
    announce()
    print(f"seed {options.seed}, {options.races} races each; races won by players of three skills")
    print(f"{'':<14}" + "".join(f"{racer.name:^21}" for racer in HOUSE_RACERS.values()))
    print(f"{'':<14}" + "".join("".join(f"{skill:>7}" for skill in SKILLS) for _ in HOUSE_RACERS))
    totals = {(racer, skill): 0.0 for racer in HOUSE_RACERS for skill in SKILLS}
    for variant in options.variants:
        won = shares(variant, options.races, Random(f"{options.seed} {variant}"))
        print(f"{variant:<14}" + "".join(f"{won[pair]:>7.0%}" for pair in totals), flush=True)
        totals = {pair: total + won[pair] / len(options.variants) for pair, total in totals.items()}
    print(f"{'all':<14}" + "".join(f"{share:>7.0%}" for share in totals.values()))
    share = totals[next(iter(HOUSE_RACERS)), NEWCOMER]
    met = LEAST <= share <= MOST
    print(f"a newcomer wins {share:.0%} against the weakest   target {LEAST:.0%} to {MOST:.0%}   {verdict(met=met)}")
    return 0 if met else 1


def shares(variant: str, races: int, chance: Random) -> dict[tuple[str, str], float]:
    """Return the share of races won by each skill against each racer."""
    won = {(racer, skill): 0.0 for racer in HOUSE_RACERS for skill in SKILLS}
    for _ in range(races):
        deal = partial(open_table, variant, chance.randbytes(SEED_BYTES))
        people = {skill: person(deal(), skill, chance) for skill in SKILLS}
        for slug, racer in HOUSE_RACERS.items():
            program = result(plan_game(racer, deal, chance.randbytes(8).hex(), LIMIT_MS))
            for skill, own in people.items():
                won[slug, skill] += (rank(own) < rank(program)) / races
    return won


def person(table: Table, skill: str, chance: Random) -> Result:
    """Play a deal with a skill at a human pace, and return the result at the time limit."""
    from tests.games.fairplay import reaction_players, simulated

    skilled_game(table, SKILLS[skill], chance)
    tokens = table.moves
    take_back_all(table)
    steps = simulated.observed(table, tokens)
    game = reaction_players.play(reaction_players.player(chance, PACES[skill]), steps, chance)
    take_back_all(table)
    for token, ms in zip(tokens, game.clock, strict=True):
        if ms > LIMIT_MS:
            break
        table.push(token)
    return table.is_won, table.cards_up, game.end_ms if table.is_won else LIMIT_MS


def take_back_all(table: Table) -> None:
    """Take back all moves."""
    for _ in table.moves:
        table.pop()


def result(plan: GamePlan) -> Result:
    """Return the result of a racer's game at the time limit."""
    played = plan.due(LIMIT_MS)
    won = plan.won and plan.end_ms <= LIMIT_MS
    return won, plan.cards_up[played - 1] if played else 0, plan.end_ms


def rank(found: Result) -> tuple[bool, int, int]:
    """Sort key: winners by time, then the others by cards up and time."""
    won, cards_up, ms = found
    return not won, -cards_up, ms


if __name__ == "__main__":
    sys.exit(main())
