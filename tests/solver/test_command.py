"""Command line of the solver, ``python -m games.solver``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from games.rules import End, Record, from_position
from games.solver import Budget, GaveUp, Solution, Unwinnable, solve
from games.solver.__main__ import main
from tests.solver.deals import deal, seed_of


def index_of(kind: type, variant: str, nodes: int = 5_000_000) -> int:
    index = 0
    while not isinstance(solve(deal(variant, index), Budget(nodes=nodes)), kind):
        index += 1
    return index


def test_a_deal_is_solved(capsys: pytest.CaptureFixture[str]) -> None:
    index = index_of(Solution, "labyrinth")
    assert main(["labyrinth", seed_of(index).hex()]) == 0
    line, verdict = capsys.readouterr().out.splitlines()
    table = deal("labyrinth", index)
    for token in line.split():
        table.push(token)
    assert table.is_won
    assert verdict.startswith(f"Won in {len(line.split())} tokens")


def test_a_lost_deal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["labyrinth", seed_of(index_of(Unwinnable, "labyrinth")).hex()]) == 1
    assert capsys.readouterr().out.startswith("No line wins")


def test_an_undecided_deal_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    index = index_of(GaveUp, "tarot", nodes=50)
    assert main(["tarot", seed_of(index).hex(), "--json", "--nodes", "50"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert (found["result"], found["reason"]) == ("unknown", "nodes")


def test_options_and_shortening(capsys: pytest.CaptureFixture[str]) -> None:
    seed = seed_of(2).hex()
    arguments = ["tarot", seed, "-o", "draw=1", "-o", "first_row=false", "--json"]
    assert main(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert main([*arguments, "--shorten"]) == 0
    shorter = json.loads(capsys.readouterr().out)
    assert found["length"] == len(found["tokens"]) >= shorter["length"]


def test_a_position_text(capsys: pytest.CaptureFixture[str]) -> None:
    index = index_of(Solution, "stonewall")
    table = deal("stonewall", index)
    assert main(["--position", table.position(), "--json"]) == 0
    for token in json.loads(capsys.readouterr().out)["tokens"]:
        table.push(token)
    assert table.is_won


@pytest.mark.parametrize("packed", [False, True])
def test_a_position_of_a_record(packed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index = index_of(Solution, "labyrinth")
    tokens = (deal("labyrinth", index).legal_moves()[0], "d", "u")
    record = Record(1, "labyrinth", None, seed_of(index), tokens, (10, 20, 30), End("resigned", 40))
    path = tmp_path / "record"
    path.write_bytes(record.to_bytes() if packed else json.dumps(record.to_json()).encode())
    assert main(["--record", str(path), "--at", "0", "--json"]) == 0
    table = from_position(deal("labyrinth", index).position())
    for token in json.loads(capsys.readouterr().out)["tokens"]:
        table.push(token)
    assert table.is_won
    assert main(["--record", str(path), "--json"]) in (0, 1)
    assert main(["--record", str(path), "--at", "9"]) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["braid"],
        ["braid", "zz"],
        ["whist", "00" * 32],
        ["tarot", "00" * 32, "-o", "draw=4"],
        ["tarot", "00" * 32, "-o", "draw"],
        ["braid", "00" * 32, "--nodes", "0"],
        ["braid", "00" * 32, "--position", "braid"],
        ["--position", "stonewall | t0 AS"],
        ["--record", "/nowhere/at/all"],
    ],
)
def test_bad_input_is_reported(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.strip()
    assert main([*arguments, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"]
