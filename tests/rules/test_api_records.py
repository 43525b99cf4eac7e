"""Records and replay: forms, limits, ends, and the command that verifies them."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from games.rules import (
    CATALOGUE,
    NO_PROGRESS,
    End,
    InvalidTokenError,
    Progress,
    Record,
    RecordError,
    from_position,
    open_table,
    replay,
)
from games.rules.__main__ import main
from tests.rules.winning import won_labyrinth

if TYPE_CHECKING:
    from pathlib import Path

SEED = bytes(range(32))


def resigned(name: str = "plot", tokens: tuple[str, ...] = ("d", "d", "u"), **more: Any) -> Record:
    clock = tuple(range(0, 100 * len(tokens), 100))
    return Record(1, name, more.pop("options", None), SEED, tokens, clock, End("resigned", 5000), **more)


def test_the_first_failure_has_index_token_and_reason() -> None:
    result = replay(resigned(tokens=("d", "r-t0", "d")))
    assert result.failure is not None
    assert (result.failure.index, result.failure.token) == (1, "r-t0")
    assert result.failure.reason == "the reserve goes to foundations only"
    assert result.table.moves == ("d",)
    nonsense = replay(resigned(tokens=("d", "d", "zz")))
    assert nonsense.failure is not None
    assert (nonsense.failure.index, nonsense.failure.code) == (2, "invalid_token")
    assert nonsense.elapsed_ms == 100


def test_a_failure_has_one_machine_readable_form() -> None:
    illegal = replay(resigned(tokens=("r-t0", "d")))
    assert illegal.elapsed_ms == 0
    assert illegal.failure is not None
    assert illegal.failure.place == "token 0 (r-t0)"
    assert illegal.to_json()["failure"] == {
        "index": 0,
        "token": "r-t0",
        "reason": "the reserve goes to foundations only",
        "code": "illegal_move",
    }
    claimed = replay(replace(resigned(), end=End("won", 5000)))
    assert claimed.failure is not None
    assert claimed.failure.place == "the end"
    assert claimed.to_json() == {
        "ok": False,
        "won": False,
        "cards_up": 1,
        "goal": 104,
        "tokens": 3,
        "elapsed_ms": 5000,
        "progress_ms": NO_PROGRESS,
        "how": "won",
        "failure": {
            "index": 3,
            "token": None,
            "reason": "the record claims a win, but only 1 of 104 cards are up",
            "code": "contradicted_end",
        },
    }


def test_progress_time_is_that_of_the_final_number_of_cards() -> None:
    progress = Progress(4)
    assert progress.ms == NO_PROGRESS
    passed = []
    for cards_up, ms in ((4, 100), (5, 200), (5, 300), (6, 400), (5, 500), (4, 600), (5, 700)):
        progress.note(cards_up, ms)
        passed.append(progress.ms)
    assert passed == [NO_PROGRESS, 200, 200, 400, 200, NO_PROGRESS, 700]


def test_the_progress_time_of_a_win_is_its_end() -> None:
    won = won_labyrinth()
    assert replay(won).progress_ms == won.end.ms
    undone = replace(won, tokens=(*won.tokens[:-1], "u"), end=End("resigned", 10**6))
    assert replay(undone).progress_ms < won.clock[-2]


def contradictions() -> list[tuple[Record, str]]:
    won = won_labyrinth()
    cut = replace(won, tokens=won.tokens[:-1], clock=won.clock[:-1])
    return [
        (replace(resigned(), end=End("won", 5000)), "claims a win"),
        (replace(won, end=End("resigned", 9999)), "won by the last token"),
        (replace(won, end=End("closed", 9999)), "won by the last token"),
        (replace(won, end=End("won", won.end.ms + 1)), "must come with the last token"),
        (cut, "claims a win"),
        (replace(resigned(tokens=()), end=End("won", 0)), "claims a win"),
    ]


def test_an_end_that_the_replay_contradicts_fails() -> None:
    for record, said in contradictions():
        failure = replay(record).failure
        assert failure is not None
        assert said in failure.reason
        assert (failure.index, failure.token, failure.code) == (len(record.tokens), None, "contradicted_end")


def test_a_token_after_the_win_fails() -> None:
    won = won_labyrinth()
    longer = replace(won, tokens=(*won.tokens, "u"), clock=(*won.clock, won.end.ms))
    failure = replay(longer).failure
    assert failure is not None
    assert (failure.index, failure.reason) == (len(won.tokens), "the game is won")


@pytest.mark.parametrize(
    "change",
    [
        *({"version": version} for version in (2, "1", True)),
        *({"name": name} for name in ("klondike", 3)),
        {"name": "pigtail", "options": {"redeals": 3}},
        {"options": {"fool": "wild"}},
        *({"seed": seed} for seed in (bytes(31), "00" * 32)),
        *({"tokens": tokens} for tokens in ("ddu", ("d", "d", 3), ("d", "d", "d" * 33), ("d",), None)),
        *({"clock": clock} for clock in ((0, 100), (0, 200, 100), (-1, 0, 0), (0, 1.5, 2), (0, True, 2))),
        *({"clock": clock} for clock in ((0, 100, 2**47), b"abc", None)),
        *({"end": end} for end in (None, {"how": "won", "ms": 1})),
    ],
)
def test_a_record_of_the_wrong_form_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(RecordError):
        replace(resigned(), **change)


@pytest.mark.parametrize(
    ("how", "ms"), [("lost", 1), (None, 1), ("won", -1), ("won", 1.0), ("won", True), ("won", None)]
)
def test_an_end_of_the_wrong_form_is_refused(how: Any, ms: Any) -> None:
    with pytest.raises(RecordError):
        End(how, ms)


def test_the_end_is_not_before_the_last_token() -> None:
    with pytest.raises(RecordError, match="earlier"):
        replace(resigned(), end=End("closed", 100))


def test_the_packed_form_is_unchanged() -> None:
    """Stored records must stay readable for ever: these bytes never change."""
    record = resigned(tokens=("d", "w-t3", "u"))
    seed = SEED.hex()
    assert record.to_bytes().hex() == f"544c4e01010004706c6f74{seed}0300da010400646401c02529253afc"


@pytest.mark.parametrize("cut", range(0, 60, 7))
def test_a_damaged_packed_record_is_refused(cut: int) -> None:
    packed = resigned().to_bytes()
    for damaged in (packed[:cut], packed[cut:], packed[:cut] + b"\x00" + packed[cut:], packed + b"\x00"):
        if damaged != packed:
            with pytest.raises(RecordError):
                Record.from_bytes(damaged)


def test_only_tokens_of_the_game_can_be_packed() -> None:
    with pytest.raises(InvalidTokenError):
        resigned(tokens=("zz",)).to_bytes()


@pytest.mark.parametrize(
    "change",
    [
        *({name: None} for name in ("variant", "rules")),
        *({"seed": seed} for seed in (5, "zz" * 32)),
        *({"end": []}, {"end": {"how": "won"}}, {"end": {"how": "won", "ms": 1, "at": 2}}),
        *({"extra": 1}, {"options": {}}),
    ],
)
def test_json_of_the_wrong_form_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(RecordError):
        Record.from_json(resigned().to_json() | change)


@pytest.mark.parametrize("data", [None, 3, "record", [], {}, {"variant": "plot"}])
def test_json_that_is_no_record_is_refused(data: Any) -> None:
    with pytest.raises(RecordError):
        Record.from_json(data)


def run(monkeypatch: pytest.MonkeyPatch, text: bytes, *arguments: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    return main(arguments)


def test_verify_prints_the_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = json.dumps(resigned().to_json()).encode()
    file = tmp_path / "record.json"
    file.write_bytes(text)
    assert main(["verify", str(file)]) == 0
    assert capsys.readouterr().out == "verified: resigned, 1/104 cards up, 3 tokens, 5.000 s\n"
    assert run(monkeypatch, text, "verify", "-", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "ok": True,
        "won": False,
        "cards_up": 1,
        "goal": 104,
        "tokens": 3,
        "elapsed_ms": 5000,
        "progress_ms": NO_PROGRESS,
        "how": "resigned",
    }


def test_verify_refuses_with_index_and_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = json.dumps(resigned(tokens=("d", "r-t0")).to_json()).encode()
    assert run(monkeypatch, text, "verify", "-") == 1
    assert "token 1 (r-t0): the reserve goes to foundations only" in capsys.readouterr().out
    assert run(monkeypatch, text, "verify", "-", "--json") == 1
    assert json.loads(capsys.readouterr().out)["failure"]["index"] == 1


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"rules": 1}', b" " * 1_000_001])
def test_verify_reports_unusable_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: bytes
) -> None:
    assert run(monkeypatch, text, "verify", "-") == 2
    assert capsys.readouterr().err.startswith("games.rules: ")


@pytest.mark.parametrize(
    "arguments",
    [
        *(["verify", "/nowhere/at-all.json"], ["deal", "plot", "00"]),
        *(["deal", "klondike", "00" * 32], ["deal", "braid", "00" * 32, "--option", "redeals=9"]),
        *(["perft", "plot", "0", "--seed", "00" * 32], ["perft", "plot", "1"], ["perft", "plot | t0 KC", "1"]),
    ],
)
def test_unusable_arguments_end_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("games.rules: ")


@pytest.mark.parametrize("name", CATALOGUE)
def test_deal_shows_commitment_deck_and_table(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deal", name, SEED.hex()]) == 0
    assert "commitment   630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd" in capsys.readouterr().out
    assert main(["deal", name, SEED.hex(), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["view"] == open_table(name, SEED).view()
    assert open_table(name, deck=shown["deck"]).view() == shown["view"]


def test_a_terminal_game_is_played_and_its_record_verified(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "game.json"
    words = b"moves\nd\nzz\nn\nu\nd\nquit\n"
    arguments = ["play", "tarot", SEED.hex(), "--option", "draw=3", "--option", "fool=trump", "--save", str(file)]
    assert run(monkeypatch, words, *arguments) == 0
    out = capsys.readouterr().out
    assert "zz: not a token" in out
    assert "n: the stock is not empty" in out
    assert "verified: resigned" in out
    record = Record.from_json(json.loads(file.read_text()))
    assert record.tokens == ("d", "u", "d")
    assert record.options == {"first_row": True, "draw": 3, "fool": "trump"}
    assert main(["verify", str(file)]) == 0


def test_a_game_won_in_the_terminal_ends_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    won = won_labyrinth()
    assert run(monkeypatch, "\n".join(won.tokens).encode(), "play", "labyrinth", won.seed.hex()) == 0
    assert "verified: won, 52/52 cards up" in capsys.readouterr().out


def test_perft_counts_and_divides(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "stonewall", "2", "--seed", SEED.hex()]) == 0
    total = int(capsys.readouterr().out)
    table = open_table("stonewall", SEED)
    count = 0
    for token in table.legal_moves():
        after = from_position(table.position())
        after.push(token)
        count += len(after.legal_moves())
    assert total == count > 0
    assert main(["perft", table.position(), "2", "--divide"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(table.legal_moves()) + 1
    assert lines[-1].split() == ["total", str(total)]


@pytest.mark.parametrize("command", [[], ["deal"], ["play"], ["verify"], ["perft"]])
def test_every_command_has_help(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--help"])
    assert stopped.value.code == 0
    assert "usage: python -m games.rules" in capsys.readouterr().out
