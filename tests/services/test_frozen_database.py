"""Frozen PostgreSQL: no request waits long, players keep their moves, and service recovers soon after the thaw."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from secrets import token_hex
from typing import Any, NamedTuple

import pytest
from websockets.exceptions import ConnectionClosed

from deploy.servers import eventually
from games.live.protocol import CLOSE_DATABASE_DOWN
from games.rules import CATALOGUE
from tests.services.stack import Seat, Stack, await_ranks

pytestmark = [pytest.mark.services, pytest.mark.slow]

PAGES = ["/", *(f"/play/{variant}/" for variant in CATALOGUE), "/deals/", "/rules/", "/boards/"]
#: Headers of visitors who come through one proxy to any process.
GERMAN = {"Host": "localhost", "Accept-Language": "de"}
#: Seconds that a page and a copy may take while the database is frozen, and the slack for a busy machine.
LIMIT, COPY_WITHIN, SPARE = 10.0, 1.0, 5.0


class Answer(NamedTuple):
    status: int
    seconds: float
    text: str = ""


def visit(port: int, path: str, **headers: str) -> Answer:
    begun = time.monotonic()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Accept": "text/html", **headers})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            text = response.read().decode()
            return Answer(response.status, time.monotonic() - begun, text)
    except urllib.error.HTTPError as error:
        return Answer(error.code, time.monotonic() - begun)


def visit_all(stack: Stack, paths: list[str]) -> dict[tuple[int, str], Answer]:
    """Request every path from every web process at once, twice."""
    requests = [(port, path) for port in stack.ports for path in paths] * 2
    with ThreadPoolExecutor(len(requests)) as crowd:
        answers = crowd.map(lambda one: visit(*one), requests)
        return dict(zip(requests, answers, strict=True))


@pytest.fixture
def seat(stack: Stack) -> Seat:
    deal = stack.ask("deal", variant="braid", seed=token_hex(32))
    seat = stack.seat(deal)
    seat.play_at(0, moves=3)
    return seat


@pytest.fixture
def frozen(stack: Stack, seat: Seat) -> Iterator[Stack]:
    """A stack whose pages have been visited before its database freezes."""
    visit_all(stack, PAGES)
    visit(stack.ports[0], "/boards/", **GERMAN)
    stack.postgres.freeze()
    yield stack
    stack.postgres.thaw()


def test_no_request_hangs_while_frozen_and_all_recover(frozen: Stack, seat: Seat) -> None:
    sizes = frozen.sizes()
    probes = [(port, path) for port in (*frozen.ports, *frozen.sockets) for path in ("/healthz", "/readyz")]
    for _ in range(2):
        answers = visit_all(frozen, PAGES)
        assert max(answer.seconds for answer in answers.values()) < LIMIT + SPARE
        assert {answer.status for answer in answers.values()} == {200}
        for port in frozen.ports:
            for path in ("/", "/boards/"):
                own = visit(port, path, Cookie=f"sessionid={seat.session}")
                assert (own.status, "As of" in own.text) == (200, True)
                assert own.seconds < COPY_WITHIN + SPARE
            assert visit(port, "/boards/", **GERMAN).status == 200, "one of the processes has a copy"
        for port, path in probes:
            answer = visit(port, path)
            assert answer.status == (200 if path == "/healthz" else 503)
            assert answer.seconds < 2 + SPARE
    frozen.postgres.thaw()
    begun = time.monotonic()
    ports = [*frozen.ports, *frozen.sockets]
    eventually(lambda: all(visit(port, "/readyz").status == 200 for port in ports), within=60)
    assert time.monotonic() - begun < 2 + SPARE
    assert {answer.status for answer in visit_all(frozen, PAGES).values()} == {200}
    for name in ("web0", "web1"):
        eventually(lambda name=name: len(frozen.lines_since(sizes, about="PostgreSQL")[name]) > 1)  # type: ignore[misc]
        begin, end = frozen.lines_since(sizes, about="PostgreSQL")[name]
        assert f"PostgreSQL at 127.0.0.1:{frozen.postgres.port} is unreachable" in begin
        assert "is back after" in end


def test_players_are_notified_and_keep_their_moves(frozen: Stack, seat: Seat) -> None:
    begun = time.monotonic()
    acknowledged, token = dict(seat.acknowledged), seat.legal[0]
    answer = seat.say({"type": "move", "n": seat.n + 1, "token": token})
    assert (answer["type"], answer["code"]) == ("error", "server_busy")
    again = seat.say({"type": "hello", "v": 1, "have": seat.n})
    assert (again["type"], again["code"]) == ("error", "server_busy")
    with pytest.raises(ConnectionClosed) as closed, seat.connection(1) as other:
        other.recv(60)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == CLOSE_DATABASE_DOWN
    assert time.monotonic() - begun < 3 * (LIMIT + SPARE)
    frozen.postgres.thaw()
    heard = eventually(lambda: resumed(seat), within=60, every=0.1)
    assert heard
    if seat.n == len(acknowledged):  # the move did not reach the database: play it again
        assert seat.say({"type": "move", "n": seat.n + 1, "token": token})["type"] == "moved"
        seat.n += 1
    seat.acknowledged[seat.n] = token
    seat.finish_at(1, moves=2)
    assert await_ranks(seat) == [1]


def resumed(seat: Seat) -> dict[str, Any] | None:
    """Ask to resume over the same connection; return None while the database is away."""
    answer = seat.say({"type": "hello", "v": 1, "have": seat.n})
    while answer["type"] == "moved":
        seat.n, seat.legal = answer["n"], answer["legal"]
        answer = seat.hear()
    return None if answer["type"] == "error" else answer
