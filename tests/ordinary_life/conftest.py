"""Chromium and an embedded server, with a network between them that tests can lose.

`visit` opens pages as in `tests/browser`, at the relay's address. All tests of a worker share one server.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.browser.conftest import (
    Site,
    chromium,
    complaints,
    embedded_environment,
    idle_pages,
    playwright,
    prepared,
    rerun_starts_afresh,
    run_server,
    visit,
)
from tests.ordinary_life.page_clock import ServerClock
from tests.ordinary_life.relay import Relay

__all__ = ["chromium", "complaints", "idle_pages", "playwright", "prepared", "rerun_starts_afresh", "visit"]


class Server:
    """The embedded server behind a relay, which can be stopped and started; the relay's address stays."""

    def __init__(self, var: Path, relay: Relay) -> None:
        self._var, self._relay = var, relay
        self.clock = ServerClock(var / "clock")
        self._environment = embedded_environment(
            var, COLLECTED_STATIC="true", PUBLIC_URL=relay.url, CLOCK_FILE=str(var / "clock")
        )

    def start(self) -> None:
        self._running = contextmanager(run_server)(self._var, self._environment)
        self.site = replace(self._running.__enter__(), url=self._relay.url)
        self._relay.server_port = int(self.site.environment["PORT"])

    def stop(self) -> None:
        self._running.__exit__(None, None, None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests that open a browser as browser tests."""
    for item in items:
        if item.nodeid.startswith("tests/ordinary_life/") and "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def server(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    var = tmp_path_factory.mktemp("site")
    for file in prepared.glob("talon.sqlite3*"):
        shutil.copy(file, var)
    (var / "static").symlink_to(prepared / "static")
    with Relay(0) as relay:
        running = Server(var, relay)
        running.start()
        yield running
        running.stop()


@pytest.fixture
def relay(server: Server) -> Iterator[Relay]:
    """The network between the browser and the server; all is well again after the test."""
    yield server._relay
    server._relay.restore()
    server._relay.cut(only_dead=True)


@pytest.fixture
def site(server: Server, relay: Relay) -> Site:
    """The server's site at the address of the relay."""
    return server.site


@pytest.fixture
def server_clock(server: Server) -> Iterator[ServerClock]:
    """The server's wall clock, for `PageClock`."""
    yield server.clock
    server.clock.reset()
