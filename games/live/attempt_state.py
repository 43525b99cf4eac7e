"""State of an attempt as read from the database: the facts of its row, its cards, and its clock.

The clock runs from the deal to the end of the game or its time limit, except in pauses.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple, Self

from games.core.errors import ErrorCode, Refusal, refusal_of
from games.live.dead_ends import first_dead_end
from games.live.protocol import DealInfo, Verdict
from games.models import Attempt
from games.rules import MAX_TOKENS, IllegalMoveError, Progress, Table, TokenError
from games.rules.hidden_cards import Reveals

MS: Final = timedelta(milliseconds=1)
EPOCH: Final = datetime.fromtimestamp(0, UTC)
_PLAYING: Final = str(Attempt.State.PLAYING)


def now_ms() -> int:
    """Return the server's wall clock in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class PauseState(NamedTuple):
    """The start of the current pause, in ms since 1970 (None while the clock runs), and the ms of earlier pauses."""

    since_ms: int | None
    ms: int

    @classmethod
    def of(cls, attempt: Attempt) -> Self:
        """Return the pauses of an attempt that has just been read."""
        since = attempt.paused_at
        return cls(None if since is None else (since - EPOCH) // MS, attempt.paused_ms)


@dataclass(slots=True)
class AttemptState:
    """An attempt; `games.live.loader` reads it with a freshly dealt table, on which `tokens` are yet to be played."""

    attempt_id: int
    public_id: uuid.UUID
    player_id: int
    ranked: bool
    state: str
    how: str
    started_at: datetime
    started_ms: int
    deals_at_ms: int
    """When the cards may first be shown, in ms since 1970: `started_at`, rounded up."""
    for_race: bool
    deadline: str | None
    deadline_ms: int | None
    end_ms: int
    may_pause: bool
    pauses: PauseState
    deal: DealInfo
    table: Table
    progress: Progress
    reveals: Reveals | None
    """None if undo is free."""
    tokens: tuple[str, ...]
    token_times: tuple[int, ...]
    """The clock's readings at `tokens`."""
    last_ms: int
    """The clock's reading at the last committed token."""
    verdict: Verdict | None

    @property
    def is_playing(self) -> bool:
        """True until the game has ended."""
        return self.state == _PLAYING

    # Cards.

    def push(self, token: str, ms: int) -> None:
        """Play a token that has been played before, when the clock read `ms`.

        :raises TokenError: if it is not legal; the table is unchanged.
        """
        self.table.push(token)
        self.progress.note(self.table.cards_up, ms)
        if self.reveals is not None:
            self.reveals.push(self.table, token)

    def push_all(self, first: int | None = None) -> None:
        """Play `tokens`, or the first of them."""
        for token, ms in zip(self.tokens[:first], self.token_times[:first], strict=True):
            self.push(token, ms)

    def play(self, token: str, ms: int) -> None:
        """Play a new token.

        :raises Refusal: invalid_token, illegal_move or record_full; the table is unchanged.
        """
        try:
            self.push(token, ms)
        except TokenError as error:
            why = {"reason": error.why.to_json()} if isinstance(error, IllegalMoveError) else {}
            raise refusal_of(error, token=token, **why) from None

    def check_undo(self) -> None:
        """Check that the last move may be undone, if there is one.

        :raises Refusal: card_revealed.
        """
        if self.reveals is not None and self.reveals.bars_undo:
            raise Refusal(ErrorCode.CARD_REVEALED, token="u")  # noqa: S106

    def rewind(self, ms: int, *, to_choice: bool) -> tuple[str, ...]:
        """Undo every standing move that may be undone, and return the tokens played to do so.

        `to_choice` stops at the last position that was not a dead end.

        :raises Refusal: illegal_move, card_revealed or record_full; the table is unchanged.
        """
        self.check_undo()
        standing = len(self.table.moves)
        count = standing if self.reveals is None else self.reveals.undoable
        if to_choice:
            dead_from = first_dead_end(self.table)
            count = 0 if dead_from is None else min(count, standing - dead_from + 1)
        run = ("u",) * count
        if not run or self.table.is_won:
            raise Refusal(ErrorCode.ILLEGAL_MOVE, "there is no move to undo", token="u")  # noqa: S106
        if self.table.token_count + len(run) > MAX_TOKENS:
            raise Refusal(ErrorCode.RECORD_FULL, f"a record holds at most {MAX_TOKENS:,} tokens", token="u")  # noqa: S106
        for token in run:
            self.push(token, ms)
        return run

    # Clock.

    @property
    def is_paused(self) -> bool:
        """True while the clock is stopped."""
        return self.pauses.since_ms is not None

    def elapsed_ms(self) -> int:
        """Return the clock's reading during play, else the final one. It never goes back."""
        if not self.is_playing:
            return self.end_ms
        since = self.pauses.since_ms
        return max(self.last_ms, (now_ms() if since is None else since) - self.started_ms - self.pauses.ms)

    def ms_until_deal(self) -> int:
        """Return the milliseconds until the cards are dealt."""
        return self.deals_at_ms - now_ms()

    def time_of(self, ms: int) -> datetime:
        """Return the time at which the clock reads `ms`."""
        return self.started_at + timedelta(milliseconds=ms + self.pauses.ms)
