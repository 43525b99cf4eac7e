"""PgBouncer and a replica: players read their own writes at once, and a late or missing server goes unnoticed."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import urlencode

import psycopg
import pytest

from deploy.servers import PgBouncer, Postgres, Replica, eventually
from tests.services.stack import Seat, Stack, await_ranks

pytestmark = [pytest.mark.needs("pgbouncer", "pg_basebackup"), pytest.mark.services, pytest.mark.slow]

CSRF = "a" * 32


@pytest.fixture
def stack(full: Stack) -> Stack:
    full.mend()
    return full


@pytest.fixture(autouse=True)
def replica(stack: Stack) -> Replica:
    """The replica, once all processes read from it."""
    assert stack.replica is not None
    eventually(lambda: all(is_read(stack, index) for index in range(2)))
    return stack.replica


def read_page(stack: Stack, index: int, path: str, *, session: str = "", form: dict[str, str] | None = None) -> str:
    """Return a page, or post a form; the visitor has a session or is anonymous."""
    connection = http.client.HTTPConnection("127.0.0.1", stack.ports[index], timeout=60)
    cookies = f"csrftoken={CSRF}" + (f"; sessionid={session}" if session else "")
    heads = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
    body = None if form is None else urlencode({**form, "csrfmiddlewaretoken": CSRF})
    connection.request("GET" if form is None else "POST", path, body, heads)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    assert answer.status == (200 if form is None else 302), (answer.status, text)
    return text


def name_of(stack: Stack, index: int, player: str, session: str = "") -> Any:
    return json.loads(read_page(stack, index, f"/api/v1/players/{player}", session=session))["name"]


def is_named(stack: Stack, index: int, player: str, name: str, session: str = "") -> bool:
    return bool(name_of(stack, index, player, session) == name)


def is_on_page(stack: Stack, index: int, player: str, name: str, session: str) -> bool:
    return name in read_page(stack, index, f"/players/{player}/", session=session)


def results_of(stack: Stack, player: str, session: str = "") -> int:
    return len(json.loads(read_page(stack, 0, f"/api/v1/players/{player}/results", session=session)))


def reads(stack: Stack, index: int, server: str) -> float:
    """Return how many API views a process has read from the replica or the primary."""
    found = re.search(
        rf'^talon_reads_total{{place="api",server="{server}"}} (\S+)', read_page(stack, index, "/metrics"), re.MULTILINE
    )
    return float(found[1]) if found else 0.0


def is_read(stack: Stack, index: int, server: str = "replica") -> bool:
    """Return whether an anonymous visitor's view is read from that server."""
    before = reads(stack, index, server)
    read_page(stack, index, "/api/v1/ratings")
    return reads(stack, index, server) > before


def rename(stack: Stack, session: str) -> str:
    name = f"Robin {token_hex(4)}"
    read_page(stack, 0, "/players/me/name/", session=session, form={"name": name})
    return name


def seat(stack: Stack) -> Seat:
    return stack.seat(stack.ask("deal", variant="braid", seed=token_hex(32)))


def wait_for_replay(primary: Postgres, replica: Replica) -> None:
    with psycopg.connect(primary.url) as writing, psycopg.connect(replica.url, autocommit=True) as reading:
        end = writing.execute("SELECT pg_current_wal_insert_lsn()").fetchone()
        has = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
        eventually(lambda: reading.execute(has, end).fetchone() == (True,))


@contextmanager
def replaying_nothing(replica: Replica) -> Iterator[None]:
    with psycopg.connect(replica.url, autocommit=True) as server:
        server.execute("SELECT pg_wal_replay_pause()")
        try:
            yield
        finally:
            server.execute("SELECT pg_wal_replay_resume()")


@contextmanager
def frozen(replica: Replica) -> Iterator[None]:
    """Freeze the server: it neither answers nor closes connections."""
    with psycopg.connect(replica.url, autocommit=True) as server:
        data = server.execute("SHOW data_directory").fetchone()
    assert data is not None
    first = Path(data[0], "postmaster.pid").read_text().split()[0]
    ps = subprocess.run(
        ["ps", "--no-headers", "-o", "pid", "--ppid", first], capture_output=True, text=True, check=True
    )
    processes = [int(first), *map(int, ps.stdout.split())]
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in processes:
            os.kill(pid, signal.SIGCONT)


