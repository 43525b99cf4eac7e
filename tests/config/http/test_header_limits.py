"""Oversized request heads are refused before any work, without delaying other requests."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
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


class Impatient(Http):
    """The server's protocol with shorter timeouts."""

    HEAD_SECONDS = PIECE_SECONDS = 0.2
    BODY_SECONDS = 0.6


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Application that reads the body of a request, and returns the names of its headers."""
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
    names = b",".join(name for name, _ in scope["headers"])
    headers = [(b"content-length", str(len(names)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": names})


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


@pytest.fixture
async def port() -> AsyncIterator[int]:
    """Port of a server with its own protocol."""
    async with listening() as port:
        yield port


async def status(port: int, request: bytes, piece: int = 1 << 20) -> int:
    """Send a request in pieces of this size, and return the status of the response.

    The connection closes after it, so a hanging one is not mistaken for it.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        async with asyncio.timeout(60):
            with suppress(ConnectionError):  # a response may come before the end of the request
                for start in range(0, len(request), piece):
                    writer.write(request[start : start + piece])
                    await writer.drain()
            response = await reader.readexactly(12)
    finally:
        writer.close()
    assert response.startswith(b"HTTP/1.1 ")
    return int(response[9:])


@pytest.mark.parametrize("piece", [1 << 20, 1_000])
async def test_a_large_head_is_refused_however_it_is_split(port: int, piece: int) -> None:
    statuses = await asyncio.gather(*(status(port, request, piece) for request in TOO_LARGE.values()))
    assert dict(zip(TOO_LARGE, statuses, strict=True)) == dict.fromkeys(TOO_LARGE, 400)


async def test_an_endless_line_is_refused_before_its_end(port: int) -> None:
    assert await status(port, head(headers=f"X-Long: {'a' * 1_000_000}")[:-4], 4_000) == 400


@pytest.mark.parametrize("piece", [1 << 20, 1_000])
async def test_a_head_within_the_limits_is_read(port: int, piece: int) -> None:
    assert [await status(port, request, piece) for request in ALLOWED.values()] == [200, 200, 101]


async def test_others_are_served_while_heads_are_refused(port: int) -> None:
    refused = asyncio.gather(*(status(port, request) for request in [*TOO_LARGE.values()] * 3))
    assert await status(port, head("/")) == 200
    assert set(await refused) == {400}


@pytest.mark.parametrize("every", [0.0, 0.01])
async def test_data_after_a_body_is_no_header(port: int, every: float) -> None:
    """A proxy controls the headers about the visitor, but passes on what follows a body."""
    pieces = [CHUNKED, b"5\r\nhello\r\n0\r\n", b"X-Forwarded-For: 1.2.3.4\r\nCookie: a=b\r\n\r\n"]
    last = head(headers="Connection: close\r\n")
    response = await said(port, *pieces, last, every=every)
    assert response.split(b"HTTP/1.1 200")[1].endswith(b"\r\n\r\nhost,transfer-encoding")


async def test_a_large_body_is_no_head(port: int) -> None:
    request = head(method="POST", headers=f"Content-Length: {10 * MAX_HEAD_BYTES}\r\n") + b"a" * 10 * MAX_HEAD_BYTES
    last = head("/next", headers="Connection: close\r\n")
    assert (await said(port, request, last)).count(b"HTTP/1.1 200") == 2


@pytest.fixture
async def impatient() -> AsyncIterator[int]:
    """Port of a server that uses `Impatient`."""
    async with listening(Impatient) as port:
        yield port


async def said(port: int, *pieces: bytes, every: float = 0.0) -> bytes:
    """Send these pieces to the server, and return everything it responds until it closes."""
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


def test_the_server_has_this_protocol() -> None:
    assert issubclass(server_config(echo).http, Http)  # type: ignore[arg-type]
