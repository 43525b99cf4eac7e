"""The race socket's protocol, version 1: every message in and out. `docs/race-protocol.md` explains them.

`/ws/race/<code>/` is one connection to one room. A frame is one JSON object whose `type` names the message. What all
who watch are told alike is in `room` and `lanes`; what concerns one of them alone is in `you`. Times on the clock are
milliseconds since 1970, spans are milliseconds.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Literal

import msgspec

from games.errors import ErrorCode
from games.live.wire import Wire

VERSION: Final = 1
#: What may be said without words.
Reaction = Literal["wave", "clap", "wow", "hurry", "laugh", "shrug"]

#: The codes this socket refuses with. The connection stays open except where the code is among `FATAL`.
CODES: Final = frozenset(
    {
        ErrorCode.BAD_FRAME,
        ErrorCode.UNKNOWN_TYPE,
        ErrorCode.TOO_LARGE,
        ErrorCode.RATE_LIMITED,
        ErrorCode.BAD_OPTION,
        ErrorCode.ROOM_FULL,
        ErrorCode.ROOM_CLOSED,
        ErrorCode.RACE_STARTED,
        ErrorCode.RACE_NOT_OPEN,
        ErrorCode.KICKED,
        ErrorCode.NOT_HOST,
        ErrorCode.NOT_ENTERED,
        ErrorCode.ALREADY_RACING,
        ErrorCode.TOO_FEW_READY,
        ErrorCode.TOO_MANY_ROOMS,
        ErrorCode.NO_DEAL,
        ErrorCode.NOT_FOUND,
        ErrorCode.SESSION_EXPIRED,
        ErrorCode.SERVER_BUSY,
        ErrorCode.UNSUPPORTED_VERSION,
    }
)
#: The codes after which the server closes the connection, with the WebSocket close code it uses.
FATAL: Final[dict[ErrorCode, int]] = {
    ErrorCode.TOO_LARGE: 1009,
    ErrorCode.NOT_FOUND: 4404,
    ErrorCode.UNSUPPORTED_VERSION: 4406,
}
#: After `gone` the server closes the connection with this.
CLOSE_GONE: Final = 4410
_EPOCH: Final = datetime.fromtimestamp(0, UTC)


class _In(msgspec.Struct, tag_field="type", tag=str.lower, forbid_unknown_fields=True, gc=False):
    """A message from the client."""


class _Out(msgspec.Struct, tag_field="type", tag=str.lower, gc=False):
    """A message to the client."""


class Hello(_In):
    """The first message, with the protocol version."""

    v: int


class Sync(_In):
    """Ask for `room` again, after a gap in the versions of `lanes`."""


class Sit(_In):
    """Take a seat in the race to come; after a race this is the rematch."""


class Leave(_In):
    """Give the seat up. Once the cards are dealt this resigns the game."""


class Ready(_In):
    """Say that one is ready, or not any more."""

    ready: bool


class Start(_In):
    """Start the countdown. For the host."""


class Settings(_In):
    """Choose the game of the race to come, its limit, seats and privacy. For the host."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=32)]
    limit_s: Annotated[int, msgspec.Meta(ge=60, le=7200)]
    seats: Annotated[int, msgspec.Meta(ge=2, le=16)]
    public: bool
    options: dict[str, bool | int | str] | None = None


class Kick(_In):
    """Send somebody away. For the host."""

    entrant: int


class React(_In):
    """Show everybody a reaction."""

    kind: Reaction


class Ping(_In):
    """Ask for a sign of life; `t` comes back."""

    t: Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]


class Lane(msgspec.Struct, array_like=True, gc=False):
    """How far somebody is: nothing of the cards but how many are up."""

    entrant: int
    cards_up: int
    tokens: int
    state: str
    away: bool
    #: Among those who race, as it stands; final once the race is finished. Equal places are shared.
    place: int | None
    #: When the game ended, on the race's clock; null while it goes on.
    ms: int | None


