"""Access to metrics, and probes: liveness needs only the event loop; a visitor can start a game on a ready process."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.core.cache import cache
from django.db import DatabaseError
from django.test import Client, override_settings

from config.observability import health
from config.observability.health import Health
from games.core.table_capacity import OPEN, RUNNING
from games.live.sockets.eviction import open_sockets
from games.models import Presence
from games.rules.version import __version__
from tests.config.asking import Answer, ask

PATIENCE = 60
FINE = {"database": "ok", "migrations": "ok", "deals": "ok", "tables": "unused"}


@pytest.fixture(autouse=True)
def unknown_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_migrated", False)


async def page(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"a page"})


def site(*, is_full: bool = False) -> Health:
    return Health(page, lambda: is_full)


def error_of(answer: Answer) -> dict[str, Any]:
    error: dict[str, Any] = json.loads(answer.text)["error"]
    return error


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Make the check block on its database until the test ends; the checks begun are recorded."""
    begun, over = list[int](), threading.Event()

    def wait(_elsewhere: bool) -> dict[str, Any]:
        begun.append(1)
        assert over.wait(PATIENCE)
        return {"checks": FINE}

    monkeypatch.setattr(health, "check", wait)
    yield begun
    over.set()


async def test_other_requests_are_passed_on() -> None:
    assert (await ask(site(), "/")).text == "a page"


async def test_alive_while_the_database_is_frozen(frozen: list[int]) -> None:
    answer = await ask(site(), "/healthz")
    assert (answer.status, json.loads(answer.text)) == (200, {"status": "ok", "version": __version__})
    assert frozen == []


async def test_not_ready_in_time_while_the_database_is_frozen(
    frozen: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "ANSWER_WITHIN", 0.05)
    both = site()
    answers = await asyncio.gather(*(ask(both, "/readyz") for _ in range(5)))
    answers.append(await ask(both, "/readyz"))
    assert {answer.status for answer in answers} == {503}
    assert error_of(answers[0])["data"]["database"] == "no answer within 0.05 s"
    assert frozen == [1], "one check at a time"


async def test_probes_that_come_as_a_check_ends_all_get_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "check", lambda _elsewhere: {"checks": FINE})
    both = site()
    for _ in range(20):
        answers = await asyncio.gather(*(ask(both, "/readyz") for _ in range(5)))
        assert {answer.status for answer in answers} == {200}


async def test_a_check_that_fails_is_no_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_elsewhere: bool) -> None:
        raise KeyError("a fault")

    monkeypatch.setattr(health, "check", broken)
    assert (await ask(site(), "/readyz")).status == 503


async def test_ready_lists_what_it_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"checks": FINE, "verification": {"pending": 0, "oldest_seconds": 0.0}}
    monkeypatch.setattr(health, "check", lambda _elsewhere: found)
    answer = await ask(site(), "/readyz")
    assert answer.status == 200
    expected = {"status": "ok", **found, "checks": FINE | {"admission": "ok", "redis": "unused"}}
    assert json.loads(answer.text) == expected


async def test_full_process_is_ready_and_stopping_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "check", lambda _elsewhere: {"checks": FINE})
    answer = await ask(site(is_full=True), "/readyz")
    assert (answer.status, json.loads(answer.text)["checks"]["admission"]) == (200, "full")
    open_sockets().is_draining = True
    answer = await ask(site(), "/readyz")
    assert (answer.status, error_of(answer)["data"]["admission"]) == (503, "stopping")


@pytest.mark.parametrize("failing", ["database", "migrations"])
async def test_not_ready_names_what_is_missing(failing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "check", lambda _elsewhere: {"checks": FINE | {failing: "unreachable"}})
    answer = await ask(site(), "/readyz")
    assert answer.status == 503
    error = error_of(answer)
    assert (error["code"], error["message"]) == ("not_ready", f"Not ready: {failing}.")
    assert error["data"][failing] == "unreachable"


async def test_process_without_redis_is_degraded_and_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """A balancer must not close a site where games start and moves are acknowledged."""
    monkeypatch.setattr(health, "check", lambda _elsewhere: {"checks": FINE | {"tables": "unreachable"}})
    monkeypatch.setattr(health, "check_redis", lambda: "unreachable")
    answer = await ask(site(), "/readyz")
    found = json.loads(answer.text)
    assert (answer.status, found["status"], found["degraded"]) == (200, "degraded", ["redis"])
    assert found["checks"]["tables"] == "unused", "unknown without Redis"


