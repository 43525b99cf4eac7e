"""Prometheus gauges of the database and of this process."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client
from prometheus_client import REGISTRY, CollectorRegistry

from accounts.sign_in.guests import create_guest
from config import celery
from config.observability import metrics_endpoint, state_metrics
from games.analysis.models import Analysis
from games.models import Attempt
from games.races.models import Race, Room
from games.rules import CATALOGUE
from tests.factories import make_deal, seal_deal

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def stands() -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for figure in state_metrics._read(NOW)
        for sample in figure.metric.samples
    }


def attempt(**fields: Any) -> Attempt:
    deal = make_deal(day=NOW.date()) if not fields.get("deal") else fields.pop("deal")
    return Attempt.objects.create(player=create_guest(), deal=deal, ranked=False, started_at=ago(3600), **fields)


def finished(seconds: int, **fields: Any) -> Attempt:
    return attempt(finished_at=ago(seconds), end="resigned", record=b"x", **fields)


def race(number: int, state: str, **fields: Any) -> Race:
    room = Room.objects.create(kind="private", game="plot", limit_s=600, seats=4, made_at=NOW, used_at=NOW)
    deal = make_deal(day=NOW.date() - timedelta(days=number))
    return Race.objects.create(
        room=room, number=1, state=state, game="plot", limit_s=600, opened_at=NOW, deal=deal, **fields
    )


def test_an_empty_database_lacks_only_deals() -> None:
    found = stands()
    assert {key: value for key, value in found.items() if value} == {
        ("talon_deals_missing", day): len(CATALOGUE) for day in ("today", "tomorrow", "after")
    }
    assert found["talon_verdicts_oldest_seconds",] == 0.0


def test_pending_verdicts_are_counted_and_the_oldest_timed() -> None:
    deal = make_deal(day=NOW.date())
    for state, seconds in (("pending", 30), ("pending", 90), ("verified", 900), ("review", 900)):
        finished(seconds, state=state, deal=deal)
    found = stands()
    assert (found["talon_verdicts_waiting",], found["talon_verdicts_oldest_seconds",]) == (2, 90)


def test_overdue_games_are_counted() -> None:
    deal = make_deal(day=NOW.date())
    attempt(deal=deal, deadline=ago(40))
    attempt(deal=deal, deadline=ago(-40))
    finished(1, deal=deal, state="pending", deadline=ago(500))
    assert stands()["talon_attempts_overdue_seconds",] == 40


def test_analyses_are_counted_until_they_are_done() -> None:
    deal = make_deal(day=NOW.date())
    for state in ("waiting", "working", "done"):
        ended = finished(60, deal=deal, state="verified")
        Analysis.objects.create(attempt=ended, asked_at=NOW, state=state, done_at=NOW if state == "done" else None)
    assert stands()["talon_analyses_waiting",] == 2


def test_missing_deals_are_counted_day_by_day() -> None:
    today, tomorrow = NOW.date(), NOW.date() + timedelta(days=1)
    for variant in CATALOGUE:
        make_deal(variant, day=today)
    make_deal("plot", day=tomorrow)
    make_deal("plot", day=today - timedelta(days=1))
    found = stands()
    missing = [found["talon_deals_missing", day] for day in ("today", "tomorrow", "after")]
    assert missing == [0, len(CATALOGUE) - 1, len(CATALOGUE)]


def test_the_stock_is_reported_where_there_is_one(settings: Any) -> None:
    settings.SEALED_STOCK = 14
    seal_deal("stonewall", 0)
    found = stands()
    assert {key[1]: value for key, value in found.items() if key[0] == "talon_sealed_deals"} == {
        **dict.fromkeys(CATALOGUE, 0),
        "stonewall": 1,
    }
    settings.SEALED_STOCK = 0
    assert not [key for key in stands() if key[0] == "talon_sealed_deals"]


def test_races_are_counted_and_overdue_steps_timed() -> None:
    times = {"starts_at": ago(700), "ends_at": ago(20)}
    race(1, "racing", **times)
    race(2, "countdown", starts_at=ago(50), ends_at=ago(-550))
    race(3, "countdown", starts_at=ago(-5), ends_at=ago(-600))
    race(4, "finished", starts_at=ago(9000), ends_at=ago(8000), finished_at=ago(7000))
    found = stands()
    states = {key[1]: value for key, value in found.items() if key[0] == "talon_races"}
    assert states == {"open": 0, "countdown": 2, "racing": 1, "settling": 0}
    assert found["talon_race_overdue_seconds",] == 50
    Race.objects.filter(state="countdown").delete()
    assert stands()["talon_race_overdue_seconds",] == 20


def registry(**states: str) -> CollectorRegistry:
    return state_metrics.standing_registry(lambda: states)


@pytest.mark.parametrize(("state", "value"), [("ok", 1.0), ("unreachable", 0.0), ("unused", None)])
def test_a_server_is_up_down_or_unused(state: str, value: float | None) -> None:
    told = registry(database="ok", redis=state)
    assert told.get_sample_value("talon_reachable", {"server": "redis"}) == value
    assert told.get_sample_value("talon_verdicts_waiting") == 0.0


def test_nothing_is_read_without_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_metrics, "_read", lambda _now: pytest.fail("asked"))
    told = registry(database="unreachable", redis="ok")
    assert told.get_sample_value("talon_reachable", {"server": "database"}) == 0.0
    assert told.get_sample_value("talon_reachable", {"server": "redis"}) == 1.0


def test_an_outage_during_reading_loses_only_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_now: datetime) -> Any:
        raise DatabaseError

    monkeypatch.setattr(state_metrics, "_read", gone)
    told = registry(database="ok")
    assert told.get_sample_value("talon_reachable", {"server": "database"}) == 1.0
    assert told.get_sample_value("talon_verdicts_waiting") is None


def test_metrics_answer_during_an_outage_of_both_servers(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for server in ("database", "redis"):
        monkeypatch.setattr(metrics_endpoint, f"check_{server}", lambda: "unreachable")
    text = client.get("/metrics").content.decode()
    assert 'talon_reachable{server="database"} 0.0' in text
    assert 'talon_reachable{server="redis"} 0.0' in text
    assert "talon_moves_total" in text


def test_combined_metrics_include_each_processs_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert registry(database="ok").get_sample_value("process_resident_memory_bytes") is None
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "/tmp")
    assert registry(database="ok").get_sample_value("process_resident_memory_bytes")


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells of child processes")
def test_a_worker_reports_its_processes() -> None:
    told = CollectorRegistry()
    told.register(state_metrics.Children())
    before = told.get_sample_value("talon_worker_children")
    memory = told.get_sample_value("talon_worker_memory_bytes")
    assert before is not None
    assert memory is not None
    with subprocess.Popen([sys.executable, "-c", "print(1, flush=True); input()"], stdin=-1, stdout=-1) as child:
        assert child.stdout
        child.stdout.readline()
        assert told.get_sample_value("talon_worker_children") == before + 1
        assert (told.get_sample_value("talon_worker_memory_bytes") or 0) >= memory + 1_000_000
        child.communicate()
    assert told.get_sample_value("talon_worker_children") == before


def test_an_ended_process_uses_nothing() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert state_metrics._resident(child.pid) is None
    assert state_metrics._resident(os.getpid())


def test_tasks_are_counted_by_outcome() -> None:
    def counted(state: str) -> float:
        return REGISTRY.get_sample_value("talon_tasks_total", {"task": "talon.sweep", "state": state}) or 0.0

    before = counted("SUCCESS"), counted("FAILURE")
    celery.app.loader.import_default_modules()
    celery.app.tasks["talon.sweep"].apply()
    assert (counted("SUCCESS"), counted("FAILURE")) == (before[0] + 1, before[1])
    celery.count_task(SimpleNamespace(name="talon.sweep"), "FAILURE")
    assert counted("FAILURE") == before[1] + 1
