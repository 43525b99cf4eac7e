"""What a day with so many players needs: costs and demand in, needs out. Pure; `benchmarks.capacity` prints it.

Arrivals are spread evenly over the day but for a share of them, the rush, which comes at 00:00 UTC and fades
exponentially. Everybody plays so many games one after the other; their lengths differ, so that whoever plays ends with
the same chance at any moment. Loads are proportional to the players: nothing here knows of queues or locks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Final

DAY: Final = 24 * 3600
STEP: Final = 20
"""Seconds between two looks at the day."""

#: What the costs are measured without: certification, and admission, which would put players into the queue.
OFF: Final = {"SEALED_STOCK": "0", "ADMISSION": "0"}


@dataclass(frozen=True, slots=True)
class Cost:
    """What something costs: ms of CPU by kind of process, bytes sent to browsers, bytes of PostgreSQL's log (WAL)."""

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

    def __sub__(self, other: Cost) -> Cost:
        return self + other * -1

    def written(self) -> Cost:
        """As it is kept: rounded, and without what is below nothing, which only an inexact measurement gives."""
        return Cost(*(max(0.0, round(getattr(self, one.name), 4)) for one in fields(Cost)))


def total(costs: Mapping[str, Cost], names: tuple[str, ...]) -> Cost:
    """The sum of the named ones."""
    return sum((costs[name] for name in names), Cost())


