"""Perft, the count of move sequences: the quickest way to find a difference between two move generators."""

from __future__ import annotations

from games.rules.table import Table


def perft(table: Table, depth: int) -> int:
    """Count the sequences of exactly `depth` legal moves from the table's position; `u` is not a legal move."""
    if depth == 0:
        return 1
    moves = table.legal_moves()
    if depth == 1:
        return len(moves)
    count = 0
    for token in moves:
        table.push(token)
        count += perft(table, depth - 1)
        table.pop()
    return count


def divide(table: Table, depth: int) -> dict[str, int]:
    """Split `perft` by the first move: token to count, in the order of `legal_moves`. `depth` is at least 1."""
    counts = {}
    for token in table.legal_moves():
        table.push(token)
        counts[token] = perft(table, depth - 1)
        table.pop()
    return counts
