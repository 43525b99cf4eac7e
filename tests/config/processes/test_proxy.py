"""The proxy: Caddy with the production routes sends each request to the right kind of process, and nothing forged."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final

import pytest
from websockets.sync.client import connect
from websockets.sync.server import ServerConnection, serve

from config.http.header_limits import MAX_HEAD_BYTES
from deploy import proxy
from deploy.servers import eventually, free_port
from deploy.stack import Ports
from tests.services.stack import status_of

pytestmark = pytest.mark.services
#: An address that a visitor claims to have.
FORGED: Final = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}


#: Heads of the requests that reached a process, in order.
REQUESTS: Final[list[dict[str, str]]] = []


@contextmanager
def process(name: str, port: int = 0) -> Iterator[int]:
    """Run a process that answers each request with its name, and notes its head; yields its port."""

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            REQUESTS.append({key.lower(): value for key, value in self.headers.items()})
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(200)
            if "/br/" in self.path:
                self.send_header("Content-Encoding", "br")
            self.send_header("Content-Length", str(len(name)))
            self.send_header("Connection", "close")  # so that a stopped process answers nothing more
            self.end_headers()
            self.wfile.write(name.encode())

        do_POST = do_GET  # noqa: N815 - the base class's name

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", port), Answer) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def _echo(socket: ServerConnection) -> None:
    """Answer each message with the address that the proxy gives, and the message."""
    assert socket.request is not None
    for message in socket:
        socket.send(f"{socket.request.headers['X-Forwarded-For']} {message!s}")


@contextmanager
def caddy(home: Path, webs: list[int], tables: list[int]) -> Iterator[HTTPConnection]:
    """Run a proxy before processes on these ports; yields one connection to it."""
    port = free_port()
    caddyfile = home / "Caddyfile"
    caddyfile.write_text(proxy.local_caddyfile("127.0.0.1", port, {"web": webs, "tables": tables}))
    child = subprocess.Popen(proxy.command(caddyfile), env={**os.environ, "HOME": str(home)}, stderr=-3)
    try:
        eventually(lambda: status_of(port, "/readyz"))
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        yield connection
        connection.close()
    finally:
        child.terminate()
        assert child.wait(60) == 0


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., tuple[int, str]]]:
    """Send requests over one connection to a proxy before two web processes, one of them down, and a table process."""
    with ExitStack() as ending:
        web, tables = ending.enter_context(process("web")), ending.enter_context(process("tables"))
        connection = ending.enter_context(caddy(tmp_path_factory.mktemp("caddy"), [free_port(), web], [tables]))

        def answer(path: str, **headers: str) -> tuple[int, str]:
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            return response.status, response.read().decode()

        yield answer


@pytest.mark.needs("caddy")
def test_requests_of_one_connection_are_routed_by_kind(ask: Callable[..., tuple[int, str]]) -> None:
    paths = ["/", "/ws/play/1/", "/", "/static/js/a.0123456789ab.js", "/ws/lanes/1/", "/boards/"]
    kinds = ["web", "tables", "web", "web", "tables", "web"]
    assert [ask(path) for path in paths] == [(200, kind) for kind in kinds]


@pytest.mark.needs("caddy")
def test_probes_and_metrics_are_not_public(ask: Callable[..., tuple[int, str]]) -> None:
    assert [ask(path)[0] for path in ("/readyz", "/healthz", "/metrics")] == [404] * 3


@pytest.mark.needs("caddy")
def test_the_proxy_refuses_the_heads_the_site_refuses(ask: Callable[..., tuple[int, str]]) -> None:
    assert ask("/", Cookie="a" * 3 * MAX_HEAD_BYTES)[0] == 431


@pytest.mark.needs("caddy")
def test_sockets_bodies_compression_and_forged_addresses_of_a_visitor(tmp_path: Path) -> None:
    """The proxy replaces the visitor's address, refuses large bodies, and neither compresses nor decompresses."""
    with ExitStack() as ending:
        web, tables = ending.enter_context(process("web")), ending.enter_context(serve(_echo, "127.0.0.1", 0))
        Thread(target=tables.serve_forever, daemon=True).start()
        ending.callback(tables.shutdown)
        connection = ending.enter_context(caddy(tmp_path, [web], [tables.socket.getsockname()[1]]))
        with connect(f"ws://127.0.0.1:{connection.port}/ws/play/1/", additional_headers=FORGED) as player:
            player.send("d")
            assert player.recv() == "127.0.0.1 d"
        connection.request("GET", "/br/", headers=FORGED | {"Accept-Encoding": "br"})
        response = connection.getresponse()
        assert (response.read(), response.headers["Content-Encoding"]) == (b"web", "br")
        assert REQUESTS[-1]["x-forwarded-for"] == "127.0.0.1"
        assert REQUESTS[-1]["x-forwarded-proto"] == "http"
        assert REQUESTS[-1]["accept-encoding"] == "br"
        connection.request("POST", "/", body=bytes(2**20))
        assert connection.getresponse().read() == b"web"
        connection.request("POST", "/", body=bytes(2**20 + 1))
        assert connection.getresponse().status in {413, 502}  # 502: an older Caddy, which the site forestalls


@pytest.mark.needs("caddy")
def test_processes_restart_one_by_one_without_a_failed_request(tmp_path: Path) -> None:
    ports = [free_port(), free_port()]
    with ExitStack() as ending:
        first, second = ExitStack(), ending.enter_context(ExitStack())
        first.enter_context(process("first", ports[0]))
        second.enter_context(process("second", ports[1]))
        connection = ending.enter_context(caddy(tmp_path, ports, ports))

        def ask() -> str:
            connection.request("GET", "/")
            response = connection.getresponse()
            return f"{response.status} {response.read().decode()}"

        first.close()
        assert [ask() for _ in range(4)] == ["200 second"] * 4
        ending.enter_context(process("first", ports[0]))
        second.close()
        assert [ask() for _ in range(4)] == ["200 first"] * 4


def test_without_a_proxy_one_process_serves_everything() -> None:
    environment = {"HOST": "127.0.0.2", "PORT": "8100", "WEB_PROCESSES": "4"}
    alone = Ports.of(environment, has_proxy=False)
    assert (alone.address, alone.webs, alone.tables) == ("http://127.0.0.2:8100", range(8100, 8101), range(0))
    proxied = Ports.of(environment, has_proxy=True)
    assert proxied.services() == {"web": range(8101, 8105), "tables": range(8105, 8107)}
