"""The table in a race, from the countdown to the last place, and other players at a daily deal's table."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.browser.conftest import PHONE, Visit, from_sources
from tests.browser.pages.test_collected import LOADED, wait_loaded
from tests.browser.races.test_races import press
from tests.browser.racing import race_in_countdown, race_soon
from tests.browser.table_driver import Keys, Mouse, Touch, deal, give_up, play_through, sign_up, won_record

TABLE = {"width": 1440, "height": 900}

#: Gives up a seat as the room's page does.
LEAVE = """async (code) => {
  const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ws/race/${code}/`);
  await new Promise((resolve) => { socket.onopen = resolve; });
  for (const message of [{ type: "hello", v: 1 }, { type: "leave" }]) socket.send(JSON.stringify(message));
  await new Promise((resolve) => {
    socket.onmessage = ({ data }) => { if (JSON.parse(data).to_come === null) resolve(); };
  });
  socket.close();
}"""

#: A clock three hours fast that is set back by a day during the countdown.
_WRONG_CLOCK = """
const right = Date.now;
let wrong = 3 * 3600e3;
Date.now = () => right() + wrong;
window.setClock = () => { wrong = -86400e3; };
"""

_KEEP_WHAT_THE_BANNER_SAYS = """() => {
  const banner = document.querySelector("#race-banner");
  const keep = () => { if (banner.checkVisibility()) sessionStorage.banner = banner.innerText; };
  new MutationObserver(keep).observe(banner, { attributes: true, childList: true, subtree: true });
}"""


# The names covered by a visible reaction.
_COVERED = """() => [...document.querySelectorAll('.bubble.seen')].filter((bubble) => bubble.checkVisibility())
  .flatMap((bubble) => {
    const [a, row] = [bubble.getBoundingClientRect(), bubble.parentElement];
    const name = row.querySelector('.strip-name, .lane-name > span, .seat-name');
    const range = document.createRange();
    range.selectNodeContents(name);
    const b = range.getBoundingClientRect();
    const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
    return apart ? [] : [name.textContent];
  })"""

# Whether news, shown with text of a normal and of double size, stay above the cards.
_NEWS_STAY_ABOVE = """() => ['100%', '200%', ''].every((size) => {
  document.documentElement.style.fontSize = size;
  const [news, felt] = ['.race-news', '#felt'].map((one) => document.querySelector(one));
  news.classList.add('seen');
  const {height, bottom} = news.getBoundingClientRect();
  news.classList.remove('seen');
  return height > 0 && bottom <= felt.getBoundingClientRect().top;
})"""


def test_a_race_from_the_countdown_to_the_last_place(visit: Visit, site: Any) -> None:
    def arrive(race: dict[str, Any]) -> list[Any]:
        first, second = race["racers"]
        phone = visit(first["table"], **PHONE, session=first["session"], has_touch=True, is_mobile=True)
        desk = visit(**TABLE, session=second["session"], fresh=True)
        desk.add_init_script(_WRONG_CLOCK)
        desk.goto(second["table"])
        return [phone, desk]

    race, (phone, desk) = race_in_countdown(site, "Aletes", "Briseis", arrive=arrive)
    for page in (phone, desk):
        assert re.fullmatch(r"\d+", page.text_content("#starting-number"))
        assert page.locator("#felt .card").count() == 0
        assert json.loads(page.text_content("#opening"))["type"] == "waiting"
        assert page.locator("#can-win").count() == 0
    shown = "() => { setClock(); return Number(document.querySelector('#starting-number').textContent); }"
    assert 0 < desk.evaluate(shown) <= race["seconds"]
    before = phone.evaluate("() => JSON.stringify(document.querySelector('#felt').getBoundingClientRect())")
    for page in (phone, desk):
        page.wait_for_selector("#felt .card")
        page.wait_for_selector("#starting", state="hidden")
        page.wait_for_function("() => /^0:[0-5][0-9]/.test(document.querySelector('#clock').textContent)")
    phone.wait_for_selector("#strip:has-text('Briseis')")
    desk.wait_for_selector(".strip-left:not(:empty)", state="attached")
    assert desk.is_hidden("#strip")
    wait_loaded(phone, "race.late.js", "racing.css")
    assert "daily-players.late.js" not in phone.evaluate(LOADED)
    assert phone.evaluate("() => JSON.stringify(document.querySelector('#felt').getBoundingClientRect())") == before
    assert phone.evaluate("() => document.documentElement.scrollWidth") == PHONE["width"]

    tokens = won_record("stonewall")["tokens"]
    keys = Keys(desk)
    keys.skip_to_cards()
    up = next(n for n, token in enumerate(tokens) if token.endswith("-f")) + 1
    play_through(keys, tokens[:up])
    phone.wait_for_function(
        "() => Number(document.querySelector('.strip-cell:not(.me) .strip-figure').textContent) > 0"
    )
    desk.wait_for_function("() => document.querySelectorAll('.lanes-panel .lane').length === 2")
    assert phone.evaluate(_NEWS_STAY_ABOVE)
    assert desk.evaluate(_NEWS_STAY_ABOVE)
    pictures = ".lanes-panel .lane-name img.avatar"
    assert desk.locator(pictures).count() == 2
    desk.wait_for_function(f"() => [...document.querySelectorAll('{pictures}')].every((one) => one.naturalWidth > 0)")
    assert len(set(desk.eval_on_selector_all(pictures, "all => all.map((one) => one.src)"))) == 2

    desk.keyboard.press("/")
    desk.wait_for_selector("#command:focus")
    desk.keyboard.insert_text("who is ahead")
    desk.keyboard.press("Enter")
    assert desk.text_content("#live") == "You're 1st."
    desk.keyboard.press("Escape")

    desk.click(".lanes-panel [data-react=clap]")
    phone.wait_for_selector(".strip-cell:not(.me) .bubble.seen svg")
    assert phone.evaluate(_COVERED) == []

    ahead = [n for n, token in enumerate(tokens) if token.endswith("-f")][1] + 1
    play_through(Touch(phone), tokens[:ahead])
    phone.tap("#resign")
    phone.wait_for_selector("#resign-dialog[open]")
    assert "race" in phone.inner_text("#resign-dialog")
    phone.tap("#resign-dialog button.danger")
    phone.wait_for_function("() => document.querySelector('#finish-title').textContent === '1st of 2 so far'")
    desk.wait_for_selector(".lanes-panel .lane.retired")

    desk.reload()
    desk.wait_for_selector("#felt .card")
    desk.keyboard.press("r")
    desk.click("#resign-dialog button.danger")
    for page, outcome in ((phone, "You beat {rival} by one card"), (desk, "{rival} was one card ahead")):
        page.wait_for_selector("#finish[open]")
        page.wait_for_function("() => document.body.dataset.race === 'finished'")
        rival = race["racers"][page is phone]["name"]
        assert page.text_content("#finish-title") == outcome.format(rival=rival)
    phone.tap("#finish button:has-text('Rematch')")
    phone.wait_for_url(re.compile(f"/races/{race['code']}/$"))


def test_the_place_is_shown_if_the_room_reports_the_end_first(visit: Visit, site: Any) -> None:
    tables: list[Any] = []
    held: list[str] = []
    has_reported = False

    def hold_the_end(line: Any) -> None:
        tables.append(line)
        line.connect_to_server().on_message(
            lambda text: held.append(text) if held or '"ended"' in text else line.send(text)
        )

    def fall_silent(line: Any) -> None:
        line.connect_to_server().on_message(lambda text: None if has_reported else line.send(text))

    race = race_soon(site, "Eumelus", "Pylades", seconds=3)
    page = visit(**TABLE, session=race["racers"][0]["session"], fresh=True)
    page.route_web_socket(re.compile("/ws/play/"), hold_the_end)
    page.route_web_socket(re.compile("/ws/race/"), fall_silent)
    page.goto(race["racers"][0]["table"])
    page.wait_for_selector("#felt .card")
    give_up(page)
    page.wait_for_selector(".lanes-panel .lane.me.retired")
    has_reported = True
    while not held:
        page.wait_for_timeout(20)
    assert page.is_hidden("#finish")
    tables[-1].send(held[0])
    page.wait_for_selector("#finish[open]")
    page.wait_for_function("() => / of 2 so far$/.test(document.querySelector('#finish-title').textContent)")


def test_a_postponed_race_returns_to_its_room_until_it_starts_again(visit: Visit, site: Any) -> None:
    race = race_soon(site, "Chiron", "Danae", variant="labyrinth", seconds=3600, free_undo=False)
    first, second = race["racers"]
    page = visit(first["table"], **TABLE, session=first["session"])
    page.wait_for_selector("#starting", state="visible")
    assert "can't undo a move" in page.text_content("#starting-words")
    page.wait_for_selector(".strip-cell.me", state="attached")
    page.evaluate(_KEEP_WHAT_THE_BANNER_SAYS)  # it may disappear with the page before the test reads it
    other = visit(session=second["session"])
    other.evaluate(LEAVE, race["code"])
    room = re.compile(f"/races/{race['code']}/$")
    page.wait_for_url(room)
    assert "open again" in page.evaluate("sessionStorage.banner")
    other.goto(f"/races/{race['code']}/")
    press(other, "Join")
    press(page, "Start the race")
    page.wait_for_url(re.compile("/table/"))
    check_that_a_revealing_move_stays(page)


def check_that_a_revealing_move_stays(page: Any) -> None:
    """Check that in a race without free undo, a move that revealed a card greys out undo."""
    page.wait_for_selector("#felt .card")
    page.wait_for_selector("#draw:enabled")
    page.keyboard.press("d")
    undo = page.locator("#undo[aria-disabled=true]")
    undo.wait_for()
    assert "turned up a card" in undo.get_attribute("title")
    for key in ("Enter", "u"):
        undo.focus()
        page.keyboard.press(key)
        page.wait_for_selector("#notice:has-text('turned up a card')")
        page.evaluate("document.querySelector('#notice').hidden = true")
    assert page.text_content("#moves") == "1"
    page.reload()
    undo.wait_for()
    assert page.is_disabled("#rewind")


# A lane of each kind, in the panel beside the felt, the dialog over it and on the room's page.
_LANES = """async (css) => {
  const { Lanes } = await import("/static/js/races/room/lanes.js");
  const at = (place) => ({ entrant: place, name: 'Clytaemnestra of Mycenae', avatar: '', player: null });
  const race = {
    seats: [at(1), at(2)],
    lanes: [[1, 52, 90, 'won', false, 1, 64600], [2, 12, 7, 'racing', false, 2, null]],
  };
  document.body.innerHTML = '<div class="lanes-panel"><ol class="lane-list"></ol></div>'
    + '<dialog class="lanes-dialog" open><ol class="lane-list"></ol></dialog>'
    + '<div class="room"><ol class="lanes"></ol></div>';
  const words = {};
  for (const sheet of css) {
    await new Promise((done) => document.head.append(Object.assign(
      document.createElement('link'), { rel: 'stylesheet', href: `/static/css/${sheet}.css`, onload: done })));
  }
  document.querySelector('.lanes-panel').style.display = 'block';
  for (const list of document.querySelectorAll('ol')) {
    new Lanes(list).show(race, { goal: 52, me: null });
    words[list.parentElement.className] = [...list.children].map((row) => {
      const shown = [...row.querySelectorAll('.lane-figures > *')].filter((one) => one.checkVisibility());
      const before = (one) => getComputedStyle(one, '::before').content.replace(/^"|"$|^none$/g, '');
      return shown.map((one) => before(one) + one.textContent).join('');
    });
  }
  const bubbles = [...document.querySelectorAll('li')].map((row) => {
    const bubble = row.appendChild(Object.assign(document.createElement('span'), { className: 'bubble seen' }));
    bubble.style.animation = 'none';
    return bubble;
  });
  return [words, bubbles.length];
}"""


def test_a_finished_lane_shows_its_time_uncovered(visit: Visit) -> None:
    for css, expected in (
        (
            ["at-table", "racing"],
            {"lanes-panel": ["1:04.6", "12/52"], "lanes-dialog": ["52/52 · 1:04.6", "12/52 · 7 moves"]},
        ),
        (["races"], {"room": ["52/52 · 90 moves · 1:04.6", "12/52 · 7 moves"]}),
    ):
        page = visit("/rules/", **PHONE)
        from_sources(page)
        words, bubbles = page.evaluate(_LANES, css)
        assert {kind: words[kind] for kind in expected} == expected
        assert bubbles == 6
        for kind in expected:
            page.evaluate("k => document.querySelectorAll('body > *').forEach(o => o.hidden = o.className !== k)", kind)
            assert page.evaluate(_COVERED) == [], kind


def test_other_players_at_a_daily_deal_are_shown_unless_hidden(visit: Visit) -> None:
    one, other = visit(**TABLE), visit(**PHONE)
    sign_up(one, "Eurydice")
    sign_up(other, "Orpheus")
    one.goto("/play/labyrinth/")
    deal(one)
    one.wait_for_selector(".lane.me", state="attached")
    one.wait_for_selector(".lanes-panel", state="hidden")  # once players of earlier tests have left
    other.goto("/play/labyrinth/")
    deal(other)
    token = won_record("labyrinth")["tokens"][0]
    player = Mouse(one)
    player.start()
    player.play(token)
    player.wait_played()
    one.wait_for_selector(".lanes-panel .lane:has-text('Orpheus')")
    other.wait_for_selector(".mark-on-track[title^='Eurydice: 5/']", state="attached")
    wide = one.evaluate("() => document.querySelector('#felt').clientWidth")
    one.click("[data-opens=settings-dialog]")
    one.check("input[name=hide_others]")
    one.click("#settings-dialog .actions .button")
    one.wait_for_selector(".lanes-panel", state="hidden")
    assert one.evaluate("() => document.querySelector('#felt').clientWidth") > wide
    one.reload()
    one.wait_for_selector("#felt .card")
    assert not one.is_visible(".lanes-panel")
