"""Bounded label values: visitors cannot create new metric series or cache keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache, caches
from django.test import Client
from prometheus_client import REGISTRY

from games.live.protocol import CODES
from games.races.live.protocol import CODES as RACE_CODES
from games.rules import GAMES
from tests.config import malformed as hostile

ROOT = Path(__file__).resolve().parents[3]
METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "OPTIONS", "CONNECT", "PATCH", "<invalid method>"}


def series() -> set[tuple[str, tuple[tuple[str, str], ...]]]:
    return {
        (sample.name, tuple(sorted(sample.labels.items())))
        for metric in REGISTRY.collect()
        for sample in metric.samples
    }


def hostile_requests(client: Client, mark: str) -> None:
    """Send requests with the mark in everything that a visitor can choose."""
    names = "user-agent referer origin cookie accept accept-language accept-encoding via range authorization"
    names += " if-none-match x-request-id x-correlation-id x-requested-with x-forwarded-host"
    names += " x-forwarded-proto x-http-method-override"
    headers = dict.fromkeys(names.split(), mark)
    for path in (f"/{mark}/", f"/play/{mark}/", f"/rules/{mark}/", f"/boards/2026-11-20/{mark}/", f"/api/v1/{mark}"):
        client.get(path)
        client.get(path, headers=headers)
    for path in ("/", "/api/v1/deals", f"/api/v1/seasons/{mark}", "/verify/", "/boards/", "/accounts/login/"):
        client.get(f"{path}?{mark}={mark}&variant={mark}&board={mark}&cursor={mark}", headers=headers)
        client.generic("POST", path, f"login={mark}&password=x&name={mark}", content_type=f"text/{mark}")
        client.generic("POST", path, "{}", content_type=f"application/json; charset={mark}")
        for method in (mark, mark.lower(), f"GET{mark}"):
            client.generic(method, path)
        client.get(path, headers={"host": f"{mark}.example"})


@pytest.mark.django_db
def test_other_visitors_add_no_series_and_no_keys(client: Client) -> None:
    client.raise_request_exception = False
    known: set[Any] = set()
    for mark in ("QFIRST", "QSECOND", "QTHIRD"):
        cache.clear()  # resets all rate limits
        hostile_requests(client, mark)
        assert not [name for name in series() if mark in str(name).upper()]
        assert not [key for key in caches["default"]._cache if mark in key.upper()]  # type: ignore[attr-defined]
        assert not known or series() == known
        known = series()


@pytest.mark.django_db
def test_every_label_has_a_known_value(client: Client) -> None:
    client.raise_request_exception = False
    for address in set(hostile.addresses({}).values()):
        client.get(address)
    hostile_requests(client, "QLABEL")
    allowed: dict[str, Any] = {
        "view": lambda value: "QLABEL" not in value.upper(),
        "method": METHODS.__contains__,
        "status": lambda value: value.isdigit() and len(value) == 3,
        "transport": {"http", "https"}.__contains__,
        "charset": {"utf-8"}.__contains__,
        "templatename": lambda value: "QLABEL" not in value.upper(),
        "type": str.isidentifier,
        "game": GAMES.__contains__,
        "code": (CODES | RACE_CODES).__contains__,
    }
    strange = [
        (name, label, value)
        for name, labels in series()
        for label, value in labels
        if name.startswith("talon_") and label in allowed and not allowed[label](value)
    ]
    assert strange == []
    views = {dict(labels).get("view", "") for name, labels in series() if name.startswith("talon_django")}
    assert len(views) <= len(list(hostile.patterns())) + 2
