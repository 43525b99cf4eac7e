"""Game protocol, version 1: all messages in and out, and all error codes. `docs/protocol.md` explains them.

A frame is one JSON object whose `type` names the message. `n` numbers the tokens of an attempt from 1, undos included;
`ms` is milliseconds since the cards were dealt, not counting pauses.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, get_args

import msgspec

from games.core.errors import ErrorCode, Refusal
from games.core.ladders import LadderSlug
from games.live.sockets.wire_format import In, Out, Wire

VERSION: Final = 1
_MAX_N: Final = 1_000_000


#: Reasons not to undo a move: it `revealed` a card, and the race forbids looking ahead.
NoUndo = Literal["revealed"]

#: Error codes of this socket. The connection stays open unless the code is in `FATAL`.
CODES: Final = frozenset(
    {
        ErrorCode.BAD_FRAME,
        ErrorCode.UNKNOWN_TYPE,
        ErrorCode.TOO_LARGE,
        ErrorCode.RATE_LIMITED,
        ErrorCode.INVALID_TOKEN,
        ErrorCode.ILLEGAL_MOVE,
        ErrorCode.CARD_REVEALED,
        ErrorCode.NOT_BEGUN,
        ErrorCode.STALE,
        ErrorCode.CLOSED,
        ErrorCode.PAUSED,
        ErrorCode.NO_PAUSE,
        ErrorCode.RECORD_FULL,
        ErrorCode.NOT_YOURS,
        ErrorCode.NOT_FOUND,
        ErrorCode.SESSION_EXPIRED,
        ErrorCode.SERVER_BUSY,
        ErrorCode.UNSUPPORTED_VERSION,
    }
)
#: Error codes that close the connection, with their WebSocket close codes.
FATAL: Final[dict[ErrorCode, int]] = {
    ErrorCode.TOO_LARGE: 1009,
    ErrorCode.SESSION_EXPIRED: 4401,
    ErrorCode.NOT_YOURS: 4403,
    ErrorCode.NOT_FOUND: 4404,
    ErrorCode.UNSUPPORTED_VERSION: 4406,
}
#: Other close codes: server restart, session ended or changed, database down, no `hello` in time, too many
#: connections, slow reader, and persistent flooding. After 1012 and 43xx a client may reconnect at once.
CLOSE_RESTART: Final = 1012
#: A process that serves no tables: the proxy is misconfigured, which may be fixed.
CLOSE_MISDIRECTED: Final = 1013
CLOSE_SESSION: Final = 4301
CLOSE_DATABASE_DOWN: Final = 4303
CLOSE_NO_HELLO: Final = 4308
CLOSE_SLOW: Final = 4408
CLOSE_CROWDED: Final = 4409
CLOSE_REPLACED: Final = 4411
CLOSE_RATE: Final = 4429


def busy(message: str) -> Refusal:
    """Return the refusal for a server that cannot handle the message now."""
    return Refusal(ErrorCode.SERVER_BUSY, message, retry_after_ms=1000)


def not_yours() -> Refusal:
    """Return the refusal for another player's attempt."""
    return Refusal(ErrorCode.NOT_YOURS, "this is another player's game")


def not_found() -> Refusal:
    """Return the refusal for an attempt that does not exist, or no longer does."""
    return Refusal(ErrorCode.NOT_FOUND, "there is no such game")


_Number = msgspec.Meta(ge=1, le=_MAX_N)
_LastSeen = msgspec.Meta(ge=0, le=_MAX_N)
_Pile = msgspec.Meta(min_length=1, max_length=4)
_Token = Annotated[str, msgspec.Meta(min_length=1, max_length=32)]


class Hello(In):
    """The first message: the protocol version, and the number of the last token the client has seen, if any."""

    v: int
    have: Annotated[int, _LastSeen] | None = None


class Move(In):
    """Play a token, or `u` to undo; `n` is its number, one more than the last."""

    n: Annotated[int, _Number]
    token: _Token


class Moves(In):
    """Play several tokens of a practice game, made without a network; `n` is the number of the first."""

    n: Annotated[int, _Number]
    tokens: Annotated[list[_Token], msgspec.Meta(min_length=1, max_length=250)]


class Auto(In):
    """Have the server play the foundation moves that win the game; `n` is the number of the first."""

    n: Annotated[int, _Number]


class Rewind(In):
    """Undo every standing move that may be undone; `n` is the number of the first `u`.

    `to_choice` stops at the last position that was not a dead end.
    """

    n: Annotated[int, _Number]
    to_choice: bool = False


