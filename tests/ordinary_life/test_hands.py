"""Hands at the cards: interrupted drags, held keys, quick fingers, and small screens with large text."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import Any

from tests.browser.conftest import PATIENCE_MS, PHONE, Visit
from tests.browser.positions import positions
from tests.browser.table_driver import Mouse, Player, Touch, play_through, practise, start_game, won_record
from tests.ordinary_life import hidden_tab

#: Number of key events of a held key.
REPEATS = 12
_IN_HAND = "document.querySelectorAll('#felt .lifted').length"
_MOVES = "n => document.querySelector('#moves').textContent === n"


def drag_over(player: Mouse, token: str) -> tuple[float, float]:
    """Drag the card of a move over its target, without letting go, and return the point."""
    source, _, to = token.partition("-")
    x, y = player.middle(player.card(source))
    player.page.mouse.move(x, y)
    player.page.mouse.down()
    player.page.mouse.move(x + 9, y + 9)
    x, y = player._centre(player.place(to))
    player.page.mouse.move(x - 3, y - 3)
    player.page.mouse.move(x, y)
    assert player.page.evaluate(_IN_HAND) == 1
    return x, y


def press_right_button(page: Any, _x: float, _y: float) -> None:
    page.mouse.down(button="right")
    page.mouse.up(button="right")


def let_go_unnoticed(page: Any, x: float, y: float) -> None:
    """Let the button go where the page cannot see it, and come back."""
    page.context.new_cdp_session(page).send(
        "Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x + 2, "y": y, "button": "none", "buttons": 0}
    )


INTERRUPTIONS: dict[str, Callable[[Any, float, float], None]] = {
    "right button": press_right_button,
    "Escape": lambda page, _x, _y: page.keyboard.press("Escape"),
    "hidden tab": lambda page, _x, _y: hidden_tab.hide(page),
    "let go unnoticed": let_go_unnoticed,
    "let go outside": lambda page, _x, y: page.mouse.move(-2, y),
}


def test_an_interrupted_drag_plays_nothing_and_the_next_press_counts(visit: Visit) -> None:
    page = visit("/play/tarot/", **PHONE)
    player = start_game(page)
    for name, interrupt in INTERRUPTIONS.items():
        x, y = drag_over(player, "t8-t0")
        interrupt(page, x, y)
        if name != "let go outside":
            assert page.evaluate(_IN_HAND) == 0, name
        page.mouse.up()
        hidden_tab.show(page)
        assert page.evaluate(_IN_HAND) == 0, name
        assert page.text_content("#moves") == "0", name
    drag_over(player, "t8-t0")
    page.mouse.up()
    player.wait_played()


def test_a_second_finger_ends_a_drag_and_the_next_press_counts(visit: Visit) -> None:
    page = visit("/play/stonewall/", **PHONE, has_touch=True, is_mobile=True)
    page.tap("text=Deal the cards")
    page.wait_for_url(re.compile("/table/"))
    player = Touch(page)
    player.start()
    session = page.context.new_cdp_session(page)

    def touch(event: str, *points: tuple[float, float]) -> None:
        fingers = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": event, "touchPoints": fingers})

    start = player.middle(player.card("t0"))
    end = player._centre(page.query_selector("#slot-f1"))
    touch("touchStart", start)
    touch("touchMove", (start[0] + 9, start[1] + 9))
    touch("touchMove", end)
    assert page.evaluate(_IN_HAND) == 1
    other = player.middle(player.card("t5"))
    touch("touchStart", end, other)
    assert page.evaluate(_IN_HAND) == 0
    touch("touchMove", end, (other[0] + 40, other[1] + 40))
    assert page.evaluate(_IN_HAND) == 0
    touch("touchEnd", end)
    touch("touchEnd")
    assert page.text_content("#moves") == "0"
    player.play("t0-f")
    player.wait_played()


def hold(page: Any, key: str) -> None:
    for _ in range(REPEATS):
        page.keyboard.down(key)
    page.keyboard.up(key)


def test_a_held_key_acts_once(visit: Visit) -> None:
    page = visit()
    player = practise(page)
    moves = 0
    for key in ("d", "u", "y", "z", "Z"):
        hold(page, key)
        moves += 1
        page.wait_for_function("n => Number(document.querySelector('#felt').dataset.confirmed) >= n", arg=moves)
        assert page.text_content("#moves") == str(moves), key
    for button in ("#draw", "#undo"):
        page.focus(button)
        hold(page, "Enter")
        moves += 1
        page.wait_for_function(_MOVES, arg=str(moves))
    hold(page, "b")
    page.wait_for_selector("#paused:not([hidden])")
    page.keyboard.press("b")
    page.wait_for_selector("#paused", state="hidden")
    # Enter picks a card up, and held it does not put it down as well; the arrows go on.
    player.card("t1").focus()
    hold(page, "ArrowRight")
    assert page.evaluate("document.activeElement.dataset.pile") == "t7"
    page.goto(page.url)
    player.start()
    page.press("#felt [tabindex='0']", "/")
    page.fill("#command", "draw")
    hold(page, "Enter")
    page.wait_for_function(_MOVES, arg=str(moves + 1))
    assert page.text_content("#moves") == str(moves + 1)


def test_a_held_key_acts_once_in_lessons(visit: Visit) -> None:
    page = visit("/rules/labyrinth/")
    page.wait_for_selector(".lesson .card")
    page.focus(".lesson .card[tabindex='0'], .lesson .slot[tabindex='0']")
    before = page.locator(".lesson .chosen").count()
    assert before == 0
    hold(page, "Enter")
    assert page.locator(".lesson .chosen").count() == 1


_PLACES = "[...document.querySelectorAll('#felt .card')].map(({style}) => style.transform).sort()"


def test_quick_undos_and_redos_are_all_made(visit: Visit) -> None:
    page = visit("/play/stonewall/", fresh=True)
    is_slow = False
    answers: list[str] = []
    lines: list[Any] = []

    def line(here: Any) -> None:
        lines.append(here)
        here.connect_to_server().on_message(lambda text: answers.append(text) if is_slow else here.send(text))

    page.route_web_socket(re.compile("/ws/play/"), line)
    player = start_game(page)
    moves = 5
    play_through(player, won_record("stonewall")["tokens"][:moves])
    before = page.evaluate(_PLACES)
    # All keys are pressed before the first answer; the last two undos have no move left.
    for keys, expected in (("uuuuuyyyyy", 10), ("uyuyuuyyuuuuuyyyyy", 18), ("uuuuu", 5), ("yyyyy", 5), ("uuuuuuu", 5)):
        is_slow = True
        for key in keys:
            page.keyboard.press(key)
        until = time.monotonic() + PATIENCE_MS / 1000
        while sum("pong" not in text for text in answers) < len(keys):
            assert time.monotonic() < until, (keys, answers)
            page.wait_for_timeout(20)
        is_slow = False
        moves += expected
        while answers:
            lines[-1].send(answers.pop(0))
        page.wait_for_function("n => document.querySelector('#felt').dataset.confirmed === n", arg=str(moves))
        if keys[-1] == "y":
            assert page.evaluate(_PLACES) == before, keys
    assert page.text_content("#moves") == str(moves)
    assert page.is_hidden("#notice")
    assert page.is_disabled("#undo")
    assert page.is_enabled("#redo")


# The cards and empty piles of which a visible part is outside the screen or covered by something other than cards, once
# the table has its new size.
_COVERED = """async () => {
  for (const _ of [1, 2]) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return [...document.querySelectorAll('#felt :is(.card:not(.down, [aria-hidden]), .slot)')].filter((one) => {
    const {left, top, width, height} = one.getBoundingClientRect();
    const points = [4, height / 2].map((y) => document.elementFromPoint(left + width / 2, top + y));
    return points.some((hit) => !hit?.closest('#felt'));
  }).map((one) => one.id);
}"""

# A long text that needs no card of the game.
_REASONS = [{"why": "inner_cell"}]
#: One variant for each layout.
LAYOUTS = ["braid", "pigtail", "labyrinth", "tarot", "plot", "stonewall"]
SCREENS = [(320, 568), (360, 640), (390, 844), (568, 320), (844, 390)]


def test_nothing_covers_the_cards_with_text_twice_as_large(visit: Visit) -> None:
    page = visit(fresh=True)
    lines: list[Any] = []
    frame: dict[str, Any] = {}

    def line(here: Any) -> None:
        lines.append(here)
        here.on_message(lambda text: here.send(json.dumps(frame)) if '"hello"' in text else None)

    page.route_web_socket(re.compile("/ws/play/"), line)
    page.goto("/practice/")
    page.click(".practice-card:has-text('Labyrinth')")
    page.wait_for_url(re.compile("/table/"))
    frame.update(json.loads(page.text_content("#opening")))
    page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
    Player(page).start()
    found = {}
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        for variant in LAYOUTS if width in (320, 568) else ["stonewall"]:
            for stuck in (False, True):
                frame |= {"n": frame["n"] + 1, "view": positions(variant, 3)[2], "legal": [], "stuck": stuck}
                lines[-1].send(json.dumps(frame))
                if not stuck:
                    lines[-1].send(json.dumps({"type": "because", "reasons": _REASONS}))
                page.wait_for_selector("#stuck:not([hidden])" if stuck else "#notice:not([hidden])")
                found[variant, width, "stuck" if stuck else "a notice"] = page.evaluate(_COVERED)
                page.evaluate("document.querySelector('#notice').hidden = true")
        lines[-1].close(code=1012)
        page.wait_for_selector("#lost:not([hidden])")
        found[variant, width, "a lost connection"] = page.evaluate(_COVERED)
        page.wait_for_selector("#lost", state="hidden")
    assert {where: covered for where, covered in found.items() if covered} == {}
