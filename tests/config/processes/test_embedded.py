"""The one-process server: it starts from nothing, serves pages, plays and stops."""

from __future__ import annotations

import re
import signal
import sqlite3
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from config.processes import embedded
from games.core.registry import Providers
from games.deals import stock_filling
from games.live import table_registry
from games.rules import CATALOGUE
from tests.config.running import run, running

READY = r"ready at (http://\S+)/"


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("var")


#: The defaults of a player's installation, without the search for deals in the background and without compiled code.
DEFAULTS = {"SEALED_STOCK": "0", "DEAL_PATIENCE": "300", "TALON_NO_NUMBA": "1", "PORT": "0"}


@pytest.fixture(scope="module")
def address(var: Path) -> Iterator[str]:
    """Address of a site that has started from an empty folder."""
    with running("-m", "config.processes.embedded", var=var, **DEFAULTS) as process:
        yield process.await_line(READY)[1]


def test_todays_deals_exist_before_it_is_ready(address: str, var: Path) -> None:
    with closing(sqlite3.connect(var / "talon.sqlite3", timeout=20)) as database:
        deals = "SELECT variant, proven, starter FROM games_deal WHERE day IS NOT NULL AND day <= date()"
        assert set(database.execute(deals)) == {(variant, 1, 1) for variant in CATALOGUE}
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_it_accepts_websockets_only_from_its_own_pages(address: str) -> None:
    url = f"{address.replace('http', 'ws')}/ws/board/1/"
    with connect(url, origin=Origin(address)) as socket:
        assert socket.protocol.extensions == []  # compression is off
    with pytest.raises(InvalidStatus, match="403"):
        connect(url, origin=Origin("https://elsewhere.example"))
    with pytest.raises(InvalidStatus, match="403"):
        connect(url)
    with pytest.raises(InvalidStatus, match="403"):
        connect(f"{address.replace('http', 'ws')}/ws/nowhere/", origin=Origin(address))


def test_state_outlives_however_it_stops(migrated_var: Path) -> None:
    for number in (signal.SIGKILL, signal.SIGINT):
        with running("-m", "config.processes.embedded", var=migrated_var, PORT="0") as process:
            process.await_line(READY)
            assert process.stop(number) == (-number if number == signal.SIGKILL else 0)
        text = "".join(process.output)
        assert ("Talon has stopped." in text) == (number != signal.SIGKILL)
        assert "Traceback" not in text
        assert "Warning" not in text
    with sqlite3.connect(migrated_var / "talon.sqlite3") as database:
        days = database.execute("SELECT day, count(*) FROM games_deal WHERE day IS NOT NULL GROUP BY day").fetchall()
    database.close()
    assert all(count == len(CATALOGUE) for _, count in days)
    assert (migrated_var / "secret_key").stat().st_mode & 0o777 == 0o600


def test_a_taken_port_is_reported_in_one_sentence(address: str, tmp_path: Path) -> None:
    port = address.rpartition(":")[2]
    with running("-m", "config.processes.embedded", var=tmp_path / "second", PORT=port) as second:
        second.await_line(rf"Cannot listen on 127\.0\.0\.1:{port}: Address already in use")
        assert second.child.wait(120) == 1
        assert "Traceback" not in "".join(second.output)


def test_certification_pauses_during_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stock_filling, "pauses", Providers())
    monkeypatch.setattr(table_registry, "has_active_games", lambda: True)
    embedded.pause_for_players()
    assert [reason() for reason in stock_filling.pauses] == [True]


PAGES = [
    *(
        "/",
        "/boards/",
        "/boards/nine/",
        "/boards/week/",
        "/boards/rating/",
        "/deals/",
        "/practice/",
        "/races/",
        "/rules/",
    ),
    *("/ledger/", "/winnability/", "/verify/", "/privacy/", "/readyz"),
]


class Visitor:
    """A browser with cookies that does not retry after an error."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._jar = CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._jar))

    def get(self, path: str) -> str:
        with self._opener.open(self._address + path, timeout=60) as response:
            text: str = response.read().decode()
            return text

    def post(self, path: str, page: str, **fields: str) -> str:
        """Submit a form of this page and return the address of the redirect."""
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get(page))
        token = found[1] if found else next(cookie.value or "" for cookie in self._jar if "csrf" in cookie.name)
        body = urlencode({"csrfmiddlewaretoken": token, **fields}).encode()
        request = urllib.request.Request(self._address + path, body, {"Origin": self._address})
        with self._opener.open(request, timeout=60) as response:
            return str(response.url)


@pytest.mark.slow
def test_everything_works_on_the_first_request(address: str, var: Path) -> None:
    for variant in CATALOGUE:
        visitor = Visitor(address)
        assert "/table/" in visitor.post(f"/play/{variant}/start", f"/play/{variant}/"), variant
        assert "/table/" in visitor.post("/practice/start", "/practice/", name=variant, deals="winnable"), variant
    assert "/table/" in Visitor(address).post("/practice/first", "/")
    for page in PAGES:
        assert len(Visitor(address).get(page)) > 100, page
    assert "Finish a game to be the first" in Visitor(address).get("/boards/")
    assert "This is the first day" in Visitor(address).get("/deals/")
    assert "Coming soon" not in Visitor(address).get("/")
    held = run("manage.py", "check_ledger", var=var)
    assert held.returncode == 0, held.stdout
