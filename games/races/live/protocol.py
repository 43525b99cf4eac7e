"""Protocol of the race socket, version 1: all messages in and out. `docs/race-protocol.md` explains them.

`/ws/race/<code>/` is a connection to one room. A frame is one JSON object whose `type` names the message. `room` and
`lanes` are the same for all viewers; `you` is specific to one. Points in time are milliseconds since 1970, durations
are milliseconds.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Literal, get_args

import msgspec

from games.core.errors import ErrorCode
from games.live.sockets.wire_format import In, Out, Wire

VERSION: Final = 1
#: Kinds of reactions.
Reaction = Literal["wave", "clap", "wow", "hurry", "laugh", "shrug"]

#: Error codes of this socket. The connection stays open unless the code is in `FATAL`.
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
        ErrorCode.RACE_OVER,
        ErrorCode.RACE_NOT_OPEN,
        ErrorCode.KICKED,
        ErrorCode.NOT_HOST,
        ErrorCode.NOT_ENTERED,
        ErrorCode.ALREADY_RACING,
        ErrorCode.TOO_FEW_PRESENT,
        ErrorCode.TOO_MANY_ROOMS,
        ErrorCode.NO_DEAL,
        ErrorCode.NOT_FOUND,
        ErrorCode.SESSION_EXPIRED,
        ErrorCode.SERVER_BUSY,
        ErrorCode.UNSUPPORTED_VERSION,
    }
)
#: Error codes that close the connection, with their WebSocket close codes.
FATAL: Final[dict[ErrorCode, int]] = {
    ErrorCode.TOO_LARGE: 1009,
    ErrorCode.NOT_FOUND: 4404,
    ErrorCode.UNSUPPORTED_VERSION: 4406,
}
#: Close code after `gone`.
CLOSE_GONE: Final = 4410
_EPOCH: Final = datetime.fromtimestamp(0, UTC)


class Hello(In):
    """The first message: the protocol version, and whether the page is `elsewhere`, not one of the race."""

    v: int
    elsewhere: bool = False


class Sync(In):
    """Request `room` again, after a gap in the versions of `lanes`."""


class Sit(In):
    """Take a seat in the next race; after a race this is the rematch."""


class Leave(In):
    """Give up the seat. Once the cards are dealt this resigns the game."""


class Here(In):
    """Answer a quick match's search: an opponent was found, and the room's page is in front."""


class Start(In):
    """Start the countdown with the players who are present. Host only."""


class Settings(In):
    """Choose the game, time limit, seats, visibility and undo rule of the next race. Host only."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=32)]
    limit_s: Annotated[int, msgspec.Meta(ge=60, le=7200)]
    seats: Annotated[int, msgspec.Meta(ge=2, le=16)]
    public: bool
    options: dict[str, bool | int | str] | None = None
    free_undo: bool = True


class Kick(In):
    """Kick an entrant out of the room. Host only."""

    entrant: int


class Bot(In):
    """Give a bot, by its slug, a seat in the next race. Host only."""

    racer: Annotated[str, msgspec.Meta(min_length=1, max_length=16)]


class React(In):
    """Show a reaction to all viewers."""

    kind: Reaction


class Ping(In):
    """Ask for a `pong`, which echoes `t`."""

    t: Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]


class Lane(msgspec.Struct, array_like=True, gc=False):
    """An entrant's progress: only the number of cards up, never which cards. In a puzzle race, of puzzles solved."""

    entrant: int
    cards_up: int
    tokens: int
    state: str
    away: bool
    #: Place among the racers, provisional until the race is finished. Equal scores share a place.
    place: int | None
    #: Time on the race's clock at which the game ended; null during the game. In a puzzle race, of the last one solved.
    ms: int | None


class Seat(msgspec.Struct, gc=False):
    """An entrant with a seat."""

    entrant: int
    name: str
    #: Public id of the player, which leads to their page; null for players who are not named, such as guests.
    player: str | None
    guest: bool
    #: True for a program of the site.
    house_racer: bool
    host: bool
    #: Shown rating, and whether it is still provisional; null for guests and in unrated races.
    rating: int | None
    provisional: bool
    #: URL of the player's avatar; a neutral one for players who are not named.
    avatar: str


class DealState(msgspec.Struct, gc=False):
    """The deal of a race: `ready` with its commitment, `preparing` with the seeds tried, or `none` if not found."""

    state: Literal["ready", "preparing", "none"]
    tried: int
    commitment: str | None


class RaceState(msgspec.Struct, gc=False):
    """A race of the room. Durations that are unknown, or over, are null.

    `race_commitment` commits to the deal, the game, the limit and the start; null before the countdown. `free_undo` is
    false if moves that revealed a card cannot be undone.
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
    free_undo: bool = True


class Room(Out):
    """The whole room: the answer to `hello` and `sync`, and sent whenever more than the lanes changes.

    `to_come` is the race that is open or counting down, `running` the one being run or verified, and `last` the last
    one that is over. `v` is the version of the lanes.
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


class You(Out):
    """The receiving viewer's own state: the seats in the next race and in the running one, and the table."""

    host: bool
    #: Entrant ids.
    to_come: int | None
    running: int | None
    #: Path of the player's table, from the countdown on.
    table: str | None
    #: Deadline to answer with `here` in a quick match, in milliseconds since 1970; the seat is lost after it.
    answer_by: int | None


class Lanes(Out):
    """The lanes that have changed since version `v` - 1."""

    v: int
    lanes: list[Lane]


class Reacted(Out):
    """A reaction of an entrant."""

    entrant: int
    kind: Reaction


class Moved(Out):
    """A move of the player's seat to another room: a quick match was merged, or a heat divided."""

    code: str


class Gone(Out):
    """The end of the player's stay: they were `kicked`, or the room was `closed`."""

    why: Literal["kicked", "closed"]


class Call(Out):
    """A roll call: players who count as present answer with any message, such as `ping`."""


class Pong(Out):
    """The answer to `ping`: its `t`, and the server's clock."""

    t: int
    now: int


class Error(Out):
    """The refusal of a message; `data` depends on the code."""

    code: Annotated[str, msgspec.Meta(extra_json_schema={"enum": sorted(CODES)})]
    message: str
    data: dict[str, Any] = {}


ClientMessage = Hello | Sync | Sit | Leave | Here | Start | Settings | Kick | Bot | React | Ping
ServerMessage = Room | You | Lanes | Reacted | Moved | Gone | Call | Pong | Error
INCOMING: Final = get_args(ClientMessage)
OUTGOING: Final = get_args(ServerMessage)

_wire: Final[Wire[ClientMessage]] = Wire(ClientMessage, VERSION, INCOMING, OUTGOING)
parse: Final = _wire.parse
write: Final = _wire.write
schemas: Final = _wire.schemas


def clock(now: datetime) -> int:
    """Convert a time to milliseconds since 1970, as used in messages."""
    return (now - _EPOCH) // timedelta(milliseconds=1)


if __name__ == "__main__":
    # Generate docs/race-protocol.schema.json: `python -m games.races.live.protocol > docs/race-protocol.schema.json`.
    _wire.print_schemas()
