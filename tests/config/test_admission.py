"""Newcomers wait in order while a process is full; those at tables and those who were let in are never stopped."""

from __future__ import annotations

import inspect
import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core import signing
from django.middleware.csrf import CSRF_SECRET_LENGTH
from django.urls import URLPattern, URLResolver, get_resolver

from config import admission
from config.admission import Admission, Door, door_of
from config.asgi import application
from config.handler import OneHop
from config.line import FRONT
from config.pace import AT_ONCE, Pace
from config.pressure import Limits, Pressure
from config.strangers import Copies, ForStrangers, Visit
from games.admission import COOKIE, Pass, Ticket, cookie_of, read
from games.races.models import new_code
from tests.config.asking import Answer, ask

PAGE = '<meta http-equiv="refresh" content=""><b id="queue-place"></b><p id="queue-wait" role="status"></p>'
JSON = "application/json"


class AsTheyCome(Pace):
    """Holds nobody back."""

    def take(self) -> bool:
        return True


class House:
    """A site behind its door, with as much to do as a test says."""

    def __init__(self) -> None:
        self.served: list[str] = []
        self.requests = 0
        self.kept = "private"
        pressure = Pressure(Limits(0, 0, 1), lambda: 0, lambda: self.requests)  # of the limits, one without an average
        self.door = Admission(self._site, Copies(self._site), pressure)
        self.door.pace = AsTheyCome()

    async def _site(self, scope: Any, _receive: Any, send: Any) -> None:
        body = PAGE if scope["path"] == admission.PAGE else f"served {scope['path']}"
        self.served.append(scope["path"])
        heads = [(b"Content-Type", b"text/html"), (b"Content-Security-Policy", b"default-src 'self'")]
        heads.append((b"Cache-Control", self.kept.encode()))
        await send({"type": "http.response.start", "status": 200, "headers": heads})
        await send({"type": "http.response.body", "body": body.encode()})

    async def ask(self, path: str = "/boards/", *, holding: str | Ticket | Pass = "", **how: Any) -> Answer:
        """What somebody with this ticket or pass gets."""
        shown = holding if isinstance(holding, str) else written(holding)
        return await ask(self.door, path, **({"cookie": f"{COOKIE}={shown}"} if shown else {}), **how)

    async def standing(self, holding: str | Ticket | Pass = "") -> dict[str, Any]:
        """What the page of one who waits is told."""
        told: dict[str, Any] = json.loads((await self.ask(admission.ADDRESS, holding=holding, accept=JSON)).text)
        return told


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture
def full(house: House) -> House:
    house.requests = 1
    return house


def written(holding: Ticket | Pass) -> str:
    return cookie_of(holding)[COOKIE].value


def given(answer: Answer) -> Ticket | Pass | None:
    """The ticket or pass that came with an answer."""
    return read(answer.cookies.get(COOKIE, ""))


def head(answer: Answer, name: str) -> str:
    heads: dict[str, str] = {key.decode().lower(): value.decode() for key, value in answer.headers}
    return heads.get(name, "")


def holder(arrived: int) -> Ticket:
    return Ticket(arrived, f"holder-{arrived}")


async def test_with_time_for_all_nobody_gets_a_ticket(house: House) -> None:
    answer = await house.ask()
    assert answer.text == "served /boards/"
    assert answer.cookies == {}


async def test_a_newcomer_sees_a_place_instead_of_the_page(full: House) -> None:
    answer = await full.ask()
    assert answer.status == 503
    assert '<b id="queue-place">1</b>' in answer.text
    assert f'content="{head(answer, "retry-after")}"' in answer.text
    assert int(head(answer, "retry-after")) > 0
    assert head(answer, "content-security-policy") == "default-src 'self'"
    assert isinstance(given(answer), Ticket)
    assert full.served == [admission.PAGE]


async def test_the_page_of_the_queue_is_made_once(full: House) -> None:
    for _ in range(5):
        await full.ask()
    assert full.served == [admission.PAGE]


async def test_a_place_is_kept_when_the_page_is_loaded_again(full: House) -> None:
    first = await full.ask()
    await full.ask()
    again = await full.ask(holding=first.cookies[COOKIE])
    assert '<b id="queue-place">1</b>' in again.text
    assert given(again) == given(first)
    assert len(full.door.line) == 2


