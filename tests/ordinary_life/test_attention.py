"""What reaches a player whose tab is hidden, and a screen reader while a dialog is open."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from games.races import heats
from tests.browser.conftest import Site, Visit
from tests.browser.races.test_race_table import LEAVE
from tests.browser.races.test_races import ROOM, TABLE, press, seek, shows
from tests.browser.racing import race_soon
from tests.ordinary_life import hidden_tab
from tests.ordinary_life.page_clock import PageClock, ServerClock

expect = pytest.importorskip("playwright.sync_api").expect

#: A browser that notes notifications on the screen and sounds, and that has allowed both.
NOTING = """(() => {
  globalThis.notified = [];
  globalThis.sounds = 0;
  localStorage.setItem("talon.settings", JSON.stringify({sound: true}));
  const RealContext = AudioContext;
  globalThis.AudioContext = class extends RealContext { constructor() { super(); sounds += 1; } };
  const worker = {
    showNotification: async (title, {tag}) => {
      notified = [...notified.filter((one) => one.tag !== tag), {title, tag}];
    },
    getNotifications: async ({tag}) => notified.filter((one) => one.tag === tag).map((one) => (
      {close: () => { notified = notified.filter((other) => other !== one); }})),
  };
  const answer = async () => worker;
  Object.defineProperty(navigator, "serviceWorker", {value: {getRegistration: answer, register: answer}});
  globalThis.Notification = {permission: "granted"};
})()"""
HIDDEN = f"({hidden_tab.SET})('hidden')"
#: The element that says one of the last seconds before a race.
COUNTED = "[...document.querySelectorAll('#live')].find(({textContent}) => /^(10|[1-5])$/.test(textContent))"
SAID_IN_DIALOG = "text => document.querySelector('dialog:modal #live')?.textContent.includes(text)"


def calls(page: Any, text: str) -> None:
    expect(page).to_have_title(f"● {text} · Talon")
    page.wait_for_function("text => notified.length === 1 && notified[0].title === text", arg=text)


def is_calm(page: Any, title: str) -> None:
    expect(page).to_have_title(title)
    page.wait_for_function("() => notified.length === 0")


def advance_until(page: Any, clock: PageClock, condition: str) -> None:
    """Let time pass in small steps until a condition holds."""
    for _ in range(40):
        if page.evaluate(f"() => Boolean(({condition})())"):
            return
        clock.advance(0.3)
    raise AssertionError(condition)


@pytest.mark.parametrize(
    ("path", "variant"), [("", "plot"), ("/rules/", "pigtail")], ids=["in the room", "on another page"]
)
def test_a_hidden_player_is_called_for_an_opponent_and_when_they_leave(visit: Visit, path: str, variant: str) -> None:
    page = visit(fresh=True)
    page.add_init_script(NOTING)
    seeker = seek(visit, variant, page=page)
    shows(seeker, "Looking for an opponent…")
    if path:
        seeker.goto(path)
    title = seeker.title()
    hidden_tab.hide(seeker)
    other = seek(visit, variant)
    calls(seeker, "Opponent found")
    seeker.wait_for_function("() => sounds > 0")
    press(other, "Leave")
    calls(seeker, "Looking for an opponent…")
    seek(visit, variant, page=other)
    calls(seeker, "Opponent found")
    hidden_tab.show(seeker)
    is_calm(seeker, title)
    if path:
        seeker.get_by_role("link", name="Go to the race").click()
    for player in (seeker, other):
        player.wait_for_url(TABLE)


def test_a_hidden_racer_is_called_for_the_start_and_when_the_race_is_called_off(
    visit: Visit, site: Site, server_clock: ServerClock
) -> None:
    race = race_soon(site, "Chloris", "Neleus", seconds=900)
    page = visit(fresh=True, session=race["racers"][0]["session"])
    clock = PageClock(page, server_clock)
    page.add_init_script(NOTING)
    page.add_init_script(HIDDEN)
    sockets: list[Any] = []
    page.on("websocket", lambda socket: sockets.append(socket))  # noqa: PLW0108 - Playwright takes no built-in
    page.goto(race["racers"][0]["table"])
    calls(page, "The race is starting")
    clock.stop()  # in a hidden tab, timers hardly fire
    for _ in range(2):
        next(one for one in sockets if "/ws/race/" in one.url).wait_for_event("framesent")
    clock.go()
    visit(session=race["racers"][1]["session"]).evaluate(LEAVE, race["code"])
    calls(page, "Fewer than two players are here, so the race is open again.")
    clock.advance(10)
    assert "/table/" in page.url
    hidden_tab.show(page)
    page.wait_for_function("() => notified.length === 0")
    page.wait_for_url(ROOM)


def test_a_scheduled_race_is_joined_and_forgotten(visit: Visit, site: Site, server_clock: ServerClock) -> None:
    """A player with the race page open is in the race, even in a hidden tab; one who left is notified later."""
    now = timezone.now()
    server_clock.move((heats.next_start(now) - now).total_seconds() - 60)
    ready, forgetful, gone = (visit("/races/heat/", fresh=True) for _ in range(3))
    for page in (ready, forgetful, gone):
        press(page, "Join")
        expect(page.get_by_role("button", name="Leave")).to_be_visible()
    hidden_tab.hide(forgetful)
    gone.goto("/rules/")
    gone.goto("about:blank")
    server_clock.move(42)
    for page in (ready, forgetful):
        page.wait_for_url(TABLE)
        page.locator("#felt .card").first.wait_for()
    gone.goto("/rules/")
    expect(gone.locator("main")).to_contain_text("You missed a race")
    site.control.ask("end_races")  # race TV would show it to other tests
    ready.wait_for_function("() => document.body.dataset.race === 'finished'")


def test_a_visible_player_is_not_called_and_no_one_is_asked(visit: Visit) -> None:
    page = visit(fresh=True)
    page.add_init_script(NOTING.replace('"granted"', '"default", requestPermission: () => notified.push("asked")'))
    seeker = seek(visit, "stonewall", page=page)
    seeker.goto("/rules/")
    title = seeker.title()
    other = seek(visit, "stonewall")
    expect(seeker.locator(".offer")).to_contain_text("Opponent found")
    assert seeker.title() == title
    hidden_tab.hide(seeker)
    press(other, "Leave")
    expect(seeker).to_have_title("● Looking for an opponent… · Talon")
    assert seeker.evaluate("notified") == []


def test_a_countdown_is_read_out_in_a_dialog(visit: Visit, site: Site, server_clock: ServerClock) -> None:
    race = race_soon(site, "Galene", "Ismene", seconds=900)
    page = visit(fresh=True, session=race["racers"][0]["session"])
    clock = PageClock(page, server_clock)
    page.goto(race["racers"][0]["table"])
    page.wait_for_function("() => document.querySelector('#live').textContent.includes('The race starts in')")
    page.click("[data-opens=help-dialog] >> nth=0")
    page.wait_for_selector("#help-dialog:modal")
    clock.sleep(int(page.text_content("#starting-number")) - 11)
    advance_until(page, clock, f"() => {COUNTED}?.closest('#help-dialog')")
    page.keyboard.press("Escape")
    page.wait_for_selector("#help-dialog", state="hidden")
    advance_until(page, clock, f"() => {COUNTED} && !{COUNTED}.closest('dialog')")


def test_news_of_a_room_is_read_out_in_a_dialog(visit: Visit) -> None:
    host = visit("/races/")
    press(host, "Open a room")
    host.wait_for_url(ROOM)
    press(host, "Change")
    friend = visit(host.url)
    press(friend, "Join")
    host.wait_for_function(SAID_IN_DIALOG, arg="joined.")
