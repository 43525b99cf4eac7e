"""Dead ends in random games: reports, false reports and unsaid dead ends, by variant.

`python -m benchmarks.dead_ends [VARIANT ...] [--games N] [--seed SEED]`; exit code 1 if a report is false. Each game is
played by random moves that favour the foundations. Some of its positions are judged, and each verdict is compared with
a search of every sequence of moves, without the shortcuts of `games/live/dead_ends.py`. The games differ in each run;
`--seed` repeats those of a run.
"""

from __future__ import annotations

import argparse
import secrets
import sys
from collections import Counter
from collections.abc import Iterator
from random import Random

from games.live import dead_ends
from games.rules import CATALOGUE, Table, open_table

LONGEST = 400
#: Positions of a game that are judged, besides the last one.
JUDGED = 6
#: Positions after which the search gives up; the dead end then counts as unproven.
MOST = 20_000
#: Limit for `is_dead_end` at the end of a game without a report, which counts as unsaid if it finds one.
PATIENT = 5_000

_Place = tuple[tuple[int, ...], ...]


def random_game(variant: str, dice: Random) -> Table:
    """Play a game to its end by random moves that favour the foundations."""
    table = open_table(variant, dice.randbytes(32))
    while (legal := table.legal_moves()) and table.token_count < LONGEST:
        up = [token for token in legal if token.endswith("-f")]
        table.push(dice.choice(up if up and dice.random() < 0.8 else legal))
    return table


def progress(table: Table) -> tuple[int, int]:
    """Return what only progress changes: the cards up and the face-down cards."""
    return table.cards_up, table.hidden


def leads_on(table: Table) -> bool | None:
    """Search every sequence of moves for progress; return None after too many positions."""
    start, seen = progress(table), {_place(table)}
    ahead = [_steps(table, seen)]
    while ahead:
        token = next(ahead[-1], None)
        if token is None:
            ahead.pop()
            if ahead:
                table.pop()
        else:
            table.push(token)
            table.token_count = 0  # the search may go deeper than a record is long
            if progress(table) != start or len(seen) > MOST:
                found = True if progress(table) != start else None
                for _ in ahead:
                    table.pop()
                return found
            ahead.append(_steps(table, seen))
    return False


def _steps(table: Table, seen: set[_Place]) -> Iterator[str]:
    """Yield the moves to new positions; those to a foundation come first."""
    for token in sorted(table.legal_moves(), key=lambda token: not token.endswith("-f")):
        table.push(token)
        place = _place(table)
        table.pop()
        if place not in seen:
            seen.add(place)
            yield token


def _is_unsaid(table: Table) -> bool:
    """Return whether only the limit of the search hides a dead end."""
    limit, dead_ends.LIMIT = dead_ends.LIMIT, PATIENT  # type: ignore[misc]
    try:
        return dead_ends.is_dead_end(table)
    finally:
        dead_ends.LIMIT = limit  # type: ignore[misc]


def _place(table: Table) -> _Place:
    return tuple(map(tuple, table.piles))


def judge(variant: str, dice: Random) -> Iterator[str]:
    """Play a game, and yield what its judged positions add to the counts."""
    table = random_game(variant, dice)
    moves, reached = table.moves, progress(table)
    at = {dice.randrange(len(moves) + 1) for _ in range(JUDGED)} | {len(moves)}
    while table.moves:
        table.pop()
    reported = False
    for n, token in enumerate((*moves, "")):
        if n in at and table.stock_is_known and not table.is_won:
            found = dead_ends.is_dead_end(table)
            is_false = found and progress(table) != reached
            if found and not reported:
                yield "reported"
                reported, leads = True, leads_on(table)
                is_false = is_false or leads is True
                if leads is None:
                    yield "unproven"
            if is_false:
                yield "false"
                print(f"FALSE: {variant}: {table.position()}", flush=True)
            elif not found and n == len(moves) and _is_unsaid(table):
                yield "unsaid"
        if token:
            table.push(token)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", default=list(CATALOGUE), metavar="VARIANT")
    parser.add_argument("--games", type=int, default=100, help="games per variant (default: %(default)s)")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="of the games (default: a new one)")
    options = parser.parse_args()
    columns = ("reported", "unproven", "unsaid", "false")
    print(f"{options.games} games each; --seed {options.seed}")
    print("variant       ", *(f"{column:>9}" for column in columns))
    false = 0
    for variant in options.variants:
        dice, counts = Random(f"{options.seed} {variant}"), Counter[str]()
        for _ in range(options.games):
            counts.update(judge(variant, dice))
        print(f"{variant:<14}", *(f"{counts[column]:>9}" for column in columns), flush=True)
        false += counts["false"]
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
