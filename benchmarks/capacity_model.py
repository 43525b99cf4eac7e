"""Capacity model of a day: costs and demand in, needs out. It is pure; `benchmarks.capacity` prints its results.

Arrivals are even over the day, except a share, the rush, that comes at 00:00 UTC and fades exponentially. Each player
plays a number of games in sequence; lengths vary such that a running game ends with the same probability at any moment.
Loads are proportional to the number of players: queues and locks are not modelled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

DAY: Final = 24 * 3600
STEP: Final = 20
"""Seconds between two evaluated moments of the day."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of an item: ms of CPU by kind of process, bytes sent to browsers, bytes of PostgreSQL's log (WAL)."""

    web: float = 0.0
    worker: float = 0.0
    postgres: float = 0.0
    redis: float = 0.0
    sent: float = 0.0
    wal: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.web + other.web,
            self.worker + other.worker,
            self.postgres + other.postgres,
            self.redis + other.redis,
            self.sent + other.sent,
            self.wal + other.wal,
        )

    def __mul__(self, times: float) -> Cost:
        return Cost(
            self.web * times,
            self.worker * times,
            self.postgres * times,
            self.redis * times,
            self.sent * times,
            self.wal * times,
        )


def total(costs: Mapping[str, Cost], names: tuple[str, ...]) -> Cost:
    """Return the sum of the named costs."""
    return sum((costs[name] for name in names), Cost())


BETWEEN: Final = "between"
"""Additional cost of arriving alone and between other players' steps."""
NEWCOMER: Final = ("home", "start page", "start", "table", "hello", "leave", BETWEEN)
"""Steps of a first-time visitor up to the first cards, and leaving the table."""
AGAIN: Final = ("start page again", "start again", "table again", "hello again", "leave again", BETWEEN)
"""Steps of a player's next game."""
RETURNING: Final = ("home again", *AGAIN)
ONCE: Final = (*dict.fromkeys((*NEWCOMER, *RETURNING)), "move", "verdict")
"""Items with a cost per event."""
LASTING: Final = ("socket", "watcher", "racer", "spectator")
"""Items with a cost per second: an open socket, and additionally watching a board, racing, watching a race."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Bytes in the database, with indexes."""

    move: float  # in the journal
    game: float  # kept permanently
    guest: float  # a new guest with session and links


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of a web process and of a worker process."""

    process_mib: float  # without sockets
    worker_mib: float
    socket_kib: float  # of a table


@dataclass(frozen=True, slots=True)
class Costs:
    """All measured costs, and how they were measured."""

    taken: str
    machine: str
    tokens: int  # of the games judged
    moves_a_second: float  # of all players together during the measurement of a move
    bare_view: float  # CPU ms of a web process for an empty Django page: the speed of the machine
    each: dict[str, Cost]
    stored: Stored
    memory: Memory

    @property
    def newcomer(self) -> Cost:
        """Return the cost of an arrival without a session, with its first table but without moves."""
        return total(self.each, NEWCOMER)

    @property
    def returning(self) -> Cost:
        """Return the same with a session."""
        return total(self.each, RETURNING)

    @property
    def next_game(self) -> Cost:
        """Return the cost of the next game's table, without moves."""
        return total(self.each, AGAIN)