async def test_who_never_comes_again_holds_nobody_up(full: House) -> None:
    for _ in range(FRONT + 5):
        await full.ask()
    full.requests = 0
    assert (await full.ask()).text == "served /boards/"


async def test_who_has_come_again_is_waited_for(full: House) -> None:
    first = await full.ask()
    await full.standing(first.cookies[COOKIE])
    full.requests = 0
    assert (await full.ask()).status == 503
    assert (await full.standing(first.cookies[COOKIE]))["let_in"]
    assert (await full.ask()).text == "served /boards/"


async def test_nobody_goes_in_while_it_is_full(full: House) -> None:
    ticket = holder(1)
    for _ in range(20):
        assert (await full.ask(holding=ticket)).status == 503
        assert not (await full.standing(ticket))["let_in"]


async def test_whoever_came_first_goes_in_first_whoever_asks(full: House) -> None:
    for arrived in range(FRONT + 5):
        await full.ask(holding=holder(arrived))
    full.requests = 0
    late = holder(FRONT + 4)
    for _ in range(20):
        assert (await full.ask(holding=late)).status == 503
    for arrived in range(5):
        answer = await full.ask(holding=holder(arrived))
        assert answer.text == "served /boards/"
        assert given(answer) == Pass()
    assert (await full.ask(holding=late)).status == 200


async def test_those_in_front_go_in_at_a_pace(full: House) -> None:
    full.door.pace = Pace()
    waiting = [holder(arrived) for arrived in range(FRONT)]
    for ticket in waiting:
        await full.ask(holding=ticket)
    full.requests = 0
    told = [await full.standing(ticket) for ticket in waiting]
    assert [one["let_in"] for one in told] == [True] * AT_ONCE + [False] * (FRONT - AT_ONCE)
    full.door._pulse.beat(0.0, 1.0)
    assert (await full.standing(waiting[AT_ONCE]))["let_in"]


async def test_while_others_wait_newcomers_do_not_slip_in(full: House) -> None:
    for arrived in range(FRONT + 1):
        await full.ask(holding=holder(arrived))
    full.requests = 0
    answer = await full.ask()
    assert answer.status == 503
    assert f'<b id="queue-place">{FRONT + 2}</b>' in answer.text


