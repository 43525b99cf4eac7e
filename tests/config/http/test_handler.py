"""A request takes one thread hop, a stream ends with its reader, and responses are those of Django's handler."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.conf import settings as site_settings
from django.core.handlers.asgi import ASGIHandler
from django.core.signals import request_finished, request_started
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import resolve, reverse
from django.views.decorators.csrf import csrf_exempt

from config.http.handler import HASHING, NEWCOMERS, OWN_THREAD, THREADS, SyncHandler, is_newcomer
from games.core.thread_pool import PoolFullError, ThreadPool
from tests.config.malformed import patterns
from tests.services.sockets import until

SCOPE = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": [(b"host", b"127.0.0.1")]}


class OneView:
    """Mixin for a handler of the site with one view."""

    def __init__(self, view: Any) -> None:
        super().__init__()
        self.view = view

    def resolve_request(self, request: HttpRequest) -> Any:
        request.resolver_match = resolve("/rules/")
        return csrf_exempt(self.view), (), {}


class Answering(OneView, SyncHandler):
    """The site with one view."""


class Reference(OneView, ASGIHandler):
    """The same, behind Django's own handler."""


class FullPool:
    """A pool whose queue is full."""

    def submit(self, *_: Any) -> None:
        raise PoolFullError


async def open_request(site: Any, path: str = "/", *, method: str = "GET", **headers: str) -> ApplicationCommunicator:
    fields = [(name.encode(), value.encode()) for name, value in headers.items()]
    line = ApplicationCommunicator(
        site, SCOPE | {"path": path, "method": method, "headers": [*SCOPE["headers"], *fields]}
    )
    await line.send_input({"type": "http.request", "body": b""})
    return line


async def test_one_thread_call_per_request(monkeypatch: pytest.MonkeyPatch) -> None:
    hops: list[Any] = []
    submit = ThreadPool.submit

    def counted(self: Any, function: Any, source: str = "") -> Any:
        hops.append(function)
        return submit(self, function, source)

    async def never(*_: Any) -> None:
        raise AssertionError("a way to a thread beside the one")

    monkeypatch.setattr(ThreadPool, "submit", counted)
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
        line = await open_request(Answering(view))
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
    line = await open_request(site)
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

    line = await open_request(Answering(view))
    assert (await line.receive_output(30))["status"] == 500


async def test_a_stream_is_sent_in_chunks_and_closed() -> None:
    closed = asyncio.Event()

    async def parts() -> AsyncIterator[str]:
        try:
            yield "a"
            yield "b"
        finally:
            closed.set()

    line = await open_request(Answering(lambda _request: StreamingHttpResponse(parts())))
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

    line = await open_request(Answering(lambda _request: StreamingHttpResponse(parts())))
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
    crowd = [
        await open_request(site, f"/previews/en-gb/{number}.png") for number in range(OWN_THREAD["/previews/"] + 2)
    ]
    assert await asyncio.to_thread(begun.acquire, timeout=60)
    page = await open_request(site)
    assert (await page.receive_output(30))["status"] == 200
    assert (await page.receive_output(30))["body"] == b"/"
    assert not begun.acquire(blocking=False), "one is rendered at a time"
    assert (await crowd.pop().receive_output(30))["status"] == 503
    go.set()
    assert {(await line.receive_output(30))["status"] for line in crowd} == {200}


