"""Foresight: the distance between solver's lines and games of players who know only what they have seen.

`python -m benchmarks.foresight [--deals N] [--seed TEXT] [variant …]`. Deals are drawn from a new seed each time, which
is printed. On each deal that the solver wins, a timer plays its line, and people of three strengths play
(tests/games/fairplay/foreseeing.py). It prints the mean and standard deviation of each kind's figure, and the share of
lines above the level that one honest game in a hundred, and one in a thousand, reaches: for single lines and for means
of many. Both follow from fitted normal distributions. Pauses get the same figure for people and timers.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from hashlib import sha256
from random import Random
from statistics import NormalDist, fmean, stdev
from typing import TYPE_CHECKING

from benchmarks.references import announce

if TYPE_CHECKING:
    from games.fairplay.foresight import Foresight

DEALS = 14
TOGETHER = (1, 10, 30)
ODDS = (0.01, 0.001)
ENOUGH = 8


class Games:
    """The figures of one kind of player's games."""

    def __init__(self) -> None:
        self.found: list[Foresight] = []
        self.won: list[bool] = []

    def add(self, found: Foresight, *, won: bool) -> None:
        self.found.append(found)
        self.won.append(won)


def study(variant: str, deals: int, draw: str) -> tuple[dict[str, Games], float]:
    """Return the games on this many deals by kind of player, and the seconds per measurement."""
    from games.fairplay.foresight import measure
    from tests.games.fairplay import foreseeing

    kinds: dict[str, Games] = {kind: Games() for kind in foreseeing.KINDS}
    number, spent = 0, 0.0
    while len(kinds["line"].found) < deals:
        seed = sha256(f"{draw} {variant} {number}".encode()).digest()
        number += 1
        chance = Random(seed)
        line = foreseeing.game(variant, seed, "line", chance)
        if line is None:
            continue
        for kind in foreseeing.KINDS:
            table = line if kind == "line" else foreseeing.game(variant, seed, kind, chance)
            if table is not None and table.moves:
                record = foreseeing.recorded(variant, seed, table, chance, by_timer=kind not in foreseeing.HONEST)
                begun = time.process_time()
                kinds[kind].add(measure(record), won=table.is_won)
                spent += time.process_time() - begun
    return kinds, spent / sum(len(games.found) for games in kinds.values())


def said(figures: list[float]) -> str:
    if len(figures) < 2:
        return "–"
    return f"{fmean(figures):.2f} ± {stdev(figures):.2f}"


def caught(line: list[float], people: list[float], together: int, odds: float) -> float:
    """Return the share of means of several lines above the level of honest means at these odds."""
    scale = together**0.5
    limit = NormalDist(fmean(people), stdev(people) / scale).inv_cdf(1 - odds)
    return 1 - NormalDist(fmean(line), stdev(line) / scale).cdf(limit)


def quick(line: list[float], people: list[float], together: int) -> str:
    """Return the same as `caught` for figures that are too low."""
    if min(len(line), len(people)) < ENOUGH:
        return "–"
    low, high = [-one for one in line], [-one for one in people]
    return " / ".join(f"{caught(low, high, together, odds):.0%}" for odds in ODDS)


def row(variant: str, kinds: dict[str, Games], seconds: float) -> str:
    """Return a variant's row of the table."""
    z = {kind: [one.z for one in games.found] for kind, games in kinds.items()}
    honest = {kind: kinds[kind] for kind in ("weak", "decent", "strong")}
    people = [one for kind in honest for one in z[kind]]
    both = [(one.z, won) for games in honest.values() for one, won in zip(games.found, games.won, strict=True)]
    winners = [figure for figure, won in both if won]
    line = z["line"]
    cells = [variant, str(len(line)), *(said(z[kind]) for kind in honest), f"{said(winners)} ({len(winners)})"]
    cells += [said(line)]
    cells += [" / ".join(f"{caught(line, people, number, odds):.0%}" for odds in ODDS) for number in TOGETHER]
    cells += [f"{caught(line, winners, 10, ODDS[0]):.0%}" if len(winners) >= ENOUGH else "–"]
    pauses = {kind: [one.pauses.z for one in games.found if one.pauses is not None] for kind, games in kinds.items()}
    slow = [one for kind in honest for one in pauses[kind]]
    cells += [said(of) for of in (slow, pauses["line"])]
    cells += [quick(pauses["line"], slow, number) for number in TOGETHER[:2]]
    return f"| {' | '.join([*cells, f'{seconds:.2f}'])} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*")
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--seed", default=secrets.token_hex(8))
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from games.rules import CATALOGUE

    announce()
    print(f"seed {options.seed}, {options.deals} deals per variant")
    heads = ["variant", "deals", "weak", "decent", "strong", "of these, wins", "solver's lines"]
    heads += [f"caught by {together}, at 1 % / 0.1 %" for together in TOGETHER]
    heads += ["by 10, among winners at 1 %"]
    heads += ["pauses of people", "of timers", *(f"timers caught by {number}" for number in TOGETHER[:2]), "s a game"]
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}", flush=True)
    for variant in options.variants or CATALOGUE:
        print(row(variant, *study(variant, options.deals, options.seed)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
