"""The proxy of `make stack` brings each connection to a process of the right kind that answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any

import pytest_asyncio

from deploy.front import HEAD_BYTES, Front
from deploy.servers import free_port
from tests.games.seats import PATIENCE

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


class Town:
    """Servers and connections, all of which end with the test."""

    def __init__(self, ending: AsyncExitStack) -> None:
        self._ending = ending
        self.serving: list[asyncio.Task[None]] = []

    async def open(self, serve: Serve) -> asyncio.Server:
        def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.serving.append(asyncio.create_task(serve(reader, writer)))

        server = await asyncio.start_server(begin, "127.0.0.1", limit=HEAD_BYTES)
        return await self._ending.enter_async_context(server)

    async def process(self, name: str) -> asyncio.Server:
        """A process that answers each line with its name and the line."""

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while line := await reader.readline():
                if line.strip():
                    writer.write(name.encode() + b" " + line)
            writer.close()

        return await self.open(answer)

    async def ask(self, front: asyncio.Server, head: str) -> tuple[str, asyncio.StreamReader, asyncio.StreamWriter]:
        """The first line that comes back, and the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(front))
        self._ending.callback(writer.close)
        writer.write(f"{head}\r\n\r\n".encode())
        return (await asyncio.wait_for(reader.readline(), PATIENCE)).decode().strip(), reader, writer

    async def who(self, front: asyncio.Server, head: str) -> str:
        """The process that answers."""
        return (await self.ask(front, head))[0].split()[0]


@pytest_asyncio.fixture
async def town() -> AsyncIterator[Town]:
    async with AsyncExitStack() as ending:
        town = Town(ending)
        yield town
    # What serves a connection ends with it; a moment later its transport is closed.
    await asyncio.wait_for(asyncio.gather(*town.serving), PATIENCE)
    await asyncio.sleep(0.01)


@pytest_asyncio.fixture
async def front(town: Town) -> asyncio.Server:
    """Before two processes of each kind."""
    webs = [port_of(await town.process(f"web{number}")) for number in (1, 2)]
    tables = [port_of(await town.process(f"tables{number}")) for number in (1, 2)]
    return await town.open(Front(webs, tables).serve)


def port_of(server: asyncio.Server) -> int:
    port: int = server.sockets[0].getsockname()[1]
    return port


async def test_sockets_go_to_the_tables_and_all_else_to_the_web_processes_in_turn(
    town: Town, front: asyncio.Server
) -> None:
    heads = ["GET / HTTP/1.1"] * 3 + ["GET /ws/play/1/ HTTP/1.1"] * 3
    assert [await town.who(front, head) for head in heads] == ["web1", "web2", "web1", "tables1", "tables2", "tables1"]
    assert (await town.who(front, "POST /ws/play/1/ HTTP/1.1")).startswith("web"), "which is no WebSocket"


async def test_a_connection_stays_where_it_is(town: Town, front: asyncio.Server) -> None:
    first, reader, writer = await town.ask(front, "GET /boards/ HTTP/1.1")
    await town.who(front, "GET / HTTP/1.1")
    writer.write(b"more\n")
    assert (await asyncio.wait_for(reader.readline(), PATIENCE)).decode() == f"{first.split()[0]} more\n"
    writer.write_eof()
    assert await asyncio.wait_for(reader.read(), PATIENCE) == b""


async def test_a_process_that_does_not_answer_is_passed_over(town: Town) -> None:
    front = await town.open(Front([free_port(), port_of(await town.process("web2"))], []).serve)
    assert [await town.who(front, "GET / HTTP/1.1") for _ in range(3)] == ["web2"] * 3


async def test_where_no_process_answers_that_is_said(town: Town) -> None:
    front = await town.open(Front([free_port()], []).serve)
    assert " 502 " in (await town.ask(front, "GET / HTTP/1.1"))[0]


async def test_a_head_without_end_is_refused(town: Town, front: asyncio.Server) -> None:
    assert " 400 " in (await town.ask(front, f"GET /{'a' * 3 * HEAD_BYTES} HTTP/1.1"))[0]


async def test_without_tables_of_their_own_the_web_processes_have_them(town: Town) -> None:
    front = await town.open(Front([port_of(await town.process("web"))], []).serve)
    assert await town.who(front, "GET /ws/play/1/ HTTP/1.1") == "web"
