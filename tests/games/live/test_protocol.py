"""Documentation of the game and race protocols: complete and equal to the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from games.core.errors import ErrorCode, Refusal
from games.live import protocol
from games.live.protocol import CODES, FATAL, parse
from games.live.sockets import base_consumer, message_limit, ownership, send_queue, wire_format
from games.races.live import progress, room_consumer
from games.races.live import protocol as race_protocol
from games.rules import Record

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = (DOCS / "protocol.md").read_text()
RACE_PAGE = (DOCS / "race-protocol.md").read_text()
RECORDS = (DOCS / "records.md").read_text()


def sections(page: str, level: str) -> dict[str, str]:
    parts = re.split(rf"^{level} ", page, flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0].strip("` "): part.partition("\n")[2] for part in parts}


@pytest.mark.parametrize(("file", "code"), [("protocol", protocol), ("race-protocol", race_protocol)])
def test_the_schema_file_matches_the_code(file: str, code: Any) -> None:
    published = json.loads((DOCS / f"{file}.schema.json").read_text())
    assert published == json.loads(json.dumps(code.schemas()))


@pytest.mark.parametrize(("page", "code"), [(PAGE, protocol), (RACE_PAGE, race_protocol)], ids=["game", "race"])
def test_every_message_and_field_has_its_section(page: str, code: Any) -> None:
    parts, described = sections(page, "##"), sections(page, "###")
    for heading, messages in (("From the client", code.INCOMING), ("From the server", code.OUTGOING)):
        assert set(sections(parts[heading], "###")) == {message.__name__.lower() for message in messages}
        for message in messages:
            for field in msgspec.structs.fields(message):
                assert f"`{field.name}`" in described[message.__name__.lower()], (message, field.name)


def test_every_error_code_is_documented_with_its_close_code() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \|(.*)\|$", sections(PAGE, "##")["Errors"], flags=re.MULTILINE))
    del rows["code"]
    assert set(rows) == CODES
    for code, row in rows.items():
        closes = re.search(r"\bclosed, (\d{4})", row.rpartition("|")[2])
        if code in FATAL:
            assert closes is not None
            assert int(closes[1]) == FATAL[ErrorCode[code.upper()]]
        else:
            assert closes is None or code == "rate_limited"


def test_every_race_error_code_is_named_with_its_close_code() -> None:
    errors = sections(RACE_PAGE, "##")["Errors"]
    assert set(re.findall(r"`(\w+)`", errors)) == race_protocol.CODES
    closes = dict(re.findall(r"`(\w+)`[^`]*?closed,\s(\d{4})", errors))
    assert closes == {str(code): str(close) for code, close in race_protocol.FATAL.items()}


def test_the_sockets_use_only_documented_codes() -> None:
    """Covers the refusals of races; pages, heats and challenges have more."""
    games = DOCS.parent / "games"
    parts = ("live/room_consumer", "live/room_hub", "live/room_watch", "live/audience", "seats", "rooms", "starting")
    of_races = [games / "races" / f"{part}.py" for part in parts]
    for paths, codes in (((games / "live").rglob("*.py"), CODES), (of_races, race_protocol.CODES)):
        used = {name for path in paths for name in re.findall(r"\bErrorCode\.([A-Z_]+)", path.read_text())}
        assert {ErrorCode[name] for name in used} <= codes


def test_limits_match_the_pages() -> None:
    limits = " ".join(sections(PAGE, "##")["Limits"].split())
    assert f"{wire_format.MAX_FRAME:,} characters" in limits
    assert f"{message_limit.RATE:.0f} messages a second, {message_limit.BURST:.0f} at once" in limits
    assert f"{send_queue.MAX_FRAMES} frames" in limits
    assert f"places for {ownership.MAX_PER_PLAYER} connections of a player" in limits
    assert f"Visitors without a player have {ownership.MAX_PER_ADDRESS} of an address" in limits
    assert f"no `hello` within {base_consumer.HELLO_WITHIN:.0f} seconds" in PAGE
    assert f"closed with {race_protocol.CLOSE_GONE}" in RACE_PAGE
    assert (room_consumer.REACTIONS, room_consumer.REACTIONS_AT_ONCE) == (1, 5)
    assert "once a second, five at once" in RACE_PAGE
    assert f"no connection for {progress.AWAY_AFTER:.0f} seconds" in RACE_PAGE


def test_every_close_code_is_in_the_table() -> None:
    documented = {int(code) for code in re.findall(r"^\| (\d{4}) \|", PAGE, flags=re.MULTILINE)}
    ours = {value for name, value in vars(protocol).items() if name.startswith("CLOSE_")}
    assert documented == ours


def test_errors_have_one_shape() -> None:
    error = json.loads(protocol.write(protocol.Error(code=ErrorCode.STALE, message="m", n=3, data={"next": 4})))
    assert error == {"type": "error", "code": "stale", "message": "m", "n": 3, "data": {"next": 4}}
    bare = json.loads(protocol.write(protocol.Error(code=ErrorCode.CLOSED, message="m", n=3)))
    assert bare["data"] == {}


@pytest.mark.parametrize(
    "text",
    [
        *("{", "[]", "null", "[" * 4000, '{"type":"hello","v":1}x', "\ud800", '{"type":["move"]}', "NaN", ""),
        *('{"type":"move","n":1}', '{"type":"move","n":"1","token":"d"}', '{"type":"move","n":0,"token":"d"}'),
        *('{"type":"move","n":1,"token":"d","more":1}', '{"type":"ping","t":1e999}'),
    ],
)
def test_malformed_frames_are_typed_errors(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        parse(text)
    assert caught.value.code is ErrorCode.BAD_FRAME


def test_the_example_on_the_records_page_is_valid() -> None:
    form = json.loads(re.search(r"^    \{\n(?:    .*\n)+?    \}", RECORDS, flags=re.MULTILINE)[0])  # type: ignore[index]
    record = Record.from_json(form)
    assert f"    {record.to_bytes().hex()}\n" in RECORDS
    assert Record.from_bytes(record.to_bytes()).to_json() == form