@dataclass(frozen=True, slots=True)
class Demand:
    """Players of a day and their actions. Shares are between 0 and 1."""

    players: float = 100_000.0
    rush: float = 0.15  # share of arrivals in the midnight rush
    minutes: float = 5.0  # in which the rush fades to a third (1/e)
    newcomers: float = 0.3  # share of arrivals without a session
    games: int = 3  # per player, in sequence
    moves: float = 120.0  # per game
    pace: float = 3.0  # seconds per move
    watching: float = 0.05  # share of players who also watch a board
    racing: float = 0.05  # share of players in a race
    spectating: float = 0.02  # share of players who also watch a race

    def __post_init__(self) -> None:
        """Refuse an impossible day.

        :raises ValueError: naming the fault.
        """
        for name in ("rush", "newcomers", "watching", "racing", "spectating"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a share, between 0 and 1")
        for name in ("players", "minutes", "games", "moves", "pace"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be more than 0")

    @property
    def game_seconds(self) -> float:
        """Return the average length of a game."""
        return self.moves * self.pace

    @property
    def sockets(self) -> float:
        """Return the WebSockets per player."""
        return 1 + self.watching + self.racing + self.spectating


@dataclass(frozen=True, slots=True)
class Moment:
    """Rates and numbers at a time of the day (seconds after 00:00 UTC)."""

    at: float
    arrivals: float
    next_games: float
    moves: float
    finishes: float
    playing: float
    sockets: float


def arrived(demand: Demand, until: float) -> float:
    """Return the number of players who have arrived this many seconds after midnight, at most a day."""
    fade = demand.minutes * 60
    rush = -math.expm1(-until / fade) / -math.expm1(-DAY / fade)
    return demand.players * (demand.rush * rush + (1 - demand.rush) * until / DAY)


def moments(demand: Demand) -> Iterator[Moment]:
    """Yield the moments of the day; at its start, players of the last minutes of the day before are playing."""
    evenly = demand.players * (1 - demand.rush) / DAY
    playing = [evenly * demand.game_seconds] * demand.games  # players in their first game, their second, ...
    ending = min(1.0, STEP / demand.game_seconds)
    for at in range(0, DAY, STEP):
        came = arrived(demand, at + STEP) - arrived(demand, at)
        ended = [count * ending for count in playing]
        begun = [came, *ended[:-1]]
        playing = [count - gone + new for count, gone, new in zip(playing, ended, begun, strict=True)]
        yield Moment(
            at=at,
            arrivals=came / STEP,
            next_games=sum(ended[:-1]) / STEP,
            moves=sum(playing) / demand.pace,
            finishes=sum(ended) / STEP,
            playing=sum(playing),
            sockets=sum(playing) * demand.sockets,
        )


@dataclass(frozen=True, slots=True)
class Prices:
    """Costs of a day's events: per event, or per second for players at a table."""

    arrival: Cost
    next_game: Cost
    verdict: Cost
    playing: Cost

    @classmethod
    def of(cls, costs: Costs, demand: Demand) -> Prices:
        """Return the prices for this demand."""
        each = costs.each
        beside = each["watcher"] * demand.watching + each["racer"] * demand.racing
        return cls(
            arrival=costs.newcomer * demand.newcomers + costs.returning * (1 - demand.newcomers),
            next_game=costs.next_game,
            verdict=each["verdict"],
            playing=each["move"] * (1 / demand.pace)
            + each["socket"] * demand.sockets
            + beside
            + each["spectator"] * demand.spectating,
        )

    def load(self, moment: Moment) -> Cost:
        """Return the cost per second at a moment: ms of CPU, bytes."""
        return (
            self.arrival * moment.arrivals
            + self.next_game * moment.next_games
            + self.verdict * moment.finishes
            + self.playing * moment.playing
        )


@dataclass(frozen=True, slots=True)
class Shape:
    """Configuration of the site."""

    busy: float = 0.7  # share of a core that a process may use at the peak
    cores: int = 16  # per server
    sockets: int = 2_000  # per web process, MAX_SOCKETS
    pool: int = 24  # database connections per web process, DATABASE_POOL
    connections: int = 300  # of PostgreSQL, max_connections

    def __post_init__(self) -> None:
        """Refuse an impossible configuration.

        :raises ValueError: naming the fault.
        """
        if not 0 < self.busy <= 1:
            raise ValueError("busy is a share, more than 0 and at most 1")
        for name in ("cores", "sockets", "pool", "connections"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more")


@dataclass(frozen=True, slots=True)
class Needs:
    """Resources needed for a day. Cores are those in use at the kind's busiest moment."""

    arrivals: float  # per second at the peak, like the next three
    moves: float
    verdicts: float
    sockets: float
    web_cores: float
    worker_cores: float
    postgres_cores: float
    redis_cores: float
    web_processes: int
    worker_processes: int
    postgres_cores_wanted: int
    redis_servers: int
    servers: int  # for web processes and workers
    database_connections: int
    web_memory_gib: float
    sent_mib_a_second: float
    wal_mib_a_second: float
    sent_gib_a_day: float
    wal_gib_a_day: float
    journal_gib: float  # at most: the moves of two days
    kept_gib_a_day: float


MIB: Final = 1024.0**2
GIB: Final = 1024.0**3
JOURNAL_DAYS: Final = 2


def needs(costs: Costs, demand: Demand, shape: Shape) -> Needs:
    """Return the resources needed for such a day."""
    day = list(moments(demand))
    prices = Prices.of(costs, demand)
    loads = [prices.load(moment) for moment in day]
    cores = {kind: max(getattr(one, kind) for one in loads) / 1000 for kind in ("web", "worker", "postgres", "redis")}
    sockets = max(moment.sockets for moment in day)
    web = max(_whole(cores["web"] / shape.busy), _whole(sockets / shape.sockets))
    workers = _whole(cores["worker"] / shape.busy)
    games = demand.players * demand.games
    kept = games * costs.stored.game + demand.players * demand.newcomers * costs.stored.guest
    return Needs(
        arrivals=max(moment.arrivals for moment in day),
        moves=max(moment.moves for moment in day),
        verdicts=max(moment.finishes for moment in day),
        sockets=sockets,
        web_cores=cores["web"],
        worker_cores=cores["worker"],
        postgres_cores=cores["postgres"],
        redis_cores=cores["redis"],
        web_processes=web,
        worker_processes=workers,
        postgres_cores_wanted=_whole(cores["postgres"] / shape.busy),
        redis_servers=_whole(cores["redis"] / shape.busy),
        servers=_whole((web + workers) / shape.cores),
        database_connections=web * (shape.pool + 1) + workers,
        web_memory_gib=(web * costs.memory.process_mib * MIB + sockets * costs.memory.socket_kib * 1024) / GIB,
        sent_mib_a_second=max(one.sent for one in loads) / MIB,
        wal_mib_a_second=max(one.wal for one in loads) / MIB,
        sent_gib_a_day=sum(one.sent for one in loads) * STEP / GIB,
        wal_gib_a_day=sum(one.wal for one in loads) * STEP / GIB,
        journal_gib=games * demand.moves * costs.stored.move * JOURNAL_DAYS / GIB,
        kept_gib_a_day=kept / GIB,
    )


def _whole(wanted: float) -> int:
    """Round up to at least one, ignoring rounding errors."""
    return max(1, math.ceil(wanted - 1e-6))


@dataclass(frozen=True, slots=True)
class Limit:
    """A limited resource, and the number of players a day that exhausts it."""

    what: str
    players: float


def limits(costs: Costs, demand: Demand, shape: Shape) -> list[Limit]:
    """Return the limits in the order in which growing numbers of players reach them."""
    found = needs(costs, demand, shape)
    web = shape.connections // (shape.pool + 1)
    resources = (
        ("one web process", shape.busy, found.web_cores),
        ("two web processes, as in docker-compose.yml", 2 * shape.busy, found.web_cores),
        ("the two processes of one worker", 2 * shape.busy, found.worker_cores),
        (f"PostgreSQL's {shape.connections} connections, {web} web processes", web * shape.busy, found.web_cores),
        (f"web processes and workers on one server of {shape.cores} cores", shape.cores * shape.busy, _site(found)),
        ("one Redis, which has one thread", shape.busy, found.redis_cores),
        (f"one PostgreSQL on {shape.cores} cores", shape.cores * shape.busy, found.postgres_cores),
    )
    reached = [Limit(what, demand.players * available / used) for what, available, used in resources if used]
    return sorted(reached, key=lambda limit: limit.players)


def _site(found: Needs) -> float:
    return found.web_cores + found.worker_cores
