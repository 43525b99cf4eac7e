"""The crowd benchmark: its measure of memory growth and of faults, and its pages."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.urls import resolve

from accounts.sign_in.guests import create_guest
from benchmarks import crowd_parts
from benchmarks.crowd import growth, is_fault
from benchmarks.crowd_parts import PAGES, Job, page
from games.attempts.lifecycle import start_attempt
from games.live.loader import load
from tests.deals import make_deal


def test_a_single_rise_in_memory_is_no_growth() -> None:
    samples = [(10.0 * n, min(200.0, 150.0 + 5 * n)) for n in range(1, 31)]
    assert growth(samples, 180) == 0
    assert growth(samples, 300) > 0.1


def test_continuous_memory_growth_is_found() -> None:
    """The threshold is a twentieth between the ends of the window, each the mean of three samples."""
    samples = [(10.0 * n, 200.0 + 0.625 * (n - 12)) for n in range(1, 31)]
    assert growth(samples, 180) == pytest.approx(16 * 0.625 / 200.625)


def test_one_sample_has_no_growth() -> None:
    assert growth([(8.0, 150.0)], 5) == 0


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (json.dumps({"event": "request_finished", "level": "info"}), False),
        (json.dumps({"event": "journal not written", "level": "error"}), True),
        ("Traceback (most recent call last):", True),
    ],
)
def test_a_fault_is_an_error_or_an_unparsable_log_line(line: str, fault: bool) -> None:
    assert is_fault(line) is fault


@pytest.mark.parametrize("what", PAGES)
def test_each_request_is_a_page_from_its_own_address(what: str) -> None:
    job = Job(web=1, tables=2, day="2026-11-23", players=[(str(uuid4()), "key")], accounts=[str(uuid4())])
    looks = [page(job, number, what, is_stranger=number < 2) for number in range(4)]
    assert all(resolve(path) for _, path in looks)
    assert len({visitor.address for visitor, _ in looks}) == len(looks)
    assert {visitor.port for visitor, _ in looks} == {1}
    assert [bool(visitor.cookies) for visitor, _ in looks] == [what == "table"] * 2 + [True] * 2


@pytest.mark.django_db
def test_the_crowd_is_in_the_middle_of_its_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowd_parts, "PLAYED", (12, 12))
    attempt = start_attempt(create_guest(), make_deal("plot"))
    crowd_parts.play_on(attempt)
    read = load(attempt.public_id)
    assert len(read.tokens) == 12
    for token in read.tokens:
        read.table.push(token)
