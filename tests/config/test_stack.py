"""`make stack`: two ASGI processes, three workers and beat on real servers, started and stopped together."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import urllib.request
from pathlib import Path

import pytest

from tests.config.running import running

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.xdist_group("stack")]


def free_ports() -> int:
    """The first of two free ports in a row."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port: int = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


def children(pid: int) -> list[str]:
    return subprocess.run(
        ["ps", "--no-headers", "-o", "pid", "--ppid", str(pid)], capture_output=True, text=True, check=False
    ).stdout.split()


def test_runs_until_interrupted_and_leaves_nothing_behind(postgres_url: str, redis_url: str, tmp_path: Path) -> None:
    port = free_ports()
    with running(
        "-m", "deploy.stack", var=tmp_path, DATABASE_URL=postgres_url, REDIS_URL=redis_url, PORT=str(port)
    ) as stack:
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
    port = free_ports()
    with (
        socket.create_server(("127.0.0.1", port + 1)),
        running(
            "-m", "deploy.stack", var=tmp_path, DATABASE_URL=migrated_postgres_url, REDIS_URL=redis_url, PORT=str(port)
        ) as stack,
    ):
        stack.await_line(rf"web-2 *\| Cannot listen on 127.0.0.1:{port + 1}")
        stack.await_line("web-2 has ended; stopping the others")
        assert stack.child.wait(120) == 1
