from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.core import limits
from games.models import Attempt, Deal
from games.rules import replay
from leaderboards.boards import seasons
from leaderboards.boards.rank_keys import BoardScore
from tests import factories
from tests.factories import DAY, NOON, make_account, make_deal, signed_in

pytestmark = pytest.mark.django_db
API = "/api/v1"


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


def deal_of(days_ago: int, variant: str = "stonewall") -> Deal:
    return make_deal(variant, day=timezone.now().date() - timedelta(days=days_ago))


def assert_error(response: Any, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.content
    body = response.json()
    assert body.keys() == {"error"}
    assert body["error"].keys() == {"code", "message", "data"}
    assert body["error"]["code"] == code
    assert body["error"]["message"]
    found: dict[str, Any] = body["error"]["data"]
    return found


@pytest.mark.parametrize(("days_ago", "state"), [(-1, "upcoming"), (0, "open"), (2, "revealed")])
def test_a_deal_shows_its_commitment_first_and_its_seed_later(client: Client, days_ago: int, state: str) -> None:
    deal = deal_of(days_ago)
    solution = factories.record_of(deal, factories.line(deal, 3))
    Deal.objects.filter(pk=deal.pk).update(par=77, solution=solution.to_bytes())
    found = client.get(f"{API}/deals/{deal.pk}").json()
    assert found["state"] == state
    assert found["commitment"] == deal.commitment
    assert found["par"] == 77
    secrets = (found["seed"], found["solution"])
    assert secrets == ((bytes(deal.seed).hex(), solution.to_json()) if state == "revealed" else (None, None))


def test_deals_are_listed_by_day_and_variant(client: Client) -> None:
    today, tomorrow, braid = deal_of(0), deal_of(-1), deal_of(0, "braid")
    make_deal("stonewall", DAY, practice=True)
    assert [one["id"] for one in client.get(f"{API}/deals").json()] == [today.pk, braid.pk]
    assert [one["id"] for one in client.get(f"{API}/deals?variant=braid").json()] == [braid.pk]
    query = {"day": str(today.day), "until": str(tomorrow.day)}
    assert len(client.get(f"{API}/deals", query).json()) == 3
    assert_error(client.get(f"{API}/deals?day=2026-01-01&until=2026-12-31"), 400, "bad_days")


def test_a_practice_deal_is_not_in_the_api(client: Client) -> None:
    deal = make_deal("stonewall", DAY, practice=True)
    for path in (f"deals/{deal.pk}", f"boards/{deal.pk}"):
        assert_error(client.get(f"{API}/{path}"), 404, "not_found")


def test_a_closed_deals_record_can_be_downloaded_and_verified(client: Client) -> None:
    attempt = factories.finished(deal_of(3), state="verified")
    response = client.get(f"{API}/records/{attempt.public_id}")
    assert response["Content-Disposition"].startswith("attachment; filename=")
    assert response.json()["seed"] == bytes(attempt.deal.seed).hex()
    answer = client.post(f"{API}/verify", response.json(), content_type="application/json")
    assert (answer.status_code, answer.json()["ok"]) == (200, True)


@pytest.mark.parametrize("days_ago", [0, 1])
def test_no_record_is_served_before_its_deal_is_revealed(days_ago: int) -> None:
    deal = deal_of(days_ago)
    if days_ago:  # closed, and the hour of grace has just begun
        now = timezone.now()
        Deal.objects.filter(pk=deal.pk).update(closes_at=now - timedelta(minutes=1))
    attempt = factories.finished(deal, state="verified")
    for client in (Client(), signed_in(attempt.player)):
        response = client.get(f"{API}/records/{attempt.public_id}")
        assert_error(response, 403, "not_revealed")
        assert bytes(deal.seed).hex() not in response.content.decode()


@pytest.mark.parametrize(
    "hidden",
    [{"state": "rejected"}, {"ranked": False}, {"who": {"is_guest": True}}, {"who": {"banned_at": NOON}}],
)
def test_an_unlisted_record_is_only_for_its_player(client: Client, hidden: dict[str, Any]) -> None:
    who = make_account(**hidden.pop("who", {}))
    attempt = factories.finished(deal_of(3), who, **{"state": "verified", **hidden})
    assert_error(client.get(f"{API}/records/{attempt.public_id}"), 404, "not_found")
    if who.banned_at is None:
        assert signed_in(who).get(f"{API}/records/{attempt.public_id}").status_code == 200


def test_a_running_attempt_has_no_record() -> None:
    deal = deal_of(3)
    attempt = Attempt.objects.create(deal=deal, player=make_account(), ranked=True, started_at=NOON)
    assert_error(signed_in(attempt.player).get(f"{API}/records/{attempt.public_id}"), 403, "not_revealed")


@pytest.mark.parametrize("tokens", [None, ["u"], ["t0-t0"], ["nonsense"]])
def test_verify_replays_the_record(client: Client, tokens: list[str] | None) -> None:
    deal = make_deal("stonewall", DAY)
    record = factories.record_of(deal, tokens if tokens is not None else factories.line(deal))
    answer = client.post(f"{API}/verify", record.to_json(), content_type="application/json")
    assert answer.status_code == 200
    assert answer.json() == {"failure": None, **replay(record).to_json()}
    assert answer.json()["ok"] == (tokens is None)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "bad_json"),
        (b"\xff\xfe", 400, "bad_json"),
        (b"[" * 100_000, 400, "bad_json"),
        (b"{}", 422, "bad_record"),
        (b"[]", 422, "bad_record"),
        (b'{"rules": 99}', 422, "bad_record"),
        (b" " * (256 * 1024 + 1), 413, "too_large"),
    ],
)
def test_verify_refuses_invalid_records(client: Client, body: bytes, status: int, code: str) -> None:
    assert_error(client.post(f"{API}/verify", body, content_type="application/json"), status, code)


