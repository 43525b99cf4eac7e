"""Commands at the table, used as by a blind player: by keyboard, hearing nothing but the live regions."""

from __future__ import annotations

import re
from typing import Any

import pytest

from games.rules import open_table
from tests.browser.conftest import Visit
from tests.browser.table_driver import Mouse, practise, won_record

RANKS = {"A": "ace", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight"}
RANKS |= {"9": "nine", "T": "ten", "J": "jack", "Q": "queen", "K": "king"}
SUITS = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}

#: Collects what a screen reader would announce.
LISTEN = """() => {
  window.heard = [];
  const listen = (region) => new MutationObserver(() => heard.push(region.innerText || region.textContent))
    .observe(region, { childList: true, characterData: true, subtree: true });
  document.querySelectorAll("[aria-live=polite], [role=status]").forEach(listen);
}"""


class Listener:
    """A player who types commands and hears the answers."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.evaluate(LISTEN)

    def says(self, command: str, answer: str) -> None:
        """Say a command, and wait for an announcement that contains the answer."""
        self.page.evaluate("heard.splice(0)")
        self.page.keyboard.insert_text(command)
        self.page.keyboard.press("Enter")
        self.hears(answer)

    def hears(self, answer: str) -> None:
        self.page.wait_for_function("text => heard.some((one) => one.includes(text))", arg=answer)


#: Two lessons, won in words.
LESSONS = {
    "braid": [
        ("what can I move", "king of spades from braid to inner cell 1"),
        ("move the king of spades to inner cell 1", "king of spades to inner cell 1"),
        ("what's in the braid", "Braid: king of clubs, queen of hearts"),
        ("queen of hearts to the foundation", "queen of hearts to the foundation, 87 of 104"),
        ("king of hearts up", "king of hearts to the foundation"),
        ("waste", "queen of spades"),
        ("queen of spades up", "queen of spades to the foundation"),
        ("king of spades up", "king of spades to the foundation"),
        ("how many cards are in the waste", "Waste, 3 cards."),
        ("move the king of diamonds to outer cell 1", "king of diamonds to outer cell 1"),
    ],
    "tarot": [
        ("what can I move", "the Sun to page of cups"),
        ("move the Sun to the page of cups", "turns up the Moon"),
        ("where is the Moon", "pile 6, on top."),
        ("trump 18 up", "the Moon (trump 18, plays as 9) to the foundation"),
        ("the Sun up", "trump 19"),
        ("undo", "undone"),
        ("send the Sun up", "trump 19"),
        ("page of cups up", "page of cups to the foundation"),
        ("knight of cups up", "knight of cups to the foundation"),
        ("queen of cups up", "queen of cups to the foundation"),
        ("king of cups up", "king of cups to the foundation"),
        ("hint", "Hint: Judgement (trump 20, plays as 2) to the foundation."),
        ("Judgement up", "Judgement"),
    ],
}


@pytest.mark.parametrize("game", LESSONS)
def test_a_lesson_is_won_in_words(visit: Visit, game: str) -> None:
    page = visit(f"/rules/{game}/")
    page.get_by_role("button", name="Commands", exact=True).press("Enter")
    page.get_by_label("Command", exact=True).wait_for()
    player = Listener(page)
    for command, answer in LESSONS[game]:
        player.says(command, answer)
    player.hears("Well done!")


def words(record: dict[str, Any]) -> list[tuple[str, str]]:
    """Return a Labyrinth game's moves as a player says them, each with what is announced."""
    table = open_table("labyrinth", bytes.fromhex(record["seed"]))
    said = []
    for token in record["tokens"]:
        source, _, place = token.partition("-")
        if place:
            name = table.DECK.names[table.pile(source)[-1]]
            card = f"{RANKS[name[0]]} of {SUITS[name[1]]}"
            said.append((f"the {card} up", f"{card} to the foundation"))
        else:
            said.append(("deal a row", "dealt"))
        table.push(token)
    return said


def listen(page: Any) -> Listener:
    """Open a table's command line by keyboard."""
    page.get_by_role("button", name="More", exact=True).press("Enter")
    page.get_by_role("button", name="Commands", exact=True).press("Enter")
    page.get_by_label("Command", exact=True).wait_for()
    return Listener(page)


def test_the_ends_of_a_game_are_played_in_words(visit: Visit) -> None:
    record = won_record("labyrinth")
    moves = words(record)
    page = visit("/play/labyrinth/")
    page.get_by_role("button", name="Deal the cards").press("Enter")
    page.wait_for_url(re.compile("/table/"))
    away = Mouse(page)
    player = listen(page)
    player.says("score", "4 of 52 cards up; 0 moves.")
    player.says("read row 1", "Row 1: place 1 ")
    for command, answer in moves[:6]:
        player.says(command, answer)
        away.wait_played()
    away.play_away(record["tokens"][6:-6])
    player = listen(page)
    for command, answer in moves[-6:]:
        player.says(command, answer)
    player.hears("52 of 52")
    player.hears("Your first Labyrinth win")


def test_the_command_line_opens_closes_and_keeps_quiet_while_paused(visit: Visit) -> None:
    page = visit()
    practise(page)
    page.keyboard.press("/")
    page.get_by_label("Command", exact=True).wait_for()
    player = Listener(page)
    player.says("read the foundations", "Foundation of spades: ace of spades")
    assert "Foundation of spades" in page.inner_text("#command-line")
    player.says("pause", "Paused")
    player.says("read the table", "This game is paused.")
    assert "spades" not in page.inner_text("#command-line")
    player.says("resume", "The game continues.")
    page.keyboard.press("Escape")
    assert page.is_hidden("#command-line")
    assert page.evaluate("document.activeElement.closest('#felt') !== null")
    page.keyboard.press("?")
    page.click("#help-dialog[open] summary:has-text('Commands')")
    assert page.is_visible(".commands-list q:has-text('what can I move')")
