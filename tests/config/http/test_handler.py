"""A request takes one thread hop, a stream ends with its reader, and responses are those of Django's handler."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.base import BaseHandler
from django.core.signals import request_finished, request_started
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import resolve

from config.http.handler import OWN_THREAD, THREADS, SyncHandler
from games.core.thread_pool import PoolFullError, ThreadPool

SCOPE = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": [(b"host", b"127.0.0.1")]}


class OneView:
    """Mixin for a handler of the site with one view."""

    def __init__(self, view: Any) -> None:
        super().__init__()
        self.view = view

    def resolve_request(self, request: HttpRequest) -> Any:
        request.resolver_match = resolve("/rules/")
        return self.view, (), {}


class Answering(OneView, SyncHandler):
    """The site with one view."""


class Reference(OneView, ASGIHandler):
    """The same, behind Django's own handler."""


class FullPool:
    """A pool whose queue is full."""

    async def run(self, *_: Any) -> None:
        raise PoolFullError


async def asked(site: Any, path: str = "/") -> ApplicationCommunicator:
    line = ApplicationCommunicator(site, SCOPE | {"path": path})
    await line.send_input({"type": "http.request", "body": b""})
    return line


async def test_one_thread_call_per_request(monkeypatch: pytest.MonkeyPatch) -> None:
    hops: list[Any] = []
    run = ThreadPool.run

    async def counted(self: Any, function: Any, *given: Any) -> Any:
        hops.append(function)
        return await run(self, function, *given)

    async def never(*_: Any) -> None:
        raise AssertionError("a way to a thread beside the one")

    monkeypatch.setattr(ThreadPool, "run", counted)
    monkeypatch.setattr("asgiref.sync.SyncToAsync.__call__", never)
    threads: set[Any] = set()
    heard: list[str] = []

    def view(_request: HttpRequest) -> HttpResponse:
        threads.add(threading.current_thread())
        return HttpResponse("seen")

    def begun(**_: Any) -> None:
        heard.append("begun")
        threads.add(threading.current_thread())

    def over(**_: Any) -> None:
        heard.append("over")
        threads.add(threading.current_thread())

    request_started.connect(begun)
    request_finished.connect(over)
    try:
        line = await asked(Answering(view))
        assert (await line.receive_output(30))["status"] == 200
        assert (await line.receive_output(30))["body"] == b"seen"
        await line.wait(30)
    finally:
        request_started.disconnect(begun)
        request_finished.disconnect(over)
    assert len(hops) == 1
    assert heard == ["begun", "over"]
    assert len(threads) == 1
    assert threading.current_thread() not in threads


async def test_slow_senders_occupy_no_thread() -> None:
    site = Answering(lambda request: HttpResponse(request.body))
    slow = [ApplicationCommunicator(site, dict(SCOPE)) for _ in range(THREADS + 1)]
    for sender in slow:
        await sender.send_input({"type": "http.request", "body": b"half", "more_body": True})
    line = await asked(site)
    assert (await line.receive_output(30))["status"] == 200
    assert site.threads.in_work == 0
    for sender in slow[1:]:
        await sender.send_input({"type": "http.disconnect"})
        await sender.wait(30)
    await slow[0].send_input({"type": "http.request", "body": b" and half"})
    assert (await slow[0].receive_output(30))["status"] == 200
    assert (await slow[0].receive_output(30))["body"] == b"half and half"


async def test_a_views_error_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    def view(_request: HttpRequest) -> HttpResponse:
        raise KeyError("a fault")

    line = await asked(Answering(view))
    assert (await line.receive_output(30))["status"] == 500


async def test_a_stream_is_sent_in_chunks_and_closed() -> None:
    closed = asyncio.Event()

    async def parts() -> AsyncIterator[str]:
        try:
            yield "a"
            yield "b"
        finally:
            closed.set()

    line = await asked(Answering(lambda _request: StreamingHttpResponse(parts())))
    assert (await line.receive_output(30))["status"] == 200
    assert [(await line.receive_output(30)).get("body", b"") for _ in range(3)] == [b"a", b"b", b""]
    await line.wait(30)
    assert closed.is_set()


