"""Copy detection: the shares of copies found and of independent players flagged.

`python -m benchmarks.copies [--deals N] [--seed TEXT] [variant …]`; the exit code is 1 if a target is missed. Deals are
drawn from a new seed each time, which is printed; a variant's results depend only on it. On each deal there are

- a solver's win, copied six times with undos and swapped neighbours (the target), and six times in heavier disguise:
  cards sent there and back, the stock gone through;
- simple players: greedy ones who never, seldom or often stray, and two who make the first legal move. They come in
  turn, and each win is compared with earlier wins; then once more as if all had won, which shows how much is left to
  chance when games that are lost early are alike;
- winners among a hundred more such players, all pairs of whom are compared, because wins resemble each other;
- new runs: one random move, then another run of the solver. Few of them resemble an earlier win, so their likeness to
  the solver (games/fairplay/solver_likeness.py) is measured instead. It is compared with two of the winners above, with
  players who back out of dead ends, and with strong players, who try moves on deals that look the same. A new run is
  "caught" above the level that one winner in a hundred reaches, alone and as the mean of ten games, by fitted normal
  distributions.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from random import Random
from statistics import NormalDist, fmean, stdev
from typing import TYPE_CHECKING

from benchmarks.references import announce, verdict

if TYPE_CHECKING:
    from games.rules import Table

DEALS = 20
COPIES = 6
STRAYS = (0.0, 0.1, 0.3)
PLAYERS = 48
WINNERS = 10
TRIES = 100
MEASURED = 2
KINDS = ("simple", "retreating", "strong", "new runs")
FLAGGED_AIM = 0.001
CAUGHT_AIM = 0.99


@dataclass(frozen=True)
class Game:
    """The data of a game to compare; the line without weights, which only similar games need."""

    variant: str
    seed: bytes
    moves: tuple[str, ...]
    line: bytes

    @property
    def game(self) -> str:
        """Return the game's name."""
        from games.rules import CATALOGUE

        return CATALOGUE[self.variant].game

    @cached_property
    def bits(self) -> dict[int, float]:
        """Return the weighted decisions of the game."""
        from games.fairplay.play_decisions import decisions, weighed
        from games.rules import open_table

        made = decisions(open_table(self.variant, self.seed), self.moves)
        return weighed(open_table(self.variant, self.seed), self.moves, made)


@dataclass
class Share:
    """A share as a fraction."""

    found: int = 0
    of: int = 0

    def add(self, found: Sequence[bool]) -> None:
        """Count further cases."""
        self.found += sum(found)
        self.of += len(found)

    def __str__(self) -> str:
        return f"{self.found} of {self.of}"

    @property
    def value(self) -> float:
        """Return the share between 0 and 1."""
        return self.found / self.of if self.of else 0.0


@dataclass
class Found:
    """Simple players flagged by earlier winners, and if all had won; flagged pairs of winners; found copies."""

    players: Share = field(default_factory=Share)
    as_if_won: Share = field(default_factory=Share)
    winners: Share = field(default_factory=Share)
    retold: Share = field(default_factory=Share)
    disguised: Share = field(default_factory=Share)
    new_runs: Share = field(default_factory=Share)
    like: dict[str, tuple[float, ...]] = field(default_factory=lambda: dict.fromkeys(KINDS, ()))
    """Shares of decisions in common with the solver, by kind of player."""
    bits: list[float] = field(default_factory=list)
    """Weights of the solver's wins."""
    honest_bits: list[float] = field(default_factory=lambda: [0.0])
    """Weights shared by winners with similar lines."""

    def shares(self) -> tuple[Share, ...]:
        """Return the shares in the order they are printed."""
        return self.players, self.as_if_won, self.winners, self.retold, self.disguised, self.new_runs

    def measure(self, kind: str, variant: str, seed: bytes, lines: Sequence[Sequence[str]]) -> None:
        """Measure how like the solver the first few wins of this kind of player are."""
        shares = (solver_share(variant, seed, line) for line in lines[:MEASURED])
        self.like[kind] += tuple(share for share in shares if share is not None)

    def likeness(self) -> str:
        """Describe how like the solver each kind of player is, and the shares of new runs caught."""
        *kinds, lines = self.like.values()
        people = [share for shares in kinds for share in shares]
        texts = [f"{kind} {described(shares)}" for kind, shares in self.like.items()]
        if min(len(people), len(lines)) > 1:
            texts.append(f"caught {caught(people, lines, 1):.0%}, by 10 {caught(people, lines, 10):.0%}")
        return "; ".join(texts)


