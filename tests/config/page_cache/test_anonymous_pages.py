"""Page cache for visitors without a session; cached copies contain nothing of another visitor."""

from __future__ import annotations

import asyncio
import gzip
import re
import time
from datetime import datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.middleware.csrf import _does_token_match  # type: ignore[attr-defined]
from django.test import Client
from django.utils import timezone

from config.asgi import application
from config.http.handler import SyncHandler
from config.page_cache import anonymous
from config.page_cache.anonymous import AnonymousPages, PageCache
from config.page_cache.cached_page import NOW, TOKEN, split
from games.db.shared_cache import outdated_values
from games.models import Deal
from games.presentation.anonymous_cache import RANKED_COOKIE
from tests.config.asking import ask
from tests.factories import make_deal

SECRET = "s" * 32
SECONDS_OF_THE_SITE = anonymous._seconds_of
FORM = '<!--copy--><form><input type="hidden" name="csrfmiddlewaretoken" value="{token}"><p data-now="{now}">{text}</p>'


class Site:
    """An application whose page shows how often and for whom it was rendered."""

    def __init__(self) -> None:
        self.requests: list[dict[bytes, bytes]] = []
        self.status = 200
        self.cookies = [f"csrftoken={SECRET}; Path=/"]
        self.text = "page"
        self.form = FORM
        self.open = asyncio.Event()
        self.open.set()

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        self.requests.append(dict(scope["headers"]))
        number = len(self.requests)
        await self.open.wait()
        body = self.form.format(token=f"{number:064}", now="then", text=f"{self.text} {number}").encode()
        cookies = [(b"Set-Cookie", value.encode()) for value in self.cookies]
        heads = [(b"Content-Type", b"text/html"), (b"Content-Length", str(len(body)).encode()), *cookies]
        await send({"type": "http.response.start", "status": self.status, "headers": heads})
        await send({"type": "http.response.body", "body": body})


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def pages(site: Site) -> AnonymousPages:
    return AnonymousPages(site, PageCache(site))


@pytest.fixture(autouse=True)
def _for_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anonymous, "_seconds_of", lambda path: 3_600.0 if path == "/" else 0.0)


async def test_a_page_is_rendered_once_for_all(site: Site, pages: AnonymousPages) -> None:
    assert {(await ask(pages)).text.partition("data-now")[2][-12:] for _ in range(9)} == {'">page 1</p>'}
    assert "page 1" in (await ask(pages, accept="*/*")).text, "programs too"
    assert len(site.requests) == 1
    assert (await ask(pages, method="HEAD")).text == ""


async def test_concurrent_visitors_share_one_slow_rendering(
    site: Site, pages: AnonymousPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anonymous, "_seconds_of", lambda _path: 1e-9)
    site.open.clear()
    waiting = [asyncio.create_task(ask(pages)) for _ in range(9)]
    for _ in range(100):  # until all have arrived, which takes a few iterations of the loop
        await asyncio.sleep(0)
    site.open.set()
    answers = await asyncio.gather(*waiting)
    assert len(site.requests) == 1
    assert len({one.tokens[0] for one in answers}) == 9
    assert pages._page_cache._making == {}


async def test_the_token_matches_the_visitors_cookie(pages: AnonymousPages) -> None:
    await ask(pages)
    own = await ask(pages, cookie=f"csrftoken={'a' * 32}")
    assert own.cookies == {}
    assert _does_token_match(own.tokens[0], "a" * 32)
    new = await ask(pages)
    assert _does_token_match(new.tokens[0], new.cookies["csrftoken"])


async def test_rendering_ignores_everything_else_about_the_visitor(site: Site, pages: AnonymousPages) -> None:
    headers = {
        "accept": "application/*, text/html;q=0.1",
        "accept_language": "de",
        "authorization": "Bearer x",
        "if_none_match": "*",
        "cookie": 'django_language="it"; talon_guide=mine',
    }
    await ask(pages, **headers)
    assert site.requests == [
        {b"host": b"127.0.0.1", b"accept": b"text/html", b"cookie": b"django_language=de; talon_guide=1"}
    ]


