"""The table beside its moves: messages, tools, undo and pause."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from tests.browser.conftest import PHONE, Visit
from tests.browser.pages.test_every_page import faults
from tests.browser.table_driver import practise, start_game, turn_to, won_record

_APART = """() => {
  const below = document.querySelector("#stuck").getBoundingClientRect();
  return [...document.querySelectorAll("#felt .card, #felt .slot")]
    .every(card => card.getBoundingClientRect().bottom <= below.top + 1);
}"""


def check_card_faces(page: Any) -> None:
    """Check that the setting redraws all faces at once."""
    dressed = "all => all.map((card) => card.dataset.dressed.slice(-2))"
    badges = "all => all.map((card) => card.querySelector('[color]')?.previousElementSibling.getAttribute('d') ?? '')"
    page.click("[data-opens=settings-dialog]")
    for face in ("classic", "large", "colours", "classic"):
        page.check(f"input[name=card_face][value={face}]", force=True)
        indices = {"-c", "-d"} if face == "large" else {"-i", "-j"}
        assert set(page.eval_on_selector_all("#felt .card:not(.down)", dressed)) <= indices
        shapes = set(page.eval_on_selector_all("#felt .card:not(.down)", badges))
        assert len(shapes) == (4 if face == "colours" else 1)
        assert ("" in shapes) == (face != "colours")
    page.keyboard.press("Escape")
    page.wait_for_selector("#settings-dialog", state="hidden")


def test_one_tap_moves_a_card_with_one_place_to_go(visit: Visit) -> None:
    page = visit("/play/labyrinth/", width=1440, height=900)
    player = start_game(page)
    legal = page.evaluate("JSON.parse(document.getElementById('opening').textContent).legal")
    places = Counter(token.partition("-")[0] for token in legal if "-" in token)
    single = next(pile for pile, count in places.items() if count == 1)
    page.mouse.click(*player.middle(player.card(single)))
    player.wait_played()
    page.click("#undo")
    player.wait_played()
    page.click("[data-opens=settings-dialog]")
    page.set_checked("input[name=one_tap]", checked=False)
    page.keyboard.press("Escape")
    page.mouse.click(*player.middle(player.card(single)))
    assert player.is_picked_up()


def test_sound_is_offered_in_one_game_until_it_is_answered(visit: Visit) -> None:
    page = visit("/play/labyrinth/", **PHONE, sound_offered=False)
    player = start_game(page)
    table = page.url
    player.play(won_record("labyrinth")["tokens"][0])
    player.wait_played()
    page.wait_for_selector("#sound-offer")
    page.goto("/play/stonewall/")
    other = start_game(page)
    other.play(won_record("stonewall")["tokens"][0])
    other.wait_played()
    page.wait_for_load_state("networkidle")
    assert not page.query_selector("#sound-offer")
    page.goto(table)
    for answer in ("No thanks", "Yes"):
        player.start()
        page.keyboard.press("u")
        player.wait_played()
        page.wait_for_selector("#sound-offer [role=status]:has-text('Turn sound on?')")
        assert page.evaluate(_APART.replace("#stuck", "#sound-offer"))
        page.press(f"#sound-offer button:text-is('{answer}')", "Enter")
        page.wait_for_selector("#sound-offer", state="detached")
        assert page.evaluate("document.activeElement.matches('#felt *')")
        page.click("[data-opens=settings-dialog]")
        page.wait_for_selector("#settings-dialog[open]")
        assert page.is_checked("#settings-dialog [name=sound]") == (answer == "Yes")
        page.reload()
        player.start()
        page.keyboard.press("y")
        player.wait_played()
        page.wait_for_load_state("networkidle")
        assert not page.query_selector("#sound-offer")
        page.evaluate("localStorage.removeItem('talon.sound-offer')")  # as if it had not been answered
        page.reload()


def test_letter_keys_can_be_turned_off(visit: Visit) -> None:
    page = visit("/play/labyrinth/")
    player = start_game(page)
    page.click("[data-opens=settings-dialog]")
    page.set_checked("input[name=letter_keys]", checked=False)
    page.press("#settings-dialog .actions button", "Enter")
    page.focus("#felt .card.movable")
    for key in "dfplr?/":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_selector("#felt .card.chosen")
    assert not page.query_selector("dialog[open], #command-line, .peek")
    page.keyboard.press("Escape")
    page.wait_for_selector("#felt .card.chosen", state="detached")
    assert player.count == page.evaluate("Number(document.querySelector('#felt').dataset.confirmed)") == 0
    page.click("[data-opens=settings-dialog]")
    page.set_checked("input[name=letter_keys]", checked=True)
    page.press("#settings-dialog .actions button", "Enter")
    page.keyboard.press("?")
    page.wait_for_selector("#help-dialog[open] .note:has-text('Letter keys')")


def test_settings_leave_the_table_in_view_and_help_suits_the_hands(visit: Visit) -> None:
    for size, keys in (
        ({"width": 1440, "height": 900}, True),
        ({**PHONE, "has_touch": True, "is_mobile": True}, False),
    ):
        page = visit("/play/labyrinth/", fresh=True, **size)
        start_game(page)
        page.click("[data-opens=settings-dialog]")
        page.wait_for_selector("#settings-dialog[open]")
        clear, beside = page.evaluate(_SETTINGS)
        assert clear
        assert beside > 0.45, "of the felt stays in view"
        page.press("#settings-dialog .actions button", "Enter")
        page.keyboard.press("?")
        page.wait_for_selector("#help-dialog[open]")
        assert page.is_visible(".keys-list") == keys
        assert page.is_visible("text=Press and hold a pile") != keys


#: True if nothing dims the table behind the settings, and the share of the felt still visible.
_SETTINGS = """() => {
  const dialog = document.querySelector('#settings-dialog');
  const [felt, box] = [document.querySelector('#felt'), dialog].map(one => one.getBoundingClientRect());
  const width = Math.max(0, Math.min(felt.right, box.right) - Math.max(felt.left, box.left));
  const height = Math.max(0, Math.min(felt.bottom, box.bottom) - Math.max(felt.top, box.top));
  const {backgroundColor, backdropFilter} = getComputedStyle(dialog, '::backdrop');
  const isClear = backgroundColor === 'rgba(0, 0, 0, 0)' && backdropFilter === 'none';
  return [isClear, 1 - width * height / (felt.width * felt.height)];
}"""


def test_refused_moves_and_pressed_piles_are_explained(visit: Visit) -> None:
    page = visit("/play/stonewall/", width=1440, height=900)
    player = start_game(page)
    check_card_faces(page)
    stays = page.locator("#felt .card:not(.movable):not(.down)").first
    x, y = player.middle(stays.element_handle())
    page.mouse.click(x, y)
    page.wait_for_selector("#notice:not([hidden])")
    said = page.text_content("#notice")
    assert said.endswith(".")
    assert page.text_content("#live") == said
    page.mouse.move(*player.middle("#slot-f1"))
    page.wait_for_selector("#pile-name:not([hidden])")
    assert page.text_content("#pile-name") == "Foundation of hearts, empty"
    page.mouse.move(*player.middle(player.card("t0")))
    page.mouse.down()
    page.wait_for_selector(".peek .card")
    assert page.locator(".peek .card.down").count() == 0
    assert page.locator(".peek .card").count() == page.locator("#felt > .card[data-pile=t0]:not(.down)").count()
    page.mouse.up()
    page.wait_for_selector(".peek", state="detached")
    assert page.text_content("#moves") == "0"
    # Opened with a key, the fan stays until a move arrives.
    player.card("t0").focus()
    page.keyboard.press("p")
    page.wait_for_selector(".peek .card")
    player.play_elsewhere(won_record("stonewall")["tokens"][:1])
    assert page.locator(".peek").count() == 0


def test_tools_and_status_lines_fit_a_phone_in_landscape(visit: Visit) -> None:
    page = visit(width=844, height=390, locale="de-DE")  # with longer words than in English
    for variant, facts in {"braid-either": 3, "plot": 2, "stonewall": 0}.items():
        page.goto(f"/play/{variant}/")
        page.click("main form button:not(.secondary)")
        page.wait_for_selector("#felt .card")
        # With everything that may be offered: hint and link to the replay as in practice, and the finish button.
        page.evaluate("""() => {
          document.querySelector('#auto').hidden = false;
          const tool = document.querySelector('#resign');
          for (const id of ['hint', 'back-to-replay'])
            if (!document.getElementById(id)) tool.before(Object.assign(tool.cloneNode(true), {id}));
        }""")
        cut = """all => all.filter((one) => one.getBoundingClientRect().height).filter((one) => {
          const { left, top, right, bottom } = one.getBoundingClientRect();
          return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
        }).map((one) => one.id || one.textContent)"""
        assert page.eval_on_selector_all(".tools > *, .fact", cut) == []
        assert page.locator(".fact").count() == facts
        assert page.evaluate("document.documentElement.scrollHeight") == 390


def test_undo_redo_and_the_end_beside_the_cards(visit: Visit) -> None:
    page = visit("/play/labyrinth/", fresh=True)
    stuck: list[bool] = []

    def line(here: Any) -> None:
        there = here.connect_to_server()
        there.on_message(lambda text: here.send(text.replace('"stuck":false', '"stuck":true') if stuck else text))
        here.on_message(lambda text: there.send(text.replace('"to_choice":true', '"to_choice":false')))

    page.route_web_socket(re.compile("/ws/play/"), line)
    player = start_game(page)
    for token in won_record("labyrinth")["tokens"][:2]:
        player.play(token)
        player.wait_played()
    up = page.text_content("#cards-up")
    page.click("[data-opens=more-dialog]")
    page.click("#rules")
    page.wait_for_selector("#rules-text[data-loaded] h2")
    assert page.is_visible(".clock-note")
    page.keyboard.press("Escape")
    page.click("[data-opens=more-dialog]")
    page.click("#rewind")
    page.wait_for_function("() => document.querySelector('#moves').textContent === '4'")
    assert page.is_disabled("#undo")
    for moves in ("5", "6"):
        page.click("#redo")
        page.wait_for_function("n => document.querySelector('#moves').textContent === n", arg=moves)
    assert page.text_content("#cards-up") == up
    assert page.is_disabled("#redo")
    stuck.append(True)
    page.keyboard.press("d")
    page.wait_for_selector("#stuck:not([hidden])")
    page.wait_for_function(_APART)
    assert page.text_content("#live").endswith("Nothing more to do here.")
    stuck.clear()
    page.focus("#stuck-undo")
    page.keyboard.press("Enter")
    page.wait_for_selector("#stuck", state="hidden")
    assert page.is_disabled("#undo")
    assert page.is_enabled("#redo")
    assert page.evaluate("document.activeElement !== document.body")


def test_the_direction_of_a_braid_is_asked_with_focus(visit: Visit) -> None:
    page = visit("/play/braid-either/")
    start_game(page)
    assert page.evaluate("document.activeElement.dataset.direction") == "up"
    assert page.evaluate(_APART.replace("#stuck", "#direction"))
    assert faults(page) == []
    page.keyboard.press("Enter")
    page.wait_for_selector("#direction", state="hidden")
    assert page.evaluate("document.activeElement.closest('#felt') !== null")


def lost_while_paused(page: Any) -> None:
    """Check that a disconnected practice table shows the right message about the game, and that the cards stay."""
    felt = "JSON.stringify(document.querySelector('#felt').getBoundingClientRect())"
    for paused, said in ((True, "the clock is stopped"), (False, "Play on: your moves are kept here")):
        if paused:
            page.click("#pause")
            page.wait_for_selector("#paused:not([hidden])")
        before = page.evaluate(felt)
        page.context.set_offline(True)
        page.wait_for_selector("body[data-connection=lost]")
        assert said in page.text_content("#lost-text")
        assert page.evaluate(felt) == before
        page.context.set_offline(False)
        page.wait_for_selector("body[data-connection=open]")
        if paused:
            page.click("#resume")
            page.wait_for_selector("#paused", state="hidden")


def test_a_pause_survives_a_reload_and_reaches_other_tabs(visit: Visit, complaints: list[str]) -> None:
    page = visit(**PHONE, fresh=True)
    player = practise(page)
    player.play("d")
    player.wait_played()
    page.keyboard.press("u")
    player.wait_played()
    page.click("#pause")
    page.wait_for_selector("#paused:not([hidden])")
    assert page.text_content("#live") == "Paused: the clock is stopped and the cards are hidden."
    other = page.context.new_page()
    other.goto(page.url)
    for one in (page, other):
        turn_to(one)
        one.wait_for_selector("#paused:not([hidden])")
        assert one.evaluate("document.activeElement.id") == "resume"
        assert one.locator("#felt .card").first.is_hidden()
        assert one.evaluate("document.querySelector('#felt').inert")
        one.keyboard.press("d")
        assert one.is_disabled("#draw")
        assert one.text_content("#moves") == "2"
    stood = page.text_content("#clock")
    with page.expect_response(re.compile(r"/deck\.json")):
        page.reload()
    page.wait_for_selector("#paused:not([hidden])")
    assert page.text_content("#clock") == stood
    player.start()
    page.keyboard.press("b")
    page.wait_for_selector("#paused", state="hidden")
    for one in (other, page):
        turn_to(one)
        one.wait_for_selector("#paused", state="hidden")
        assert one.locator("#felt .card").first.is_visible()
    lost_while_paused(page)
    complaints.clear()  # the browser logs the failed requests
    page.keyboard.press("y")  # redo works for moves undone before the reload
    page.wait_for_function("() => document.querySelector('#felt').dataset.confirmed === '3'")
    assert page.text_content("#moves") == "3"