def described(shares: Sequence[float]) -> str:
    """Return the mean and standard deviation of shares, the extremes, and their number."""
    if len(shares) < 2:
        return f"– ({len(shares)})"
    spread = f"{fmean(shares):.0%} ± {stdev(shares):.0%}, {min(shares):.0%} to {max(shares):.0%}"
    return f"{spread} ({len(shares)})"


def caught(people: Sequence[float], lines: Sequence[float], together: int) -> float:
    """Return the share of means of `together` lines above the level of one in a hundred means of people."""
    scale = together**0.5
    limit = NormalDist(fmean(people), stdev(people) / scale).inv_cdf(0.99)
    return 1 - NormalDist(fmean(lines), max(stdev(lines), 1e-6) / scale).cdf(limit)


def game(variant: str, seed: bytes, tokens: Sequence[str]) -> Game:
    from games.fairplay.copies import line_of
    from games.rules import open_table

    table = open_table(variant, seed)
    for token in tokens:
        table.push(token)
    return Game(variant, seed, table.moves, line_of(open_table(variant, seed), table.moves) or b"")


def sketched(one: Game, other: Game) -> bool:
    """Return whether the database query would find one game by the other."""
    parts = [(a.line[at : at + 4], b.line[at : at + 4]) for a, b in [(one, other)] for at in range(0, 16, 4)]
    return any(a == b != b"" for a, b in parts)


def alike(one: Game, other: Game) -> bool:
    from games.fairplay.copies import decided, likeness, minimum_likeness

    return sketched(one, other) and likeness(decided(one.line), decided(other.line)) >= minimum_likeness(one.game)


def accused(one: Game, other: Game) -> bool:
    from games.fairplay.copies import is_copy

    return alike(one, other) and is_copy(one.bits, other.bits, one.game)


def study(variant: str, deals: int, draw: str) -> Found:
    """Study this many deals of a variant that the solver wins."""
    from tests.games.fairplay.copying import disguised, solved

    found, number = Found(), 0
    while len(found.bits) < deals:
        seed = sha256(f"{draw} {variant} {number}".encode()).digest()
        number += 1
        line = solved(variant, seed)
        if line is None:
            continue
        chance = Random(seed)
        first = game(variant, seed, line)
        found.bits.append(sum(first.bits.values()))
        for share, returned, rounds in ((found.retold, 0, 0), (found.disguised, 5, 2)):
            told = [disguised(variant, seed, line, chance, returned=returned, rounds=rounds) for _ in range(COPIES)]
            share.add([accused(first, game(variant, seed, tokens)) for tokens in told])
        meet(found, variant, seed, chance)
        resemble(found, variant, seed, first)
    return found


def meet(found: Found, variant: str, seed: bytes, chance: Random) -> None:
    """Have simple players play a deal, and compare their games."""
    from tests.games.fairplay.copying import played

    tables = [played(variant, seed, chance, STRAYS[n % 3]) for n in range(PLAYERS)]
    tables += [played(variant, seed, None)] * 2
    games = [game(variant, seed, table.moves) for table in tables]
    found.as_if_won.add(accused_by_earlier(games))
    won = [one for one, table in zip(games, tables, strict=True) if table.is_won]
    found.players.add(accused_by_earlier(won) + [False] * (len(games) - len(won)))
    won += [game(variant, seed, table.moves) for table in more_winners(variant, seed, chance, WINNERS - len(won))]
    found.measure("simple", variant, seed, [one.moves for one in won])
    pairs = list(combinations(won, 2))
    found.winners.add([accused(*pair) for pair in pairs])
    found.honest_bits += [in_common(*pair) for pair in pairs if alike(*pair)]


