"""`make stack`: ASGI processes, workers and beat on real servers, or on its own, started and stopped together."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
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
from tests.config.running import environment, run, running
from tests.requirements import need
from tests.services.stack import ControlProcess, Seat, await_ranks

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.xdist_group("postgresql")]

#: The client's files are not joined, hashed and compressed, which takes seconds: see `test_static`.
PLAIN_FILES = {"COLLECTED_STATIC": "0"}


def children(pid: int) -> list[str]:
    return subprocess.run(
        ["ps", "--no-headers", "-o", "pid", "--ppid", str(pid)], capture_output=True, text=True, check=False
    ).stdout.split()


def test_runs_until_interrupted_and_leaves_nothing_behind(
    migrated_postgres_url: str, redis_url: str, tmp_path: Path
) -> None:
    port = free_port(2)
    settings = {"DATABASE_URL": migrated_postgres_url, "REDIS_URL": redis_url, "PORT": str(port), **PLAIN_FILES}
    with running("-m", "deploy.stack", var=tmp_path, **settings) as stack:
        stack.await_line(r"ready at (\S+) and (\S+) - stop")
        for address in (f"http://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}"):
            with urllib.request.urlopen(f"{address}/readyz", timeout=60) as response:
                assert json.load(response)["checks"] == {"database": "ok", "migrations": "ok", "redis": "ok"}
        processes = children(stack.child.pid)
        assert len(processes) == 6
        assert stack.stop(signal.SIGINT) == 0
        text = "".join(stack.output)
        assert "is killed" not in text
        assert "Traceback" not in text
        assert not any(Path(f"/proc/{pid}").exists() for pid in processes)


def test_ends_together_when_one_process_ends(migrated_postgres_url: str, redis_url: str, tmp_path: Path) -> None:
    port = free_port(2)
    settings = {"DATABASE_URL": migrated_postgres_url, "REDIS_URL": redis_url, "PORT": str(port), **PLAIN_FILES}
    with (
        socket.create_server(("127.0.0.1", port + 1)),
        running("-m", "deploy.stack", var=tmp_path, **settings) as stack,
    ):
        stack.await_line(rf"web-2 *\| Cannot listen on 127.0.0.1:{port + 1}")
        stack.await_line("web-2 has ended; stopping the others")
        assert stack.child.wait(120) == 1


@dataclass
class Wide:
    """A running stack of the wide shape, as players and the test see it."""

    ports: list[int]
    control: ControlProcess

    def ask(self, what: str, **arguments: Any) -> Any:
        """Have the service do something."""
        return self.control.ask(what, **arguments)

    def page(self, index: int, path: str) -> str:
        """A page as a stranger gets it; empty for one that is not there, or not yet."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[index]}{path}", timeout=60) as response:
                return str(response.read().decode())
        except urllib.error.HTTPError:
            return ""


def test_the_wide_shape_brings_its_servers_and_a_game_is_played_through_them(tmp_path: Path) -> None:
    need(not wide.missing_programs(), f"{', '.join(wide.missing_programs())}")
    port = free_port(2)
    settings = {"SHAPE": "wide", "SECRET_KEY": "of a test", "PORT": str(port), **PLAIN_FILES}
    with running("-m", "deploy.stack", var=tmp_path, **settings) as stack:
        servers = stack.await_line(r"PostgreSQL (\S+), replica (\S+), PgBouncer (\S+)")
        stack.await_line(r"ready at (\S+) and (\S+) - stop")
        beside = environment(
            tmp_path, DATABASE_URL=servers[3], SECRET_KEY="of a test", DJANGO_SETTINGS_MODULE="config.settings"
        )
        site = Wide([port, port + 1], ControlProcess(beside, tmp_path / "control.log"))
        try:
            is_played_judged_and_ranked(site)
        finally:
            site.control.kill()
        with psycopg.connect(servers[1]) as primary:
            streaming = primary.execute("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")
            assert streaming.fetchone() == (1,)
        processes = children(stack.child.pid)
        # PostgreSQL and its replica, PgBouncer, three Redis; two web processes, three workers, two beats.
        assert len(processes) == 6 + 7
        assert stack.stop(signal.SIGINT) == 0
        assert "Traceback" not in "".join(stack.output)
        assert not any(Path(f"/proc/{pid}").exists() for pid in processes)


def is_played_judged_and_ranked(site: Wide) -> None:
    """Play over both processes, and find the result on the board, which the replica is asked for."""
    deal = site.ask("deal", variant="braid", seed=token_hex(32))
    seat = Seat(site, **site.ask("seat", deal=deal))
    seat.sit(0)
    seat.play(8)
    seat.sit(1)
    seat.play(3)
    seat.resign()
    assert await_ranks(seat) == [1]
    day = eventually(lambda: re.search(r'"day": "([\d-]+)"', site.page(0, f"/api/v1/deals/{deal}")))
    name = eventually(lambda: re.search(r'"name": "([^"]+)"', site.page(0, f"/api/v1/players/{seat.player}")))
    assert isinstance(day, re.Match)
    assert isinstance(name, re.Match)
    eventually(lambda: name[1] in site.page(0, f"/boards/{day[1]}/braid/"))
    eventually(lambda: name[1] in site.page(1, f"/boards/{day[1]}/braid/"))
    eventually(
        lambda: re.search(r'talon_reads_total\{place="boards",server="replica"\} [1-9]', site.page(0, "/metrics"))
    )


def test_the_wide_shape_names_what_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    monkeypatch.setattr(wide, "postgres_programs", lambda: tmp_path)
    with pytest.raises(SystemExit, match=r"pg_basebackup .*\n.*pgbouncer .*\n.*redis-server "), wide.servers(tmp_path):
        pass
    monkeypatch.setattr(wide, "postgres_programs", lambda: None)
    assert "postgres and initdb" in wide.missing_programs()[0]


def test_there_is_no_other_shape(tmp_path: Path) -> None:
    done = run("-m", "deploy.stack", var=tmp_path, SHAPE="round")
    assert (done.returncode, done.stderr.strip()) == (1, "SHAPE is wide or empty, not 'round'.")