async def test_the_line_of_those_who_went_away_ends(full: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for arrived in range(FRONT + 5):
        await full.ask(holding=holder(arrived))
    full.requests = 0
    waiting = holder(10**15)
    assert (await full.ask(holding=waiting)).status == 503
    full.door.line.forget_absent(1e12)  # as the next look at the loop does, a few seconds later
    assert (await full.ask(holding=waiting)).status == 200


async def test_no_pass_is_sent_with_what_caches_on_the_way_may_keep(full: House) -> None:
    ticket = given(await full.ask())
    assert isinstance(ticket, Ticket)
    full.kept = "public, max-age=3600"
    full.requests = 0
    answer = await full.ask("/winnability/", holding=ticket)
    assert given(answer) == Pass()
    assert head(answer, "cache-control") == "private, max-age=3600"
    assert head(await full.ask("/winnability/"), "cache-control") == full.kept


async def test_any_process_honours_a_ticket_and_a_pass(full: House) -> None:
    other = House()
    other.requests = 1
    ticket = given(await full.ask())
    assert isinstance(ticket, Ticket)
    await other.ask(holding=Ticket(ticket.arrived + 1, "later"))
    assert (await other.standing(ticket))["place"] == 1
    full.requests = 0
    pass_ = given(await full.ask(holding=ticket))
    assert isinstance(pass_, Pass)
    assert (await other.ask(holding=pass_)).status == 200


@pytest.mark.parametrize(
    "forged",
    [
        "in",
        written(holder(5)).replace("waiting:5", "waiting:1"),
        signing.get_cookie_signer(salt="another").sign("in"),
        "waiting:1:x:y:z",
        "%00",
    ],
    ids=["bare", "another time", "another salt", "too many parts", "escaped"],
)
async def test_a_forged_ticket_is_none(full: House, forged: str) -> None:
    await full.ask(holding=holder(2))
    answer = await full.ask(holding=forged)
    assert answer.status == 503
    assert '<b id="queue-place">2</b>' in answer.text
    ticket = given(answer)
    assert isinstance(ticket, Ticket)
    assert ticket.arrived > 5


AT_TABLES = [
    ("GET", "/table/6ba7b810-9dad-11d1-80b4-00c04fd430c8/"),
    ("POST", "/table/6ba7b810-9dad-11d1-80b4-00c04fd430c8/restart"),
    ("POST", "/table/6ba7b810-9dad-11d1-80b4-00c04fd430c8/hint"),
    ("GET", "/admin/"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),
    ("GET", "/static/js/site.js"),
    ("GET", "/replay/6ba7b810-9dad-11d1-80b4-00c04fd430c8/embed/"),
    ("GET", "/accounts/github/login/callback/"),
    ("GET", "/accounts/2fa/authenticate/"),
    ("GET", "/accounts/3rdparty/signup/"),
    ("POST", "/accounts/login/"),
    ("POST", "/players/language"),
    ("OPTIONS", "/api/v1/deals"),
]


@pytest.mark.parametrize(("method", "path"), AT_TABLES)
async def test_games_in_play_staff_and_probes_are_never_queued(full: House, method: str, path: str) -> None:
    await full.ask()
    answer = await full.ask(path, method=method)
    assert answer.text == f"served {path}"
    assert answer.cookies == {}


@pytest.mark.parametrize("path", ["/", "/boards/", "/api/v1/deals", "/play/braid/"])
async def test_whoever_is_in_is_never_queued(full: House, path: str) -> None:
    await full.ask()
    assert (await full.ask(path, holding=Pass())).text == f"served {path}"
    assert (await full.ask("/play/braid/start", method="POST", holding=Pass())).text == "served /play/braid/start"


async def test_what_a_page_loads_for_itself_takes_no_ticket(full: House) -> None:
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
async def test_a_game_does_not_begin_behind_anybodys_back(full: House, referer: str, target: str) -> None:
    answer = await full.ask("/play/braid/start", method="POST", referer=referer)
    assert (answer.status, head(answer, "location")) == (303, target)
    assert isinstance(given(answer), Ticket)
    assert full.served == []
    assert (await full.ask(target, holding=answer.cookies[COOKIE])).status == 503


async def test_a_program_that_begins_a_game_is_told_its_place_and_keeps_it(full: House) -> None:
    await full.ask(holding=holder(1))
    answer = await full.ask("/play/braid/start", method="POST", accept=JSON)
    error = json.loads(answer.text)["error"]
    assert (answer.status, error["code"]) == (503, "server_full")
    assert error["data"] == {"retry_after": int(head(answer, "retry-after")), "place": 2}
    assert isinstance(given(answer), Ticket)


async def test_a_room_is_shown_to_whoever_may_have_a_seat_there(full: House) -> None:
    room = f"/races/{new_code()}/"
    assert (await full.ask(room)).status == 503
    assert (await full.ask(room, cookie=f"{settings.SESSION_COOKIE_NAME}=x")).text == f"served {room}"
    for path in ("/races/", "/races/mine/", "/races/heats/", f"{room}1/"):
        assert (await full.ask(path, cookie=f"{settings.SESSION_COOKIE_NAME}=x")).status == 503


async def test_the_api_is_read_while_others_wait_if_there_is_time(full: House) -> None:
    for arrived in range(FRONT + 1):
        await full.ask(holding=holder(arrived))
    full.requests = 0
    assert (await full.ask(holding=holder(FRONT))).status == 503
    assert (await full.ask("/api/v1/deals", accept="*/*")).text == "served /api/v1/deals"
    assert (await full.ask("/api/v1/deals", method="POST", accept="*/*")).status == 503


async def test_the_api_is_told_when_to_come_again(full: House) -> None:
    answer = await full.ask("/api/v1/deals", accept="*/*")
    error = json.loads(answer.text)["error"]
    assert (answer.status, error["code"]) == (503, "server_full")
    assert error["data"] == {"retry_after": int(head(answer, "retry-after"))}
    assert head(answer, "access-control-allow-origin") == "*"
    assert answer.cookies == {}
    assert full.served == []


async def test_the_page_is_told_how_it_stands(full: House) -> None:
    told = await full.standing(holder(1))
    assert told == {
        "let_in": False,
        "place": 1,
        "retry_after": 2,
        "wait": "Nobody can tell yet how long it takes.",
    }
    full.requests = 0
    answer = await full.ask(admission.ADDRESS, holding=holder(1), accept=JSON)
    assert json.loads(answer.text) == {"let_in": True}
    assert given(answer) == Pass()


async def test_it_is_told_in_the_visitors_language(full: House) -> None:
    for number in range(10):
        full.door.line.let_in(holder(number), time.monotonic())
    for number in range(100, 160):
        await full.ask(holding=holder(number))
    told = json.loads((await full.ask(admission.ADDRESS, holding=holder(159), accept_language="de")).text)
    assert told["wait"] == "Es dauert etwa 3 Minuten."
    assert (await full.standing(holder(159)))["wait"] == "It takes about 3 minutes."
    assert (await full.standing(holder(100)))["wait"] == "It takes less than a minute."


async def test_without_a_queue_the_page_that_asks_goes_on(house: House) -> None:
    assert await house.standing() == {"let_in": True}
    answer = await house.ask(admission.PAGE)
    assert (answer.status, head(answer, "location")) == (303, "/")


async def test_a_visitor_gets_no_page_of_another_host(full: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(_copies: Any, _visit: Any, _seconds: float) -> None:
        return None

    monkeypatch.setattr(Copies, "get", none)
    assert (await full.ask(host="elsewhere.example")).text == "served /boards/"


# --- The site's own -------------------------------------------------------------------------------------------------


def patterns(found: Any, before: str = "/") -> Iterator[tuple[str, Any]]:
    for one in found.url_patterns:
        if isinstance(one, URLResolver):
            yield from patterns(one, before + str(one.pattern))
        elif isinstance(one, URLPattern):
            yield before + str(one.pattern), inspect.unwrap(one.callback)


def form(path: str) -> Visit:
    heads = [(b"accept", b"text/html")]
    return Visit.of({"method": "POST", "path": path, "query_string": b"", "headers": heads, "scheme": "http"})


def test_every_form_that_begins_a_game_is_a_door_but_at_tables() -> None:
    begins = {path for path, view in patterns(get_resolver()) if _begins_a_game(view)}
    assert len(begins) > 8
    closed = {path for path in begins if door_of(form(path)) is not Door.FORM}
    assert closed == {"/table/<uuid:attempt>/restart"}


def _begins_a_game(view: Any) -> bool:
    return inspect.isfunction(view) and "check_may_begin(" in inspect.getsource(view)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("language", "title"), [("en", "You are in the queue"), ("de", "Du stehst in der Warteschlange")]
)
async def test_the_sites_own_page_has_the_places(full: House, language: str, title: str) -> None:
    site = OneHop()
    full.door = Admission(site, Copies(site), full.door.pressure)
    answer = await full.ask("/boards/", accept_language=language)
    assert answer.status == 503
    assert title in answer.text
    assert '<b id="queue-place">1</b>' in answer.text
    assert '<meta http-equiv="refresh" content="2">' in answer.text
    assert "no-cache" in head(answer, "cache-control")
    assert "default-src 'none'" in head(answer, "content-security-policy")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("damaged", ["short", "%" * CSRF_SECRET_LENGTH])
async def test_a_damaged_cookie_of_forms_is_replaced(full: House, damaged: str) -> None:
    site = OneHop()
    full.door = Admission(site, Copies(site), full.door.pressure)
    answer = await full.ask("/boards/", cookie=f"csrftoken={damaged}")
    assert answer.status == 503
    assert re.fullmatch(f"[A-Za-z0-9]{{{CSRF_SECRET_LENGTH}}}", answer.cookies["csrftoken"])
    assert answer.tokens


async def test_strangers_see_copies_without_waiting(full: House) -> None:
    pages = full.door._application
    outer = ForStrangers(full.door, Copies(pages))
    answer = await ask(outer, "/")
    assert (answer.status, answer.text) == (200, "served /")


def test_the_server_has_it_between_copies_and_django() -> None:
    probes: Any = application.application_mapping["http"]
    copying = probes._application
    door = copying._application
    assert isinstance(door, Admission)
    assert door._application is copying._copies._application