async def test_a_page_without_forms_may_contain_a_client_token(site: Site, pages: AnonymousPages) -> None:
    site.form = "<p>{text}</p>"
    first, second = await ask(pages), await ask(pages)
    assert len(site.requests) == 1
    assert len({first.cookies["csrftoken"], second.cookies["csrftoken"], SECRET}) == 3


async def test_a_copy_shows_the_time_it_is_sent(pages: AnonymousPages) -> None:
    await ask(pages)
    found = re.search(r'data-now="([^"]+)"', (await ask(pages)).text)
    assert found is not None
    assert abs(timezone.now() - datetime.fromisoformat(found[1])) < timedelta(minutes=5)


@pytest.mark.parametrize(
    "headers",
    [
        {"cookie": "sessionid=abc"},
        {"cookie": f"csrftoken={SECRET}; sessionid=abc"},
        {"cookie": "messages=x"},
        {"cookie": "nonsense"},
        {"cookie": "csrftoken=short"},
        {"accept": "application/json"},
        {"accept": "text/html;q=0.5, application/json"},
    ],
)
async def test_requests_with_an_identity_get_no_copy(
    site: Site, pages: AnonymousPages, headers: dict[str, str]
) -> None:
    await ask(pages)
    await ask(pages, **headers)
    assert len(site.requests) == 2
    assert site.requests[1].get(b"cookie", b"").decode() == headers.get("cookie", "")


def test_cookies_in_two_headers_are_all_read() -> None:
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "scheme": "http"}
    heads = [(b"accept", b"text/html"), (b"cookie", b"sessionid=abc"), (b"cookie", b"talon_guide=1")]
    assert not anonymous.Visit.of({**scope, "headers": heads}).is_anonymous
    assert anonymous.Visit.of({**scope, "headers": heads[::2]}).is_anonymous