def resemble(found: Found, variant: str, seed: bytes, first: Game) -> None:
    """Measure how like the solver its own new runs and skilled players are. Has random numbers of its own, so that the
    other figures do not depend on it.
    """
    from games.rules import open_table
    from games.solver.simulated_players import SKILLS, skilled_game
    from tests.games.fairplay.copying import replanned
    from tests.games.fairplay.foreseeing import looking_ahead

    chance = Random(seed + b"new runs")
    runs = [run for _ in range(COPIES) if (run := replanned(variant, seed, chance)) is not None]
    found.new_runs.add([accused(first, game(variant, seed, run)) for run in runs])
    strong = (looking_ahead(variant, seed, chance) for _ in range(MEASURED))
    retreating = (open_table(variant, seed) for _ in range(COPIES))
    found.measure("new runs", variant, seed, runs)
    found.measure("strong", variant, seed, [table.moves for table in strong if table.is_won])
    won = [table.moves for table in retreating if skilled_game(table, SKILLS["good"], chance)]
    found.measure("retreating", variant, seed, won)


def solver_share(variant: str, seed: bytes, moves: Sequence[str]) -> float | None:
    """Return the share of a win's decisions in common with the solver."""
    from games.fairplay.solver_likeness import compare_with_solver
    from games.rules import RULES_VERSION, End, Record

    clock = tuple(range(0, 1000 * len(moves), 1000))
    record = Record(RULES_VERSION, variant, None, seed, tuple(moves), clock, End("won", clock[-1]))
    found = compare_with_solver(record)
    return None if found is None else found.share


def accused_by_earlier(games: Sequence[Game]) -> list[bool]:
    return [any(accused(one, before) for before in games[:n]) for n, one in enumerate(games)]


def more_winners(variant: str, seed: bytes, chance: Random, wanted: int) -> Iterator[Table]:
    from tests.games.fairplay.copying import played

    for number in range(TRIES if wanted > 0 else 0):
        table = played(variant, seed, chance, STRAYS[number % 3])
        if table.is_won:
            wanted -= 1
            yield table
        if not wanted:
            return


def in_common(one: Game, other: Game) -> float:
    """Return the bits that both have in common, by the weights of the game for which they are less."""
    common = one.bits.keys() & other.bits.keys()
    return min(sum(bits[made] for made in common) for bits in (one.bits, other.bits))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*")
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--seed", default=secrets.token_hex(8))
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from games.fairplay.copies import ALIKE
    from games.rules import CATALOGUE

    announce()
    print(f"seed {options.seed}, {options.deals} deals per variant")
    columns = ("players accused", "if all had won", "winners' pairs", "copies seen", "heavily hidden", "new runs")
    print(f"{'variant':<12}{''.join(f'{name:>17}' for name in columns)}  winners', solver's bits    s")
    met = True
    for variant in options.variants or CATALOGUE:
        begun = time.perf_counter()
        found = study(variant, options.deals, options.seed)
        compared = CATALOGUE[variant].game not in ALIKE
        ok = max(found.players.value, found.winners.value) < FLAGGED_AIM
        ok &= found.retold.value >= CAUGHT_AIM or not compared
        met &= ok
        shown = "".join(f"{share!s:>17}" for share in found.shares())
        bits = f"{max(found.honest_bits):>8.1f}{min(found.bits):>8.1f}"
        line = f"{variant:<12}{shown}{bits}{time.perf_counter() - begun:>8.1f}"
        print(f"{line}  {verdict(met=ok) if compared else 'accuses nobody'}")
        print(f"    like the solver: {found.likeness()}", flush=True)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
