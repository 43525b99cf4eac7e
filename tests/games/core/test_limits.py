"""Rate limits: counted clients, order before the work, and the form of refusals."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from games.core import limits
from games.core.addresses import HOUSEHOLD, WIDE, network_of_scope
from games.models import Attempt, Deal
from tests.factories import signed_in

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _low(monkeypatch: pytest.MonkeyPatch) -> None:
    for action in limits.RATES:
        monkeypatch.setitem(limits.RATES, action, "2/m")


def codes(client: Client, path: str, *addresses: str) -> list[int]:
    return [client.get(path, REMOTE_ADDR=address).status_code for address in addresses]


def test_refused_practice_leaves_no_deal(mine: Client) -> None:
    answers = [mine.post("/practice/start", {"name": "plot"}).status_code for _ in range(10)]
    assert answers == [302] * 2 + [429] * 8
    assert (Deal.objects.count(), Attempt.objects.count()) == (2, 2)


@pytest.mark.usefixtures("stopped_windows")
def test_refused_visitors_leave_neither_guest_nor_deal(db: None) -> None:
    answers = [Client().post("/practice/start", {"name": "plot"}).status_code for _ in range(10)]
    assert answers == [302] * 2 + [303] * 2 + [429] * 6, "the first wait in the queue, for a minute at most"
    assert (User.objects.count(), Deal.objects.count()) == (2, 2)


@pytest.mark.usefixtures("stopped_windows")
def test_invalid_practice_counts_but_creates_no_guest(client: Client) -> None:
    answers = [client.post("/practice/start", {"name": "nothing"}).status_code for _ in range(3)]
    assert answers == [302, 302, 303]
    assert not User.objects.exists()


def test_the_verification_page_is_limited(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    replayed: list[object] = []

    def given(request: object) -> str:
        replayed.append(request)
        return "{}"

    monkeypatch.setattr("games.pages.replays.replay_page._uploaded_text", given)
    answers = [client.post("/verify/", {"record": "{}"}).status_code for _ in range(4)]
    assert answers == [400, 400, 429, 429]
    assert len(replayed) == 2
    assert client.get("/verify/").status_code == 200


def test_api_reads_do_not_use_up_verifications(client: Client) -> None:
    assert [client.get("/api/v1/deals").status_code for _ in range(3)] == [200, 200, 429]
    verified = [client.post("/api/v1/verify", b"{}", content_type="application/json").status_code for _ in range(3)]
    assert verified == [422, 422, 429]


def test_an_api_refusal_has_the_standard_shape(client: Client) -> None:
    answer = [client.get("/api/v1/deals") for _ in range(3)][-1]
    assert answer.status_code == 429
    error = answer.json()["error"]
    assert error["code"] == "rate_limited"
    assert 0 < error["data"]["retry_after"] == int(answer["Retry-After"]) <= 60
    assert error["data"]["network"] is True
    assert error["message"].startswith("Too many players on your network right now.")


def test_a_network_of_visitors_has_several_times_a_players_limit(
    client: Client, mine: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CROWD", 2)
    assert codes(client, "/api/v1/deals", *["10.0.0.1"] * 5) == [200] * 4 + [429]
    assert codes(mine, "/api/v1/deals", *["10.0.0.1"] * 3) == [200] * 2 + [429]
    assert "network" not in mine.get("/api/v1/deals").json()["error"]["data"]


@pytest.mark.usefixtures("stopped_windows")
def test_a_refusal_for_browsers_is_a_page(mine: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "start", "1/10m")
    page = [mine.post("/practice/start", {"name": "plot"}) for _ in range(2)][-1]
    assert page.status_code == 429
    assert int(page["Retry-After"]) == 600
    assert "Too many requests. About 10 minutes left." in page.content.decode()


def test_a_households_ipv6_networks_have_twice_the_limit(client: Client) -> None:
    networks = [f"2001:db8:0:{n:x}::1" for n in range(2 * HOUSEHOLD)]
    assert set(codes(client, "/api/v1/deals", *networks)) == {200}
    assert codes(client, "/api/v1/deals", "2001:db8:0:ff::1", "2001:db8:0:100::1") == [429, 200]


def test_a_large_ipv6_network_has_a_limit_of_its_own(client: Client) -> None:
    households = [f"2001:db8:0:{n:x}00::1" for n in range(2 * WIDE)]
    assert set(codes(client, "/api/v1/deals", *households)) == {200}
    assert codes(client, "/api/v1/deals", "2001:db8:0:ffff::1", "2001:db8:1::1") == [429, 200]


def test_limits_are_per_ipv4_address_or_ipv6_network(client: Client) -> None:
    path = "/api/v1/deals"
    assert codes(client, path, "10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.2") == [200, 200, 429, 200]
    household = ("2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:0:1234::")
    assert codes(client, path, *household, "2001:db8:0:1::1") == [200, 200, 429, 200]
    assert codes(client, path, "192.0.2.1", "::ffff:192.0.2.1", "::ffff:192.0.2.1", "::ffff:192.0.2.2") == [
        200, 200, 429, 200,
    ]  # fmt: skip


def test_players_behind_one_address_are_counted_separately(mine: Client, rival: User) -> None:
    other = signed_in(rival)
    assert codes(mine, "/api/v1/deals", *["10.0.0.1"] * 3) == [200, 200, 429]
    assert codes(other, "/api/v1/deals", "10.0.0.1") == [200]


@pytest.mark.parametrize(
    ("client", "network"),
    [
        (("192.0.2.7", 5000), "192.0.2.7"),
        (("::ffff:192.0.2.7", 5000), "192.0.2.7"),
        (("2001:db8::7", 5000), "2001:db8::/64"),
        (("fe80::7%eth0", 5000), "fe80::/64"),
        (("a socket's name", 0), "unknown"),
        (None, "unknown"),
    ],
)
def test_the_network_of_a_connection(client: Any, network: str) -> None:
    assert network_of_scope({"client": client}) == network


def test_all_limits_use_one_limiter() -> None:
    counting = re.compile(r"django_ratelimit|UserRateThrottle|AnonRateThrottle|\bis_ratelimited\b")
    parts = [ROOT / name for name in ("accounts", "config", "games", "leaderboards")]
    found = {path.name for part in parts for path in part.rglob("*.py") if counting.search(path.read_text())}
    assert found == {"limits.py"}
