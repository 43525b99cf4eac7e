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
from deploy.servers import eventually
from tests.services.stack import Stack, status_of

pytestmark = [pytest.mark.needs("caddy", "pgbouncer", "pg_basebackup"), pytest.mark.services, pytest.mark.slow]

#: Workers that the shared stack does without.
OTHER_WORKERS = ("keeper", "analyst")


@pytest.fixture
def site(full: Stack) -> Iterator[Stack]:
    """A site with a replica and all workers and beat, of which the test may take away parts."""
    full.mend()
    full.start_worker(*OTHER_WORKERS)
    full.start_beat()
    yield full
    full.kill_workers(*OTHER_WORKERS)
    full.kill_beat()
    assert full.replica is not None
    if not full.replica.is_running:
        full.replica.start()


@contextmanager
def routed(site: Stack, home: Path, **services: list[int]) -> Iterator[None]:
    """Run the proxy, with these ports for each service."""
    caddyfile = home / "Caddyfile"
    caddyfile.write_text(proxy.local_caddyfile("127.0.0.1", site.proxy_port, services))
    running = subprocess.Popen(proxy.command(caddyfile), env={**os.environ, "HOME": str(home)})
    try:
        eventually(lambda: status_of(site.proxy_port, "/") == 200)
        yield
    finally:
        running.kill()
        running.wait()


def findings(site: Stack) -> dict[str, str]:
    code, said = site.ask("manage", line="doctor --quick --json")
    found: list[dict[str, Any]] = json.loads(said)
    assert code == int(bool(found)), said
    return {finding["fault"]: finding["cause"] for finding in found}


def test_the_whole_site_is_healthy_until_parts_are_missing(site: Stack, tmp_path: Path) -> None:
    with routed(site, tmp_path, web=site.ports, tables=site.sockets):
        eventually(lambda: not {"beat", "worker", "replica"} & findings(site).keys(), every=1.0)
        assert findings(site) == {}
    site.kill_workers("keeper")
    site.kill_beat()
    assert site.replica is not None
    site.replica.stop()
    with routed(site, tmp_path, web=site.ports, tables=site.ports):
        eventually(lambda: "beat" in findings(site), every=1.0)  # the lease of a killed beat ends by itself
        found = findings(site)
    assert found.keys() == {"sockets", "worker", "beat", "replica"}
    assert "to web processes instead of table processes" in found["sockets"]
    assert "the service keeper does not run" in found["worker"]
    assert "REPLICA_URLS: PostgreSQL at 127.0.0.1:" in found["replica"]