def test_verify_is_throttled_despite_forged_addresses(client: Client) -> None:
    def verify(n: int) -> Any:
        forged = {"x-forwarded-for": f"10.0.0.{n}"}
        return client.post(f"{API}/verify", b"{}", content_type="application/json", headers=forged)

    assert {verify(n).status_code for n in range(30)} == {422}
    response = verify(30)
    assert assert_error(response, 429, "rate_limited")["retry_after"] > 0
    assert int(response["Retry-After"]) > 0


def test_a_board_is_paginated_by_cursors(client: Client) -> None:
    deal = deal_of(0)
    for ms in range(5):
        factories.listed(deal, BoardScore(20, ms, 40 - ms))
    waits = factories.finished(deal)
    first = client.get(f"{API}/boards/{deal.pk}?limit=2").json()
    second = client.get(f"{API}/boards/{deal.pk}", {"limit": 2, "cursor": first["after"]}).json()
    assert [one["rank"] for one in first["entries"] + second["entries"]] == [1, 2, 3, 4]
    assert [(one["attempt"], one["status"], one["rank"]) for one in first["waiting"]] == [
        (str(waits.public_id), "pending", None)
    ]
    assert (first["total"], second["waiting"]) == (5, [])
    back = client.get(f"{API}/boards/{deal.pk}", {"limit": 2, "cursor": second["before"]}).json()
    assert back["entries"] == first["entries"]
    fewest = client.get(f"{API}/boards/{deal.pk}?board=fewest").json()
    assert [one["tokens"] for one in fewest["entries"]] == [36, 37, 38, 39, 40]


def test_bad_parameters_of_a_board_are_typed_errors(client: Client) -> None:
    address = f"{API}/boards/{deal_of(0).pk}"
    assert_error(client.get(f"{address}?cursor=x"), 400, "bad_cursor")
    assert_error(client.get(f"{address}?limit=101"), 422, "bad_parameters")


