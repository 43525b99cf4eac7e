"""The rules library beside `chess`, the best-loved pure-Python rules library: one process, CPU time, medians.

`python -m benchmarks.rules`; exit code 1 when an aim is missed.
"""

from __future__ import annotations

import random
import sys
import tracemalloc
from collections.abc import Callable

import chess

from benchmarks.timing import per_second, row
from games.rules import CATALOGUE, End, Record, Table, open_table, replay

GAMES = 15
LONGEST = 300
REPLAY_AIM = 3.0
MOVES_AIM = 4.0
OPEN_AIM_MS = 0.2
MEMORY_AIM_KB = 100


def choose(rng: random.Random, legal: list[str]) -> str:
    """A random move that leans towards the foundations, as players do."""
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


def random_chess(number: int) -> list[chess.Move]:
    rng = random.Random(number)
    board = chess.Board()
    while len(board.move_stack) < LONGEST and (legal := list(board.legal_moves)):
        board.push(rng.choice(legal))
    return board.move_stack


def chess_rates() -> tuple[float, float]:
    """Moves a second of `push_uci`, and of `list(legal_moves)` with `push`."""
    games = [random_chess(number) for number in range(GAMES)]
    written = [[move.uci() for move in game] for game in games]
    count = sum(map(len, games))

    def push_uci() -> int:
        for game in written:
            board = chess.Board()
            for move in game:
                board.push_uci(move)
        return count

    def generate() -> int:
        for game in games:
            board = chess.Board()
            for move in game:
                list(board.legal_moves)
                board.push(move)
        return count

    return per_second(push_uci), per_second(generate)


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
    """What a table holds in memory after 200 tokens."""
    open_table(record.name, record.seed)
    tracemalloc.start()
    table: Table = open_table(record.name, record.seed)
    for token in record.tokens[:200]:
        table.push(token)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size / 1024


def main() -> int:
    push_uci, generate = chess_rates()
    print(f"chess: push_uci {push_uci:,.0f}/s, list(legal_moves) + push {generate:,.0f}/s\n")
    reached = True
    for name in CATALOGUE:
        records = [random_record(name, number) for number in range(GAMES)]
        reached &= row(f"{name} replay, tokens", per_second(replaying(records)), push_uci, at_least=REPLAY_AIM)
        reached &= row(f"{name} legal_moves + push", per_second(generating(records)), generate, at_least=MOVES_AIM)
        ms = 1000 / per_second(opening(records))
        kb = max(map(table_kb, records[:3]))
        fits = ms < OPEN_AIM_MS and kb < MEMORY_AIM_KB
        reached &= fits
        print(
            f"{name + ' table':<34} opened in {ms:.3f} ms, {kb:.0f} KB after 200 tokens   {'ok' if fits else 'MISSED'}"
        )
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
