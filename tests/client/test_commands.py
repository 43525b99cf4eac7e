"""Commands at the table, in every language: whatever the game lists can be said, and what is hidden stays hidden."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders

from games.rules import GAMES, open_table
from tests.browser.table_driver import won_record

pytestmark = pytest.mark.needs("node")

MODULES = Path(settings.BASE_DIR, "frontend", "static", "js")
#: Every position of a won game at this distance is tried.
APART = 25


@cache
def positions() -> list[dict[str, Any]]:
    """Return positions of won games, each game's first position first; that of Tarot is the very first."""
    found = []
    for game in sorted(GAMES, key=lambda game: game != "tarot"):
        record = won_record(game)
        table = open_table(game, bytes.fromhex(record["seed"]))
        for n, token in enumerate(record["tokens"]):
            if n % APART == 0:
                found.append({"view": table.view(), "legal": [move for move in table.legal_moves() if move != "u"]})
            table.push(token)
    return found


def spoken(language: str, *sentences: str) -> dict[str, Any]:
    catalogue = finders.find(f"js/catalogue/{language}.js") if language != "en-gb" else None
    queries = {
        "modules": MODULES.as_uri(),
        "catalogue": catalogue,
        "language": language,
        "positions": positions(),
        "sentences": sentences,
    }
    program = Path(__file__).with_name("commands_in_node.mjs")
    done = subprocess.run(
        ["node", str(program)], input=json.dumps(queries), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


#: Sentences as players say them at the first position, with the move made or the answer.
SAID: dict[str, dict[str, str]] = {
    "en-gb": {
        "Please move the 2 of Swords onto the hanged man.": "t8-t0",
        "trump 18 to the ten of cups": "t2-t5",
        "move six of wands": "t4-t6",
        "draw": "d",
        "move the king of pentacles to pile one": "why t7 1 t0",
        "where can the two of swords go?": "two of swords to the Hanged Man.",
        "WHERE'S the king of pentacles": "king of pentacles: pile 8, on top.",
        "where is the sun": "the Sun (trump 19, plays as 10): not in sight.",
        "move the sun to the foundation": "the Sun (trump 19, plays as 10): not in sight.",
        "read tableau 3": "Pile 3: the Moon (trump 18, plays as 9) (7 hidden).",
        "how many cards are in the stock": "stock, 24 cards.",
        "what changed": "Nothing has changed.",
        "move ten of hearts up": "“move ten of hearts up” names no card or pile here. Say “commands” for a list.",
        "sing": "“sing” is not a command. Say “commands” for a list.",
    },
    "de": {
        "Lege bitte die Zwei der Schwerter auf den Gehängten": "t8-t0",
        "Trumpf 18 auf die Zehn der Kelche": "t2-t5",
        "wo liegt der König der Münzen?": "König der Münzen: Stapel 8, obenauf.",
        "wie viele Karten sind im Talon": "Talon, 24 Karten.",
    },
    "fr": {
        "posez le deux d'épées sur le Pendu": "t8-t0",
        "atout 18 sur dix de coupes": "t2-t5",
        "ou est le roi de deniers": "roi de deniers: pile 8, sur le dessus.",
        "combien de cartes dans la pioche": "pioche, 24 cartes.",
    },
    "es": {
        "mueve el dos de espadas al Colgado": "t8-t0",
        "triunfo 18 sobre el diez de copas": "t2-t5",
        "donde esta el rey de oros": "rey de oros: pila 8, encima.",
        "cuantas cartas hay en el mazo": "mazo, 24 cartas.",
    },
}


@pytest.mark.parametrize("language", SAID)
def test_every_move_and_command_can_be_said(language: str) -> None:
    found = spoken(language, *SAID[language])
    assert found["wrong"] == []
    assert dict(zip(SAID[language], found["answers"], strict=True)) == SAID[language]
