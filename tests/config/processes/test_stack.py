"""`make stack`: proxy, web and table processes, workers and beat, on external or own servers, as one unit."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

import psycopg
import pytest

from deploy import wide
from deploy.servers import eventually, free_port
from deploy.stack import Stack
from tests.config.running import environment, run, running
from tests.control import ControlProcess
from tests.services.stack import Seat, await_ranks, status_of

pytestmark = [pytest.mark.services, pytest.mark.slow]

#: Skip bundling, hashing and compressing the client's files, which takes seconds; see `test_static`.
PLAIN_FILES = {"COLLECTED_STATIC": "0"}


def children(pid: int) -> list[str]:
    return subprocess.run(
        ["ps", "--no-headers", "-o", "pid", "--ppid", str(pid)], capture_output=True, text=True, check=False
    ).stdout.split()


def test_a_process_that_ends_before_the_site_is_ready_stops_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    stack = Stack(os.environ, threading.Event())
    stack.start("web-1", ["python", "-c", "raise SystemExit(1)"])
    stack.start("web-2", ["python", "-c", "import time; time.sleep(600)"])
    assert stack.wait() == 1
    assert stack._children["web-2"].returncode == -signal.SIGTERM
    eventually(lambda: all(child.stdout and child.stdout.closed for child in stack._children.values()))
    assert "web-1 ended before the site was ready, see above; stopping the others" in capsys.readouterr().out


@dataclass
class Wide:
    """A running stack of the wide shape, seen by players and by the test."""

    port: int
    """Port of the proxy, which sends each player to the next table process."""
    control: ControlProcess
    sockets: list[int]

    def ask(self, what: str, **arguments: Any) -> Any:
        return self.control.ask(what, **arguments)

    def page(self, path: str, port: int | None = None) -> str:
        """Return a page as a visitor gets it, or an empty text if it is not there yet."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port or self.port}{path}", timeout=60) as response:
                return str(response.read().decode())
        except urllib.error.HTTPError:
            return ""


#: The stack, whose PostgreSQL is a copy of a migrated cluster.
MIGRATED_STACK = """
import sys
from functools import partial
from pathlib import Path
from deploy import stack, wide
from tests.postgres import PostgresCopy
wide.Postgres = partial(PostgresCopy, Path(sys.argv[1]))
sys.exit(stack.main())
"""


@pytest.mark.needs("caddy", "pg_basebackup", "pgbouncer")
def test_the_wide_shape_plays_a_game_restarts_what_ends_and_leaves_nothing(cluster: Path, tmp_path: Path) -> None:
    port = free_port(4)
    settings = {"SHAPE": "wide", "WEB_PROCESSES": "1", "SECRET_KEY": "of a test", "PORT": str(port), **PLAIN_FILES}
    with running("-c", MIGRATED_STACK, str(cluster / "data"), var=tmp_path, **settings) as stack:
        servers = stack.await_line(r"PostgreSQL (\S+), replica (\S+), PgBouncer (\S+)")
        stack.await_line(rf"ready at http://127.0.0.1:{port} - stop")
        assert status_of(port, "/readyz") == 404, "the proxy does not expose it"
        assert [status_of(port + number, "/readyz") for number in range(1, 4)] == [200] * 3
        assert [status_of(port + number, "/") for number in range(4)] == [200, 200, 421, 421]
        beside = environment(
            tmp_path, DATABASE_URL=servers[3], SECRET_KEY="of a test", DJANGO_SETTINGS_MODULE="config.settings"
        )
        site = Wide(port, ControlProcess("tests.services.control", beside, tmp_path / "control.log"), [port, port])
        try:
            is_played_judged_and_ranked(site)
        finally:
            site.control.stop()
        with psycopg.connect(servers[1]) as primary:
            streaming = primary.execute("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")
            assert streaming.fetchone() == (1,)
        processes = children(stack.child.pid)
        # PostgreSQL and its replica, PgBouncer, three Redis; the proxy, a web and two table processes, three workers,
        # two beats.
        assert len(processes) == 6 + 9
        os.kill(int(processes[-1]), signal.SIGKILL)
        stack.await_line(r"stack *\| \S+ has ended with -9; starting it again in 1 s")
        eventually(lambda: len(children(stack.child.pid)) == 6 + 9 and processes[-1] not in children(stack.child.pid))
        processes = children(stack.child.pid)
        assert stack.stop(signal.SIGINT) == 0
        text = "".join(stack.output)
        assert "is killed" not in text
        assert "Traceback" not in text
        assert not any(Path(f"/proc/{pid}").exists() for pid in processes)


def is_played_judged_and_ranked(site: Wide) -> None:
    """Play through both table processes, and find the result on the board, which is read from the replica."""
    deal = site.ask("deal", variant="braid", seed=token_hex(32))
    seat = Seat(site, **site.ask("seat", deal=deal))
    seat.play_at(0, moves=8)
    seat.finish_at(1, moves=3)
    assert await_ranks(seat) == [1]
    day = eventually(lambda: re.search(r'"day": "([\d-]+)"', site.page(f"/api/v1/deals/{deal}")))
    name = eventually(lambda: re.search(r'"name": "([^"]+)"', site.page(f"/api/v1/players/{seat.player}")))
    assert isinstance(day, re.Match)
    assert isinstance(name, re.Match)
    eventually(lambda: name[1] in site.page(f"/boards/{day[1]}/braid/"))
    eventually(lambda: board_was_read_from_replica(site, f"/boards/{day[1]}/braid/"))


def board_was_read_from_replica(site: Wide, path: str) -> object:
    """Request a board from the first web process, and search its metrics for a board read from the replica.

    The board is requested each time: a page rendered while the replica lagged behind is cached for a few seconds.
    """
    site.page(path, site.port + 1)
    metrics = site.page("/metrics", site.port + 1)
    return re.search(r'talon_reads_total\{place="boards",server="replica"\} [1-9]', metrics)


def test_the_wide_shape_names_missing_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    monkeypatch.setattr(wide, "postgres_programs", lambda: tmp_path)
    with (
        pytest.raises(SystemExit, match=r"pg_basebackup .*\n.*pgbouncer .*\n.*redis-server .*\n.*caddy "),
        wide.servers(tmp_path),
    ):
        pass
    monkeypatch.setattr(wide, "postgres_programs", lambda: None)
    assert "postgres and initdb" in wide.missing_programs()[0]


def test_unknown_shapes_are_refused(tmp_path: Path) -> None:
    done = run("-m", "deploy.stack", var=tmp_path, SHAPE="round")
    assert (done.returncode, done.stderr.strip()) == (1, "SHAPE is wide or empty, not 'round'.")
