"""Races from the home page on: a player, a friend with only the link, and a spectator."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.browser.conftest import PHONE, Visit
from tests.browser.table_driver import Mouse, Touch, deal

sync_api = pytest.importorskip("playwright.sync_api")

TABLE = re.compile(r".*/table/[0-9a-f-]{36}/")
ROOM = re.compile(r".*/races/[0-9a-z]{10}/")
ROOM_OR_TABLE = re.compile(f"{ROOM.pattern}|{TABLE.pattern}")


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def shows(page: Any, text: str) -> None:
    sync_api.expect(page.locator("#stage-text")).to_have_text(text)


def test_two_go_from_a_quick_match_to_a_rematch_while_a_third_watches(visit: Visit) -> None:
    host = seek(visit, "stonewall", width=1440, height=900)
    shows(host, "Looking for an opponent…")
    link = host.url
    spectator = visit("/")
    sync_api.expect(spectator.locator("#seeks li")).to_contain_text("Stonewall")
    spectator.goto(link)
    legal = legal_tokens(host)
    friend = visit("/practice/", **PHONE, has_touch=True, is_mobile=True)
    friend.locator("[value=labyrinth].practice-card").tap()
    friend.locator(".rail #seeks").get_by_role("button", name="Race a guest").tap()
    for page in (host, friend):
        page.wait_for_url(TABLE)
    shows(spectator, "The race is starting")
    assert spectator.locator("#to-table").is_hidden()

    mouse, finger = Mouse(host), Touch(friend)
    for player in (mouse, finger):
        player.start()
    assert spectator.locator(".card").count() == 0
    move = next(token for token in legal if "x" not in token)
    mouse.play(move)
    mouse.wait_played()
    finger.play(move)
    finger.wait_played()
    lanes = spectator.locator("#lanes .lane", has_text="one move")
    sync_api.expect(lanes).to_have_count(2)

    host.get_by_role("button", name="Give up").first.click()
    host.locator("#resign-dialog button.danger").click()
    sync_api.expect(host.locator("#finish-title")).to_contain_text("so far")
    sync_api.expect(spectator.locator("#lanes .lane", has_text="gave up")).to_have_count(1)
    friend.locator("#resign").tap()
    friend.locator("#resign-dialog button.danger").tap()
    for page in (host, friend):
        page.wait_for_function("() => document.body.dataset.race === 'finished'")
    accept_rematch_on_another_page(host, friend, link)
    sync_api.expect(spectator.locator(".seat:not(.free)")).to_have_count(2)
    spectator.get_by_role("link", name="Result and replays").click()
    sync_api.expect(spectator.locator("main")).to_contain_text("Check this race")
    for page in (host, friend):
        page.wait_for_url(TABLE)
        page.locator("#starting:visible, #felt .card").first.wait_for()


def accept_rematch_on_another_page(host: Any, friend: Any, room: str) -> None:
    friend.goto("/rules/")
    host.locator("#finish").get_by_role("button", name="Rematch").click()
    host.wait_for_url(room)
    offer = friend.locator(".offer")
    name = host.locator(".seat.me .seat-name").inner_text()
    sync_api.expect(offer).to_contain_text(f"{name} wants a rematch. The offer stands for half an hour.")
    assert name == host.locator(".player-link span").inner_text()
    friend.goto("/play/stonewall/")  # also on any other page
    offer.get_by_role("button", name="Join").click()
    friend.wait_for_url(ROOM_OR_TABLE)


def legal_tokens(page: Any) -> list[str]:
    """Return the legal moves in the first view that a page's table receives."""
    found: list[str] = []

    def note(text: str | bytes) -> None:
        message = json.loads(text)
        if message["type"] == "view":
            found[:] = message["legal"]

    page.on("websocket", lambda socket: socket.on("framereceived", note))
    return found


