"""An outside service on this machine that takes what is posted to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Self


class PostService:
    """A service at `host` that answers each request with the next of `statuses`, and then with `status`.

    `requests` holds the path, headers and body of each.
    """

    def __init__(self, host: str, status: int) -> None:
        self.host, self.status = host, status
        self.statuses: list[int] = []
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.requests.append((self.path, dict(self.headers), body))
                self.send_response(service.statuses.pop(0) if service.statuses else service.status)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def connect(self, host: str) -> HTTPConnection:
        assert host == self.host
        return HTTPConnection("127.0.0.1", self._server.server_port, timeout=30)

    @contextmanager
    def running(self) -> Iterator[Self]:
        with self._server as server:
            Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
            yield self
            server.shutdown()
