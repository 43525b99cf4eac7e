"""Errors of the pace check: simulated fast people who are flagged, and programs that pass.

`python -m benchmarks.fairplay --games 10000 [variant …]`; the exit code is 1 if a target is missed. The seed is new
each time and printed; a variant's results depend only on it, so variants can be run separately. People play known wins
and greedy games of new deals. Programs play known and solved winning lines at 1.5 times the pace of the fastest person
on that line, with fixed delays, uniform and log-normal jitter, with and without pauses. Metronomes play them at 350,
500 and 700 ms a token, exactly and with 20 % jitter; the pace at which the fewest are caught counts. Log-normal timers
play at the same paces with a sigma of up to 0.35. Everyone has played two games before the one that is judged.

People come from two independent models, `simulated` and `reaction_players` in tests/games/fairplay. The thresholds
were set with the first. Neither knows the checks.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from random import Random, SystemRandom
from typing import TYPE_CHECKING

from benchmarks.references import announce, verdict

if TYPE_CHECKING:
    from tests.games.fairplay.simulated import Game, Step

HONEST_AIM = 0.001
CAUGHT_AIM = 0.95
TIMES_AS_FAST = 1.5
BEATS_MS = (350, 500, 700)
PROGRAMS = ("programs", "exact", "jittered", "log-normal")
#: Maximum sigma of log-normal timers, and games of each player before the one that is judged.
MAX_SIGMA = 0.35
EARLIER = 2
LINES = 100
SOLVED = 6
NODES = 200_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", help="default: all")
    parser.add_argument("--games", type=int, default=1000, help="of each kind of program per variant")
    parser.add_argument("--people", type=int, default=1000, help="games of people in each model per variant")
    parser.add_argument("--slowness", type=float, help="of all people in the model `simulated`; default: 1 to 1.6")
    parser.add_argument("--lines", type=int, default=LINES, help="different lines of people per variant")
    parser.add_argument("--solved", type=int, default=SOLVED, help="solver's lines per variant")
    parser.add_argument("--times", type=float, default=TIMES_AS_FAST, help="speed of programs relative to people")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**9))
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    announce()
    print(f"seed {options.seed}, per variant {options.people} games of people, {options.games} of each kind of program")
    return measure(options)


def measure(options: argparse.Namespace) -> int:
    """Play, judge, print, and return the exit code."""
    from games.rules import CATALOGUE
    from games.solver.winnability_figures import interval
    from tests.games.fairplay import simulated

    met = True
    for variant in options.variants or CATALOGUE:
        chance = Random(f"{options.seed} {variant}")
        played, lines = simulated.lines(variant, options.lines, chance), winning(variant, options.solved, chance)
        wins = [(line, simulated.fastest_pace(line, chance)) for line in lines]
        people, programs = dict[str, Counter[str]](), dict[str, Counter[str]]()
        for _ in range(options.people):
            add(people, new_people(played, options.slowness, chance), variant)
        for _ in range(options.games):
            add(programs, new_programs(wins, options.times, chance), variant)
        flagged = [count["any"] for count in people.values()]
        bounds = [interval(count, options.people)[1] for count in flagged]
        share = {kind: found["any"] / options.games for kind, found in programs.items()}
        caught = {kind: min(share[one] for one in share if one.startswith(kind)) for kind in PROGRAMS}
        reached = max(flagged) <= HONEST_AIM * options.people and min(caught.values()) >= CAUGHT_AIM
        met &= reached
        print(
            f"{variant:<13} people flagged {flagged[0]:>4} {flagged[1]:>4}, at most {bounds[0]:.2%} {bounds[1]:.2%}"
            "  caught: "
            + ", ".join(f"{kind} {rate:.1%}" for kind, rate in caught.items())
            + f"  {verdict(met=reached)}  {said(people['first'])} | {said(people['second'])}",
            flush=True,
        )
    return 0 if met else 1


def add(counts: dict[str, Counter[str]], players: dict[str, Callable[[], Game]], variant: str) -> None:
    """Have each player play and be judged, and count the findings by kind of player."""
    for kind, play in players.items():
        counts.setdefault(kind, Counter()).update(judged(play, variant))


def new_people(played: Sequence[list[Step]], slowness: float | None, chance: Random) -> dict[str, Callable[[], Game]]:
    """Return a new person of each model, as a function that plays a game."""
    from tests.games.fairplay import reaction_players, simulated

    first, second = simulated.person(chance, slowness), reaction_players.player(chance)
    return {
        "first": lambda: simulated.play(first, chance.choice(played), chance),
        "second": lambda: reaction_players.play(second, chance.choice(played), chance),
    }


def new_programs(
    wins: Sequence[tuple[list[Step], float]], times: float, chance: Random
) -> dict[str, Callable[[], Game]]:
    """Return a new program of each kind, as a function that plays a game.

    `wins` are lines with the fastest people's pace, `times` is the speed of programs relative to it.
    """
    from tests.games.fairplay import simulated

    line, pace = chance.choice(wins)
    timers = {"programs": simulated.timer(pace / times, chance)}
    for beat in BEATS_MS:
        timers[f"exact {beat}"] = simulated.Timer(beat)
        timers[f"jittered {beat}"] = simulated.Timer(beat, "uniform", 0.2)
    timers["log-normal"] = simulated.Timer(chance.choice(BEATS_MS), "lognormal", chance.uniform(0, MAX_SIGMA))
    return {kind: partial(simulated.run, timer, line, chance) for kind, timer in timers.items()}


def said(count: Counter[str]) -> str:
    return " ".join(f"{code} {number}" for code, number in sorted(count.items()) if code != "any")


def judged(play: Callable[[], Game], variant: str) -> set[str]:
    """Return the codes of the findings on a player's game, and `any` if there are some.

    The games before it are played only if the checks read them.
    """
    from games.fairplay.pace import implausibilities
    from games.fairplay.random_delays import timed_moves, timer_sigma

    game = play()
    found = {str(one["code"]) for one in implausibilities(game.tokens, game.clock, game.end_ms, [], variant)}
    earlier = (timed_moves(one.tokens, one.clock, []) for one in (play() for _ in range(EARLIER)))
    if not found and timer_sigma(timed_moves(game.tokens, game.clock, []), earlier) is not None:
        found.add("steady")
    return found | ({"any"} if found else set())


def winning(variant: str, solved: int, chance: Random) -> list[list[Step]]:
    """Return known wins of a variant, and lines that the solver finds for new deals."""
    from games.rules import open_table
    from games.solver import Budget, Solution, solve
    from tests.factories import won_records
    from tests.games.fairplay.simulated import observed

    found = [observed(open_table(variant, record.seed), record.tokens) for record in won_records(variant)]
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
