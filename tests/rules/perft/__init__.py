"""Perft: the number of sequences of legal moves from a position, counted by the engine and by the reference.

Each text file beside this module belongs to a variant and holds blocks separated by blank lines:

    # any remark seed 64 hex digits moves the tokens that lead from the deal to the position (the line may be left out)
    1 number of legal moves 2 number of sequences of two legal moves …

`python -m tests.rules.perft` recounts everything with both and divides each count that differs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from games.rules import Table, open_table
from tests.rules.reference import VARIANTS, SlowTable, shuffled
from tests.rules.reference import state as slow_state
from tests.rules.reference.state import State
from tests.rules.reference.table import GAMES

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Block:
    """A position and its counts, the first for depth 1."""

    name: str
    remarks: tuple[str, ...]
    seed: bytes
    moves: tuple[str, ...]
    counts: tuple[int, ...]

    def open(self) -> Table:
        """Reach the position with the engine."""
        table = open_table(self.name, self.seed)
        for token in self.moves:
            table.push(token)
        return table

    def open_slow(self) -> SlowTable:
        """Reach the position with the reference."""
        game, options = VARIANTS[self.name]
        slow = SlowTable(game, shuffled(game, self.seed), options)
        for token in self.moves:
            slow.play(token)
        return slow

    def text(self) -> str:
        lines = [f"# {remark}" for remark in self.remarks]
        lines.append(f"seed {self.seed.hex()}")
        if self.moves:
            lines.append(" ".join(["moves", *self.moves]))
        lines += [f"{depth} {count}" for depth, count in enumerate(self.counts, 1)]
        return "\n".join(lines) + "\n"


def read_blocks(name: str) -> list[Block]:
    return [_read(name, text.splitlines()) for text in (FOLDER / f"{name}.txt").read_text().split("\n\n")]


def write_blocks(name: str, blocks: list[Block]) -> None:
    (FOLDER / f"{name}.txt").write_text("\n".join(block.text() for block in blocks))


def _read(name: str, lines: list[str]) -> Block:
    block = Block(name, remarks=(), seed=b"", moves=(), counts=())
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "#":
            block = replace(block, remarks=(*block.remarks, rest))
        elif word == "seed":
            block = replace(block, seed=bytes.fromhex(rest))
        elif word == "moves":
            block = replace(block, moves=tuple(rest.split()))
        else:
            assert int(word) == len(block.counts) + 1, f"{name}: depth {word} is out of order"
            block = replace(block, counts=(*block.counts, int(rest)))
    return block


def count(table: Table, depth: int) -> int:
    legal = table.legal_moves()
    if depth == 1:
        return len(legal)
    total = 0
    for token in legal:
        table.push(token)
        total += count(table, depth - 1)
        table.pop()
    return total


def count_slowly(slow: SlowTable, depth: int) -> int:
    """Count the same sequences with the reference."""
    return _count_from(slow.game, slow.state, depth)


def _count_from(game: str, state: State, depth: int) -> int:
    rules = GAMES[game]
    won = slow_state.cards_up(state) == rules.goal(state)
    legal = set() if won else rules.legal(state)
    if depth == 1:
        return len(legal)
    total = 0
    for token in legal:
        after = slow_state.copy(state)
        rules.play(after, token)
        total += _count_from(game, after, depth - 1)
    return total


def divide(table: Table, slow: SlowTable, depth: int) -> list[str]:
    """Follow the first branch in which the two counts differ, and list how each position on it divides."""
    fast_legal, slow_legal = set(table.legal_moves()), slow.legal()
    lines = [f"after {' '.join(table.moves) or 'the deal'}: {table.position()}"]
    if fast_legal != slow_legal:
        lines.append(f"  legal for the engine alone: {sorted(fast_legal - slow_legal)}")
        lines.append(f"  legal for the slow reading alone: {sorted(slow_legal - fast_legal)}")
        return lines
    if depth == 1:
        return [*lines, "  the same in both"]
    for token in sorted(fast_legal):
        table.push(token)
        slow.play(token)
        fast_count, slow_count = count(table, depth - 1), count_slowly(slow, depth - 1)
        lines.append(f"  {token}: {fast_count} {slow_count}")
        if fast_count != slow_count:
            return lines + divide(table, slow, depth - 1)
        table.pop()
        slow.play("u")
    return [*lines, "  the same in both"]
