"""The socket that Talon is served on."""

from __future__ import annotations

import gc
import socket

import pytest

from config.server import Server, calm_collector, listen, server_config


def test_an_answer_in_two_parts_is_not_held_back() -> None:
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()[:2]):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_collector_leaves_alone_what_the_process_keeps() -> None:
    before = gc.get_threshold()
    try:
        calm_collector()
        assert gc.get_freeze_count() > 10_000
        assert all(now >= default for now, default in zip(gc.get_threshold(), before, strict=True))
        assert gc.get_threshold() > before
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


async def test_the_collector_is_calmed_when_the_server_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("config.server.calm_collector", lambda: told.append("calmed"))
    with listen("127.0.0.1", 0) as listener:
        server = Server(server_config(), lambda: told.append("ready"))
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        await server.startup(sockets=[listener])
        assert told == ["calmed", "ready"]
        await server.shutdown(sockets=[listener])
