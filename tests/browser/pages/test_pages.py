"""Dialogs of tables, settings, and pages about a player's games."""

from __future__ import annotations

import re

import pytest
from django.utils import timezone

from tests.browser.conftest import OLD_DAY, PHONE, Visit
from tests.browser.pages.test_every_page import faults
from tests.browser.table_driver import (
    Mouse,
    Player,
    deal,
    give_up,
    play_through,
    resigned_practice,
    sign_up,
    start_game,
    won_record,
)

sync_api = pytest.importorskip("playwright.sync_api")


def test_the_dialogs_of_a_table_are_accessible(visit: Visit) -> None:
    page = visit("/play/tarot/")
    start_game(page)
    for dialog in ("help-dialog", "settings-dialog"):
        page.evaluate("id => document.getElementById(id).showModal()", dialog)
        assert faults(page) == []
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog[open]", state="detached")
    page.wait_for_function("() => document.activeElement.closest('dialog') === null")
    page.keyboard.press("r")
    assert faults(page) == []
    page.click("#resign-dialog button.danger")
    page.wait_for_selector("#finish[open]")
    assert faults(page) == []


def test_settings_are_kept_and_a_left_handed_table_is_mirrored(visit: Visit) -> None:
    page = visit("/play/tarot/")
    start_game(page)
    stock = "document.querySelector('#slot-s').getBoundingClientRect().left"
    right = page.evaluate(stock)
    page.click("[data-opens=settings-dialog]")
    page.check("input[name=theme][value=dark]", force=True)
    page.check("input[name=left_handed]", force=True)
    page.check("input[name=card_face][value=colours]", force=True)
    page.reload()
    Player(page).start()
    root = page.locator("html")
    assert root.get_attribute("data-theme") == "dark"
    assert root.get_attribute("data-hand") == "left"
    assert root.get_attribute("data-suits") == "four"
    assert page.evaluate(stock) > right + 400
    other = visit("/", context=page.context)
    assert other.locator("html").get_attribute("data-theme") == "dark"
    # Switches that an earlier version stored choose a card face.
    other.context.clear_cookies()
    other.evaluate("localStorage.setItem('talon.settings', JSON.stringify({four_colours: true, large_cards: false}))")
    other.reload()
    assert other.evaluate("talonSettings") == {"card_face": "colours"}
    assert other.locator("html").get_attribute("data-suits") == "four"


def test_own_practice_is_replayed_shared_and_continued(visit: Visit) -> None:
    page = resigned_practice(visit)
    page.goto(page.url.replace("/table/", "/replay/") + "?n=2")
    page.wait_for_selector("#felt .card")
    moves = page.locator("#moves")
    assert moves.text_content() == "2/3"
    for key, expected in (("ArrowRight", 3), ("Home", 0), ("End", 3), ("ArrowLeft", 2)):
        page.keyboard.press(key)
        assert moves.text_content() == f"{expected}/3"
    assert page.get_attribute("#scrub", "aria-valuetext").startswith("Move 2 of 3, 0:")
    columns = "() => [...document.querySelectorAll('.thinking path')].map(path => path.getAttribute('d')).join('')"
    assert page.evaluate(columns).count("M") == 3
    page.select_option("#speed", "8")
    page.click("#as-played")
    page.locator("#as-played").blur()
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelector('#moves').textContent === '3/3'")
    page.wait_for_selector("[data-step=play]:not([data-running])")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.querySelector('#scrub').clientWidth") > 380
    page.keyboard.press("ArrowLeft")
    page.click("#share")
    assert page.input_value("#share-link") == page.url  # where it came in
    assert page.locator("#share-embed").count() == 0  # no other player has these cards
    page.click("#picture-make")
    page.wait_for_function("() => document.querySelector('#picture-shown img')?.naturalWidth > 400")
    assert page.get_attribute("#picture-save", "download") == "talon-labyrinth.gif"
    assert faults(page) == []
    page.keyboard.press("Escape")
    page.click("#play-on button")
    page.wait_for_url(re.compile("/table/"))
    player = Mouse(page)
    player.start()
    assert page.text_content("#moves") == "2"
    player.play("d")
    player.wait_played()
    page.click("#back-to-replay")
    page.wait_for_selector("#felt .card")
    assert page.text_content("#moves") == "2/3"


