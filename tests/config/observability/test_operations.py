"""Access to metrics: under any host name, but not for everyone."""

from __future__ import annotations

import pytest
from django.test import Client, override_settings

pytestmark = pytest.mark.django_db
FAR = "203.0.113.7"


def test_metrics_without_a_token_are_for_loopback_clients(client: Client) -> None:
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
