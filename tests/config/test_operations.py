"""Probes and metrics: answered under any host name, honest, and metrics not for everybody."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client, override_settings

from config import operations

pytestmark = pytest.mark.django_db
FAR = "203.0.113.7"


@pytest.fixture(autouse=True)
def unknown_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "_migrated", False)


def test_alive_needs_no_database(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "_check_database", lambda: "unreachable")
    response = client.get("/healthz", headers={"host": "10.0.0.9:8000"})
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_ready_says_what_it_checked(client: Client) -> None:
    response = client.get("/readyz", headers={"host": "10.0.0.9:8000"})
    assert response.status_code == 200
    assert response.json()["checks"] == {"database": "ok", "migrations": "ok", "redis": "unused"}
    assert response.json()["verification"] == {"pending": 0, "oldest_seconds": 0.0}


@pytest.mark.parametrize("failing", ["database", "migrations", "redis"])
def test_not_ready_names_what_is_missing(failing: str, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, f"_check_{failing}", lambda: "unreachable")
    response = client.get("/readyz")
    assert response.status_code == 503
    error: dict[str, Any] = response.json()["error"]
    assert error["code"] == "not_ready"
    assert failing in error["message"]
    assert error["data"][failing] == "unreachable"


def test_a_database_that_fails_is_unreachable_not_an_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise DatabaseError

    monkeypatch.setattr("config.operations.connection.cursor", broken)
    assert operations._check_database() == "unreachable"


def test_one_of_several_redis_that_is_away_is_unreachable(redis_url: str) -> None:
    with override_settings(REDIS_SERVERS=[redis_url]):
        assert operations._check_redis() == "ok"
    with override_settings(REDIS_SERVERS=[redis_url, "redis://127.0.0.1:1/0"]):
        assert operations._check_redis() == "unreachable"


def test_metrics_without_a_token_are_for_this_machine(client: Client) -> None:
    assert client.get("/metrics").status_code == 200
    refused = client.get("/metrics", REMOTE_ADDR=FAR)
    assert refused.status_code == 403
    assert refused.json()["error"]["code"] == "forbidden"


@override_settings(METRICS_TOKEN="let-me-in")
def test_metrics_with_a_token_are_for_its_bearer(client: Client) -> None:
    assert client.get("/metrics").status_code == 403
    assert client.get("/metrics", headers={"authorization": "Bearer lét"}).status_code == 403
    response = client.get("/metrics", headers={"authorization": "Bearer let-me-in"}, REMOTE_ADDR=FAR)
    assert response.status_code == 200


def test_metrics_cover_requests_moves_and_verdicts(client: Client) -> None:
    client.get("/")
    text = client.get("/metrics").content.decode()
    for name in ("talon_django_http_requests_total_by_method_total", "talon_moves_total", "talon_verdicts_total"):
        assert f"# TYPE {name}" in text
