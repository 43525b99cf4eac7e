"""Errors of the pace check: simulated fast people who are flagged, and programs that pass.

`python -m benchmarks.fairplay --games 10000 [variant …]`; the exit code is 1 if a target is missed. The seed is new
each time and printed; a variant's results depend only on it, so variants can be run separately. People play known wins
and greedy games of new deals. Programs play known and solved winning lines at 1.5 times the pace of the fastest person
on that line, with fixed delays, uniform and log-normal jitter, with and without pauses. The simulated players
(tests/games/fairplay/simulated.py) do not know the checks.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from random import Random, SystemRandom
from typing import TYPE_CHECKING

from benchmarks.references import announce, verdict

if TYPE_CHECKING:
    from tests.games.fairplay.simulated import Game, Step

HONEST_AIM = 0.001
CAUGHT_AIM = 0.95
TIMES_AS_FAST = 1.5
LINES = 100
SOLVED = 6
NODES = 200_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", help="default: all")
    parser.add_argument("--games", type=int, default=1000, help="of people, and of programs, per variant")
    parser.add_argument("--lines", type=int, default=LINES, help="different lines of people per variant")
    parser.add_argument("--solved", type=int, default=SOLVED, help="solver's lines per variant")
    parser.add_argument("--times", type=float, default=TIMES_AS_FAST, help="speed of programs relative to people")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**9))
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    announce()
    print(f"seed {options.seed}, {options.games} games of each kind per variant")
    return measure(options)


def measure(options: argparse.Namespace) -> int:
    """Play, judge, print, and return the exit code."""
    from games.rules import CATALOGUE
    from tests.games.fairplay import simulated

    met = True
    for variant in options.variants or CATALOGUE:
        chance = Random(f"{options.seed} {variant}")
        played, lines = simulated.lines(variant, options.lines, chance), winning(variant, options.solved, chance)
        wins = [(line, simulated.fastest_pace(line, chance)) for line in lines]
        flagged, caught, spent = Counter[str](), Counter[str](), 0.0
        for _ in range(options.games):
            honest = simulated.play(simulated.person(chance), chance.choice(played), chance)
            line, pace = chance.choice(wins)
            program = simulated.timer(pace / options.times, chance)
            begun = time.process_time()
            flagged.update(judged(honest, variant))
            spent += time.process_time() - begun
            found = judged(simulated.run(program, line, chance), variant)
            caught.update([*found, *([program.kind] if "any" not in found else [])])
        honest_share, caught_share = flagged["any"] / options.games, caught["any"] / options.games
        reached = honest_share <= HONEST_AIM and caught_share >= CAUGHT_AIM
        met &= reached
        print(
            f"{variant:<13} people flagged {honest_share:7.3%}  programs caught {caught_share:6.1%}  "
            f"{spent / options.games * 1e6:4.0f} us a record  {verdict(met=reached)}"
            f"  {said(flagged)} | {said(caught)}",
            flush=True,
        )
    return 0 if met else 1


def said(count: Counter[str]) -> str:
    return " ".join(f"{code} {number}" for code, number in sorted(count.items()) if code != "any")


def judged(game: Game, variant: str) -> set[str]:
    """Return the codes of the findings, and `any` if there are some."""
    from games.fairplay.pace import implausibilities

    found = implausibilities(game.tokens, game.clock, game.end_ms, [], variant)
    return {str(one["code"]) for one in found} | ({"any"} if found else set())


def winning(variant: str, solved: int, chance: Random) -> list[list[Step]]:
    """Return known wins of a variant, and lines that the solver finds for new deals."""
    from games.rules import open_table
    from games.solver import Budget, Solution, solve
    from tests.games.certified import won
    from tests.games.fairplay.simulated import observed

    found = [observed(open_table(variant, record.seed), record.tokens) for record in won(variant)]
    for _ in range(5 * solved):
        if len(found) >= solved + 3:
            break
        table = open_table(variant, chance.randbytes(32))
        result = solve(table, Budget(nodes=NODES, memory=64))
        if isinstance(result, Solution):
            found.append(observed(table, result.tokens))
    return found


if __name__ == "__main__":
    sys.exit(main())