@pytest.mark.parametrize(("failing", "state"), [("deals", "missing"), ("tables", "no room")])
async def test_process_without_deals_or_tables_is_degraded(
    failing: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "check", lambda _elsewhere: {"checks": FINE | {failing: state}})
    answer = await ask(site(), "/readyz")
    found = json.loads(answer.text)
    assert (answer.status, found["degraded"], found["checks"][failing]) == (200, [failing], state)


async def test_a_frozen_redis_does_not_delay_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(health, "check", lambda _elsewhere: {"checks": FINE})
    monkeypatch.setattr(health, "check_redis", lambda: over.wait(PATIENCE) and "ok")
    both = site()
    answer = await ask(both, "/readyz")
    over.set()
    assert (answer.status, json.loads(answer.text)["degraded"]) == (200, ["redis"])


@pytest.mark.django_db
def test_the_check_creates_and_finds_todays_deals() -> None:
    with override_settings(DEAL_PATIENCE=0, SEALED_STOCK=0):
        found = health.check()
    assert found == {"checks": FINE, "verification": {"pending": 0, "oldest_seconds": 0.0}}
    assert not Presence.objects.exists(), "the test row is rolled back"


@pytest.mark.django_db
@override_settings(DEAL_PATIENCE=300, SEALED_STOCK=14)
def test_a_missing_deal_is_not_ready() -> None:
    assert health.check()["checks"] == FINE | {"deals": "missing"}


@pytest.mark.django_db
def test_a_database_that_refuses_writes_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(**_: Any) -> None:
        raise DatabaseError

    monkeypatch.setattr(Presence.objects, "create", read_only)
    assert health.check()["checks"]["database"] == "not writable"


def test_a_failing_database_is_reported_as_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise DatabaseError

    monkeypatch.setattr("config.observability.health.connection.cursor", broken)
    assert health.check_writable() == "unreachable"


@pytest.mark.django_db
def test_tables_elsewhere_that_say_nothing_are_not_ready() -> None:
    for entries, found in (([], "unreachable"), ([RUNNING], "no room"), ([RUNNING, OPEN], "ok")):
        cache.delete_many([RUNNING, OPEN])
        cache.set_many(dict.fromkeys(entries, 1))
        assert health.check(separate_tables=True)["checks"]["tables"] == found
    cache.delete_many([RUNNING, OPEN])


def test_one_of_several_redis_servers_is_unreachable(redis_url: str) -> None:
    with override_settings(REDIS_SERVERS=[redis_url]):
        assert health.check_redis() == "ok"
    with override_settings(REDIS_SERVERS=[redis_url, "redis://127.0.0.1:1/0"]):
        assert health.check_redis() == "unreachable"


def test_a_redis_that_accepts_no_key_is_not_writable(redis_url: str) -> None:
    reader = f"reader-{os.getpid()}"
    with redis.Redis.from_url(redis_url) as server:
        server.acl_setuser(reader, enabled=True, nopass=True, keys=["*"], categories=["-@all", "+@connection"])
        try:
            with override_settings(REDIS_SERVERS=[redis_url.replace("//", f"//{reader}:any@")]):
                assert health.check_redis() == "not writable"
        finally:
            server.acl_deluser(reader)


FAR = "203.0.113.7"


@pytest.mark.django_db
def test_metrics_without_a_token_are_for_loopback_clients(client: Client) -> None:
    assert client.get("/metrics").status_code == 200
    refused = client.get("/metrics", REMOTE_ADDR=FAR)
    assert refused.status_code == 403
    assert refused.json()["error"]["code"] == "forbidden"


@pytest.mark.django_db
@override_settings(METRICS_TOKEN="let-me-in")
def test_metrics_with_a_token_are_for_its_bearer(client: Client) -> None:
    assert client.get("/metrics").status_code == 403
    assert client.get("/metrics", headers={"authorization": "Bearer lét"}).status_code == 403
    response = client.get("/metrics", headers={"authorization": "Bearer let-me-in"}, REMOTE_ADDR=FAR)
    assert response.status_code == 200
