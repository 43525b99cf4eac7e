"""The rules library compared with `chess`, the most popular pure-Python rules library: one process, CPU time, medians.

`python -m benchmarks.rules`; the exit code is 1 if a target is missed.
"""

from __future__ import annotations

import random
import statistics
import sys
import tracemalloc
from collections.abc import Callable

from benchmarks.references import ROUNDS, Chess, amount, announce, per_second, row
from games.rules import CATALOGUE, End, Record, Table, open_table, replay

GAMES = 15
LONGEST = 300
REPLAY_AIM = 3.0
MOVES_AIM = 4.0
OPEN_AIM = 0.03
MEMORY_AIM_KB = 100


def choose(rng: random.Random, legal: list[str]) -> str:
    """Return a random move with a preference for the foundations, like players."""
    up = [token for token in legal if token.endswith("-f")]
    return rng.choice(up) if up and rng.random() < 0.8 else rng.choice(legal)


def random_record(name: str, number: int) -> Record:
    rng = random.Random(number)
    seed = rng.randbytes(32)
    table = open_table(name, seed)
    tokens: list[str] = []
    while len(tokens) < LONGEST and (legal := table.legal_moves()):
        tokens.append(choose(rng, legal))
        table.push(tokens[-1])
    end = End("won" if table.is_won else "closed", len(tokens) - 1 if table.is_won else 10**6)
    return Record(1, name, None, seed, tuple(tokens), tuple(range(len(tokens))), end)


def replaying(records: list[Record]) -> Callable[[], int]:
    return lambda: sum(replay(record).tokens for record in records)


def generating(records: list[Record]) -> Callable[[], int]:
    def work() -> int:
        for record in records:
            table = record.open_table()
            for token in record.tokens:
                table.legal_moves()
                table.push(token)
        return sum(len(record.tokens) for record in records)

    return work


def opening(records: list[Record]) -> Callable[[], int]:
    def work() -> int:
        for record in records * 10:
            record.open_table()
        return len(records) * 10

    return work


def table_kb(record: Record) -> float:
    """Return the memory of a table after 200 tokens, in KB."""
    open_table(record.name, record.seed)
    tracemalloc.start()
    table: Table = open_table(record.name, record.seed)
    for token in record.tokens[:200]:
        table.push(token)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size / 1024


def main() -> int:
    announce()
    board = Chess()
    reached = True
    for name in CATALOGUE:
        records = [random_record(name, number) for number in range(GAMES)]
        for what, work, reference, target in (
            ("replay, tokens", replaying(records), board.push, REPLAY_AIM),
            ("legal_moves + push", generating(records), board.generate, MOVES_AIM),
            ("tables opened", opening(records), board.open, OPEN_AIM),
        ):
            rate, beside = compared(work, reference)
            reached &= row(f"{name} {what}", rate, beside, "/s", at_least=target)
        reached &= amount(
            f"{name} table after 200 tokens", max(map(table_kb, records[:3])), "KB", at_most=MEMORY_AIM_KB
        )
    return 0 if reached else 1


def compared(work: Callable[[], int], reference: Callable[[], int]) -> tuple[float, float]:
    """Return the work of both per CPU second: medians of rounds in turns."""
    rates = [(per_second(work, rounds=1), per_second(reference, rounds=1)) for _ in range(ROUNDS)]
    return statistics.median(mine for mine, _ in rates), statistics.median(theirs for _, theirs in rates)


if __name__ == "__main__":
    sys.exit(main())
