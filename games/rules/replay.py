"""Replay of a record from its seed. Every result comes from here.

What counts as a result: docs/records.md, "How a record is made".
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from games.rules.errors import IllegalMoveError, InvalidTokenError
from games.rules.progress_time import Progress
from games.rules.records import How, Record
from games.rules.table import Table


@dataclass(frozen=True, slots=True)
class Failure:
    """The point where a replay stopped, and the reason.

    `index` counts tokens from 0. If it equals the number of tokens, all of them were legal but the recorded end is
    wrong, and `token` is None. `code` is stable; `reason` is for people.
    """

    index: int
    token: str | None
    reason: str
    code: str

    @property
    def place(self) -> str:
        """Description of the failing token or of the end, for messages."""
        return "the end" if self.token is None else f"token {self.index} ({self.token})"


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of a replay.

    With a failure, the figures and the table describe the position that was reached. `elapsed_ms` and `progress_ms`
    (`games.rules.progress_time`) are in milliseconds.
    """

    won: bool
    cards_up: int
    goal: int
    tokens: int
    elapsed_ms: int
    progress_ms: int
    how: How
    failure: Failure | None
    table: Table

    @property
    def ok(self) -> bool:
        """True if every token was legal and the recorded end matches the table."""
        return self.failure is None

    def to_json(self) -> dict[str, Any]:
        """Return the result, or the failure, as a dict of JSON types, without the table."""
        fields = ("ok", "won", "cards_up", "goal", "tokens", "elapsed_ms", "progress_ms", "how")
        result = {name: getattr(self, name) for name in fields}
        return result | {"failure": asdict(self.failure)} if self.failure else result


def replay(record: Record) -> Replay:
    """Play a record's tokens on a new table under the record's rules version, checking each token.

    Illegal tokens do not raise: they are reported in `Replay.failure`.
    """
    table = record.open_table()
    push, progress = table.push, Progress(table.cards_up)
    failure: Failure | None
    try:
        for token, ms in zip(record.tokens, record.clock, strict=True):
            push(token)
            progress.note(table.cards_up, ms)
    except (InvalidTokenError, IllegalMoveError) as error:
        failure = Failure(table.token_count, error.token, error.reason, error.code)
    else:
        failure = _contradicted_end(record, table)
    return Replay(
        won=table.is_won,
        cards_up=table.cards_up,
        goal=table.goal,
        tokens=table.token_count,
        elapsed_ms=_elapsed(record, table),
        progress_ms=progress.ms,
        how=record.end.how,
        failure=failure,
        table=table,
    )


def _contradicted_end(record: Record, table: Table) -> Failure | None:
    end = record.end
    reason = ""
    if end.how == "won" and not table.is_won:
        reason = f"the record claims a win, but only {table.cards_up} of {table.goal} cards are up"
    elif end.how != "won" and table.is_won:
        reason = f"the game was won by the last token, so it cannot have been {end.how}"
    elif end.how == "won" and end.ms != record.clock[-1]:
        reason = "a win must come with the last token, not later"
    return Failure(len(record.tokens), None, reason, "contradicted_end") if reason else None


def _elapsed(record: Record, table: Table) -> int:
    """Return the milliseconds to the last token for a win, otherwise to the resignation or close."""
    if table.token_count == len(record.tokens):
        return record.end.ms
    return record.clock[table.token_count - 1] if table.token_count else 0
