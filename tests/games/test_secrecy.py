"""Secrecy: no answer, frame or log line contains a sealed seed or a solution before its deal is revealed.

A visitor, a player and a superuser visit every address of the site with every possible subject, so that new addresses
are covered automatically; with every method, with valid, wrong and broken bodies, and during server errors. A table
gets every message, valid and invalid.
"""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import logging
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import islice, product
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import BACKEND, create_guest
from games.attempts.lifecycle import close_attempt, start_attempt
from games.deals import publishing, sealed_stock
from games.models import Attempt, Deal, Move, SealedDeal
from games.rules import CATALOGUE, GAMES, Record
from tests.factories import seal_deal
from tests.games.conftest import Sit
from tests.games.seats import Closed, Seat

#: Games whose pages are visited.
SOME = ["stonewall", "tarot"]
#: Addresses whose links would end the session, or which have nothing to do with deals.
LEFT_OUT = ("accounts/", "admin/logout", "admin/login", "admin/auth", "admin/jsi18n", "admin/r/", "admin/password")


def spellings(seed: bytes, solution: bytes | None) -> set[str]:
    """Return the spellings in which a seed and the winning line of a packed record could appear in a text."""
    found = {
        seed.hex(),
        base64.b64encode(seed).decode().rstrip("="),
        base64.urlsafe_b64encode(seed).decode().rstrip("="),
        repr(seed)[2:-1],
    }
    if solution is not None:
        tokens = Record.from_bytes(solution).tokens
        line = tokens[len(tokens) // 3 : len(tokens) // 3 + 12]
        found |= {between.join(line) for between in (" ", ",", ", ", '","', '", "', "', '")}
        found |= {solution.hex(), base64.b64encode(solution).decode()[:60]}
    return found


def revealed(secrets: set[str], text: str) -> list[str]:
    return [secret for secret in secrets if secret in text]


@pytest.fixture
def secrets(transactional_db: None, settings: Any) -> set[str]:
    """Create proven deals of today, tomorrow, a past day and the stock; return the spellings of their secrets."""
    settings.DEAL_PATIENCE = 90
    today = timezone.now().date()
    for index, ahead in enumerate((-2, 0, 1)):
        for variant in CATALOGUE:
            seal_deal(variant, index)
        assert len(publishing.ensure_deals(today + timedelta(days=ahead), ahead=0)) == len(CATALOGUE)
    row = Deal.objects.get(variant="stonewall", day=today - timedelta(days=2))
    kept = SealedDeal.objects.create(
        variant="stonewall",
        rules_version=1,
        seed=bytes(range(32)),
        solution=row.solution,
        par=1,
        grade=1,
        random_wins=0,
        greedy_wins=0,
        nodes=1,
    )
    hidden = spellings(bytes(kept.seed), None)
    for deal in Deal.objects.filter(day__gte=today):
        assert deal.proven
        hidden |= spellings(bytes(deal.seed), bytes(deal.solution or b""))
    return hidden


@pytest.fixture
def player(secrets: set[str]) -> User:
    return create_guest()


def addresses(patterns: Any = None, before: str = "") -> Iterator[tuple[str, list[str]]]:
    for entry in patterns or get_resolver().url_patterns:
        text = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from addresses(entry.url_patterns, text)
        elif isinstance(entry, URLPattern):
            yield text, list(entry.pattern.converters)


def visits(attempt: Attempt, most: int = 1000) -> list[str]:
    """Return every address, filled in with secret deals of two games and an attempt at one; at most `most` times each.

    Pages treat all games alike; what a table shows of each game is tested below.
    """
    today = timezone.now().date()
    days = [str(today), str(today + timedelta(days=1))]
    deal_ids = [str(pk) for pk in Deal.objects.filter(day__gte=today, variant__in=SOME).values_list("pk", flat=True)]
    values: dict[str, list[str]] = {
        "day": days,
        "variant": SOME,
        "game": SOME,
        "period": ["week", "month", "all"],
        "attempt": [str(attempt.public_id)],
        "deal": deal_ids,
        "deal_id": deal_ids,
        "public_id": [str(attempt.player.public_id)],
        "player": [str(attempt.player.public_id)],
        "player_id": [str(attempt.player.public_id)],
        "object_id": [deal_ids[0], deal_ids[-1], str(attempt.pk)],
    }
    found = []
    for text, names in addresses():
        if text.startswith(LEFT_OUT) or "(?P" in text:
            continue
        for chosen in islice(product(*(values.get(name, ["1"]) for name in names)), most):
            given = dict(zip(names, chosen, strict=True))
            found.append("/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda part: given[part[1]], text))  # noqa: B023 - called at once
    return found


def body(response: Any) -> str:
    content = async_to_sync(_streamed)(response) if response.streaming else response.content
    return f"{response.headers} {content.decode(errors='replace')}"


async def _streamed(response: Any) -> bytes:
    return b"".join([part async for part in response])


@pytest.fixture
def finished(player: User) -> Attempt:
    deal = publishing.todays_deal("stonewall")
    attempt = start_attempt(player, deal)
    Move.objects.create(attempt=attempt, n=1, token=Record.from_bytes(bytes(deal.solution or b"")).tokens[0], ms=5)
    close_attempt(attempt.pk, "resigned")
    return Attempt.objects.get(pk=attempt.pk)


@pytest.fixture
def visitor(player: User, who: str) -> Client:
    """Return a browser that gets server errors as responses."""
    client = Client(raise_request_exception=False)
    if who != "stranger":
        user = player if who == "player" else User.objects.create_superuser("root", password="root")
        client.force_login(user, backend=BACKEND)
    return client


def written(caplog: pytest.LogCaptureFixture) -> str:
    formatter = logging.Formatter("%(message)s")
    return " ".join(f"{formatter.format(record)} {record.__dict__}" for record in caplog.records)


everybody = pytest.mark.parametrize("who", ["stranger", "player", "superuser"])
JSON = "application/json"


@pytest.mark.slow
@everybody
def test_no_address_reveals_secrets(
    secrets: set[str], finished: Attempt, visitor: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    pages, once, statuses = visits(finished), set(visits(finished, 1)), Counter[int]()
    assert any(page.startswith("/api/v1/ledger") for page in pages)
    assert any("solution/record.json" in page for page in pages)
    for page in pages:
        answer = visitor.get(page)
        assert not revealed(secrets, body(answer)), page
        assert answer.status_code < 500, page
        statuses[answer.status_code] += 1
        # Only errors have a JSON form beside the page, which does not depend on the subject.
        if answer.status_code >= 400 and page in once:
            assert not revealed(secrets, body(visitor.get(page, headers={"accept": JSON}))), page
    assert statuses[200] > 50
    assert not revealed(secrets, written(caplog))


#: Method, body and content type of requests that write.
SENT: tuple[tuple[str, Any, str], ...] = (
    ("POST", "", "application/x-www-form-urlencoded"),
    ("POST", "next=%2F&name=x&variant=stonewall&deal=1&day=2026-01-01", "application/x-www-form-urlencoded"),
    ("POST", b"{", JSON),
    ("POST", b'{"rules": 1, "variant": "stonewall", "seed": "00", "tokens": [], "clock": [], "end": {}}', JSON),
    ("PUT", b"[]", JSON),
    ("DELETE", "", JSON),
    ("OPTIONS", "", JSON),
)


@pytest.mark.slow
@everybody
def test_no_answer_to_a_write_reveals_secrets(
    secrets: set[str], finished: Attempt, visitor: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    statuses = set()
    for page in visits(finished, 1):
        method, sent, kind = random.choice(SENT)  # others in every run
        cache.clear()  # resets the visitor's rate limits
        answer = visitor.generic(method, page, sent, content_type=kind)
        assert not revealed(secrets, body(answer)), (method, page)
        statuses.add(answer.status_code)
    assert {404, 405} <= statuses
    assert {400, 422} & statuses
    assert not revealed(secrets, written(caplog))


@pytest.mark.slow
@pytest.mark.parametrize("who", ["player"])
def test_no_server_error_reveals_secrets(
    secrets: set[str], finished: Attempt, visitor: Client, caplog: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Local data such as the deal with its seed is in neither the answer nor the log."""
    caplog.set_level(logging.INFO)

    def fail(*arguments: Any) -> None:
        at_hand = arguments
        raise RuntimeError(f"with {len(at_hand)} at hand")

    def fails(page: str, **headers: str) -> bool:
        answer = visitor.get(page, headers=headers)
        with contextlib.suppress(RuntimeError):  # in the middle of a streamed answer
            assert not revealed(secrets, body(answer)), page
        return bool(answer.status_code == 500)

    pages = visits(finished, 1)
    for function in ("from_db", "is_revealed", "is_open"):
        with monkeypatch.context() as patch:
            patch.setattr(Deal, function, fail)
            failed = [page for page in pages if fails(page)]
            assert failed, function
            assert {fails(page, accept=JSON) for page in failed} & {True}, function
        if function == "from_db":
            pages = failed  # no other page reads a deal
    assert not revealed(secrets, written(caplog))
    caplog.clear()
    gc.collect()  # the cursors in the errors' tracebacks, while their connection is open


def test_the_search_would_find_secrets(secrets: set[str], client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Deal, "is_revealed", lambda *_: True)
    told = set()
    today = timezone.now().date()
    for path in (
        "/api/v1/ledger",
        f"/deals/{today}/braid/",
        f"/deals/{today}/braid/deal.json",
        f"/deals/{today}/braid/solution/steps.json",
    ):
        text = body(client.get(path))
        told |= set(revealed(secrets, text))
    assert told


#: Messages that are malformed or not possible now.
REFUSED: tuple[str | bytes, ...] = (
    "",
    "{",
    "[]",
    "null",
    b"\x00",
    '{"type": "move"}',
    '{"type": "seed"}',
    '{"type": "move", "n": 1, "token": 5}',
    '{"type": "move", "n": 0, "token": "d"}',
    '{"type": "move", "n": 1, "token": "d", "reveal": true}',
    '{"type": "auto", "n": 99}',
    '{"type": "resign", "n": 99}',
    '{"type": "ping", "t": -1}',
    '{"type": "ping", "t": 5}',
    '{"type": "hello", "v": 1, "have": 999}',
    '{"type": "hello", "v": 1, "have": 0}',
    '{"type": "hello", "v": 1}',
)


async def _say_everything(seat: Seat, line: Sequence[str]) -> None:
    """Play a little, and send refused messages before, in between and after the end."""
    for text in REFUSED:
        await _send(seat, text)
    for token in (*line[:5], "u", "zz", "f0-f", "d" * 400, line[4]):
        await seat.move(token)
    for n in (0, 1, seat.n, seat.n + 7):
        await _send(seat, json.dumps({"type": "move", "n": n, "token": line[0]}))
    await _send(seat, json.dumps({"type": "auto", "n": seat.n + 1}))
    await _send(seat, json.dumps({"type": "resign", "n": seat.n + 1}))
    for text in REFUSED:
        await _send(seat, text)
    while not await seat.is_silent():
        await seat.hear()
    with contextlib.suppress(Closed):
        await _send(seat, '{"type": "hello", "v": 2}')


async def _send(seat: Seat, text: str | bytes) -> None:
    """Send a frame, and read the answer and all other frames."""
    await (seat.send_bytes(text) if isinstance(text, bytes) else seat.send(text))
    await seat.hear()
    while seat.has_more():
        await seat.hear()


@pytest.mark.parametrize("variant", GAMES)
async def test_no_frame_reveals_secrets(
    secrets: set[str], player: User, sit: Sit, variant: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    deal = await sync_to_async(publishing.todays_deal)(variant)
    line = Record.from_bytes(bytes(deal.solution or b"")).tokens
    seat = sit(await sync_to_async(start_attempt)(player, deal))
    await seat.connect()
    await _send(seat, '{"type": "move", "n": 1, "token": "d"}')
    await _send(seat, '{"type": "hello", "v": 1}')
    await _say_everything(seat, line)
    frames = " ".join(seat.frames)
    codes = {found["code"] for found in map(json.loads, seat.frames) if found["type"] == "error"}
    assert codes >= {"bad_frame", "unknown_type", "invalid_token", "illegal_move", "stale", "closed"}
    assert "ended" in frames
    assert not revealed(secrets, frames)
    assert not revealed(secrets, written(caplog))


async def test_no_frame_to_other_players_reveals_secrets(
    secrets: set[str], player: User, rival: User, sit: Sit
) -> None:
    deal = await sync_to_async(publishing.todays_deal)("stonewall")
    attempt = await sync_to_async(start_attempt)(player, deal)
    for other in (rival, AnonymousUser()):
        seat = sit(attempt, user=other)
        await seat.connect()
        with contextlib.suppress(Closed):
            await _send(seat, '{"type": "hello", "v": 1}')
        assert [json.loads(frame)["type"] for frame in seat.frames] == ["error"]
        assert not revealed(secrets, " ".join(seat.frames))


def test_sealing_logs_no_secret(db: None, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG, logger="games")
    row = sealed_stock.seal_one("labyrinth")
    assert row is not None
    told = caplog.text + "".join(capfd.readouterr()) + f"{row} {row!r}"
    assert not revealed(spellings(bytes(row.seed), bytes(row.solution)), told)
