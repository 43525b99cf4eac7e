"""The doctor on a production site: nothing is wrong while all processes run, and each that is missing is named."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from deploy import proxy
from deploy.servers import eventually, free_port
from tests.services.stack import Stack, started, status_of

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.needs("caddy", "postgres", "pg_basebackup", "redis")]


class Examined:
    """A site with its proxy, and what the doctor finds there."""

    def __init__(self, stack: Stack, home: Path, port: int) -> None:
        self.stack, self._home, self._port = stack, home, port

    @contextmanager
    def routed(self, **services: list[int]) -> Iterator[None]:
        """Run the proxy, with these ports for each service."""
        caddyfile = self._home / "Caddyfile"
        caddyfile.write_text(proxy.local_caddyfile("127.0.0.1", self._port, services))
        running = subprocess.Popen(proxy.command(caddyfile), env={**os.environ, "HOME": str(self._home)})
        try:
            eventually(lambda: status_of(self._port, "/") == 200)
            yield
        finally:
            running.kill()
            running.wait()

    def findings(self) -> dict[str, str]:
        code, said = self.stack.ask("manage", line="doctor --json")
        found: list[dict[str, Any]] = json.loads(said)
        assert code == int(bool(found)), said
        return {finding["fault"]: finding["cause"] for finding in found}


@pytest.fixture(scope="module")
def site(cluster: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Examined]:
    home, port = tmp_path_factory.mktemp("doctor"), free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PUBLIC_URL", f"http://127.0.0.1:{port}")
        with started(home, cluster, replicated=True) as stack:
            stack.start_beat()
            yield Examined(stack, home, port)


def test_the_whole_site_is_healthy_until_parts_are_missing(site: Examined) -> None:
    stack = site.stack
    with site.routed(web=stack.ports, tables=stack.sockets):
        eventually(lambda: not {"beat", "worker"} & site.findings().keys(), every=1.0)
        assert site.findings() == {}
    stack.kill_workers("keeper")
    stack.kill_beat()
    assert stack.replica is not None
    stack.replica.stop()
    with site.routed(web=stack.ports, tables=stack.ports):
        eventually(lambda: "beat" in site.findings(), every=1.0)  # the lease of a killed beat ends by itself
        found = site.findings()
    assert found.keys() == {"sockets", "worker", "beat", "replica"}
    assert "to web processes instead of table processes" in found["sockets"]
    assert "the service keeper does not run" in found["worker"]
    assert "REPLICA_URLS: PostgreSQL at 127.0.0.1:" in found["replica"]