async def test_a_stream_ends_with_its_reader() -> None:
    closed = asyncio.Event()

    async def parts() -> AsyncIterator[str]:
        try:
            yield "a"
            await asyncio.Event().wait()
        finally:
            closed.set()

    line = await asked(Answering(lambda _request: StreamingHttpResponse(parts())))
    await line.receive_output(30)
    await line.receive_output(30)
    await line.send_input({"type": "http.disconnect"})
    await line.wait(30)
    assert closed.is_set()


async def test_a_crowd_for_pictures_takes_no_page_threads() -> None:
    begun, go = threading.Semaphore(0), threading.Event()

    def view(request: HttpRequest) -> HttpResponse:
        if request.path.startswith("/previews/"):
            begun.release()
            assert go.wait(60)
        return HttpResponse(request.path)

    site = Answering(view)
    crowd = [await asked(site, f"/previews/en-gb/{number}.png") for number in range(OWN_THREAD["/previews/"] + 2)]
    assert await asyncio.to_thread(begun.acquire, timeout=60)
    page = await asked(site)
    assert (await page.receive_output(30))["status"] == 200
    assert (await page.receive_output(30))["body"] == b"/"
    assert not begun.acquire(blocking=False), "one is rendered at a time"
    assert (await crowd.pop().receive_output(30))["status"] == 503
    go.set()
    assert {(await line.receive_output(30))["status"] for line in crowd} == {200}


async def test_a_full_pool_is_answered_without_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Answering(lambda _request: HttpResponse("seen"))
    monkeypatch.setattr(site, "threads", FullPool())
    line = await asked(site)
    begun = await line.receive_output(30)
    assert (begun["status"], dict(begun["headers"])[b"Retry-After"]) == (503, b"5")


def plain(request: HttpRequest) -> HttpResponse:
    response = HttpResponse(f"{request.method} {request.path} {request.path_info} {request.body!r}")
    response.set_cookie("seen", "yes")
    return response


def missing(_request: HttpRequest) -> HttpResponse:
    raise Http404


@pytest.mark.parametrize(
    ("view", "scope"),
    [
        (plain, {"method": "POST"}),
        (plain, {"root_path": "/below", "path": "/below/rules/"}),
        (plain, {"query_string": b"\xff", "path": "/\udcff"}),
        (missing, {}),
        (lambda _request: HttpResponse(b"x" * 200_000), {}),
    ],
)
async def test_answers_are_those_of_djangos_handler(view: Any, scope: dict[str, Any]) -> None:
    """The contract with Django: the steps that `SyncHandler` takes from `ASGIHandler` add up to the same response."""
    sent: list[list[Any]] = []
    for site in (Answering(view), Reference(view)):
        line = ApplicationCommunicator(site, SCOPE | scope)
        await line.send_input({"type": "http.request", "body": b"a body"})
        messages = [await line.receive_output(30)]
        while messages[-1].get("more_body", True):
            messages.append(await line.receive_output(30))
        await line.wait(30)
        begun, *bodies = messages
        sent.append([begun["status"], sorted(name for name, _ in begun["headers"]), [one["body"] for one in bodies]])
    assert sent[0] == sent[1]


async def test_the_end_of_a_request_names_the_handler() -> None:
    """The contract with Django: a response's `close` sends `request_finished` with its `_handler_class`."""
    senders: list[object] = []

    def over(sender: object, **_: Any) -> None:
        senders.append(sender)

    request_finished.connect(over)
    try:
        line = await asked(Answering(plain))
        await line.receive_output(30)
        await line.receive_output(30)
        await line.wait(30)
    finally:
        request_finished.disconnect(over)
    assert senders == [Answering]


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        (ASGIHandler.read_body, ["self", "receive"]),
        (ASGIHandler.create_request, ["self", "scope", "body_file"]),
        (ASGIHandler.send_response, ["self", "response", "send"]),
        (ASGIHandler.listen_for_disconnect, ["self", "receive"]),
        (BaseHandler.load_middleware, ["self", "is_async"]),
        (BaseHandler.get_response, ["self", "request"]),
    ],
)
def test_django_has_the_methods_that_the_handler_calls(method: Any, parameters: list[str]) -> None:
    assert list(inspect.signature(method).parameters) == parameters
