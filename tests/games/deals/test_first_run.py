"""First minute of the embedded site: once it reports ready, every first request works."""

from __future__ import annotations

import re
import sqlite3
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode

import pytest

from games.rules import CATALOGUE
from tests.config.running import run, running

pytestmark = [pytest.mark.slow]

#: The defaults of a player's installation, without the compiled search.
DEFAULTS = {"SEALED_STOCK": "1", "DEAL_PATIENCE": "300", "TALON_NO_NUMBA": "1", "PORT": "0"}
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


def test_everything_works_on_the_first_request(tmp_path: Path) -> None:
    with running("-m", "config.processes.embedded", var=tmp_path, **DEFAULTS) as process:
        address = process.await_line(r"ready at (http://\S+)/")[1]
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
        assert process.stop() == 0
    held = run("manage.py", "check_ledger", var=tmp_path)
    assert held.returncode == 0, held.stdout
    database = sqlite3.connect(tmp_path / "talon.sqlite3", timeout=20)
    today = database.execute(
        "SELECT proven, starter FROM games_deal WHERE day IS NOT NULL AND day <= date()"
    ).fetchall()
    database.close()
    assert set(today) == {(1, 1)}
