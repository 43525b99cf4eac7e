"""The page's own table of a practice game shows what the server would show."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from games.rules import CATALOGUE, Table, open_table, shuffled_deck
from tests.browser.table_driver import won_record

MODULE = Path(settings.BASE_DIR, "frontend", "static", "js", "table", "offline", "local-table.js")
IN_NODE = Path(__file__).with_name("local_table_in_node.mjs")


def step(table: Table) -> dict[str, Any]:
    return {"moves": table.moves, "view": table.view(), "legal": table.legal_moves()}


def game(variant: str) -> dict[str, Any]:
    """Play a won game, with undos now and then."""
    record, dice = won_record(variant), random.Random(random.getrandbits(64))
    seed = bytes.fromhex(record["seed"])
    table = open_table(variant, seed)
    opening, steps = table.view(), []
    for token in record["tokens"]:
        for played in (token, "u", token) if dice.random() < 0.1 else (token,):
            if not table.is_won:
                table.push(played)
                steps.append(step(table))
    return {"deck": shuffled_deck(variant, seed), "opening": opening, "steps": steps}


@pytest.mark.needs("node")
def test_views_are_those_of_the_server() -> None:
    games = [game(variant) for variant in CATALOGUE]
    sent = json.dumps({"module": str(MODULE), "games": games})
    done = subprocess.run(["node", IN_NODE], input=sent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
