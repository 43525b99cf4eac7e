"""The site in German, and the client's texts in a made-up language."""

from __future__ import annotations

import re
from typing import Any

from tests.browser.conftest import Visit
from tests.browser.table_driver import Mouse, deal, give_up, won_record

#: A catalogue that has every text, marked.
MADE_UP = """globalThis.talonCatalogue = {
  plural: (n) => Number(n !== 1),
  texts: new Proxy({}, {
    get: (_, key) => Object.assign([`⟦${key}⟧`, `⟦${key}⟧`], { toString: () => `⟦${key}⟧` }),
  }),
};"""

#: Texts written by the client at a table: labels of cards and places, facts, figures, announcements, the end.
WRITTEN = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  return [
    ...all("#felt [aria-label], #connection").map((element) => element.getAttribute("aria-label")),
    ...all("#connection").map((element) => element.title),
    ...all("#facts .fact, #live, #notice, .step-text, #finish-title, #finish-rank, .sign, .tally")
      .map((element) => element.textContent),
  ];
}"""


def unmarked(page: Any) -> list[str]:
    texts = page.evaluate(WRITTEN)
    assert any("⟦" in text for text in texts)
    return sorted({text for text in texts if re.search(r"[A-Za-z]{2}", outside(text))})


def outside(text: str) -> str:
    """Return the text outside the marks, which are nested where a text contains names."""
    while (less := re.sub(r"⟦[^⟦⟧]*⟧", "", text)) != text:
        text = less
    return text


def test_a_german_browser_plays_in_german_unless_changed(visit: Visit) -> None:
    page = visit("/", locale="de-DE")
    assert page.get_attribute("html", "lang") == "de"
    assert "Neue Spiele in" in page.text_content("main")
    assert re.fullmatch(r"\w+, \d+\.\s\w+", page.text_content("h1"))
    page.click("text=Gewertet")
    page.click(".deal:has(h3:has-text('Labyrinth')) .deal-link")
    page.click("text=Karten geben")
    player = Mouse(page)
    page.wait_for_function("() => document.querySelector('#connection').title === 'Verbunden'")
    player.play(won_record("labyrinth")["tokens"][0])
    player.wait_played()
    assert re.search("auf den Grundstapel|gegeben", page.text_content("#live"))
    assert page.text_content("#undo span") == "Rückgängig"
    label = page.get_attribute("#felt .card:not(.down)", "aria-label")
    assert re.match("(Pik|Herz|Karo|Kreuz)-", label)
    page.goto("/")
    page.click("button[lang=en-gb]")
    page.wait_for_selector("html[lang=en-gb]")
    again = visit("/", context=page.context)
    assert "New games in" in again.text_content("main")
    assert again.query_selector("script[src*=catalogue]") is None


def test_all_client_texts_at_a_table_are_translated(visit: Visit) -> None:
    page = visit(fresh=True)
    page.add_init_script(MADE_UP)
    page.route("**/after/", lambda route: route.fulfill(status=204))  # text from the server, not the client
    for game in ("braid", "tarot"):  # a braid has the most kinds of piles
        page.goto(f"/play/{game}/")
        deal(page)
        player = Mouse(page)
        page.wait_for_function("() => document.querySelector('#connection').title.includes('Connected')")
        for token in won_record(game)["tokens"][:4]:
            player.play(token)
            player.wait_played()
            assert unmarked(page) == []
        page.keyboard.press("l")
        assert unmarked(page) == []
        give_up(page)
        page.wait_for_selector("#finish[open]")
        page.wait_for_function("() => document.querySelector('#finish-title').textContent")
        assert unmarked(page) == []
