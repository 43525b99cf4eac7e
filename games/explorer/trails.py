"""Trails: the positions that a game came through, as digests. Pure: no database."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import msgspec

from games.rules import Record, Table, from_position
from games.rules.tokens import UNDO, WORDS


class PlayedGame(msgspec.Struct):
    """A finished game: its tokens, their times and the end's in ms, and whether it was won.

    `verdicts` has the findings of an analysis of the game, if there is one (`games.analysis.findings`).
    """

    tokens: list[str]
    clock: list[int]
    end_ms: int
    won: bool
    verdicts: list[int] = []


def played(record: Record, verdicts: list[int] | None = None) -> PlayedGame:
    """Return the game of a record, with the findings of its analysis if there is one."""
    won = record.end.how == "won"
    return PlayedGame(list(record.tokens), list(record.clock), record.end.ms, won, verdicts or [])


@dataclass(frozen=True, slots=True)
class Trail:
    """The positions of a game: `digests[n]` is the digest of the one after n tokens.

    `standing` lists the n of the positions that no undo took back: the line from the deal to the end of the game.
    """

    game: PlayedGame
    digests: Sequence[int]
    standing: Sequence[int]

    @property
    def line(self) -> list[str]:
        """The moves that stood at the end."""
        return [self.game.tokens[n - 1] for n in self.standing[1:]]


def digest_of(table: Table) -> int:
    """Return the 64-bit digest of a table's position. Orders of commuting moves lead to the same one."""
    return int.from_bytes(blake2b(table.position().encode(), digest_size=8).digest())


def trail_of(opening: str, game: PlayedGame, *, version: int) -> Trail:
    """Replay a game from the opening position.

    :raises RulesError: when the rules refuse a token.
    """
    table = from_position(opening, version=version)
    digests, standing = array("Q", [digest_of(table)]), [0]
    for n, token in enumerate(game.tokens, start=1):
        table.push(token)
        if token == WORDS[UNDO]:
            standing.pop()
            digests.append(digests[standing[-1]])
        else:
            standing.append(n)
            digests.append(digest_of(table))
    return Trail(game, digests, standing)


def table_after(opening: str, tokens: Iterable[str], *, version: int) -> Table:
    """Return the table after some tokens."""
    table = from_position(opening, version=version)
    for token in tokens:
        table.push(token)
    return table
