"""Oversized request heads are refused before any work, without delaying other requests."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from uvicorn.server import ServerState

from config.http.header_limits import MAX_HEAD_BYTES, MAX_HEADERS, MAX_LINE_BYTES, Http
from config.processes.server import server_config

UPGRADE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


def head(path: str = "/", host: str = "127.0.0.1", headers: str = "", method: str = "GET") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n".encode()


LONG = "a" * 60_000
TOO_LARGE = {
    "path": head(path=f"/{LONG}"),
    "escaped path": head(path="/" + "%61" * 20_000),
    "query": head(path=f"/?q={LONG}"),
    "host": head(host=LONG),
    "header": head(headers=f"X-Long: {LONG}\r\n"),
    "cookie": head(headers=f"Cookie: a={LONG}\r\n"),
    "method": head(method=LONG),
    "many headers": head(headers="".join(f"X-{n}: 1\r\n" for n in range(MAX_HEADERS + 1))),
    "many long headers": head(headers="".join(f"X-{n}: {'a' * 7_000}\r\n" for n in range(3))),
    "upgrade's path": head(path=f"/ws/play/{LONG}", headers=UPGRADE),
    "upgrade's path, below the limit of the head": head(path=f"/ws/play/{'a' * 9_000}", headers=UPGRADE),
    "upgrade's header": head(path="/ws/play/", headers=f"{UPGRADE}Cookie: a={'a' * 9_000}\r\n"),
}
ALLOWED = {
    "path": head(path="/" + "a" * (MAX_LINE_BYTES - 100)),
    "headers": head(headers="".join(f"X-{n}: 1\r\n" for n in range(MAX_HEADERS - 1))),
    "upgrade": head(path="/ws/" + "a" * (MAX_LINE_BYTES - 100), headers=f"{UPGRADE}X-Long: {'a' * 7_900}\r\n"),
}


class Line(asyncio.Transport):
    """The transport of a connection, which records what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.closed = False

    def write(self, data: Any) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def set_protocol(self, _protocol: asyncio.BaseProtocol) -> None:
        """Accept the protocol of an upgrade."""

    def pause_reading(self) -> None:
        """Reading is driven by the test."""

    def resume_reading(self) -> None:
        """Reading is driven by the test."""


class Site:
    """An application that records requests with the headers it gets to see."""

    def __init__(self) -> None:
        self.heads: list[list[tuple[bytes, bytes]]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            while (await receive()).get("more_body"):
                continue
        self.heads.append(list(scope["headers"]))
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body"})
        else:
            await send({"type": "websocket.close"})


async def asked(request: bytes, piece: int) -> tuple[Site, Line]:
    """Send a request in pieces of this size, and return the site and the connection."""
    site, line = Site(), Line()
    config = server_config(site)
    config.load()
    connection = Http(config, ServerState(), {})
    connection.connection_made(line)
    for start in range(0, len(request), piece):
        if not line.closed:
            connection.data_received(request[start : start + piece])
    for _ in range(20):
        await asyncio.sleep(0)
    connection.connection_lost(None)
    return site, line


@pytest.mark.parametrize("name", TOO_LARGE)
@pytest.mark.parametrize("piece", [1 << 20, 1_000])
async def test_a_large_head_is_refused_however_it_is_split(name: str, piece: int) -> None:
    site, line = await asked(TOO_LARGE[name], piece)
    assert site.heads == []
    assert line.written.startswith(b"HTTP/1.1 400 ")
    assert line.closed


async def test_an_endless_line_is_refused_before_it_is_buffered() -> None:
    _, line = await asked(head(headers=f"X-Long: {'a' * 10_000_000}")[:-4], 4_000)
    assert line.closed


@pytest.mark.parametrize("name", ALLOWED)
@pytest.mark.parametrize("piece", [1 << 20, 1_000])
async def test_a_head_within_the_limits_is_read(name: str, piece: int) -> None:
    site, _ = await asked(ALLOWED[name], piece)
    assert len(site.heads) == 1


@pytest.mark.parametrize("piece", [1 << 20, 7])
async def test_data_after_a_body_is_no_header(piece: int) -> None:
    """A proxy controls the headers about the visitor, but passes on what follows a body."""
    body = b"5\r\nhello\r\n0\r\nX-Forwarded-For: 1.2.3.4\r\nCookie: a=b\r\n\r\n"
    request = head(method="POST", headers="Transfer-Encoding: chunked\r\n") + body
    site, _ = await asked(request, piece)
    assert [[name for name, _ in one] for one in site.heads] == [[b"host", b"transfer-encoding"]]


@pytest.mark.parametrize("piece", [1 << 20, 1_000])
async def test_a_large_body_is_no_head(piece: int) -> None:
    request = head(method="POST", headers=f"Content-Length: {10 * MAX_HEAD_BYTES}\r\n") + b"a" * 10 * MAX_HEAD_BYTES
    site, _ = await asked(request + head("/next"), piece)
    assert len(site.heads) == 2


class Impatient(Http):
    """The server's protocol with shorter timeouts."""

    HEAD_SECONDS = PIECE_SECONDS = 0.2
    BODY_SECONDS = 0.6


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Application that reads the body of a request."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await receive()
        return
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        more = message["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body"})