def test_a_newcomer_races_a_bot_at_once(visit: Visit) -> None:
    page = visit("/races/", **PHONE, has_touch=True, is_mobile=True)
    page.tap(".bots [value=pip]")
    page.wait_for_selector("#felt .card")
    page.wait_for_selector(".strip-cell:not(.me):has-text('Pip (bot)')")
    page.wait_for_function("() => /^1?[0-9]:[0-5][0-9]$/.test(document.querySelector('.strip-left').textContent)")
    page.tap("#strip")
    page.wait_for_function(
        "() => /[1-9]/.test(document.querySelector('.lanes-dialog .lane:not(.me) .lane-moves').textContent)"
    )
    page.tap(".lanes-dialog button:has-text('Close')")
    page.tap("#resign")
    page.tap("#resign-dialog button.danger")
    page.wait_for_function("() => document.body.dataset.race === 'finished'")
    page.tap("#finish a:has-text('Result')")
    page.wait_for_selector(".lead-chart")
    assert re.fullmatch("You came (first|2nd of 2)", page.text_content("h1"))
    assert page.locator(".lead-chart path.line").count() == 4, "two lines and their legend"
    page.tap("button:has-text('Rematch')")
    page.wait_for_url(TABLE)
    page.wait_for_selector("#felt .card")


def test_a_waiting_player_is_offered_a_bot(visit: Visit) -> None:
    page = visit("/races/", fresh=True)
    page.clock.install()
    choose_only(page, "tarot")
    press(page, "Find a race")
    page.wait_for_selector("#stage-text:has-text('Looking for an opponent')")
    assert not page.is_visible("#bots-offer")
    page.clock.fast_forward(20_500)
    sync_api.expect(page.locator("#bots-offer [value=rex]")).to_be_visible()


def test_the_host_of_a_public_room_changes_the_race_and_kicks_a_player(visit: Visit, complaints: list[str]) -> None:
    friend, host = visit("/races/"), visit("/races/")
    host.get_by_text("Game, time and seats").click()
    host.get_by_text("Everyone", exact=True).click()
    press(host, "Open a room")
    host.wait_for_url(ROOM)
    listed = friend.locator("#rooms li")
    sync_api.expect(listed).to_contain_text("1 of 8 seats")
    listed.get_by_role("link").click()
    friend.wait_for_url(host.url)
    shows(friend, "Join this race")
    press(friend, "Join")
    press(host, "Change")
    host.locator("#next-name").select_option("own:tarot")
    host.locator("[data-options-of='own:tarot']").get_by_text("wild", exact=True).click()
    host.locator("#next-seats").select_option("3")
    press(host, "Save")
    for page in (host, friend):
        sync_api.expect(page.locator("#room-title")).to_have_text("Tarot Solitaire")
        sync_api.expect(page.locator("#room-facts")).to_contain_text("3 seats")
    assert friend.get_by_role("button", name="Change").is_hidden()
    host.locator("[data-kick]").click()
    sync_api.expect(friend.locator("h1")).to_have_text("The host removed you from this room.")
    sync_api.expect(host.locator(".seat:not(.free)")).to_have_count(1)
    complaints.clear()  # the room's page is refused with an error status


def test_a_friend_joins_by_the_copied_link(visit: Visit) -> None:
    host = visit("/", width=1440, height=900, permissions=["clipboard-read", "clipboard-write"])
    host.get_by_role("link", name="Races", exact=True).click()
    press(host, "Open a room")
    host.wait_for_url(ROOM)
    shows(host, "No one else is here yet")
    link = host.get_by_label("Link to this room").input_value()
    assert link == host.url
    press(host, "Copy link")
    sync_api.expect(host.locator("#copy")).to_have_text("Copied")
    assert host.evaluate("navigator.clipboard.readText()") == link
    press(host, "Leave")
    shows(host, "Join this race")
    press(host, "Join")
    shows(host, "No one else is here yet")
    host.keyboard.press("Tab")
    assert host.evaluate("document.activeElement.id")  # the focus does not jump to the top
    spectator = visit(link)
    friend = visit(link, **PHONE, has_touch=True, is_mobile=True)
    shows(friend, "Join this race")
    press(friend, "Join")
    for page in (host, friend, spectator):
        sync_api.expect(page.locator(".seat:not(.free)")).to_have_count(2)
        sync_api.expect(page.locator(".seat.here")).to_have_count(2)
    shows(host, "Start when you like")
    shows(friend, "Waiting for the host to start")
    assert friend.get_by_role("button", name="Start the race").is_hidden()
    press(host, "Start the race")
    for page in (host, friend):
        page.wait_for_url(TABLE)