class Gated:
    """A view that waits for the test: `begun` counts its requests, `go` lets them end."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Semaphore(0), threading.Event()
        self.clients: list[str] = []

    def __call__(self, request: HttpRequest) -> HttpResponse:
        self.clients.append(request.META.get("REMOTE_ADDR", ""))
        self.begun.release()
        assert self.go.wait(60)
        return HttpResponse("seen")

    async def wait(self, requests: int = 1) -> None:
        for _ in range(requests):
            assert await asyncio.to_thread(self.begun.acquire, timeout=60)


async def test_abandoned_requests_leave_the_queue() -> None:
    view = Gated()
    site = Answering(view)
    first = [await open_request(site) for _ in range(THREADS)]
    await view.wait(THREADS)
    abandoned = [await open_request(site) for _ in range(400)]
    await until(lambda: site.threads.in_work == THREADS + len(abandoned))
    for line in abandoned:
        await line.send_input({"type": "http.disconnect"})
        await line.wait(30)
    assert site.threads.in_work == THREADS
    last = await open_request(site)
    view.go.set()
    for line in (*first, last):
        assert (await line.receive_output(30))["status"] == 200
    assert len(view.clients) == THREADS + 1


async def test_a_request_in_progress_outlives_its_client() -> None:
    """A move may be committed by now, so the view runs to its end, and the response is closed."""
    running, closed = Gated(), asyncio.Event()

    async def parts() -> AsyncIterator[str]:
        yield "a"

    def respond(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
        running(request)
        response = StreamingHttpResponse(parts())
        response.close = lambda: loop.call_soon_threadsafe(closed.set)  # type: ignore[method-assign, assignment]
        return response

    loop = asyncio.get_running_loop()
    line = await open_request(Answering(respond))
    await running.wait()
    await line.send_input({"type": "http.disconnect"})
    running.go.set()
    await asyncio.wait_for(closed.wait(), 60)


async def sent(site: Any, *pieces: bytes, length: int | None = None) -> ApplicationCommunicator:
    """Send a request with a body that goes on after these pieces."""
    heads = [*SCOPE["headers"], *([(b"content-length", str(length).encode())] if length is not None else [])]
    line = ApplicationCommunicator(site, SCOPE | {"method": "POST", "headers": heads, "path": "/api/v1/verify"})
    for piece in pieces:
        await line.send_input({"type": "http.request", "body": piece, "more_body": True})
    return line


MOST = site_settings.DATA_UPLOAD_MAX_MEMORY_SIZE


@pytest.mark.parametrize(
    ("pieces", "length"), [((), MOST + 1), ((b"x" * MOST, b"y"), None)], ids=["declared", "sent in chunks"]
)
async def test_a_body_is_refused_at_the_limit_while_it_arrives(
    pieces: tuple[bytes, ...], length: int | None, caplog: pytest.LogCaptureFixture
) -> None:
    line = await sent(Answering(lambda _request: HttpResponse("seen")), *pieces, length=length)
    assert (await line.receive_output(30))["status"] == 413
    error = json.loads((await line.receive_output(30))["body"])["error"]
    assert (error["code"], error["data"]) == ("too_large", {"limit": MOST})
    assert [(record.getMessage(), record.exc_info) for record in caplog.records] == [("request body too large", None)]


async def test_a_body_up_to_the_limit_is_read_without_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_file(*_: Any, **__: Any) -> None:
        raise AssertionError("a body on disk")

    monkeypatch.setattr("tempfile.SpooledTemporaryFile", no_file)
    line = await sent(Answering(lambda request: HttpResponse(str(len(request.body)))), b"x" * (MOST - 1), length=MOST)
    await line.send_input({"type": "http.request", "body": b"y"})
    assert (await line.receive_output(30))["status"] == 200
    assert (await line.receive_output(30))["body"] == str(MOST).encode()


async def hashed(site: Any, address: str) -> ApplicationCommunicator:
    scope = SCOPE | {"path": reverse("account_login"), "method": "POST", "client": (address, 1)}
    line = ApplicationCommunicator(site, scope)
    await line.send_input({"type": "http.request", "body": b""})
    await asyncio.sleep(0.01)  # the order of arrival
    return line


async def test_sign_ins_take_turns_and_no_page_threads() -> None:
    view = Gated()
    site = Answering(lambda request: view(request) if request.method == "POST" else HttpResponse("seen"))
    crowd = [await hashed(site, "192.0.2.1") for _ in range(40)]
    await view.wait()
    crowd.append(await hashed(site, "192.0.2.2"))
    page = await open_request(site, reverse("account_login"))
    assert (await page.receive_output(30))["status"] == 200
    assert not view.begun.acquire(blocking=False), "one is hashed at a time"
    view.go.set()
    for line in crowd:
        assert (await line.receive_output(30))["status"] == 200
    assert view.clients.index("192.0.2.2") <= 2, "networks take turns"


def test_every_form_with_a_password_waits_for_the_hashing_thread() -> None:
    forms = ("login", "signup", "reauthenticate", "change_password", "set_password", "reset_password")
    addresses = [reverse(f"account_{form}") for form in forms]
    addresses.append(reverse("account_reset_password_from_key", args=["1", "set-password"]))
    addresses += [reverse("admin:login"), reverse("admin:password_change")]
    assert [address for address in addresses if not HASHING.match(address)] == []


async def test_a_full_pool_is_answered_without_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Answering(lambda _request: HttpResponse("seen"))
    monkeypatch.setattr(site, "threads", FullPool())
    line = await open_request(site)
    begun = await line.receive_output(30)
    assert (begun["status"], dict(begun["headers"])[b"Retry-After"]) == (503, b"5")


# Newcomers.

SESSION = f"{site_settings.SESSION_COOKIE_NAME}=x"
PAGE = {"accept": "text/html"}


@pytest.mark.parametrize(
    ("method", "path", "headers", "is_one"),
    [
        ("GET", "/boards/", PAGE, True),
        ("GET", "/accounts/login/", PAGE, True),
        ("POST", "/play/braid/start", PAGE, True),
        ("POST", "/play/braid/start", {"accept": "application/json"}, True),
        ("GET", "/api/v1/deals", {"accept": "*/*"}, True),
        ("GET", "/boards/", PAGE | {"cookie": SESSION}, False),
        ("GET", "/api/v1/deals", {"cookie": SESSION}, False),
        ("POST", "/accounts/login/", PAGE, False),
        ("POST", "/table/6ba7b810-9dad-11d1-80b4-00c04fd430c8/restart", PAGE, False),
        ("GET", "/table/6ba7b810-9dad-11d1-80b4-00c04fd430c8/", PAGE, False),
        ("GET", "/replay/6ba7b810-9dad-11d1-80b4-00c04fd430c8/embed/", PAGE, False),
        ("GET", "/accounts/github/login/callback/", PAGE, False),
        ("GET", "/accounts/2fa/authenticate/", PAGE, False),
        ("GET", "/admin/", PAGE, False),
        ("GET", "/queue/", PAGE, False),
        ("GET", "/metrics", {}, False),
        ("GET", "/static/js/site/site.js", {"accept": "*/*"}, False),
        ("GET", "/previews/en-gb/braid.png", {"accept": "image/avif,image/webp,*/*;q=0.8"}, False),
    ],
)
def test_newcomers_are_clients_without_a_session(method: str, path: str, headers: dict[str, str], is_one: bool) -> None:
    fields = [(name.encode(), value.encode()) for name, value in headers.items()]
    assert is_newcomer({"method": method, "path": path, "headers": fields}) == is_one


def test_every_form_that_starts_a_game_is_a_newcomers() -> None:
    starts = {f"/{path}" for path, pattern in patterns() if _starts_a_game(inspect.unwrap(pattern.callback))}
    assert len(starts) > 8
    others = {path for path in starts if not is_newcomer({"method": "POST", "path": path, "headers": []})}
    assert others == {"/table/<uuid:attempt>/restart", "/puzzles/<int:number>/move"}  # no new table


def _starts_a_game(view: Any) -> bool:
    return inspect.isfunction(view) and bool(re.search(r"(check_may_start|seated_player)\(", inspect.getsource(view)))


class Rush:
    """A site whose threads for newcomers are all taken, and whose queue for them is full after one more."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("config.http.handler.NEWCOMERS_QUEUE", 1)
        self.view = Gated()
        self.site = Answering(lambda request: self.view(request) if request.path == "/rush/" else self.queue(request))
        self.lines: list[ApplicationCommunicator] = []

    @staticmethod
    def queue(request: Any) -> HttpResponse:
        return HttpResponse(f"full: {request.is_full}")

    async def begin(self) -> None:
        self.lines = [await open_request(self.site, "/rush/", **PAGE) for _ in range(NEWCOMERS + 1)]
        await self.view.wait(NEWCOMERS)

    async def head(self, *request: Any, **headers: str) -> tuple[int, dict[bytes, bytes], bytes]:
        line = await open_request(self.site, *request, **headers)
        begun = await line.receive_output(30)
        return begun["status"], dict(begun["headers"]), (await line.receive_output(30))["body"]

    async def end(self) -> None:
        self.view.go.set()
        assert [(await line.receive_output(30))["status"] for line in self.lines] == [200] * len(self.lines)


