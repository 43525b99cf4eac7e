"""The verification page, which checks a deal, a record or a race in the visitor's browser."""

from __future__ import annotations

import json
from typing import Any

from tests.browser.conftest import OLD_DAY, Visit
from tests.browser.pages.test_every_page import faults
from tests.browser.table_driver import won_record
from tests.verify.world import race_world

DEAL = f"/deals/{OLD_DAY}/labyrinth/"
EVERY = {"replays", "server", "commitment", "deck", "ledger", "chain", "head"}
RACE_CHECKS = {"replays", "server", "places", "limit", "commitment", "chain"}


def found(page: Any) -> dict[str, str]:
    """Return the result of each check."""
    page.wait_for_selector("[data-findings]:not([aria-busy]) .finding")
    each = "found => found.map(({dataset}) => [dataset.check, dataset.state])"
    return dict(page.eval_on_selector_all(".finding", each))


def explanation(page: Any, check: str) -> str:
    text: str = page.inner_text(f".finding[data-check={check}] p")
    return text


def passed(page: Any) -> set[str]:
    return {check for check, state in found(page).items() if state == "passed"}


def failed(page: Any) -> set[str]:
    return {check for check, state in found(page).items() if state == "failed"}


def bring(page: Any, document: object) -> None:
    """Paste a document and have it checked."""
    page.fill("#record", document if isinstance(document, str) else json.dumps(document))
    page.click("form[data-verify] button")


def test_a_deals_page_links_to_its_check(visit: Visit) -> None:
    page = visit(DEAL)
    page.click("text=Verify in your browser")
    states = found(page)
    assert states == dict.fromkeys(EVERY - {"head"}, "passed") | {"head": "open"}
    assert page.inner_text("[data-findings] h2") == f"No errors: {len(EVERY) - 1} passed, 1 could not be checked"
    assert page.get_attribute("[data-findings]", "role") == "status"
    assert "the server's answer" in page.inner_text(".finding[data-check=server] h3")
    assert "checked in your browser" in page.inner_text(".finding[data-check=replays] h3")
    assert explanation(page, "ledger").startswith(
        f"Line 0 of the ledger, written 2026-01-03T00:00:00Z; the deal opened {OLD_DAY}"
    )


def test_the_ledgers_head_is_remembered(visit: Visit) -> None:
    page = visit("/verify/")
    head = page.evaluate("async () => (await fetch('/api/v1/ledger')).json()")["entries"][0]["hash"]
    page.fill("#link", DEAL)
    page.fill("#head", head)
    page.fill("#head-index", "0")
    page.click("form[data-verify] button")
    assert set(found(page).values()) == {"passed"}
    assert page.inner_text("[data-findings] h2") == "All checks passed"
    assert faults(page) == []
    page.fill("#head", "ab" * 32)
    page.click("form[data-verify] button")
    page.wait_for_selector(".finding[data-check=head].failed")
    assert failed(page) == {"head"}
    assert page.inner_text("[data-findings] h2") == "Some checks failed"
    assert faults(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.click("form[data-verify] button")  # below the findings, which are scrolled into view
    found(page)
    assert -1 <= page.evaluate("document.querySelector('[data-findings]').getBoundingClientRect().top") < 844
    page.goto("/ledger/")
    page.click(".ledger summary .note")  # the far end of the row
    assert page.locator(f".ledger >> text={head}").is_visible()
    page.keyboard.press("Enter")
    assert not page.locator(f".ledger >> text={head}").is_visible()
    page.goto("/ledger/#line-0")
    page.locator(f".ledger >> text={head}").wait_for()


def test_a_games_replay_links_to_the_check_of_its_record(visit: Visit) -> None:
    page = visit(f"{DEAL}solution/")
    page.wait_for_selector("#felt .card")
    page.click("[data-opens=more-dialog]")
    page.click("#more-dialog >> text=Verify")
    assert passed(page) == EVERY - {"head"}
    assert explanation(page, "commitment").startswith("The SHA-256 of the seed is in line 0 of the ledger")


def test_a_race_is_checked_with_its_places(visit: Visit) -> None:
    page = visit("/verify/")
    race = race_world("labyrinth").document
    file = {"name": "race.json", "mimeType": "application/json", "buffer": json.dumps(race).encode()}
    page.set_input_files("#file", file)
    page.click("form[data-verify] button")
    assert passed(page) == RACE_CHECKS
    page.set_input_files("#file", [])
    race["entrants"][0]["place"] = 2
    bring(page, race)
    page.wait_for_selector(".finding[data-check=places].failed")
    assert failed(page) == {"places"}
    assert explanation(page, "places") == "Racer 1's place should be 1."


def test_replays_of_a_race_link_to_the_races_check(visit: Visit) -> None:
    page, race = visit(), race_world("labyrinth").document
    record = next(one["record"] for one in race["entrants"] if one["record"])
    page.route("**/races/abcd0/2/race.json", lambda route: route.fulfill(json=race))
    whole = {"Link": '</races/abcd0/2/race.json>; rel="collection"'}
    page.route("**/replay/*/record.json", lambda route: route.fulfill(json=record, headers=whole))
    for link in ("/races/abcd0/2/replay/", "/replay/0b5e7c1e-6a33-4f0f-9a37-55d1c1d3a001/"):
        page.goto("/verify/")
        page.fill("#link", link)
        page.click("form[data-verify] button")
        assert passed(page) == RACE_CHECKS


def test_documents_that_cannot_be_checked_are_explained(visit: Visit, complaints: list[str]) -> None:
    page = visit("/verify/")
    heading = "[data-findings]:not([aria-busy]) h2"
    page.click("form[data-verify] button")
    assert page.inner_text(heading) == "Give a record, a file or a link to check."
    bring(page, "{}")
    page.wait_for_selector(f"{heading}:has-text('This is not a record')")
    page.fill("#link", "https://elsewhere.example/deals/2026-01-05/plot/")
    page.click("form[data-verify] button")
    page.wait_for_selector(f"{heading}:has-text('t lead to a deal')")
    page.fill("#link", "/races/abcd/2/")
    bring(page, won_record("labyrinth"))
    page.wait_for_selector(f"{heading}:has-text('give only a link to its deal')")
    page.fill("#record", "")
    page.fill("#link", "/deals/2020-01-01/plot/")
    page.click("form[data-verify] button")
    page.wait_for_selector(f"{heading}:has-text('Nothing is public at this link yet')")
    assert len(complaints) == 1  # the missing page
    complaints.clear()


def test_the_form_works_where_hashes_cannot_be_computed(visit: Visit) -> None:
    page = visit(fresh=True)
    page.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })")
    page.goto("/verify/")
    assert "https pages only" in page.inner_text("[data-findings]")
    bring(page, won_record("labyrinth"))
    page.wait_for_selector(".verdict.good >> text=The record is correct")


def test_the_check_is_translated(visit: Visit) -> None:
    page = visit(f"/verify/?link={DEAL}", locale="de-DE")
    found(page)
    assert page.inner_text("[data-findings] h2") == "Keine Fehler: 6 bestanden, 1 nicht prüfbar"
    assert "Die Züge sind erlaubt: bestanden" in page.inner_text(".finding[data-check=replays] h3")
