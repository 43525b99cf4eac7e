"""The queue's page: newcomers wait there while the tables are full, and then return to their page on this site."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from django.core.cache import cache
from django.test import Client

from games.core.table_capacity import OPEN, RUNNING
from games.core.waiting import PAGE
from games.models import Attempt

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def full() -> None:
    cache.set(RUNNING, 1)
    cache.delete(OPEN)


def start(client: Client, referer: str = "http://testserver/practice/") -> str:
    """Start a game and return the redirect's target."""
    return str(client.post("/practice/start", {"name": "plot"}, headers={"referer": referer})["Location"])


@pytest.mark.usefixtures("full")
def test_new_guests_wait_while_the_tables_are_full(client: Client) -> None:
    queue = start(client)
    assert queue == f"{PAGE}?next=%2Fpractice%2F"
    page = client.get(queue, headers={"accept-language": "de"})
    assert (page.status_code, page["Retry-After"]) == (503, "5")
    assert "Warteschlange" in page.content.decode()
    assert '<p id="queue-wait" role="status">Gerade sind alle Tische besetzt.</p>' in page.content.decode()
    answer = client.get(PAGE, headers={"accept": "application/json", "accept-language": "de"})
    assert answer.json() == {"let_in": False, "wait": "Gerade sind alle Tische besetzt."}
    assert client.get("/boards/").status_code == 200
    program = client.post("/practice/start", {"name": "plot"}, headers={"accept": "application/json"})
    assert (program.status_code, program.json()["error"]["code"], program["Retry-After"]) == (503, "server_full", "5")
    assert not Attempt.objects.exists()
    cache.set(OPEN, 1)
    assert client.get(queue)["Location"] == "/practice/"
    assert start(client).startswith("/table/")


def test_players_never_wait(mine: Client, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("full")
    assert start(mine).startswith("/table/")


@pytest.mark.usefixtures("full")
def test_the_page_continues_to_no_other_site(client: Client) -> None:
    foreign = "http://elsewhere.example/"
    referers = (foreign, "http://testserver//elsewhere.example/", "http://testserver/\xe4", "http://[", "")
    queues = [start(client, referer) for referer in referers]
    targets = ("//elsewhere.example/", foreign, "javascript:x", "/a\r\nb", "")
    cache.set(OPEN, 1)
    for address in (*queues, *(f"{PAGE}?next={quote(target, safe='')}" for target in targets)):
        assert client.get(address)["Location"] == "/", address