async def test_variants_of_a_page_are_never_mixed(
    site: Site, pages: AnonymousPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ask(pages)
    await ask(pages, accept_language="de")
    await ask(pages, cookie="talon_guide=known")
    await ask(pages, host="localhost")
    await ask(pages, x_forwarded_proto="https")
    assert len(site.requests) == 5
    now = timezone.now()
    monkeypatch.setattr("config.page_cache.anonymous.timezone.now", lambda: now + timedelta(days=1))
    before = len(site.requests)
    await ask(pages)
    assert len(site.requests) == before + 1  # past midnight


async def test_other_requests_are_passed_on(site: Site, pages: AnonymousPages) -> None:
    for _ in range(2):
        await ask(pages, method="POST")
        await ask(pages, query="board=race")
        await ask(pages, "/players/me/")
    assert len(site.requests) == 6


async def test_other_answers_are_not_cached(site: Site, pages: AnonymousPages) -> None:
    site.status = 503
    assert [(await ask(pages)).status for _ in range(2)] == [503, 503]
    assert len(site.requests) == 3  # not tried again for a while


async def test_a_page_with_another_cookie_is_not_cached(site: Site, pages: AnonymousPages) -> None:
    site.cookies.append("sessionid=new; Path=/")
    assert (await ask(pages)).cookies["sessionid"] == "new"
    assert len(site.requests) == 2


async def test_a_page_with_a_secret_elsewhere_is_not_cached(site: Site, pages: AnonymousPages) -> None:
    site.text = f"look: {SECRET}"
    await ask(pages)
    assert len(site.requests) == 2


async def test_an_old_copy_is_served_if_rendering_fails(
    site: Site, pages: AnonymousPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anonymous, "_seconds_of", lambda _path: 1e-9)
    monkeypatch.setattr(anonymous, "_REFUSED", 0.0)
    await ask(pages)
    site.status = 503
    for _ in range(2):
        answer = await ask(pages)
        assert (answer.status, "page 1" in answer.text) == (200, True)
    assert len(site.requests) == 3
    site.status = 200
    assert "page 4" in (await ask(pages)).text


async def test_an_old_copy_is_served_during_slow_rendering(
    site: Site, pages: AnonymousPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anonymous, "_seconds_of", lambda _path: 1e-9)
    monkeypatch.setattr(anonymous, "_STALE_AFTER", 0.01)
    await ask(pages)
    site.open.clear()
    assert "page 1" in (await ask(pages)).text
    site.open.set()
    await asyncio.gather(*pages._page_cache._making.values())
    assert len(site.requests) == 2, "it is rendered once"


async def test_a_copy_is_as_old_as_the_values_on_it(
    site: Site, pages: AnonymousPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def render(*request: Any) -> None:
        outdated_values.get().append(time.time() - 4_000)  # the database failed
        await site(*request)

    monkeypatch.setattr(pages._page_cache, "_application", render)
    assert 'role="status"' in (await ask(pages)).text


async def test_an_old_copy_says_when_it_was_made(
    site: Site, pages: AnonymousPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anonymous, "_seconds_of", lambda _path: 1e-9)
    assert 'role="status"' not in (await ask(pages)).text
    site.status = 503
    assert 'role="status"' not in (await ask(pages)).text, "a few seconds are no matter"
    monkeypatch.setattr(anonymous, "_OLD", -1.0)
    page = await ask(pages, accept_encoding="gzip")
    assert re.search(
        r'<p class="message" role="status">\s*As of <span data-utc="\d\d:\d\d">\d\d:\d\d UTC</span>', page.text
    )
    assert "page 1" in page.text


@pytest.mark.parametrize("is_slow", [True, False])
async def test_during_an_outage_a_process_uses_the_copies_of_others(
    site: Site, pages: AnonymousPages, settings: Any, monkeypatch: pytest.MonkeyPatch, is_slow: bool
) -> None:
    settings.REDIS_SERVERS = ["redis://of-a-test"]
    monkeypatch.setattr(anonymous.shared_copies, "fresh", 600.0)
    monkeypatch.setattr(anonymous, "_STALE_AFTER", 0.01)
    await ask(pages)
    site.status = 503

    async def copy_of_another() -> str:
        other = AnonymousPages(site, PageCache(site))
        if is_slow:
            site.open.clear()
        asking = asyncio.create_task(ask(other))
        await asyncio.wait({asking}, timeout=1.0)
        site.open.set()
        return (await asking).text

    while "page 1<" not in await copy_of_another():  # until it is stored
        pass


class Database:
    """A database whose state the test sets."""

    is_failing = True


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Database:
    database = Database()
    monkeypatch.setattr(anonymous, "database", database)
    return database


async def test_players_get_the_visitors_copy_while_the_database_is_away(
    site: Site, pages: AnonymousPages, database: Database
) -> None:
    await ask(pages)
    own = {"cookie": "sessionid=abc"}
    assert "page 2" in (await ask(pages, **own)).text, "a page that can be made is served"
    site.status = 503
    page = await ask(pages, **own)
    assert (page.status, "page 1" in page.text, 'role="status"' in page.text) == (200, True, True)
    site.open.clear()
    assert "page 1" in (await ask(pages, **own)).text
    site.open.set()
    assert (await ask(pages, query="board=race", **own)).status == 503, "of this page there is no copy"
    database.is_failing = False
    assert (await ask(pages, **own)).status == 503, "a refusal for other reasons"


async def test_the_number_of_copies_is_limited(
    site: Site, pages: AnonymousPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anonymous, "MAX_ENTRIES", 3)
    for number in range(9):
        await ask(pages, host=f"{number}.example")
    assert len(pages._page_cache._entries) == 3
    assert pages._page_cache._making == {}


def test_a_copy_differs_only_in_its_placeholders() -> None:
    body = FORM.format(token="t" * 64, now="then", text="x" * 5_000).encode()
    page = split([], body)
    own = {TOKEN: b"u" * 64, NOW: b"now"}
    wanted = body.replace(b"t" * 64, b"u" * 64).replace(b"then", b"now").replace(b"<!--copy-->", b"")
    assert page.plain(own) == wanted
    assert gzip.decompress(page.packed(own)) == wanted
    assert len(page.packed(own)) < 500


# The site's own pages, rendered by Django.


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> AnonymousPages:
    monkeypatch.setattr(anonymous, "_seconds_of", SECONDS_OF_THE_SITE)
    pages = SyncHandler()
    return AnonymousPages(pages, PageCache(pages))


@pytest.mark.django_db(transaction=True)
async def test_copies_equal_djangos_pages(whole: AnonymousPages) -> None:
    for path in ("/", "/play/braid/", "/rules/", "/rules/plot/", "/boards/", "/deals/"):
        plain = await ask(SyncHandler(), path)
        copies = [await ask(whole, path, accept_encoding="gzip") for _ in range(2)]
        own = re.compile(r'value="[A-Za-z0-9]{64}"|data-now="[^"]+"|<!--copy-->')
        assert {own.sub("", one.text) for one in copies} == {own.sub("", plain.text)}, path
        names = {name.lower() for name, _ in plain.headers} | {b"content-encoding"}
        assert {name.lower() for name, _ in copies[1].headers} == names
        assert copies[0].tokens[0] != copies[1].tokens[0]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("headers", [{"cookie": 'django_language="de"'}, {"accept": "application/*, text/html;q=0.1"}])
async def test_a_visitor_cannot_choose_anothers_language(whole: AnonymousPages, headers: dict[str, str]) -> None:
    languages = {"en": "en-gb", "de": "de"}
    for asked, language in languages.items():
        await ask(whole, "/rules/", accept_language=asked, **headers)
        answer = await ask(whole, "/rules/", accept_language=asked)
        assert f'<html lang="{language}"' in answer.text


@pytest.mark.django_db(transaction=True)
def test_players_get_their_own_pages_and_visitors_do_not(whole: AnonymousPages) -> None:
    deal: Deal = make_deal("braid")
    assert deal.day is not None
    ways = {}
    for name in ("Ariadne", "Theseus"):
        client = Client()
        client.post("/play/braid/start")
        ways[name] = client
    pages = {}
    for name, client in ways.items():
        cookie = "; ".join(f"{one.key}={one.coded_value}" for one in client.cookies.values())
        pages[name] = async_to_sync(ask)(whole, cookie=cookie).text
    tables = {name: re.findall(r"/table/([0-9a-f-]{36})/", page) for name, page in pages.items()}
    assert all(tables.values())
    assert not set(tables["Ariadne"]) & set(tables["Theseus"])
    for _ in range(2):
        page = async_to_sync(ask)(whole).text
        assert 'value="ranked"' in page
        assert not re.search(r"/table/[0-9a-f-]{36}/", page)
    for client in ways.values():
        answer = client.get("/")
        assert "private" in answer["Cache-Control"]
        assert "Cookie" in answer["Vary"]


def test_the_server_checks_the_cache_before_django() -> None:
    site: Any = application.application_mapping["http"]
    assert isinstance(site._application, AnonymousPages)
    assert settings.SESSION_COOKIE_NAME not in {settings.CSRF_COOKIE_NAME, settings.LANGUAGE_COOKIE_NAME}


@pytest.mark.django_db(transaction=True)
def test_a_browser_that_chose_the_ranked_games_gets_copies_of_them(whole: AnonymousPages) -> None:
    make_deal("braid")
    for cookie, is_ranked in (("", False), (f"{RANKED_COOKIE}=1", True)) * 2:
        assert ("/play/braid/" in async_to_sync(ask)(whole, cookie=cookie).text) == is_ranked
