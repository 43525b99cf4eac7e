"""Test vectors: the engine reproduces them, and so does the browser's own shuffle."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from games.rules import CATALOGUE, Record
from games.rules.hidden_cards import undone_reveal
from tests.rules import vectors
from tests.verify.node import in_node


def written(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((vectors.FOLDER / f"{name}.json").read_text())
    return found


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_vectors_are_up_to_date(name: str) -> None:
    text = (vectors.FOLDER / f"{name}.json").read_text()
    assert text == vectors.text_of(name), "run python -m tests.rules.vectors to regenerate them"


@pytest.mark.needs("node")
def test_the_browsers_race_commitments_are_equal() -> None:
    text = (vectors.FOLDER / "race-commitments.json").read_text()
    assert text == vectors.races_text(), "run python -m tests.rules.vectors to regenerate them"
    found: list[dict[str, Any]] = json.loads(text)
    assert [sha256(one["text"].encode()).hexdigest() for one in found] == [one["commitment"] for one in found]
    assert in_node(("races", [one["race"] for one in found])) == [[one["commitment"] for one in found]]


@pytest.mark.needs("node")
def test_the_browsers_decks_and_tables_are_equal() -> None:
    deals = [{"variant": name, **deal} for name in CATALOGUE for deal in written(name)["deals"]]
    asked = [{"variant": deal["variant"], "seed": deal["seed"]} for deal in deals]
    dealt, openings = in_node(("deals", asked), ("openings", asked))
    assert len(dealt) == len(CATALOGUE) * len(vectors.SEEDS)
    assert dealt == [{"deck": deal["deck"], "commitment": deal["commitment"]} for deal in deals]
    assert openings == [{"legal": deal["legal"], "cards_up": deal["cards_up"]} for deal in deals]


@pytest.mark.needs("node")
@pytest.mark.parametrize("name", CATALOGUE)
def test_the_browsers_positions_and_ends_are_equal(name: str) -> None:
    lines = written(name)["lines"]
    asked = [{"record": one["record"], "after": [at["after"] for at in one["positions"]]} for one in lines]
    (found,) = in_node(("lines", asked))
    for one, mine in zip(lines, found, strict=True):
        positions = [
            {"after": at["after"], "legal": at["legal"], "cards_up": at["cards_up"], "piles": piles_of(at["position"])}
            for at in one["positions"]
        ]
        assert [shown(at) for at in mine["positions"]] == positions
        undone = mine["result"].pop("undone_reveal")
        if "failure" in one["result"]:
            one["result"]["failure"] = {"index": one["result"]["failure"]["index"]}
        else:
            record = Record.from_json(one["record"])
            assert undone == bool(undone_reveal(record.open_table(), record.tokens)), one["title"]
        assert mine["result"] == one["result"], one["title"]


def piles_of(position: str) -> dict[str, str]:
    """Return the piles in a position's line."""
    fields = (field.partition(" ") for field in position.split(" | ")[1:] if "=" not in field)
    return {name: cards for name, _space, cards in fields}


def shown(at: dict[str, Any]) -> dict[str, Any]:
    """Return a position from the browser with its piles written as in a position's line."""
    down, found = at["down"], {}
    for name, cards in at["piles"].items():
        marked = ("*" * (place in down.get(name, [])) + card for place, card in enumerate(cards))
        if cards:
            found[name] = ".".join(marked)
    return {"after": at["after"], "legal": at["legal"], "cards_up": at["cards_up"], "piles": found}


@pytest.mark.needs("node")
def test_the_browsers_deal_numbers_are_equal() -> None:
    asked = [
        {"variant": name, "number": one["number"], "seed": one["seed"]}
        for name in CATALOGUE
        for one in written(name)["numbered"]
    ]
    (found,) = in_node(("numbers", asked))
    assert found == [
        {
            "variant": {"game": CATALOGUE[one["variant"]].game, "options": dict(CATALOGUE[one["variant"]].options)},
            "seed": one["seed"],
            "number": one["number"],
        }
        for one in asked
    ]


@pytest.mark.needs("node")
def test_no_deal_has_a_number_out_of_range() -> None:
    beyond = [{"variant": "plot", "number": number, "seed": "ff" * 32} for number in (0, -1, 10_000_000, 1.5)]
    assert [(one["seed"], one["number"]) for one in in_node(("numbers", beyond))[0]] == [(None, None)] * 4
