"""PgBouncer in transaction mode in front of the database: everything works on shared connections.

`test_soak` also uses it while processes are killed.
"""

from __future__ import annotations

import re
from secrets import token_hex

import pytest

from deploy.servers import PgBouncer, eventually
from games.rules import CATALOGUE
from tests.services.stack import SERVERS, Stack, await_ranks

pytestmark = [pytest.mark.needs("pgbouncer", "pg_basebackup"), pytest.mark.services, pytest.mark.slow]


@pytest.fixture
def stack(full: Stack) -> Stack:
    full.mend()
    return full


def pooler(stack: Stack) -> PgBouncer:
    assert stack.pgbouncer is not None
    return stack.pgbouncer


def new_deal(stack: Stack, variant: str) -> int:
    deal: int = stack.ask("deal", variant=variant, seed=token_hex(32))
    return deal


def test_games_are_played_judged_and_ranked(stack: Stack) -> None:
    for variant in list(CATALOGUE)[:3]:
        deal = new_deal(stack, variant)
        seats = [stack.seat(deal) for _ in range(3)]
        for number, seat in enumerate(seats):
            seat.sit(number % 2)
            seat.play(12)
            seat.sit(1 - number % 2)
            seat.play(3)
            seat.resign()
        assert await_ranks(*seats) == [1, 2, 3]
        assert stack.ask("faults", deal=deal) == []
    clients, servers = pooler(stack).show("clients"), pooler(stack).show("servers")
    assert {one["database"] for one in servers} == {"talon"}
    assert 0 < len(servers) <= SERVERS < len(clients), "connections are pooled"


def test_periodic_tasks_and_whole_table_commands_work(stack: Stack) -> None:
    seat = stack.seat(new_deal(stack, "braid"))
    seat.sit(0)
    seat.play(5)
    seat.resign()
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
    seat.sit(0)
    seat.play(3)
    pooler(stack).stop()
    assert stack.get(0, "/readyz") == 503
    pooler(stack).start()
    eventually(lambda: stack.get(0, "/readyz") == 200)
    seat.play(3)
    seat.sit(1)
    seat.play(2)
    seat.resign()
    assert await_ranks(seat) == [1]
