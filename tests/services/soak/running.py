"""Run of a soak from start to end: stack, players, blows, then the checks."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from deploy.servers import eventually
from games.rules import CATALOGUE
from tests.services.soak.breaking import Breaker, plan
from tests.services.soak.checking import Boards, Deal, Kept, Line, Seasons, find_faults
from tests.services.soak.players import Begin, Player, Seat, Tally
from tests.services.soak.races import Races
from tests.services.stack import FIRST_DAY, Stack

Say = Callable[[str], None]
REPORT_EVERY = 5.0  # s
SETTLED_WITHIN = 240.0  # s: the sweep finds a lost attempt within 90, and again within 120 more
DATABASE_BACK_WITHIN = 60.0  # s: a crash, a recovery, and the pool's pause before it reconnects
PAGE = 100


@dataclass(frozen=True)
class Wish:
    """Parameters of a soak.

    `hurried` resends lost attempts at once instead of waiting for the sweep; `pooled` puts PgBouncer in front of the
    database.
    """

    seconds: float
    seed: int
    players: int = 40
    hurried: bool = False
    pooled: bool = False


@dataclass(frozen=True)
class Outcome:
    tally: Tally
    blows: Counter[str]
    verdicts: Counter[str]
    races: Counter[str]
    """Number of races by final state, such as finished or void."""
    faults: list[str]


def soak(wish: Wish, home: Path, say: Say, cluster: Path | None = None) -> Outcome:
    """Run a soak in the empty directory `home`, on a copy of a migrated cluster if there is one."""
    stack = Stack(home, cluster=cluster, pooled=wish.pooled)
    try:
        say("starting PostgreSQL, Redis, two web processes, two of tables, workers and beat")
        stack.start()
        stack.start_beat()
        return _soak(wish, stack, say)
    finally:
        stack.stop()


def _soak(wish: Wish, stack: Stack, say: Say) -> Outcome:
    control = Control(stack)
    deals = [_deal(control, wish.seed, variant) for variant in CATALOGUE]
    tally = Tally()
    breaker = Breaker(stack, plan(wish.seed, wish.seconds))
    races = Races(wish.seed, stack.sockets, control)
    say(f"{wish.players} players for {wish.seconds:.0f} s")

    async def begin(number: int, who: str) -> Seat:
        found = await asyncio.to_thread(control.ask, "seat", deal=deals[number % len(deals)].id, player=who)
        return Seat(found["session"], found["attempt"], found["player"])

    asyncio.run(_play(wish, stack.sockets, begin, deals=deals, tally=tally, breaker=breaker, races=races, say=say))
    stopped = stack.ended()
    stack.mend()
    left = control.ask("expire")
    control.ask("call_all_times")
    say(f"{left} games were left; waiting for every verdict")
    _settle(control, hurried=wish.hurried)
    kept = [Kept(**one) for one in control.ask("kept")]
    boards = _boards(stack, deals)
    faults = find_faults(tally.games, kept, deals, boards, _seasons(stack))
    faults += [f"deal {deal.id}: {fault}" for deal in deals for fault in control.ask("faults", deal=deal.id)]
    faults += races.faults()
    faults += [f"{name} ended by itself" for name in {*stopped, *stack.ended()}]
    if breaker.failed is not None:
        faults.append(f"not every blow could be dealt: {breaker.failed!r}")
    return Outcome(tally, breaker.dealt, Counter(one.state for one in kept), races.states(), faults)


class Control:
    """Thread-safe access to the stack's control process, with retries while the database is away."""

    def __init__(self, stack: Stack) -> None:
        self._stack, self._lock = stack, threading.Lock()

    def ask(self, what: str, **arguments: Any) -> Any:
        """Return the answer to a command, retrying while the database is away."""
        latest = time.monotonic() + DATABASE_BACK_WITHIN
        while True:
            try:
                return self.ask_once(what, **arguments)
            except AssertionError:
                if time.monotonic() > latest:
                    raise
                time.sleep(0.2)

    def ask_once(self, what: str, **arguments: Any) -> Any:
        """Return the answer to a command that must not run twice.

        :raises AssertionError: when it failed.
        """
        with self._lock:
            return self._stack.ask(what, **arguments)


