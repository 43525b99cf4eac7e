"""Admission gate: newcomers wait in order while a process is full; players inside and games never wait."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import time
from typing import Any
from urllib.parse import quote

import pytest
from asgiref.testing import ApplicationCommunicator
from django.conf import settings as site_settings
from django.core import signing
from django.http import HttpResponse
from django.middleware.csrf import CSRF_SECRET_LENGTH
from pytest_django import Settings

from config.admission import gate as module
from config.admission.gate import PAGE, POLL, Door, Gate, door_of
from config.admission.load import Load
from config.asgi import application
from config.http.handler import SyncHandler
from config.page_cache.anonymous import AnonymousPages, PageCache, Visit
from games.core.admission_ticket import COOKIE, Pass, Ticket, identities, read, set_cookie
from games.races.models import new_code
from tests.config.asking import Answer, ask
from tests.config.malformed import patterns
from tests.services.sockets import until

QUEUE_PAGE = '<meta http-equiv="refresh" content=""><b id="queue-place"></b><p id="queue-wait" role="status"></p>'
JSON = "application/json"
SESSION = site_settings.SESSION_COOKIE_NAME
HOME = identities("", "unknown")
"""The client of requests without an address or session."""


class Site:
    """A site behind its gate, full when the test says so. `beat` admits the next clients."""

    def __init__(self) -> None:
        self.served: list[str] = []
        self.sockets = 0
        self.cache_control = "private"
        self.new_session = ""
        self.gate = self.behind(self._respond)

    def behind(self, app: Any) -> Gate:
        load = Load(SyncHandler(), lambda: self.sockets)
        load.start = lambda: None  # type: ignore[method-assign]  # the test makes the beats
        return Gate(app, PageCache(app), load)

    async def _respond(self, scope: Any, _receive: Any, send: Any) -> None:
        body = QUEUE_PAGE if scope["path"] == PAGE else f"served {scope['path']}"
        self.served.append(scope["path"])
        heads = [(b"Content-Type", b"text/html"), (b"Content-Security-Policy", b"default-src 'self'")]
        heads.append((b"Cache-Control", self.cache_control.encode()))
        if self.new_session:
            heads.append((b"Set-Cookie", f"{SESSION}={self.new_session}; Path=/".encode()))
        await send({"type": "http.response.start", "status": 200, "headers": heads})
        await send({"type": "http.response.body", "body": body.encode()})

    async def ask(self, path: str = "/boards/", *, holding: str | Ticket | Pass = "", **how: Any) -> Answer:
        value = holding if isinstance(holding, str) else written(holding)
        cookies = [f"{COOKIE}={value}"] * bool(value) + ([how.pop("cookie")] if "cookie" in how else [])
        return await ask(self.gate, path, **({"cookie": "; ".join(cookies)} if cookies else {}), **how)

    async def poll(self, holding: str | Ticket | Pass = "", **how: Any) -> dict[str, Any]:
        status: dict[str, Any] = json.loads((await self.ask(POLL, holding=holding, accept=JSON, **how)).text)
        return status

    def beat(self, seconds: float = 1.0) -> None:
        self.gate._last_beat = time.monotonic() - seconds
        self.gate.beat()


@pytest.fixture(autouse=True)
def _limits(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ADMISSION, settings.MAX_SOCKETS = True, 1
    monkeypatch.setattr(module, "update_interval", lambda _place: 1)


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def full(site: Site) -> Site:
    site.sockets = 1
    return site


def written(holding: Ticket | Pass, client: list[str] = HOME) -> str:
    response = HttpResponse()
    set_cookie(response, holding, client)
    return response.cookies[COOKIE].value


def given(answer: Answer, client: list[str] = HOME) -> Ticket | Pass | None:
    """Return the ticket or pass set by an answer."""
    return read(answer.cookies.get(COOKIE, ""), client)


def head(answer: Answer, name: str) -> str:
    heads: dict[str, str] = {key.decode().lower(): value.decode() for key, value in answer.headers}
    return heads.get(name, "")


def ticket(arrived: int) -> Ticket:
    return Ticket(arrived, f"client-{arrived}")


async def test_no_tickets_while_there_is_room(site: Site) -> None:
    answer = await site.ask()
    assert answer.text == "served /boards/"
    assert answer.cookies == {}


async def test_newcomer_sees_its_place_instead_of_the_page(full: Site) -> None:
    answer = await full.ask()
    assert answer.status == 503
    assert '<b id="queue-place">1</b>' in answer.text
    assert f'content="{head(answer, "retry-after")}"' in answer.text
    assert head(answer, "content-security-policy") == "default-src 'self'"
    assert isinstance(given(answer), Ticket)
    assert full.served == [PAGE]


async def test_queue_page_is_rendered_once(full: Site) -> None:
    for _ in range(5):
        await full.ask()
    assert full.served == [PAGE]


async def test_reloading_keeps_the_place(full: Site) -> None:
    first = await full.ask()
    await full.ask(holding=ticket(10**30))
    again = await full.ask(holding=first.cookies[COOKIE])
    assert '<b id="queue-place">1</b>' in again.text
    assert given(again) == given(first)
    assert len(full.gate.queue) == 2


async def test_program_that_ignores_the_queue_delays_no_one(full: Site) -> None:
    for _ in range(50):
        await full.ask()
    full.sockets = 0
    assert (await full.ask()).text == "served /boards/"


async def test_backlog_of_pages_queues_at_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(site.gate.load.pages.threads), "in_work", 1000)
    assert (await site.ask()).status == 503


async def test_page_without_scripts_gets_a_pass_at_its_turn(full: Site) -> None:
    await full.ask("/boards/", holding=ticket(1))
    full.sockets = 0
    full.beat()
    full.sockets = 1
    answer = await full.ask("/boards/", query="page=2", holding=ticket(1))
    assert answer.text == "served /boards/"
    assert isinstance(given(answer), Pass)
    assert (await full.ask("/boards/", holding=answer.cookies[COOKIE])).text == "served /boards/"


async def test_no_one_is_admitted_while_it_is_full(full: Site) -> None:
    await full.ask(holding=ticket(1))
    for _ in range(20):
        full.beat(0.1)
        assert (await full.ask(holding=ticket(1))).status == 503


async def test_first_to_arrive_goes_in_first(full: Site) -> None:
    for arrived in (3, 1, 2, 5, 4):
        await full.ask(holding=ticket(arrived))
    full.sockets = 0
    full.gate.rate._tokens = 1.0
    full.beat(0.0)
    assert [(await full.ask(holding=ticket(arrived))).status for arrived in range(1, 6)] == [200, 503, 503, 503, 503]


async def test_newcomers_do_not_overtake_the_queue(full: Site) -> None:
    await full.ask(holding=ticket(1))
    full.sockets = 0
    assert (await full.ask()).status == 503


async def test_poll_answers_at_the_clients_turn(full: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "update_interval", lambda _place: 3600)
    poll = asyncio.create_task(full.ask(POLL, holding=ticket(1), accept=JSON))
    await until(lambda: len(full.gate.queue) == 1)
    full.sockets = 0
    full.beat()
    answer = await asyncio.wait_for(poll, 60)
    assert json.loads(answer.text) == {"let_in": True}
    assert isinstance(given(answer), Pass)


async def test_poll_returns_the_place_after_a_while(full: Site) -> None:
    assert await full.poll(ticket(1)) == {"let_in": False, "place": 1, "wait": "All tables are full right now."}
    assert len(full.gate.queue) == 1, "the client should poll again"


async def test_leaving_client_gives_up_its_place(full: Site) -> None:
    leaver = polling(full, ticket(1))
    await leaver.send_input({"type": "http.request", "body": b""})
    await until(lambda: len(full.gate.queue) == 1)
    await leaver.send_input({"type": "http.disconnect"})
    await until(lambda: not full.gate.queue)
    full.sockets = 0
    assert (await full.ask()).text == "served /boards/"


def polling(site: Site, holding: Ticket) -> ApplicationCommunicator:
    heads = [(b"host", b"127.0.0.1"), (b"cookie", f"{COOKIE}={written(holding)}".encode())]
    scope = {"type": "http", "method": "GET", "path": POLL, "query_string": b"", "headers": heads, "scheme": "http"}
    return ApplicationCommunicator(site.gate, scope)


async def test_wait_is_shown_in_the_visitors_language(full: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    german = await full.poll(ticket(1), accept_language="de")
    assert german["wait"] == "Gerade sind alle Tische besetzt."
    full.gate.tables.is_full, full.sockets = True, 0
    assert (await full.poll(ticket(1)))["wait"] == "All tables are full right now."
    full.gate.tables.is_full = False
    assert (await full.poll(ticket(1)))["wait"] == "Less than a minute left."
    monkeypatch.setattr(type(full.gate.rate), "per_second", 1 / 180)
    assert (await full.poll(ticket(1)))["wait"] == "About 3 minutes left."
    assert (await full.poll(ticket(1), accept_language="de"))["wait"] == "Etwa 3 Minuten."


async def test_without_a_queue_the_waiting_page_continues(site: Site) -> None:
    assert await site.poll() == {"let_in": True}
    answer = await site.ask(PAGE, query="next=/play/braid/")
    assert (answer.status, head(answer, "location")) == (303, "/play/braid/")


async def test_any_process_honours_a_ticket_and_a_pass(full: Site) -> None:
    other = Site()
    other.sockets = 1
    ticket_ = given(await full.ask())
    assert isinstance(ticket_, Ticket)
    await other.ask(holding=Ticket(ticket_.arrived + 1, "later"))
    assert (await other.poll(ticket_))["place"] == 1
    assert (await other.ask(holding=Pass())).status == 200


@pytest.mark.parametrize(
    "forged",
    [
        "in:x",
        written(ticket(5)).replace("waiting:5", "waiting:1"),
        signing.get_cookie_signer(salt="another").sign("in:x"),
        "waiting:1:x:y:z",
        "%00",
    ],
    ids=["unsigned", "another time", "another salt", "too many parts", "escaped"],
)
async def test_forged_ticket_is_ignored(full: Site, forged: str) -> None:
    await full.ask(holding=ticket(2))
    answer = await full.ask(holding=forged)
    assert answer.status == 503
    assert '<b id="queue-place">2</b>' in answer.text


# --- One pass serves one client -------------------------------------------------------------------------------------

BEGIN = {"path": "/play/braid/start", "method": "POST"}


async def test_pass_of_another_session_is_ignored(full: Site) -> None:
    mine = written(Pass(), identities("mine", "unknown"))
    assert (await full.ask(holding=mine, cookie=f"{SESSION}=mine")).status == 200
    assert (await full.ask(holding=mine, cookie=f"{SESSION}=other")).status == 503
    assert (await full.ask(holding=mine)).status == 503


async def test_pass_or_ticket_of_another_network_is_ignored(full: Site) -> None:
    there = identities("", "198.51.100.7")
    assert (await full.ask(holding=written(Pass(), there))).status == 503
    answer = await full.ask(holding=written(ticket(1), there))
    assert given(answer) not in {None, ticket(1)}


async def test_new_session_exchanges_its_pass(full: Site) -> None:
    old, full.new_session = Pass(), "new"
    answer = await full.ask(**BEGIN, holding=old)
    assert answer.text == "served /play/braid/start"
    assert isinstance(given(answer, identities("new", "unknown")), Pass)
    assert (await full.ask(**BEGIN, holding=old)).status == 303
    full.new_session = ""
    assert (await full.ask(holding=old)).status == 503
    assert (await full.ask(holding=answer.cookies[COOKIE], cookie=f"{SESSION}=new")).status == 200


async def test_pass_is_kept_when_no_game_was_begun(full: Site) -> None:
    kept = Pass()
    for _ in range(3):
        assert (await full.ask(**BEGIN, holding=kept)).text == "served /play/braid/start"


async def test_copies_of_a_pass_cannot_begin_concurrently(full: Site) -> None:
    begun = list[int]()

    async def slow(_scope: Any, _receive: Any, send: Any) -> None:
        begun.append(1)
        await asyncio.sleep(0.05)
        cookie = (b"Set-Cookie", f"{SESSION}=new{len(begun)}".encode())
        await send({"type": "http.response.start", "status": 302, "headers": [cookie]})
        await send({"type": "http.response.body", "body": b""})

    full.gate._application = slow
    shared = Pass()
    answers = await asyncio.gather(*(full.ask(**BEGIN, holding=shared) for _ in range(20)))
    assert len(begun) == 1
    assert sorted(answer.status for answer in answers) == [302] + [303] * 19


async def test_copies_of_a_ticket_admit_one_client(full: Site) -> None:
    full.sockets = 0
    await full.ask(holding=ticket(2))
    full.sockets = 1
    await full.ask(holding=ticket(1))
    full.sockets, full.new_session = 0, "new"
    full.gate.rate._tokens = 1.0
    full.beat(0.0)
    full.sockets = 1
    assert (await full.ask(**BEGIN, holding=ticket(1))).text == "served /play/braid/start"
    answer = await full.ask(**BEGIN, holding=ticket(1))
    assert answer.status == 303
    assert isinstance(given(answer), Ticket)
    assert given(answer) != ticket(1)


# --- What is never queued -------------------------------------------------------------------------------------------

AT_TABLES = [
    ("GET", "/table/6ba7b810-9dad-11d1-80b4-00c04fd430c8/"),
    ("POST", "/table/6ba7b810-9dad-11d1-80b4-00c04fd430c8/restart"),
    ("POST", "/table/6ba7b810-9dad-11d1-80b4-00c04fd430c8/hint"),
    ("GET", "/admin/"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),
    ("GET", "/static/js/site/site.js"),
    ("GET", "/replay/6ba7b810-9dad-11d1-80b4-00c04fd430c8/embed/"),
    ("GET", "/accounts/github/login/callback/"),
    ("GET", "/accounts/2fa/authenticate/"),
    ("GET", "/accounts/3rdparty/signup/"),
    ("POST", "/accounts/login/"),
    ("POST", "/players/language"),
    ("OPTIONS", "/api/v1/deals"),
]


@pytest.mark.parametrize(("method", "path"), AT_TABLES)
async def test_games_staff_and_probes_are_never_queued(full: Site, method: str, path: str) -> None:
    await full.ask()
    answer = await full.ask(path, method=method)
    assert answer.text == f"served {path}"
    assert answer.cookies == {}


@pytest.mark.parametrize("path", ["/", "/boards/", "/api/v1/deals", "/play/braid/"])
async def test_admitted_client_is_never_queued(full: Site, path: str) -> None:
    await full.ask()
    assert (await full.ask(path, holding=Pass())).text == f"served {path}"


async def test_files_of_a_page_take_no_ticket(full: Site) -> None:
    for accepted in ("*/*", "image/avif,image/webp,*/*;q=0.8", "text/css", JSON):
        answer = await full.ask("/previews/en-gb/braid.png", accept=accepted)
        assert (answer.status, answer.cookies) == (200, {})


@pytest.mark.parametrize(
    ("referer", "target"),
    [
        ("http://127.0.0.1/play/braid/?practice=1", "/play/braid/?practice=1"),
        ("http://127.0.0.1/play/braid/", "/play/braid/"),
        ("http://elsewhere.example/play/braid/", "/"),
        ("http://127.0.0.1//elsewhere.example/", "/"),
        ("http://127.0.0.1/\xe4", "/"),
        ("http://127.0.0.1/\\elsewhere.example/", "/"),
        ("javascript:alert(1)", "/"),
        ("http://[", "/"),
        ("", "/"),
    ],
)
async def test_form_returns_to_its_page_when_admitted(full: Site, referer: str, target: str) -> None:
    answer = await full.ask(**BEGIN, referer=referer)
    where = head(answer, "location")
    assert answer.status == 303
    assert where.startswith(f"{PAGE}?next=")
    assert isinstance(given(answer), Ticket)
    assert full.served == []
    query = where.partition("?")[2]
    assert (await full.ask(PAGE, query=query, holding=answer.cookies[COOKIE])).status == 503
    full.sockets = 0
    full.gate.queue.expire(1e12)
    assert head(await full.ask(PAGE, query=query, holding=answer.cookies[COOKIE]), "location") == target


@pytest.mark.parametrize("target", ["//elsewhere.example/", "http://elsewhere.example/", "javascript:x", "/a\r\nb", ""])
async def test_queue_page_links_to_no_other_site(site: Site, target: str) -> None:
    answer = await site.ask(PAGE, query=f"next={quote(target, safe='')}")
    assert head(answer, "location") == "/"


async def test_api_client_that_begins_a_game_gets_a_place(full: Site) -> None:
    await full.ask(holding=ticket(1))
    answer = await full.ask(**BEGIN, accept=JSON)
    error = json.loads(answer.text)["error"]
    assert (answer.status, error["code"]) == (503, "server_full")
    assert error["data"] == {"retry_after": int(head(answer, "retry-after")), "place": 2}
    assert isinstance(given(answer), Ticket)


async def test_room_is_shown_to_clients_who_may_have_a_seat(full: Site) -> None:
    room = f"/races/{new_code()}/"
    assert (await full.ask(room)).status == 503
    assert (await full.ask(room, cookie=f"{SESSION}=x")).text == f"served {room}"
    for path in ("/races/", "/races/mine/", "/races/heats/", f"{room}1/"):
        assert (await full.ask(path, cookie=f"{SESSION}=x")).status == 503


async def test_api_reads_skip_the_queue_while_there_is_room(full: Site) -> None:
    await full.ask(holding=ticket(1))
    full.sockets = 0
    assert (await full.ask("/api/v1/deals", accept="*/*")).text == "served /api/v1/deals"
    assert (await full.ask("/api/v1/deals", method="POST", accept="*/*")).status == 503


async def test_api_answers_with_retry_after(full: Site) -> None:
    answer = await full.ask("/api/v1/deals", accept="*/*")
    error = json.loads(answer.text)["error"]
    assert (answer.status, error["code"]) == (503, "server_full")
    assert error["data"] == {"retry_after": int(head(answer, "retry-after"))}
    assert head(answer, "access-control-allow-origin") == "*"
    assert answer.cookies == {}
    assert full.served == []


async def test_other_host_gets_no_queue_page(full: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(_copies: Any, _visit: Any, _seconds: float) -> None:
        return None

    monkeypatch.setattr(PageCache, "get", none)
    assert (await full.ask(host="elsewhere.example")).text == "served /boards/"


async def test_cached_pages_are_never_queued(full: Site) -> None:
    outer = AnonymousPages(full.gate, PageCache(full._respond))
    for holding in ("", ticket(1), Pass()):
        cookie = {"cookie": f"{COOKIE}={holding if isinstance(holding, str) else written(holding)}"} if holding else {}
        answer = await ask(outer, "/", **cookie)
        assert (answer.status, answer.text) == (200, "served /")


# --- The site's own -------------------------------------------------------------------------------------------------


def form(path: str) -> Visit:
    heads = [(b"accept", b"text/html")]
    return Visit.of({"method": "POST", "path": path, "query_string": b"", "headers": heads, "scheme": "http"})


def test_every_form_that_begins_a_game_is_a_door() -> None:
    begins = {f"/{path}" for path, pattern in patterns() if _begins_a_game(inspect.unwrap(pattern.callback))}
    assert len(begins) > 8
    closed = {path for path in begins if door_of(form(path)) is not Door.FORM}
    assert closed == {"/table/<uuid:attempt>/restart", "/puzzles/<int:number>/move"}  # no new table


def _begins_a_game(view: Any) -> bool:
    return inspect.isfunction(view) and bool(re.search(r"(check_may_start|seated_player)\(", inspect.getsource(view)))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("language", "title"), [("en", "You are in the queue"), ("de", "Du stehst in der Warteschlange")]
)
async def test_the_sites_queue_page_has_all_placeholders(full: Site, language: str, title: str) -> None:
    site = SyncHandler()
    full.gate = full.behind(site)
    answer = await full.ask("/boards/", accept_language=language)
    assert answer.status == 503
    assert title in answer.text
    assert '<b id="queue-place">1</b>' in answer.text
    assert '<meta http-equiv="refresh" content="1">' in answer.text
    assert "no-cache" in head(answer, "cache-control")
    assert "default-src 'none'" in head(answer, "content-security-policy")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("damaged", ["short", "%" * CSRF_SECRET_LENGTH])
async def test_a_damaged_csrf_cookie_is_replaced(full: Site, damaged: str) -> None:
    site = SyncHandler()
    full.gate = full.behind(site)
    answer = await full.ask("/boards/", cookie=f"csrftoken={damaged}")
    assert answer.status == 503
    assert re.fullmatch(f"[A-Za-z0-9]{{{CSRF_SECRET_LENGTH}}}", answer.cookies["csrftoken"])
    assert answer.tokens


def test_the_gate_is_between_cached_pages_and_django() -> None:
    outer: Any = application.application_mapping["http"]
    while not isinstance(outer, AnonymousPages):
        outer = outer._application
    gate = outer._application
    assert isinstance(gate, Gate)
    assert gate._application is outer._page_cache._application