def test_an_open_board_updates_and_home_shows_the_result_of_each_deal(visit: Visit) -> None:
    board = visit(f"/boards/{timezone.now().date()}/stonewall/")
    page = visit("/")
    assert page.locator(".deal").count() == 9
    assert page.locator("text=New here?").count() == 1
    sign_up(page, "Minos")
    page.goto("/play/stonewall/")
    deal(page)
    play_through(Mouse(page), won_record("stonewall")["tokens"][:2], drag_every=1)
    home = visit("/", context=page.context)
    mark = home.locator(".deal:has-text('Stonewall') .mark").first
    assert mark.text_content() == "In progress"
    assert re.fullmatch(r"(\d+:)?\d\d:\d\d", home.text_content(".countdown b"))
    give_up(page)
    board.wait_for_selector("table[data-live] >> text=Minos")


def test_games_are_on_the_first_screen_and_the_guide_can_be_dismissed(visit: Visit) -> None:
    page = visit("/")
    bottom = "element => element.getBoundingClientRect().bottom"
    for first in (True, False):  # a newcomer's first game, then today's game
        for width, height in ((1440, 900), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            button = page.locator(".todays-game .button.large:visible")
            assert button.count() == 1
            assert button.evaluate(bottom) < height / 2
            assert page.locator(".deal").last.evaluate(bottom) <= height
        if first:
            page.click("[data-dismiss]")
            assert page.locator(".first-game").count() == 0
            assert page.evaluate("document.activeElement.closest('.todays-game') !== null")
    page.reload()
    assert page.locator(".deal").count() == 9
    assert page.locator(".first-game").count() == 0


def test_all_links_and_pictures_fit_a_phone(visit: Visit) -> None:
    page = visit("/", **PHONE)
    links = page.locator(".deal-link")
    assert links.count() == 9
    for link in links.all():
        link.scroll_into_view_if_needed()
        box = link.bounding_box()
        assert box["height"] >= 24
        # A page scrolls by whole pixels, while a box may begin between two of them.
        assert -1 <= box["y"] <= 845 - box["height"]
    page.goto("/practice/")
    outside = page.eval_on_selector(
        ".practice-card .art-labyrinth",
        """art => { const box = art.getBoundingClientRect();
          return [...art.querySelectorAll('svg')].map((card) => card.getBoundingClientRect())
            .filter(({left, right}) => left < box.left || right > box.right).length; }""",
    )
    assert outside == 0


def test_all_times_are_in_the_visitors_time_zone(visit: Visit) -> None:
    page = visit(f"/deals/{OLD_DAY}/labyrinth/", timezone_id="Asia/Kolkata")
    sync_api.expect(page.locator("footer")).to_contain_text("New games every day at 05:30.")
    announced = page.locator("time[data-moment]").first
    sync_api.expect(announced).to_have_text("3 January 2026 at 05:30")
    assert "UTC" not in page.inner_text("body")
    page.goto("/races/heats/")
    sync_api.expect(page.locator(".lead")).to_contain_text("at 08:30, 12:30, 16:30 and 00:30, each with a new deal")
    page.goto("/")
    sync_api.expect(page.locator(".countdown .local")).to_have_text("· at 05:30")
    page.goto("/races/")
    sync_api.expect(page.locator("#heat-when")).to_have_text(re.compile(r"^at (08:30|12:30|16:30|00:30)$"))
    plain = visit(f"/deals/{OLD_DAY}/labyrinth/", timezone_id="Asia/Kolkata", java_script_enabled=False)
    assert "3 January 2026, 00:00 UTC" in plain.inner_text("body")
    assert "New games every day at 00:00 UTC." in plain.inner_text("footer")