def _deal(control: Control, seed: int, variant: str) -> Deal:
    own = hashlib.sha256(f"{seed} {variant}".encode()).hexdigest()
    return Deal(control.ask("deal", variant=variant, seed=own), variant, own)


async def _play(
    wish: Wish,
    ports: list[int],
    begin: Begin,
    *,
    deals: list[Deal],
    tally: Tally,
    breaker: Breaker,
    races: Races,
    say: Say,
) -> None:
    secrets = {text for deal in deals for text in (deal.seed, b64encode(bytes.fromhex(deal.seed)).decode().rstrip("="))}
    players = [
        Player(number, wish.seed, ports=ports, begin=begin, tally=tally, secrets=secrets)
        for number in range(wish.players)
    ]
    start = time.monotonic()
    breaker.start()
    async with asyncio.TaskGroup() as playing:
        for player in players:
            playing.create_task(player.play())
        racing = playing.create_task(races.hold())
        while (elapsed := time.monotonic() - start) < wish.seconds:
            await asyncio.sleep(min(REPORT_EVERY, wish.seconds - elapsed))
            say(progress(time.monotonic() - start, tally, breaker.dealt))
        for player in players:
            player.stopping = True
        racing.cancel()
    await asyncio.to_thread(breaker.join)


def progress(elapsed: float, tally: Tally, dealt: Counter[str]) -> str:
    blows = ", ".join(f"{kind} {times}" for kind, times in sorted(dealt.items())) or "none"
    return f"{elapsed:4.0f} s  {len(tally.games)} games, {tally.tokens} tokens acknowledged, blows: {blows}"


def _settle(control: Control, *, hurried: bool) -> None:
    """Wait for every verdict and every sum, up to a limit; the checks report what is missing then."""

    def settled() -> bool:
        if hurried:
            control.ask("close_due")
            control.ask("sweep", minutes=10)
            control.ask("tend_races")
        return bool(control.ask("unsettled") == control.ask("marked") == control.ask("unfinished") == 0)

    try:
        eventually(settled, within=60 if hurried else SETTLED_WITHIN, every=2)
    except TimeoutError:
        return


def _boards(stack: Stack, deals: list[Deal]) -> Boards:
    return {
        (deal.id, board, f"web{index}"): _lines(stack.ports[index], f"boards/{deal.id}", {"board": board}, number)
        for number, deal in enumerate(deals)
        for board in ("race", "fewest")
        for index in range(2)
    }


def _seasons(stack: Stack) -> Seasons:
    """Return the boards of the month and of all time as each web process shows them.

    All deals are in one month.
    """
    asked = [(period, variant) for period in ("month", "all") for variant in ("", *CATALOGUE)]
    return {
        (period, variant, board, f"web{index}"): _lines(
            stack.ports[index], f"seasons/{period}", {"board": board, "variant": variant, "day": str(FIRST_DAY)}, number
        )
        for number, (period, variant) in enumerate(asked, len(CATALOGUE))
        for board in ("race", "fewest")
        for index in range(2)
    }


def _lines(port: int, path: str, asked: dict[str, str], reader: int) -> list[Line]:
    found: list[Line] = []
    cursor = None
    while True:
        page = _page(port, path, asked | {"limit": str(PAGE)} | ({"cursor": cursor} if cursor else {}), reader)
        names = ("rank", "player", "cards_up", "elapsed_ms", "tokens")
        found += [Line(**{name: entry[name] for name in names}) for entry in page["entries"]]
        if (cursor := page["after"]) is None:
            return found


def _page(port: int, path: str, asked: dict[str, str], reader: int) -> Any:
    # Each board's reader has its own address, to stay below the rate limit.
    connection = HTTPConnection(
        "127.0.0.1", port, timeout=10, source_address=(f"127.2.{reader // 200}.{reader % 200 + 1}", 0)
    )
    connection.request("GET", f"/api/v1/{path}?{urlencode(asked)}")
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 200, (answer.status, body)
    return json.loads(body)