class Seat(msgspec.Struct, gc=False):
    """Somebody with a seat."""

    entrant: int
    name: str
    #: The public id of the player, whose page others may see; null for guests and the like.
    player: str | None
    guest: bool
    host: bool
    #: Shown rating, and whether it is still uncertain; null for guests and in rooms without rating.
    rating: int | None
    provisional: bool
    #: The address of the picture that goes with the name; for guests and the like a neutral one.
    avatar: str


class DealState(msgspec.Struct, gc=False):
    """The deal of the race to come: `ready` with its commitment, `preparing` with the seeds tried, or `none` found."""

    state: Literal["ready", "preparing", "none"]
    tried: int
    commitment: str | None


class RaceState(msgspec.Struct, gc=False):
    """A race of the room. Spans that are not known, or over, are null.

    `race_commitment` binds the deal, the game, the limit and the start; null before the countdown.
    """

    id: str
    number: int
    state: str
    rated: bool
    variant: str
    game: str
    options: dict[str, Any]
    limit_s: int
    deal: DealState
    race_commitment: str | None
    gathers_in: int | None
    scheduled_in: int | None
    starts_in: int | None
    ends_in: int | None
    void: str
    seats: list[Seat]
    lanes: list[Lane]


class Room(_Out):
    """The whole room: the answer to `hello` and `sync`, and sent whenever more than lanes has changed.

    `to_come` is the race that is open or counts down, `running` the one being run or verified, `last` the one finished
    last. `v` is the version of the lanes.
    """

    v: int
    now: int
    code: str
    kind: str
    host: str | None
    seats: int
    to_come: RaceState | None
    running: RaceState | None
    last: RaceState | None


class You(_Out):
    """What concerns the one who reads it: the seats in the race to come and in the one being run, and the table."""

    host: bool
    #: Entrant ids.
    to_come: int | None
    running: int | None
    #: The address of one's table, from the countdown on.
    table: str | None
    #: The time on the clock by which a quick match must be confirmed with `ready`; without that the seat is lost.
    confirm_by: int | None


class Lanes(_Out):
    """The lanes that have changed since version `v` - 1."""

    v: int
    lanes: list[Lane]


class Reacted(_Out):
    """Somebody reacts."""

    entrant: int
    kind: Reaction


class Moved(_Out):
    """One's seat is in another room now: a quick match was merged, or a heat divided."""

    code: str


class Gone(_Out):
    """There is no seat and no room for this player any more: `kicked`, or the room is `closed`."""

    why: Literal["kicked", "closed"]


class Pong(_Out):
    """The answer to `ping`: its `t`, and the server's clock."""

    t: int
    now: int


class Error(_Out):
    """A message that was not done; `data` depends on the code."""

    code: Annotated[str, msgspec.Meta(extra_json_schema={"enum": sorted(CODES)})]
    message: str
    data: dict[str, Any] = {}


ClientMessage = Hello | Sync | Sit | Leave | Ready | Start | Settings | Kick | React | Ping
ServerMessage = Room | You | Lanes | Reacted | Moved | Gone | Pong | Error
INCOMING: Final = (Hello, Sync, Sit, Leave, Ready, Start, Settings, Kick, React, Ping)
OUTGOING: Final = (Room, You, Lanes, Reacted, Moved, Gone, Pong, Error)

_wire: Final[Wire[ClientMessage]] = Wire(ClientMessage, VERSION, INCOMING, OUTGOING)
_encoder: Final = msgspec.json.Encoder()
parse: Final = _wire.parse
schemas: Final = _wire.schemas


def write(message: ServerMessage) -> str:
    """The frame of a message."""
    return _encoder.encode(message).decode()


def clock(now: datetime) -> int:
    """A time as messages have it: milliseconds since 1970."""
    return (now - _EPOCH) // timedelta(milliseconds=1)


if __name__ == "__main__":
    # How docs/race-protocol.schema.json is made: `python -m games.races.protocol > docs/race-protocol.schema.json`.
    _wire.print_schemas()