def test_the_host_sees_who_has_gone(visit: Visit) -> None:
    host = visit("/races/")
    press(host, "Open a room")
    host.wait_for_url(ROOM)
    friend = visit(host.url)
    press(friend, "Join")
    sync_api.expect(host.get_by_role("button", name="Start the race")).to_be_visible()
    friend.goto("/rules/")
    sync_api.expect(host.locator(".seat:not(.here):not(.free)")).to_contain_text("away", timeout=10_000)
    assert host.get_by_role("button", name="Start the race").is_hidden()


def test_a_room_that_is_open_twice_follows_the_player(visit: Visit) -> None:
    first = visit("/races/")
    press(first, "Open a room")
    first.wait_for_url(ROOM)
    second = visit(first.url, context=first.context)
    sync_api.expect(first.locator("#lost")).to_contain_text("This room is open in another window.")
    press(first, "Leave")  # the press also takes the connection, over which the command is repeated
    shows(first, "Join this race")
    sync_api.expect(first.locator("#lost")).to_be_hidden()
    sync_api.expect(second.locator("#lost")).to_be_visible()


def choose_only(page: Any, variant: str) -> None:
    """Choose one variant for quick matches, so that players of other tests are not matched."""
    page.get_by_text("Games I'll play").click()
    for box in page.locator("[name=variant]").all():
        box.set_checked(box.get_attribute("value") == variant)


def seek(visit: Visit, variant: str, *, page: Any = None, **options: Any) -> Any:
    """Look for an opponent in one variant, in a new page or in this one."""
    page = page or visit(**options)
    page.goto("/races/")
    choose_only(page, variant)
    press(page, "Find a race")
    page.wait_for_url(ROOM_OR_TABLE)
    return page


def test_a_quick_match_calls_a_player_on_another_page(visit: Visit) -> None:
    seeker = seek(visit, "braid")
    shows(seeker, "Looking for an opponent…")
    seeker.get_by_role("link", name="Rules", exact=True).click()
    seeker.wait_for_url("**/rules/")
    other = seek(visit, "braid")
    shows(other, "Opponent found")
    sync_api.expect(other.locator("#stage-note")).to_have_text("Waiting for your opponent to come.")
    call = seeker.locator(".offer")
    sync_api.expect(call).to_contain_text("Opponent found. Come within")
    assert call.locator("button, a").count() == 1
    seeker.keyboard.press("Escape")  # gives up nothing
    call.get_by_role("link", name="Go to the race").click()
    for page in (seeker, other):
        page.wait_for_url(TABLE)


def test_a_call_lies_over_no_card_or_key_of_a_table(visit: Visit) -> None:
    player = seek(visit, "plot", **PHONE, has_touch=True, is_mobile=True)
    player.goto("/play/stonewall/")
    deal(player)
    seek(visit, "plot")
    sync_api.expect(player.locator(".offer")).to_contain_text("Opponent found")
    under = "() => document.querySelector('.offer').getBoundingClientRect().bottom"
    assert player.evaluate(under) <= player.evaluate(
        "() => document.querySelector('#felt').getBoundingClientRect().top"
    )


def test_no_race_starts_if_a_quick_match_is_missed(visit: Visit) -> None:
    absent = seek(visit, "pigtail")
    shows(absent, "Looking for an opponent…")
    room = absent.url
    absent.goto("/rules/")
    patient = seek(visit, "pigtail")
    sync_api.expect(absent.locator(".offer")).to_contain_text("Opponent found")
    sync_api.expect(absent.locator(".offer")).to_contain_text("You missed this match", timeout=25_000)
    shows(patient, "Looking for an opponent…")
    assert patient.url == room
    absent.goto("/rules/")
    sync_api.expect(absent.locator(".messages")).to_contain_text("You missed a quick match")
