"""Logs contain the ids of request and attempt, but no secrets or hidden cards."""

from __future__ import annotations

import json
import logging
import logging.config
import random
import re
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from django.conf import settings
from django.test import Client
from prometheus_client import generate_latest

from config.observability import log_redaction
from config.observability.log_redaction import MAX_TEXT
from config.observability.logs import logging_config
from games.deals.publishing import DealAwaitedError
from games.rules import shuffled_deck


@pytest.fixture(params=["json", "text"])
def lines(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], str]]:
    """Return a function that reads the log lines written since the start of the test, with the site's logging setup."""
    path = tmp_path / "log"
    config = logging_config(level="DEBUG", form=request.param)
    config["handlers"]["stderr"] = {"class": "logging.FileHandler", "filename": str(path), "formatter": "event"}
    logging.config.dictConfig(config)
    yield path.read_text
    for handler in list(logging.getLogger().handlers):
        handler.close()
    logging.config.dictConfig(settings.LOGGING)
    structlog.contextvars.clear_contextvars()


def test_secret_names_are_hidden_at_any_depth(lines: Callable[[], str]) -> None:
    structlog.get_logger("talon").warning(
        "sign_in", password="hunter2", headers={"Cookie": "sessionid=hunter2"}, forms=[{"token": "hunter2"}]
    )
    assert "hunter2" not in lines()
    assert lines().count("[hidden]") == 3


@pytest.mark.parametrize("game", ["braid", "tarot"], ids=["French cards", "tarot cards"])
def test_no_seed_or_deck_is_logged_in_any_form(game: str, lines: Callable[[], str]) -> None:
    seed = secrets.token_bytes(32)
    deck = shuffled_deck(game, seed)
    log = structlog.get_logger("talon")
    log.info("dealt", seed=seed, deck=deck, cards=deck, raw=seed, digits=seed.hex(), nested={"x": [deck]})
    log.info(f"dealt {seed.hex()} as {deck}")  # noqa: G004 - the careless form is what is tested
    logging.getLogger("plain").warning("dealt %s as %s", seed.hex(), " ".join(deck))
    logging.getLogger("plain").warning("dealt %r as %s", seed.hex(), ",".join(deck))
    text = lines()
    assert seed.hex() not in text
    assert repr(seed) not in text
    for start in range(len(deck) - 8):
        run = deck[start : start + 8]
        assert " ".join(run) not in text
        assert ",".join(run) not in text
        assert repr(run)[1:-1] not in text
        assert json.dumps(run)[1:-1] not in text


def test_tracebacks_do_not_show_local_variables(lines: Callable[[], str]) -> None:
    deck = ["hunter2-card"] + [str(random.random()) for _ in range(3)]
    try:
        raise ValueError("cannot deal")  # noqa: TRY301
    except ValueError:
        structlog.get_logger("talon").exception("deal_failed")
        logging.getLogger("plain").exception("deal failed")
    assert lines().count("ValueError: cannot deal") == 2
    assert deck[0] not in lines()


def test_links_and_addresses_lose_their_secret_part(lines: Callable[[], str]) -> None:
    log = structlog.get_logger("talon")
    log.info("request_finished", request="GET /accounts/password/reset/key/1-hunter2/")
    log.info("connecting", url="postgres://talon:hunter2@db/talon")
    assert "hunter2" not in lines()
    assert "talon:[hidden]@db/talon" in lines()


@pytest.mark.parametrize(
    "address",
    [
        "/calendar/hunter2:abc.ics",
        "https://discord.com/api/webhooks/112233445566778899/hunter2-abc_d?wait=true",
        "/calendar/hunter2%3Aabc.ics?x=1",
        "/join/hunter2:abc:def/accept",
        "/accounts/confirm-email/hunter2/",
        "/accounts/password/reset/key/hunter2-1/",
        "/accounts/login/?next=/join/hunter2/",
        "/accounts/login/?next=%2Fjoin%2Fhunter2%2F",
        "/accounts/login/?next=%2faccounts%2fpassword%2freset%2fkey%2fhunter2",
        "/accounts/github/login/callback/?code=hunter2&state=hunter2",
    ],
)
def test_no_log_shows_the_secret_of_an_address(address: str, lines: Callable[[], str]) -> None:
    structlog.get_logger("talon").info("request_finished", request=f"GET {address}")
    logging.getLogger("uvicorn.access").warning('%s - "%s %s" %d', "192.0.2.1", "GET", address, 200)
    assert "hunter2" not in lines()
    assert address.split("hunter2", maxsplit=1)[0] in lines()


