"""Race protocol documentation: complete and equal to the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from games.core.errors import ErrorCode
from games.races.live import consumer, progress, protocol
from games.races.live.protocol import CODES, FATAL, INCOMING, OUTGOING, parse
from tests.games.live.test_protocol import sections

ROOT = Path(__file__).resolve().parents[4]
PAGE = (ROOT / "docs" / "race-protocol.md").read_text()


def test_the_schema_file_matches_the_code() -> None:
    published = json.loads((ROOT / "docs" / "race-protocol.schema.json").read_text())
    assert published == json.loads(json.dumps(protocol.schemas()))


def test_every_message_has_its_section() -> None:
    parts = sections(PAGE, "##")
    for heading, messages in (("From the client", INCOMING), ("From the server", OUTGOING)):
        assert set(sections(parts[heading], "###")) == {message.__name__.lower() for message in messages}


@pytest.mark.parametrize("message", [*INCOMING, *OUTGOING], ids=lambda message: message.__name__)
def test_every_field_is_named_in_its_section(message: Any) -> None:
    section = sections(PAGE, "###")[message.__name__.lower()]
    for field in msgspec.structs.fields(message):
        assert f"`{field.name}`" in section, field.name


def test_every_error_code_is_named_with_its_close_code() -> None:
    errors = sections(PAGE, "##")["Errors"]
    assert set(re.findall(r"`(\w+)`", errors)) == CODES
    closes = dict(re.findall(r"`(\w+)`[^`]*?closed,\s(\d{4})", errors))
    assert closes == {str(code): str(close) for code, close in FATAL.items()}


def test_the_socket_uses_only_documented_codes() -> None:
    """Covers the refusals of races; pages, heats and challenges have more."""
    parts = ("live/consumer", "live/room_hub", "live/room_watch", "live/audience", "seats", "rooms", "race_start")
    paths = [ROOT / "games" / "races" / f"{part}.py" for part in parts]
    used = {name for path in paths for name in re.findall(r"\bErrorCode\.([A-Z_]+)", path.read_text())}
    assert {ErrorCode[name] for name in used} <= CODES


def test_limits_match_the_page() -> None:
    assert f"closed with {protocol.CLOSE_GONE}" in PAGE
    assert (consumer.REACTIONS, consumer.REACTIONS_AT_ONCE) == (1, 5)
    assert "once a second, five at once" in PAGE
    assert f"no connection for {progress.AWAY_AFTER:.0f} seconds" in PAGE


@pytest.mark.parametrize(
    "text",
    ['{"type":"hello","v":1}', '{"type":"sync"}', '{"type":"ready","ready":false}', '{"type":"react","kind":"wow"}'],
)
def test_messages_are_parsed(text: str) -> None:
    assert type(parse(text)).__name__.lower() == json.loads(text)["type"]