BETWEEN: Final = "between"
"""What somebody on the way to a table costs beyond the steps, as each comes alone and between other people's steps."""
NEWCOMER: Final = ("home", "start page", "start", "table", "hello", "leave", BETWEEN)
"""The steps of somebody who has never been here, up to the first cards, and away from the table."""
AGAIN: Final = ("start page again", "start again", "table again", "hello again", "leave again", BETWEEN)
"""Those of the next game of somebody who has played here."""
RETURNING: Final = ("home again", *AGAIN)
ONCE: Final = (*dict.fromkeys((*NEWCOMER, *RETURNING)), "move", "verdict")
"""What costs something when it happens."""
LASTING: Final = ("socket", "watcher", "racer", "spectator")
"""What costs something in every second: an open socket, and beside it who watches a board, races, watches a race."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Bytes in the database, indexes included."""

    move: float  # in the journal
    game: float  # kept for ever
    guest: float  # a new guest with session and links


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of a web process, and of a process of a worker."""

    process_mib: float  # without sockets
    worker_mib: float
    socket_kib: float  # of a table


@dataclass(frozen=True, slots=True)
class Costs:
    """Everything that is measured, and how."""

    taken: str
    machine: str
    tokens: int  # of the games that were judged
    moves_a_second: float  # of all players together, while a move was measured
    bare_view: float  # ms of CPU of a web process for a page of Django without anything: how fast the machine was
    each: dict[str, Cost]
    stored: Stored
    memory: Memory

    @property
    def newcomer(self) -> Cost:
        """An arrival without a session, with everything about its first table but what is done there."""
        return total(self.each, NEWCOMER)

    @property
    def returning(self) -> Cost:
        """The same with a session."""
        return total(self.each, RETURNING)

    @property
    def next_game(self) -> Cost:
        """From the end of a game on, with everything about the next table but what is done there."""
        return total(self.each, AGAIN)


@dataclass(frozen=True, slots=True)
class Demand:
    """A day's players and what they do. Shares are between 0 and 1."""

    players: float = 100_000.0
    rush: float = 0.15  # share of the arrivals that belong to the midnight rush
    minutes: float = 5.0  # in which the rush fades to a third (1/e)
    newcomers: float = 0.3  # share of the arrivals without a session
    games: int = 3  # of a player, one after the other
    moves: float = 120.0  # of a game
    pace: float = 3.0  # seconds a move
    watching: float = 0.05  # of those who play: boards that are watched beside it
    racing: float = 0.05  # of those who play: in a race
    spectating: float = 0.02  # of those who play: watch a race beside it

    def __post_init__(self) -> None:
        """Refuse what no day is like.

        :raises ValueError: naming what is wrong.
        """
        for name in ("rush", "newcomers", "watching", "racing", "spectating"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a share, between 0 and 1")
        for name in ("players", "minutes", "games", "moves", "pace"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be more than 0")

    @property
    def game_seconds(self) -> float:
        """How long a game takes on average."""
        return self.moves * self.pace

    @property
    def sockets(self) -> float:
        """WebSockets of one who plays."""
        return 1 + self.watching + self.racing + self.spectating


@dataclass(frozen=True, slots=True)
class Moment:
    """What happens at a time of the day (seconds after 00:00 UTC): so many a second, and so many at once."""

    at: float
    arrivals: float
    next_games: float
    moves: float
    finishes: float
    playing: float
    sockets: float


def arrived(demand: Demand, until: float) -> float:
    """The players who have come by so many seconds after midnight, at most a day."""
    fade = demand.minutes * 60
    rush = -math.expm1(-until / fade) / -math.expm1(-DAY / fade)
    return demand.players * (demand.rush * rush + (1 - demand.rush) * until / DAY)


def moments(demand: Demand) -> Iterator[Moment]:
    """The day in steps; at its beginning those play who came in the last minutes of the day before."""
    evenly = demand.players * (1 - demand.rush) / DAY
    playing = [evenly * demand.game_seconds] * demand.games  # those at their first game, at their second, ...
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
    """What a day's events cost: each once, but those who play in every second."""

    arrival: Cost
    next_game: Cost
    verdict: Cost
    playing: Cost

    @classmethod
    def of(cls, costs: Costs, demand: Demand) -> Prices:
        """The prices of such a day."""
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
        """What a moment costs a second: ms of CPU, bytes."""
        return (
            self.arrival * moment.arrivals
            + self.next_game * moment.next_games
            + self.verdict * moment.finishes
            + self.playing * moment.playing
        )


@dataclass(frozen=True, slots=True)
class Shape:
    """How the site is run."""

    busy: float = 0.7  # share of a core that a process may use at the peak
    cores: int = 16  # of one server
    sockets: int = 2_000  # of one web process, MAX_SOCKETS
    pool: int = 24  # database connections of one web process, DATABASE_POOL
    connections: int = 300  # of PostgreSQL, max_connections

    def __post_init__(self) -> None:
        """Refuse what no site is run like.

        :raises ValueError: naming what is wrong.
        """
        if not 0 < self.busy <= 1:
            raise ValueError("busy is a share, more than 0 and at most 1")
        for name in ("cores", "sockets", "pool", "connections"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more")


@dataclass(frozen=True, slots=True)
class Needs:
    """What a day needs. Cores are those in use at the kind's busiest moment."""

    arrivals: float  # a second, at the peak, as the next three
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
    """What such a day needs."""
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
    """So many whole ones, at least one; what is over by rounding alone is not counted."""
    return max(1, math.ceil(wanted - 1e-6))


@dataclass(frozen=True, slots=True)
class Limit:
    """Something that there is only so much of, and the players of a day with which it is used up."""

    what: str
    players: float


def limits(costs: Costs, demand: Demand, shape: Shape) -> list[Limit]:
    """What is used up one after the other while the players grow, the first first."""
    found = needs(costs, demand, shape)
    web = shape.connections // (shape.pool + 1)
    there = (
        ("one web process", shape.busy, found.web_cores),
        ("two web processes, as in docker-compose.yml", 2 * shape.busy, found.web_cores),
        ("the two processes of one worker", 2 * shape.busy, found.worker_cores),
        (f"PostgreSQL's {shape.connections} connections, {web} web processes", web * shape.busy, found.web_cores),
        (f"web processes and workers on one server of {shape.cores} cores", shape.cores * shape.busy, _site(found)),
        ("one Redis, which has one thread", shape.busy, found.redis_cores),
        (f"one PostgreSQL on {shape.cores} cores", shape.cores * shape.busy, found.postgres_cores),
    )
    reached = [Limit(what, demand.players * there / used) for what, there, used in there if used]
    return sorted(reached, key=lambda limit: limit.players)


def _site(found: Needs) -> float:
    return found.web_cores + found.worker_cores
