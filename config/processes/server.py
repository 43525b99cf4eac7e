"""ASGI server of both deployments.

`python -m config.processes.server` only serves; `config.processes.embedded` adds worker and beat.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import uvicorn
import uvloop
from django.conf import settings
from django.urls import get_resolver
from uvicorn.importer import import_from_string

from config.http.header_limits import Http
from config.processes.start_check import check_database, explained
from games.rules.version import __version__

#: An ASGI application or its import path.
Application = Callable[..., Awaitable[None]] | str
APPLICATION: Final = "config.asgi:application"
MAX_FRAME_BYTES = 16 * 1024
GRACE_SECONDS = 5
GOODBYE_SECONDS = 1.0
SWITCH_SECONDS = 0.001  # Python's own: 0.005
NICENESS: Final = 5
COLLECTOR_THRESHOLDS = (10_000, 20, 50)  # Python's own: 700, 10, 10


class Server(uvicorn.Server):
    """uvicorn server that calls `on_ready` once it listens, drains at SIGINT or SIGTERM, and returns normally.

    uvicorn itself raises the signal again after the shutdown, which would stop the cleanup that follows.
    """

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening, and tune the collector and the thread switch interval."""
        await super().startup(sockets)
        if self.started:
            tune_collector()
            shorten_switch_interval()
            self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting connections, hand players over to other processes, then stop as uvicorn does."""
        for listening in (*self.servers, *(sockets or ())):
            listening.close()
        self._release_requesters()
        # Imported here: by now the application is loaded and Django is set up.
        from games.live import draining  # noqa: PLC0415

        await draining.drain(lambda: self.force_exit)
        await self._await_goodbyes()
        await super().shutdown(sockets)
        await draining.finish()

    def _release_requesters(self) -> None:
        """Close HTTP connections after their current request; over a kept one, a proxy would bring players back."""
        for connection in list(self.server_state.connections):
            if isinstance(connection, Http):
                connection.shutdown()

    async def _await_goodbyes(self) -> None:
        """Give clients a moment to answer the close frame; one that is sending just then might miss it."""
        loop = asyncio.get_running_loop()
        latest = loop.time() + GOODBYE_SECONDS
        while loop.time() < latest and not self.force_exit:
            if not any(getattr(connection, "close_sent", False) for connection in self.server_state.connections):
                return
            await asyncio.sleep(0.02)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at the first signal, and at a second SIGINT without waiting for clients."""
        loop = asyncio.get_running_loop()
        signals = (signal.SIGINT, signal.SIGTERM)
        for number in signals:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)


def server_config(application: Application = APPLICATION) -> uvicorn.Config:
    """Return the uvicorn configuration.

    WebSocket messages are not compressed: they are small, and compression costs 42 KiB per connection. Forwarded
    addresses are trusted only from FORWARDED_ALLOW_IPS, which uvicorn reads (default: this machine).
    """
    return uvicorn.Config(
        application,
        http=Http,
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        ws_max_size=MAX_FRAME_BYTES,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 picks any free one.

    :raises SystemExit: if the address is not available, with a message that says so.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        sys.exit(f"Cannot listen on {host}:{port}: {error.strerror}. Choose another port, such as PORT={port + 1}.")
    # Accepted connections inherit this option. asyncio sets it only if the socket names its protocol; without it a
    # response body waits up to 40 ms for the client to acknowledge the header.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def tune_collector() -> None:
    """Collect reference cycles less often, and skip objects that the process keeps for good.

    A full collection scans every object of every open table: with 500 players it stopped all moves for a tenth of a
    second, every second and a half. Young cycles, such as those of requests, are still collected soon.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTOR_THRESHOLDS)


def shorten_switch_interval() -> None:
    """Make a computing thread hand over Python's lock sooner to waiting threads.

    The event loop, which acknowledges moves, is one of many threads that wait while pages are made, and it waits again
    after every look at its sockets.
    """
    sys.setswitchinterval(SWITCH_SECONDS)


def yield_to_tables() -> None:
    """Lower this process's priority, so that table processes, which acknowledge moves, get the CPU first.

    Linux may group processes by session; then only the priority of the group counts.
    """
    os.nice(NICENESS)
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(NICENESS))


def load_site() -> None:
    """Set Django up, and load the site and its views, for which the first visitor would wait otherwise."""
    import_from_string(APPLICATION)
    get_resolver().url_patterns  # noqa: B018 - loads the views


def serve(
    listener: socket.socket, on_ready: Callable[[], None] = lambda: None, application: Application = APPLICATION
) -> None:
    """Serve until a signal arrives."""
    uvloop.run(Server(server_config(application), on_ready).serve(sockets=[listener]))


def address_arguments(description: str, argv: Sequence[str] | None) -> tuple[str, int]:
    """Return host and port from the command line, or else from HOST and PORT."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--version", action="version", version=f"Talon {__version__}")
    parser.add_argument("--host", default=os.environ.get("HOST", "127.0.0.1"))
    parser.add_argument("--port", type=int, default=os.environ.get("PORT", "8000"))
    arguments = parser.parse_args(argv)
    return arguments.host, arguments.port


@explained()
def main(argv: Sequence[str] | None = None) -> None:
    """Serve HTTP and WebSockets. Workers and beat are separate processes."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    host, port = address_arguments("Serve Talon's pages and WebSockets.", argv)
    if settings.TABLES_ELSEWHERE:
        yield_to_tables()
    listener = listen(host, port)
    load_site()
    check_database()
    serve(listener)


if __name__ == "__main__":
    main()
