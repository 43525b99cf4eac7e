"""Listening socket, garbage collector and shutdown of the server."""

from __future__ import annotations

import asyncio
import gc
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from config.processes.server import (
    NICENESS,
    SWITCH_SECONDS,
    Server,
    listen,
    main,
    server_config,
    shorten_switch_interval,
    tune_collector,
)
from games.live import draining
from tests.config.running import run
from tests.games.seats import PATIENCE


def test_an_answer_in_two_parts_is_not_delayed() -> None:
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()[:2]):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_collector_skips_permanent_objects() -> None:
    before = gc.get_threshold()
    gc.unfreeze()  # drops what other tests have frozen
    try:
        tune_collector()
        assert gc.get_freeze_count() > 10_000
        assert all(now >= default for now, default in zip(gc.get_threshold(), before, strict=True))
        assert gc.get_threshold() > before
    finally:
        gc.set_threshold(*before)


def test_computing_threads_yield_sooner() -> None:
    before = sys.getswitchinterval()
    try:
        shorten_switch_interval()
        assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)
        assert before > SWITCH_SECONDS
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize("has_tables", [True, False])
def test_web_processes_yield_to_table_processes(
    has_tables: bool, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    lowered: list[object] = []
    monkeypatch.setattr("os.nice", lowered.append)
    monkeypatch.setattr(Path, "write_text", lambda path, text: lowered.append((str(path), text)))
    monkeypatch.setattr("config.processes.server.listen", lambda *_: None)
    monkeypatch.setattr("config.processes.server.load_site", lambda: None)
    monkeypatch.setattr("config.processes.server.check_database", lambda: None)
    monkeypatch.setattr("config.processes.server.serve", lambda *_: None)
    settings.TABLES_ELSEWHERE = not has_tables
    main([])
    assert lowered == ([] if has_tables else [NICENESS, ("/proc/self/autogroup", str(NICENESS))])


async def test_the_collector_is_tuned_once_the_server_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("config.processes.server.tune_collector", lambda: told.append("calmed"))
    monkeypatch.setattr("config.processes.server.shorten_switch_interval", lambda: told.append("favoured"))
    with listen("127.0.0.1", 0) as listener:
        server = Server(server_config(), lambda: told.append("ready"))
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        await server.startup(sockets=[listener])
        assert told == ["calmed", "favoured", "ready"]
        await server.shutdown(sockets=[listener])


async def test_draining_closes_idle_keep_alive_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    handing_over, gone = asyncio.Event(), asyncio.Event()

    async def drain(_is_hurried: Callable[[], bool]) -> None:
        handing_over.set()
        await gone.wait()

    monkeypatch.setattr(draining, "drain", drain)
    monkeypatch.setattr("config.processes.server.tune_collector", lambda: None)
    monkeypatch.setattr("config.processes.server.shorten_switch_interval", lambda: None)
    with listen("127.0.0.1", 0) as listener:
        host, port = listener.getsockname()[:2]
        server = Server(server_config(), lambda: None)
        server.config.timeout_keep_alive = 3_600  # nothing else closes it
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        await server.startup(sockets=[listener])
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert b"200" in await asyncio.wait_for(reader.readline(), PATIENCE)
        stopping = asyncio.create_task(server.shutdown(sockets=[listener]))
        try:
            await asyncio.wait_for(handing_over.wait(), PATIENCE)
            await asyncio.wait_for(reader.read(), PATIENCE)  # until the connection ends
            assert not stopping.done()
        finally:
            gone.set()
            await stopping
            writer.close()


@pytest.mark.parametrize(
    ("start", "used", "unused"),
    [
        # Searches are compiled where they run; here the compiler would cost each process a second and 70 MB.
        ("from config.processes.server import load_site; load_site()", "games.pages.daily.home_page", "numba"),
        ("from config.celery import app; app.loader.import_default_modules()", "games.tasks", "config.urls"),
    ],
)
def test_a_process_loads_what_it_uses_and_no_more(start: str, used: str, unused: str, tmp_path: Path) -> None:
    code = f"import sys; {start}; sys.exit({used!r} not in sys.modules or {unused!r} in sys.modules)"
    done = run("-c", code, var=tmp_path, DJANGO_SETTINGS_MODULE="config.settings")
    assert done.returncode == 0, done.stderr