class Why(In):
    """Ask why the top `cards` cards of a pile cannot move to the pile `to`, or anywhere if `to` is empty."""

    pile: Annotated[str, _Pile]
    cards: Annotated[int, msgspec.Meta(ge=1, le=104)] = 1
    to: Annotated[str, msgspec.Meta(max_length=4)] = ""


class Pause(In):
    """Stop the clock of a practice game until `resume`."""


class Resume(In):
    """Restart the clock of a paused game."""


class Resign(In):
    """Resign the game; `n` is one more than the last number, so that no move goes unseen."""

    n: Annotated[int, _Number]


class Ping(In):
    """Ask for a `pong`, which echoes `t`."""

    t: Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]


class DealInfo(msgspec.Struct, gc=False):
    """The public facts of a deal, which may be shown at any time."""

    variant: str
    game: str
    options: dict[str, bool | int | str]
    day: str | None
    commitment: str


class Waiting(Out):
    """The answer to `hello` before a race starts; the server sends `view` at the start.

    `starts_in` is the milliseconds until then; `now` is the server's clock in milliseconds since 1970.
    """

    attempt: str
    starts_in: int
    now: int
    deal: DealInfo


class View(Out):
    """The whole table: the answer to `hello`, and sent whenever smaller messages cannot bring the client up to date.

    `n` is the number of the last token, `legal` the legal tokens, and `safe` the foundation moves that cannot hurt.
    `stuck` is true at a dead end (see `dead_ends.py`), `auto` if the server would accept an `auto`, and `paused` while
    the clock is stopped. `no_undo` is the reason why the server would refuse `u` even though a move stands.
    """

    attempt: str
    n: int
    view: dict[str, Any]
    legal: list[str]
    safe: list[str]
    stuck: bool
    auto: bool
    ms: int
    paused: bool
    state: str
    ranked: bool
    deadline: str | None
    deal: DealInfo
    no_undo: NoUndo | None = None


class Moved(Out):
    """A token that was played and committed. Apply `changes` to the previous view to get the new one.

    The other fields have the same meaning as in `View`.
    """

    n: int
    token: str
    changes: dict[str, Any]
    legal: list[str]
    safe: list[str]
    stuck: bool
    auto: bool
    ms: int
    no_undo: NoUndo | None = None


class Because(Out):
    """The answer to `why`: the question, and the `reasons`; none if the cards can be moved."""

    pile: str
    cards: int
    to: str
    reasons: list[dict[str, str | int]]


class Resumed(Out):
    """The short answer to `hello`: with the `moved` messages sent just before it, the client's table is up to date."""

    n: int
    ms: int
    paused: bool
    state: str


class Clock(Out):
    """The clock after a `pause` or `resume`: its reading, and whether it is stopped."""

    ms: int
    paused: bool


class Ended(Out):
    """The end of the attempt: the last number, how it ended, and when. The score follows with the verdict."""

    n: int
    how: str
    ms: int
    state: str


class Verdict(Out):
    """The verifier's verdict. `rank`, if known, is the place on the deal's race board of the ladder `ladder`."""

    state: str
    reasons: list[Any] = []
    rank: int | None = None
    cards_up: int | None = None
    elapsed_ms: int | None = None
    tokens: int | None = None
    ladder: LadderSlug | None = None


class Pong(Out):
    """The answer to `ping`: its `t`, and the reading of the attempt's clock, null before the answer to `hello`."""

    t: int
    ms: int | None


class Error(Out):
    """The refusal of a message; `n` is the last number played, and `data` depends on the code."""

    code: Annotated[str, msgspec.Meta(extra_json_schema={"enum": sorted(CODES)})]
    message: str
    n: int
    data: dict[str, Any] = {}


ClientMessage = Hello | Move | Moves | Auto | Rewind | Why | Pause | Resume | Resign | Ping
ServerMessage = Waiting | View | Moved | Because | Resumed | Clock | Ended | Verdict | Pong | Error
INCOMING: Final = get_args(ClientMessage)
OUTGOING: Final = get_args(ServerMessage)

_wire: Final[Wire[ClientMessage]] = Wire(ClientMessage, VERSION, INCOMING, OUTGOING)
parse: Final = _wire.parse
write: Final = _wire.write
schemas: Final = _wire.schemas


if __name__ == "__main__":
    # Generate docs/protocol.schema.json: `python -m games.live.protocol > docs/protocol.schema.json`.
    _wire.print_schemas()
