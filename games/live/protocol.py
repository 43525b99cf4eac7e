"""The game protocol, version 1: every message in and out, and every error code. `docs/protocol.md` explains them.

A frame is one JSON object whose `type` names the message. Numbers `n` count the tokens of an attempt from 1, undo
included; `ms` are milliseconds since the table was dealt.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

import msgspec

from games.errors import ErrorCode, Refusal

VERSION: Final = 1
#: A longer frame from the client is refused and the connection closed.
MAX_FRAME: Final = 4096
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
        ErrorCode.STALE,
        ErrorCode.CLOSED,
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
#: Other close codes: a session that has ended or changed, no `hello` in time, too many connections, too slow a reader,
#: too persistent a sender, and a server that goes away. After 43xx a client may come back at once.
CLOSE_SESSION: Final = 4301
CLOSE_NO_HELLO: Final = 4308
CLOSE_CROWDED: Final = 4409
CLOSE_SLOW: Final = 4408
CLOSE_RATE: Final = 4429
CLOSE_GOING: Final = 1012


def busy(message: str) -> Refusal:
    """The server cannot do it now; nothing has been done."""
    return Refusal(ErrorCode.SERVER_BUSY, message, retry_after_ms=1000)


class _In(msgspec.Struct, tag_field="type", tag=str.lower, forbid_unknown_fields=True, gc=False):
    """A message from the client."""


class _Out(msgspec.Struct, tag_field="type", tag=str.lower, gc=False):
    """A message to the client."""


_Number = msgspec.Meta(ge=1, le=_MOST_N)
_Seen = msgspec.Meta(ge=0, le=_MOST_N)


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


class View(_Out):
    """The whole table: the answer to `hello`, and whenever the client cannot be brought up to date otherwise.

    `n` is the last number played, `legal` the legal tokens, `stuck` whether there are none that lead anywhere, `auto`
    whether an `auto` would be done.
    """

    attempt: str
    n: int
    view: dict[str, Any]
    legal: list[str]
    stuck: bool
    auto: bool
    ms: int
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
    stuck: bool
    auto: bool
    ms: int


class Resumed(_Out):
    """The other answer to `hello`: the client's table is right once it has the `moved`s sent just before this."""

    n: int
    ms: int
    state: str


class Ended(_Out):
    """The attempt is over: how, with which last number, and when. Its score waits for the verdict."""

    n: int
    how: str
    ms: int
    state: str


class Verdict(_Out):
    """What the verifier says. `rank`, where known, is the place on the deal's race board."""

    state: str
    reasons: list[Any] = []
    rank: int | None = None
    cards_up: int | None = None
    elapsed_ms: int | None = None
    tokens: int | None = None


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


ClientMessage = Hello | Move | Auto | Resign | Ping
ServerMessage = View | Moved | Resumed | Ended | Verdict | Pong | Error
INCOMING: Final = (Hello, Move, Auto, Resign, Ping)
OUTGOING: Final = (View, Moved, Resumed, Ended, Verdict, Pong, Error)

_TYPES: Final = frozenset(message.__name__.lower() for message in INCOMING)
_decoder: Final[msgspec.json.Decoder[ClientMessage]] = msgspec.json.Decoder(ClientMessage)
_encoder: Final = msgspec.json.Encoder()


def parse(text: str) -> ClientMessage:
    """Read a client's frame.

    :raises Refusal: too_large, bad_frame or unknown_type.
    """
    if len(text) > MAX_FRAME:
        raise Refusal(ErrorCode.TOO_LARGE, f"a frame has at most {MAX_FRAME} characters", limit=MAX_FRAME)
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise _refused(text, error) from None


def write(message: ServerMessage) -> str:
    """The frame of a message."""
    return _encoder.encode(message).decode()


def schemas() -> dict[str, Any]:
    """JSON Schemas of all messages, by the name of the type, under `in` and `out`; the shared parts under `$defs`."""
    both = (*INCOMING, *OUTGOING)
    references, parts = msgspec.json.schema_components(both, ref_template="#/$defs/{name}")
    named = [{message.__name__.lower(): reference} for message, reference in zip(both, references, strict=True)]
    directions = {"in": named[: len(INCOMING)], "out": named[len(INCOMING) :]}
    merged = {way: {name: ref for item in items for name, ref in item.items()} for way, items in directions.items()}
    return {"version": VERSION, **merged, "$defs": parts}


def _refused(text: str, error: Exception) -> Refusal:
    """Tell a message of an unknown type from one that is no message at all."""
    try:
        raw = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return Refusal(ErrorCode.BAD_FRAME, "a frame is one JSON object")
    kind = raw.get("type") if isinstance(raw, dict) else None
    if isinstance(kind, str) and kind not in _TYPES:
        return Refusal(ErrorCode.UNKNOWN_TYPE, f"no message is called {kind[:20]!r}", known=sorted(_TYPES))
    return Refusal(ErrorCode.BAD_FRAME, str(error)[:200])


if __name__ == "__main__":
    # How docs/protocol.schema.json is made: `python -m games.live.protocol > docs/protocol.schema.json`.
    print(json.dumps(schemas(), indent=1, sort_keys=True))  # noqa: T201