@asynccontextmanager
async def listening(protocol: type[Http] = Http) -> AsyncIterator[int]:
    """Run a server and yield its port."""
    config = server_config(echo)
    config.load()
    state = ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: protocol(config, state, {}), "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def status(port: int, request: bytes) -> int:
    """Return the status of the answer; the connection closes after it, so a hanging one is not mistaken for it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        async with asyncio.timeout(60):
            answer = await reader.readexactly(12)
    finally:
        writer.close()
    assert answer.startswith(b"HTTP/1.1 ")
    return int(answer[9:])


async def test_the_server_refuses_only_large_heads_and_serves_others_meanwhile() -> None:
    async with listening() as port:
        refused = asyncio.gather(*(status(port, request) for request in [*TOO_LARGE.values()] * 3))
        assert [await status(port, request) for request in ALLOWED.values()] == [200, 200, 101]
        assert set(await refused) == {400}
        assert await status(port, head("/")) == 200


@pytest.fixture
async def impatient() -> AsyncIterator[int]:
    """Port of a server that uses `Impatient`."""
    async with listening(Impatient) as port:
        yield port


async def said(port: int, *pieces: bytes, every: float = 0.0) -> bytes:
    """Send these pieces to the server, and return everything it answers until it closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        async with asyncio.timeout(60):
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(every)
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


POST = head(method="POST", headers="Content-Length: 10\r\n")
CHUNKED = head(method="POST", headers="Transfer-Encoding: chunked\r\n")
HALF_SENT: dict[str, tuple[tuple[bytes, ...], list[bytes]]] = {
    "half a head": ((b"GET / HTTP/1.1\r\nHost: 127",), [b"408"]),
    "one byte": ((b"G",), [b"408"]),
    "line breaks": ((b"\r\n\r\n",), [b"408"]),
    "no body": ((POST,), [b"408"]),
    "half a body": ((POST, b"12345"), [b"408"]),
    "half a chunk": ((CHUNKED, b"5\r\nhe"), [b"408"]),
    "half a second request": ((head(), b"GET /next"), [b"200", b"408"]),
    "nothing": ((), []),
}


@pytest.mark.parametrize("name", HALF_SENT)
async def test_a_half_sent_request_times_out(impatient: int, name: str) -> None:
    pieces, statuses = HALF_SENT[name]
    assert re.findall(rb"HTTP/1.1 (\d+)", await said(impatient, *pieces)) == statuses


async def test_a_slow_body_times_out_too(impatient: int) -> None:
    body = [b"1"] * 100
    request = head(method="POST", headers=f"Content-Length: {len(body) * 2}\r\n")
    assert (await said(impatient, request, *body, every=0.05))[:12] in {b"HTTP/1.1 408", b""}


async def test_a_websocket_outlives_the_head_timeout(impatient: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", impatient)
    writer.write(head(path="/ws/", headers=UPGRADE))
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(reader.read(), 2 * Impatient.HEAD_SECONDS)
    writer.close()


def test_the_server_waits_for_twenty_seconds() -> None:
    assert (Http.HEAD_SECONDS, Http.PIECE_SECONDS) == (20, 20)
    assert issubclass(server_config(echo).http, Http)  # type: ignore[arg-type]


def test_the_proxy_has_the_same_limit() -> None:
    caddyfile = (Path(__file__).resolve().parents[3] / "deploy" / "Caddyfile").read_text()
    assert f"max_header_size {MAX_HEAD_BYTES // 1024}KiB" in caddyfile