async def test_a_rush_of_newcomers_leaves_players_their_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rush = Rush(monkeypatch)
    await rush.begin()
    assert (await rush.head(cookie=SESSION, **PAGE))[0] == 200
    await rush.end()


async def test_further_newcomers_wait_on_the_queues_page(monkeypatch: pytest.MonkeyPatch) -> None:
    rush = Rush(monkeypatch)
    await rush.begin()
    status, heads, _ = await rush.head("/boards/", **PAGE)
    assert (status, heads[b"Location"], heads[b"Content-Length"]) == (303, b"/queue/?next=%2Fboards%2F", b"0")
    line = await open_request(
        rush.site, "/play/braid/start", method="POST", referer="http://127.0.0.1/play/braid/", **PAGE
    )
    assert dict((await line.receive_output(30))["headers"])[b"Location"] == b"/queue/?next=%2Fplay%2Fbraid%2F"
    status, heads, body = await rush.head("/api/v1/deals")
    assert (status, heads[b"Retry-After"], heads[b"Access-Control-Allow-Origin"]) == (503, b"5", b"*")
    assert json.loads(body)["error"]["code"] == "server_full"
    assert (await rush.head("/queue/", **PAGE))[2] == b"full: True"
    await rush.end()
    assert (await rush.head("/queue/", **PAGE))[2] == b"full: False"


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
        line = await open_request(Answering(plain))
        await line.receive_output(30)
        await line.receive_output(30)
        await line.wait(30)
    finally:
        request_finished.disconnect(over)
    assert senders == [Answering]
