"""Acceptance study of fair play: false alarms in honest games, and games until a program is caught.

`python -m tests.fairplay` (`make fairplay`); the exit code is 1 if a target is missed. People come from four models.
The limits were set with *hands*, *reactions* and *search*. *Plans* was written by an author who did not know them, and
only judges. Half of the people play with the setting for automatic moves. Each person or program plays a series of
games, and every game is judged by its pace and, with those before it, by its delays. Targets allow for two standard
errors of the sample.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from secrets import randbits
from typing import Final

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from games.fairplay.delays import EARLIER_GAMES, Evidence  # noqa: E402
from games.rules import CATALOGUE  # noqa: E402
from tests.fairplay import (  # noqa: E402
    planning_players,
    programs,
    reaction_players,
    search_players,
    simulated,
    site_day,
)
from tests.fairplay.games import (  # noqa: E402
    Line,
    at_the_table,
    evidence_of,
    greedy_lines,
    is_flagged,
    wins,
)
from tests.fairplay.simulated import Game  # noqa: E402

#: Targets: at most this share of honest games is flagged, and at least this share of programs is caught.
HONEST_AIM: Final = 0.001
CAUGHT_AIM: Final = 0.95
#: At most this many results per honest player are held in a day.
HELD_AIM: Final = 0.001
#: Games that a person plays, and lines of each kind.
SERIES: Final = 6
LINES: Final = 12

Play = Callable[[Line], Game]
Model = Callable[[Random], Play]


def _hands(chance: Random) -> Play:
    who = simulated.person(chance)
    return lambda line: simulated.play(who, line.steps, chance)


def _reactions(chance: Random) -> Play:
    who = reaction_players.player(chance)
    return lambda line: reaction_players.play(who, line.steps, chance)


def _search(chance: Random) -> Play:
    who = search_players.player(chance)
    return lambda line: search_players.play(who, line.steps, chance)


def _plans(chance: Random) -> Play:
    who = planning_players.player(chance)
    return lambda line: planning_players.play(who, line.steps, chance)


MODELS: Final[dict[str, Model]] = {
    "hands": _hands,
    "reactions": _reactions,
    "search": _search,
    "plans": _plans,
}
#: Models that no limit may be chosen with.
ONLY_JUDGES: Final = frozenset({"plans"})


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fairplay", description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=600, help="honest games a model and variant")
    parser.add_argument("--programs", type=int, default=100, help="programs of each kind and variant; 0 for none")
    parser.add_argument("--players", type=int, default=500, help="honest players of a site's day; 0 for no day")
    parser.add_argument("--seed", type=int, default=randbits(32))
    parser.add_argument("--variants", nargs="+", choices=list(CATALOGUE), default=list(CATALOGUE), metavar="VARIANT")
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS), metavar="MODEL")
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.games} games a model, {options.programs} programs a kind", flush=True)
    models = {name: MODELS[name] for name in options.models}
    met = [study(variant, models, options.games, options.programs, options.seed) for variant in options.variants]
    if options.players:
        met.append(day(list(models.values()), options.players, Random(f"{options.seed} a day")))
    return 0 if all(met) else 1


def day(models: Sequence[Model], players: int, chance: Random) -> bool:
    """Print how many results of honest players are held in a day; return whether the target is met."""
    people = [chance.choice(models)(chance) for _ in range(players)]
    number = site_day.held(people, chance)
    is_met = number <= max(1, HELD_AIM * players)
    print(f"\na day: {number} results of {players} players are held {'ok' if is_met else 'MISSED'}", flush=True)
    return is_met


def study(variant: str, models: Mapping[str, Model], games: int, number: int, seed: int) -> bool:
    """Print the rates of a variant; return whether its targets are met."""
    chance = Random(f"{seed} {variant}")
    won = wins(variant)
    lines = {"off": [*won, *greedy_lines(variant, LINES, chance)]}
    lines |= {setting: greedy_lines(variant, LINES, chance, setting) for setting in ("safe", "all")}
    print(f"\n{variant}", flush=True)
    met = []
    for model, person in models.items():
        print(f"{variant}: people of {model}", file=sys.stderr, flush=True)
        flagged = sum(
            sum(flags(person(chance), lines[chance.choice(("off", "off", "safe", "all"))], SERIES, chance))
            for _ in range(math.ceil(games / SERIES))
        )
        judged = math.ceil(games / SERIES) * SERIES
        use = "only judges" if model in ONLY_JUDGES else "tuning"
        met.append(
            row(f"honest, {model} ({use})", [flagged / judged], flagged <= judged * HONEST_AIM + margin(judged, 0.001))
        )
    if not number:
        return all(met)
    within = programs.WITHIN.get(variant, programs.WITHIN_DEFAULT)
    for kind, law in (programs.INDEPENDENT | programs.OTHERS).items():
        print(f"{variant}: programs, {kind}", file=sys.stderr, flush=True)
        caught = [0] * within
        for _ in range(number):
            delays = law(lines["off"], chance)
            found = flags(partial(programs.play, delays), won, within, chance)
            first = found.index(True) if True in found else within
            caught = [count + (first <= n) for n, count in enumerate(caught)]
        is_met = caught[-1] >= number * CAUGHT_AIM - margin(number, CAUGHT_AIM)
        met.append(row(kind, [count / number for count in caught], is_met if kind in programs.INDEPENDENT else None))
    return all(met)


def flags(play: Play, lines: Sequence[Line], number: int, chance: Random) -> list[bool]:
    """Play a series of games on random lines; return which of them are flagged."""
    earlier: list[Evidence] = []
    result = []
    for line in chance.choices(lines, k=number):
        game = at_the_table(play(line), line, chance)
        own = evidence_of(line, game)
        result.append(is_flagged(line, game, own, earlier))
        earlier = [own, *earlier][:EARLIER_GAMES]
    return result


def margin(number: int, share: float) -> float:
    """Return two standard errors of the number of hits."""
    return 2 * math.sqrt(number * share * (1 - share))


def row(name: str, shares: Sequence[float], is_met: bool | None) -> bool:
    """Print the shares after each number of games; return whether the target is met, True if there is none."""
    verdict = {True: "ok", False: "MISSED", None: "no target"}[is_met]
    print(f"  {name:<28} {' '.join(f'{share:>7.2%}' for share in shares):<48} {verdict}", flush=True)
    return is_met is not False


if __name__ == "__main__":
    sys.exit(main())
