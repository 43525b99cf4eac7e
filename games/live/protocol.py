"""The game protocol, version 1: every message in and out, and every error code. `docs/protocol.md` explains them.

A frame is one JSON object whose `type` names the message. Numbers `n` count the tokens of an attempt from 1, undo
included; `ms` are milliseconds since the table was dealt, without the pauses.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec

from games.errors import ErrorCode, Refusal
from games.ladders import LadderSlug
from games.live.wire import Wire

VERSION: Final = 1
_MOST_N: Final = 1_000_000


#: The codes a socket refuses with. The connection stays open except where the code is among `FATAL`.
CODES: Final = frozenset(
    {
        ErrorCode.BAD_FRAME,
        ErrorCode.UNKNOWN_TYPE,
        ErrorCode.TOO_LARGE,
        ErrorCode.RATE_LIMITED,
        ErrorCode.INVALID_TOKEN,
        ErrorCode.ILLEGAL_MOVE,
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
#: The codes after which the server closes the connection, with the WebSocket close code it uses.
FATAL: Final[dict[ErrorCode, int]] = {
    ErrorCode.TOO_LARGE: 1009,
    ErrorCode.SESSION_EXPIRED: 4401,
    ErrorCode.NOT_YOURS: 4403,
    ErrorCode.NOT_FOUND: 4404,
    ErrorCode.UNSUPPORTED_VERSION: 4406,
}
#: Other close codes: a server that stops, a session that has ended or changed, a database that does not answer, no
#: `hello` in time, too many connections, too slow a reader, and too persistent a sender. After 1012 and 43xx a client
#: may come back at once.
CLOSE_RESTART: Final = 1012
#: A process without tables: the proxy is set up wrongly, and may be put right.
CLOSE_MISDIRECTED: Final = 1013
CLOSE_SESSION: Final = 4301
CLOSE_DATABASE_AWAY: Final = 4303
CLOSE_NO_HELLO: Final = 4308
CLOSE_CROWDED: Final = 4409
CLOSE_SLOW: Final = 4408
CLOSE_RATE: Final = 4429


def busy(message: str) -> Refusal:
    """The server cannot do it now; nothing has been done."""
    return Refusal(ErrorCode.SERVER_BUSY, message, retry_after_ms=1000)


def not_yours() -> Refusal:
    """Somebody else's attempt."""
    return Refusal(ErrorCode.NOT_YOURS, "this is another player's game")


def not_found() -> Refusal:
    """An attempt that does not exist, or not any more."""
    return Refusal(ErrorCode.NOT_FOUND, "there is no such game")


class _In(msgspec.Struct, tag_field="type", tag=str.lower, forbid_unknown_fields=True, gc=False):
    """A message from the client."""


class _Out(msgspec.Struct, tag_field="type", tag=str.lower, gc=False):
    """A message to the client."""


_Number = msgspec.Meta(ge=1, le=_MOST_N)
_Seen = msgspec.Meta(ge=0, le=_MOST_N)
_Pile = msgspec.Meta(min_length=1, max_length=4)


class Hello(_In):
    """The first message: the protocol version, and the number of the last token the client has seen, if any."""

    v: int
    have: Annotated[int, _Seen] | None = None


class Move(_In):
    """Play a token, `u` to undo; `n` is its number, the last one plus 1."""

    n: Annotated[int, _Number]
    token: Annotated[str, msgspec.Meta(min_length=1, max_length=32)]


class Auto(_In):
    """Let the server play the foundation moves that win; `n` is the number of the first."""

    n: Annotated[int, _Number]


class Rewind(_In):
    """Take back every move that stands; `n` is the number of the first `u`."""

    n: Annotated[int, _Number]


class Why(_In):
    """Ask why the top `cards` cards of a pile cannot be moved `to` another, or to anywhere if `to` is empty."""

    pile: Annotated[str, _Pile]
    cards: Annotated[int, msgspec.Meta(ge=1, le=104)] = 1
    to: Annotated[str, msgspec.Meta(max_length=4)] = ""


