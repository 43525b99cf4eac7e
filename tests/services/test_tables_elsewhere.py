"""Web processes and tables in production: the division of requests, and readiness that depends on each other."""

from __future__ import annotations

from collections.abc import Iterator
from secrets import token_hex

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from deploy.servers import eventually
from games.live.protocol import CLOSE_MISDIRECTED
from tests.services.stack import Stack, status_of

pytestmark = [pytest.mark.services, pytest.mark.slow]

#: An API path that is served only while there is capacity for newcomers.
READ = "/api/v1/deals?day=2020-01-06"


def test_webs_have_no_tables_and_tables_no_pages(stack: Stack) -> None:
    port = stack.ports[0]
    address, origin = f"ws://127.0.0.1:{port}/ws/lanes/1/", Origin(f"http://127.0.0.1:{port}")
    with connect(address, origin=origin, compression=None) as socket, pytest.raises(ConnectionClosed) as closed:
        socket.recv(60)
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (CLOSE_MISDIRECTED, "misdirected")
    assert [status_of(stack.sockets[0], path) for path in ("/", "/healthz", "/readyz")] == [421, 200, 200]


@pytest.fixture
def narrow(stack: Stack) -> Iterator[Stack]:
    """A stack whose only process of tables is full with one socket."""
    for index in range(2):
        stack.tables.kill(index)
    stack.webs.kill(0)
    stack.tables.start(0, MAX_SOCKETS="1")
    stack.webs.start(0)
    stack.tables.await_ready(0)
    stack.webs.await_ready(0)
    yield stack
    stack.tables.kill(0)
    stack.webs.kill(0)


def test_newcomers_wait_while_the_tables_are_full(narrow: Stack) -> None:
    seat = narrow.seat(narrow.ask("deal", variant="labyrinth", seed=token_hex(32)))
    eventually(lambda: narrow.get(0, READ) == 200)
    seat.sit(0)
    eventually(lambda: narrow.get(0, READ) == 503)
    seat.play(1)
    seat.leave()
    eventually(lambda: narrow.get(0, READ) == 200)
