"""A sealed seed or a solution is in no answer of any address, no frame and no log line before its deal is revealed.

Every address the site has is visited with everything it could be about, by a stranger, a player and a superuser, so
that an address added later is searched too.
"""

from __future__ import annotations

import base64
import logging
import re
from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from accounts.guests import BACKEND, create_guest
from accounts.models import User
from games import deals, sealed
from games.attempts import close_attempt, start_attempt
from games.models import Attempt, Deal, Move, SealedDeal
from games.rules import CATALOGUE, Record
from tests.games import certified
from tests.games.conftest import Sit

#: Where following a link does something that ends the visit, or needs what is no concern of deals.
LEFT_OUT = ("accounts/", "admin/logout", "admin/login", "admin/auth", "admin/jsi18n", "admin/r/", "admin/password")


def spellings(seed: bytes, solution: bytes | None) -> set[str]:
    """How a seed, and the winning line of a packed record, could stand in a text."""
    found = {
        seed.hex(),
        base64.b64encode(seed).decode().rstrip("="),
        base64.urlsafe_b64encode(seed).decode().rstrip("="),
    }
    if solution is not None:
        tokens = Record.from_bytes(solution).tokens
        line = tokens[len(tokens) // 3 : len(tokens) // 3 + 12]
        found |= {between.join(line) for between in (" ", ",", ", ", '","', '", "', "', '")}
        found |= {solution.hex(), base64.b64encode(solution).decode()[:60]}
    return found


@pytest.fixture
def secrets(transactional_db: None, settings: Any) -> set[str]:
    """Proven deals of today, of tomorrow and of a day that is over, and one in stock: what must not be told of them."""
    settings.DEAL_PATIENCE = 90
    today = timezone.now().date()
    for index, ahead in enumerate((-2, 0, 1)):
        for variant in CATALOGUE:
            certified.seal(variant, index)
        assert len(deals.ensure_deals(today + timedelta(days=ahead), ahead=0)) == len(CATALOGUE)
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
    """Every address pattern of the site with the names of its parameters."""
    for entry in patterns or get_resolver().url_patterns:
        text = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from addresses(entry.url_patterns, text)
        elif isinstance(entry, URLPattern):
            yield text, list(entry.pattern.converters)


def visits(attempt: Attempt) -> list[str]:
    """Every address, filled in with every deal that is secret and with an attempt at one."""
    today = timezone.now().date()
    days = [str(today), str(today + timedelta(days=1))]
    deal_ids = [str(pk) for pk in Deal.objects.filter(day__gte=today).values_list("pk", flat=True)]
    values: dict[str, list[str]] = {
        "day": days,
        "variant": list(CATALOGUE),
        "game": list(CATALOGUE),
        "period": ["week", "month", "all"],
        "attempt": [str(attempt.public_id)],
        "deal": deal_ids,
        "deal_id": deal_ids,
        "public_id": [str(attempt.player.public_id)],
        "player": [str(attempt.player.public_id)],
        "object_id": [*deal_ids, str(attempt.pk)],
    }
    found = []
    for text, names in addresses():
        if text.startswith(LEFT_OUT) or "(?P" in text:
            continue
        for chosen in product(*(values.get(name, ["1"]) for name in names)):
            given = dict(zip(names, chosen, strict=True))
            found.append("/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda part, given=given: given[part[1]], text))
    return found


def body(response: Any) -> str:
    content = async_to_sync(_streamed)(response) if response.streaming else response.content
    return f"{response.headers} {content.decode(errors='replace')}"


async def _streamed(response: Any) -> bytes:
    return b"".join([part async for part in response])


@pytest.mark.slow
@pytest.mark.parametrize("who", ["stranger", "player", "superuser"])
def test_no_address_tells(secrets: set[str], player: User, who: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    deal = deals.todays_deal("stonewall")
    attempt = start_attempt(player, deal)
    Move.objects.create(attempt=attempt, n=1, token=Record.from_bytes(bytes(deal.solution or b"")).tokens[0], ms=5)
    close_attempt(attempt.pk, "resigned")
    attempt = Attempt.objects.get(pk=attempt.pk)
    client = Client(raise_request_exception=False)
    if who != "stranger":
        visitor = player if who == "player" else User.objects.create_superuser("root", password="root")
        client.force_login(visitor, backend=BACKEND)
    pages, answered = visits(attempt), 0
    assert any(page.startswith("/ledger.json") for page in pages)
    assert any("solution/record.json" in page for page in pages)
    for page in pages:
        for answer in (client.get(page), client.get(page, headers={"accept": "application/json"})):
            text = body(answer)
            told = [secret for secret in secrets if secret in text]
            assert not told, page
            assert answer.status_code < 500, page
            answered += answer.status_code == 200
    assert answered > 50
    written = " ".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    assert not [secret for secret in secrets if secret in written]


def test_the_search_would_find_them(secrets: set[str], client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Deal, "is_revealed", lambda *_: True)
    told = set()
    today = timezone.now().date()
    for path in (
        "/ledger.json",
        f"/deals/{today}/braid/",
        f"/deals/{today}/braid/deal.json",
        f"/deals/{today}/braid/solution/steps.json",
    ):
        text = body(client.get(path))
        told |= {secret for secret in secrets if secret in text}
    assert told


async def test_no_frame_tells(secrets: set[str], player: User, sit: Sit) -> None:
    deal = await sync_to_async(deals.todays_deal)("stonewall")
    line = Record.from_bytes(bytes(deal.solution or b"")).tokens
    seat = sit(await sync_to_async(start_attempt)(player, deal))
    await seat.sit()
    for token in (*line[:5], "u", *["zz"], line[4]):
        await seat.move(token)
    await seat.ask({"type": "resign", "n": seat.n + 1})
    frames = " ".join(seat.frames)
    assert "ended" in frames
    assert not [secret for secret in secrets if secret in frames]


def test_sealing_writes_no_secret_down(
    db: None, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG, logger="games")
    row = sealed.seal_one("labyrinth")
    assert row is not None
    told = caplog.text + "".join(capfd.readouterr()) + f"{row} {row!r}"
    assert not [secret for secret in spellings(bytes(row.seed), bytes(row.solution)) if secret in told]