class Pause(_In):
    """Stop the clock of a practice game until `resume`."""


class Resume(_In):
    """Let the clock of a paused game go on."""


class Resign(_In):
    """Give the game up; `n` is the last number plus 1, so that no move goes unseen."""

    n: Annotated[int, _Number]


class Ping(_In):
    """Ask for a sign of life; `t` comes back."""

    t: Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]


class DealInfo(msgspec.Struct, gc=False):
    """What may be known of the deal at any time."""

    variant: str
    game: str
    options: dict[str, bool | int | str]
    day: str | None
    commitment: str


class Waiting(_Out):
    """The answer to `hello` before the start of a race; `view` follows by itself when it is there.

    `starts_in` are the milliseconds until then, `now` is the server's clock in milliseconds since 1970.
    """

    attempt: str
    starts_in: int
    now: int
    deal: DealInfo


class View(_Out):
    """The whole table: the answer to `hello`, and whenever the client cannot be brought up to date otherwise.

    `n` is the last number played, `legal` the legal tokens, `safe` the foundation moves
    that spoil nothing, `stuck` whether there are none that lead anywhere, `auto`
    whether an `auto` would be done, `paused` whether the clock stands.
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


class Moved(_Out):
    """Token `n` is played and durable; `changes` turns the view before it into the view after it."""

    n: int
    token: str
    changes: dict[str, Any]
    legal: list[str]
    safe: list[str]
    stuck: bool
    auto: bool
    ms: int


class Because(_Out):
    """The answer to `why`: its question, and the `reasons`, none if the cards can be moved."""

    pile: str
    cards: int
    to: str
    reasons: list[dict[str, str | int]]


class Resumed(_Out):
    """The other answer to `hello`: the client's table is right once it has the `moved`s sent just before this."""

    n: int
    ms: int
    paused: bool
    state: str


class Clock(_Out):
    """The clock has been stopped by `pause`, or goes on: its reading, and whether it stands."""

    ms: int
    paused: bool


class Ended(_Out):
    """The attempt is over: how, with which last number, and when. Its score waits for the verdict."""

    n: int
    how: str
    ms: int
    state: str


class Verdict(_Out):
    """What the verifier says. `rank`, where known, is the place on the deal's race board, on the ladder `ladder`."""

    state: str
    reasons: list[Any] = []
    rank: int | None = None
    cards_up: int | None = None
    elapsed_ms: int | None = None
    tokens: int | None = None
    ladder: LadderSlug | None = None


class Pong(_Out):
    """The answer to `ping`: its `t`, and the attempt's clock."""

    t: int
    ms: int


class Error(_Out):
    """A message that was not done; `n` is the last number played, `data` depends on the code."""

    code: Annotated[str, msgspec.Meta(extra_json_schema={"enum": sorted(CODES)})]
    message: str
    n: int
    data: dict[str, Any] = {}


ClientMessage = Hello | Move | Auto | Rewind | Why | Pause | Resume | Resign | Ping
ServerMessage = Waiting | View | Moved | Because | Resumed | Clock | Ended | Verdict | Pong | Error
INCOMING: Final = (Hello, Move, Auto, Rewind, Why, Pause, Resume, Resign, Ping)
OUTGOING: Final = (Waiting, View, Moved, Because, Resumed, Clock, Ended, Verdict, Pong, Error)

_wire: Final[Wire[ClientMessage]] = Wire(ClientMessage, VERSION, INCOMING, OUTGOING)
_encoder: Final = msgspec.json.Encoder()
parse: Final = _wire.parse
schemas: Final = _wire.schemas


def write(message: ServerMessage) -> str:
    """The frame of a message."""
    return _encoder.encode(message).decode()


if __name__ == "__main__":
    # How docs/protocol.schema.json is made: `python -m games.live.protocol > docs/protocol.schema.json`.
    _wire.print_schemas()