@pytest.mark.django_db
def test_a_calendar_request_is_logged_without_its_token(lines: Callable[[], str], client: Client) -> None:
    client.get("/calendar/hunter2:abc.ics")
    assert "GET /calendar/[hidden]" in lines()
    assert "hunter2" not in lines()
    assert "hunter2" not in generate_latest().decode(), "nor do the labels of metrics"


def test_extra_fields_are_logged_and_redacted(lines: Callable[[], str]) -> None:
    logging.getLogger("plain").warning("dealt", extra={"variant": "braid", "seed": "hunter2"})
    assert "braid" in lines()
    assert "hunter2" not in lines()


def test_the_commitment_may_be_shown(lines: Callable[[], str]) -> None:
    structlog.get_logger("talon").info("dealt", commitment="ab" * 32)
    assert "ab" * 32 in lines()


def test_bound_ids_are_on_every_line(lines: Callable[[], str]) -> None:
    with structlog.contextvars.bound_contextvars(attempt="a-1", request_id="r-1"):
        structlog.get_logger("talon").info("played")
        logging.getLogger("plain").warning("played too")
    for line in lines().splitlines():
        assert "a-1" in line
        assert "r-1" in line


@pytest.mark.django_db
def test_a_request_is_one_line_with_its_id(lines: Callable[[], str], client: Client) -> None:
    client.get("/nowhere/")
    finished = [line for line in lines().splitlines() if "request_finished" in line]
    assert len(finished) == 1
    assert "request_id" in finished[0]
    assert "GET /nowhere/" in finished[0]


@pytest.mark.parametrize("lines", ["json"], indirect=True)
def test_json_lines_are_json(lines: Callable[[], str]) -> None:
    structlog.get_logger("talon").info("played", n=3)
    event: dict[str, Any] = json.loads(lines())
    assert event["event"] == "played"
    assert event["n"] == 3
    assert event["level"] == "info"


PATTERNS = {name: value for name, value in vars(log_redaction).items() if isinstance(value, re.Pattern)}
PIECES = (
    *("a", "A", "0", "AB", "AB ", "AB', '", " ", "'", '",', "/", ":", "@", "_", "-", "%2F", "é", "://", "a://"),
    *("://a:", "/password/reset/key/", "/confirm-email/", "/webhooks/1/", "%2Fcalendar%2F", "/join/", "?code="),
    *("AB " * 7 + "?", "0" * 63 + "?"),
)


def seconds(pattern: re.Pattern[str], text: str) -> float:
    began = time.process_time()
    pattern.sub("", text)
    return time.process_time() - began


@pytest.mark.parametrize("name", sorted(PATTERNS))
def test_pattern_matching_is_linear_in_the_text(name: str) -> None:
    """Text four times as long takes four times as long; with a quadratic pattern, sixteen times."""
    pattern = PATTERNS[name]
    for first in PIECES:
        for then in ["", *PIECES]:
            piece = first + then
            long = piece * (20_000 // len(piece))
            if seconds(pattern, long) > 0.02:
                whole, quarter = (
                    min(seconds(pattern, text) for _ in range(3)) for text in (long, long[: len(long) // 4])
                )
                assert whole < 9 * quarter, piece


def test_every_pattern_of_the_module_is_timed() -> None:
    assert set(PATTERNS) == {"SEED", "CARDS", "SECRET_LINK", "SECRET_QUERY", "URL_PASSWORD"}


def test_a_long_text_is_cut_before_the_search(lines: Callable[[], str]) -> None:
    structlog.get_logger("talon").info("began " + "x" * 1_000_000 + " ended")
    assert len(lines()) < MAX_TEXT + 200
    assert "began" in lines()
    assert "ended" in lines()


@pytest.mark.parametrize("edge", [MAX_TEXT // 2, 3 * MAX_TEXT - MAX_TEXT // 2])
def test_a_secret_at_the_cut_is_redacted_too(edge: int) -> None:
    """However the cut splits it, no part as long as four cards or sixteen digits remains."""
    for secret in (secrets.token_hex(32), " ".join(shuffled_deck("braid", b"x" * 32)), "postgres://talon:" + "pw" * 60):
        for into in range(0, len(secret), 3):
            text = ("z " * (2 * MAX_TEXT))[: edge - into] + f" {secret}@db "
            text += "y " * MAX_TEXT
            shown = str(log_redaction._shown("event", text[: 3 * MAX_TEXT]))
            assert not [part for part in range(len(secret) - 15) if secret[part : part + 16] in shown]


@pytest.mark.django_db
def test_a_deal_in_preparation_is_no_error(
    client: Client, lines: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def awaited(_variant: str) -> None:
        raise DealAwaitedError

    monkeypatch.setattr("games.deals.publishing.todays_deal", awaited)
    assert client.get("/play/plot/").status_code == 503
    assert "request_finished" in lines()
    assert "error" not in lines()