def test_neighbours_and_standing_of_a_player(client: Client) -> None:
    deal = deal_of(0)
    results = [factories.listed(deal, BoardScore(20, ms, 40)) for ms in range(5)]
    middle = results[2].player.public_id
    near = client.get(f"{API}/boards/{deal.pk}/around/{middle}?span=1").json()
    assert [one["rank"] for one in near] == [2, 3, 4]
    assert client.get(f"{API}/boards/{deal.pk}/players/{middle}").json()["rank"] == 3
    assert_error(client.get(f"{API}/boards/{deal.pk}/players/{make_account().public_id}"), 404, "not_found")


@pytest.mark.parametrize("fields", [{"is_guest": True}, {"banned_at": NOON}])
def test_hidden_players_are_not_found(client: Client, fields: dict[str, Any]) -> None:
    who, deal = make_account(**fields), deal_of(0)
    for path in (
        f"players/{who.public_id}",
        f"players/{who.public_id}/results",
        f"boards/{deal.pk}/around/{who.public_id}",
    ):
        assert_error(client.get(f"{API}/{path}"), 404, "not_found")


def test_a_friends_board_is_private(client: Client) -> None:
    deal = deal_of(0)
    me, friend = make_account(), make_account()
    me.following.create(followed=friend)
    factories.listed(deal, BoardScore(20, 1, 40), who=friend)
    seasons.recount_marked()
    for path in (f"boards/{deal.pk}/friends", "seasons/week/friends"):
        assert_error(client.get(f"{API}/{path}"), 401, "not_signed_in")
        assert [one["player"] for one in signed_in(me).get(f"{API}/{path}").json()] == [str(friend.public_id)]


def test_a_season_and_a_player(client: Client) -> None:
    deal = deal_of(0)
    result = factories.listed(deal, BoardScore(20, 1, 40))
    seasons.recount_marked()
    who = result.player.public_id
    for period in ("week", "month", "all"):
        found = client.get(f"{API}/seasons/{period}?variant=stonewall").json()
        assert [(one["rank"], one["player"], one["deals"]) for one in found["entries"]] == [(1, str(who), 1)]
    assert [one["rank"] for one in client.get(f"{API}/seasons/week/around/{who}").json()] == [1]
    assert client.get(f"{API}/players/{who}").json()["results"] == 1
    (shown,) = client.get(f"{API}/players/{who}/results").json()
    assert (shown["attempt"], shown["deal"]["seed"]) == (str(result.attempt.public_id), None)
    assert client.get(f"{API}/players/{who}/results", {"before": shown["finished_at"]}).json() == []
    assert_error(client.get(f"{API}/seasons/year"), 422, "bad_parameters")
    assert_error(client.get(f"{API}/seasons/week?variant=chess"), 404, "not_found")
    assert_error(client.get(f"{API}/seasons/week?day=0001-01-01"), 404, "not_found")


def test_a_server_error_has_the_standard_shape_without_details(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: Any) -> Any:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("leaderboards.api.deal_boards.page", broken)
    response = client.get(f"{API}/boards/{deal_of(0).pk}")
    assert_error(response, 500, "server_error")
    assert "secret" not in response.content.decode()


def test_the_documentation_page_uses_only_own_files(client: Client) -> None:
    response = client.get(f"{API}/docs")
    page = response.content.decode()
    assert response.status_code == 200
    assert "script-src 'self'" in response["Content-Security-Policy"]
    assert "//" not in page.replace("</", "").replace("// ", "").split("swagger-settings")[0]
    for part in page.split('src="')[1:]:
        assert part.startswith("/static/")


def test_all_clients_are_throttled(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "api", "2/m")
    codes = [client.get(f"{API}/deals").status_code for _ in range(3)]
    assert codes == [200, 200, 429]


def test_the_api_works_without_its_cache(client: Client, settings: Any) -> None:
    settings.CACHES = {
        "default": {"BACKEND": "config.backends.caches.TolerantRedisCache", "LOCATION": "redis://127.0.0.1:1/0"}
    }
    assert client.get(f"{API}/deals").status_code == 200