def test_players_see_their_changes_at_once_and_others_later(stack: Stack, replica: Replica) -> None:
    one, other = seat(stack), seat(stack)
    name = name_of(stack, 0, one.player, one.session)
    for index in range(2):  # a new guest's reads come from the primary at first
        eventually(partial(own_reads_come_from_the_replica, stack, other, index))
    with replaying_nothing(replica):
        new = rename(stack, one.session)
        for index in range(2):
            assert name_of(stack, index, one.player, one.session) == new
            assert new in read_page(stack, index, f"/players/{one.player}/", session=one.session)
            # A slow machine may read from the primary for a moment.
            eventually(partial(is_named, stack, index, one.player, name))
            eventually(partial(is_named, stack, index, one.player, name, other.session))
            eventually(partial(is_on_page, stack, index, one.player, name, other.session))
        one.finish_at(1, moves=4)
        assert await_ranks(one) == [1]
        assert results_of(stack, one.player, one.session) == 1
        eventually(lambda: results_of(stack, one.player) == 0)
    eventually(lambda: name_of(stack, 1, one.player) == new)
    eventually(lambda: results_of(stack, one.player) == 1)
    eventually(lambda: own_reads_come_from_the_replica(stack, one))


def own_reads_come_from_the_replica(stack: Stack, seat: Seat, index: int = 0) -> bool:
    before = reads(stack, index, "replica")
    name_of(stack, index, seat.player, seat.session)
    return reads(stack, index, "replica") > before


@pytest.mark.parametrize("how", ["stopped", "frozen"])
def test_pages_work_without_the_replica_and_return_to_it(stack: Stack, replica: Replica, how: str) -> None:
    one = seat(stack)
    name_of(stack, 0, one.player, one.session)
    lost: Callable[[Replica], Any] = frozen if how == "frozen" else stopped
    with lost(replica):
        new = rename(stack, one.session)
        for path in ("/boards/", "/deals/", "/ledger/", f"/players/{one.player}/", "/api/v1/deals"):
            for index in range(2):
                read_page(stack, index, path)
                read_page(stack, index, path, session=one.session)
        assert [name_of(stack, index, one.player) for index in range(2)] == [new, new]
        assert is_read(stack, 0, "primary")
    eventually(lambda: is_read(stack, 0))


@contextmanager
def stopped(replica: Replica) -> Iterator[None]:
    replica.stop()
    try:
        yield
    finally:
        replica.start()


def pooler(stack: Stack) -> PgBouncer:
    assert stack.pgbouncer is not None
    return stack.pgbouncer


def new_deal(stack: Stack, variant: str) -> int:
    deal: int = stack.ask("deal", variant=variant, seed=token_hex(32))
    return deal


def test_periodic_tasks_and_whole_table_commands_work(stack: Stack) -> None:
    seat = stack.seat(new_deal(stack, "braid"))
    seat.finish_at(0, moves=5)
    await_ranks(seat)
    before = stack.said("control")
    assert stack.ask("run_tasks") == []
    for command in ("verify --all", "rerate --check", "fairplay"):
        code, said = stack.ask("manage", line=f"{command} --no-progress")
        assert code == 0, said
    # Deals created by tests have no ledger line, so the command reports faults.
    _code, said = stack.ask("manage", line="check_ledger")
    assert re.search(r"^\d+ lines, \d+ faults", said, re.MULTILINE)
    # Check only this process: the logs of others may show faults injected by another test.
    assert "Traceback" not in stack.said("control").removeprefix(before), "and no part of a task was skipped"


def test_a_killed_pgbouncer_loses_no_acknowledged_move(stack: Stack) -> None:
    seat = stack.seat(new_deal(stack, "plot"))
    seat.play_at(0, moves=3)
    pooler(stack).stop()
    assert stack.get(0, "/readyz") == 503
    pooler(stack).start()
    eventually(lambda: stack.get(0, "/readyz") == 200)
    seat.play(3)
    seat.finish_at(1, moves=2)
    assert await_ranks(seat) == [1]
