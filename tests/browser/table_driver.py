"""A player at a page's table, by mouse, touch or keys."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

GOLDEN = Path(__file__).resolve().parents[1] / "rules" / "golden"
_MOVE = re.compile(r"([a-z]\d*)-([a-z]\d*)(?:x(\d+))?")

# The point of an element at rest: its middle, or `below` its upper edge if that is higher.
_POINT = """async (element, below) => {
  await Promise.all(element.getAnimations({subtree: true}).map(a => a.finished.catch(() => {})));
  const box = element.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + Math.min(box.height / 2, below)];
}"""

_LIE_STILL = """async () => {
  const felt = document.querySelector("#felt");
  await Promise.all(felt.getAnimations({subtree: true}).map(a => a.finished.catch(() => {})));
}"""

_CARD = """([pile, count]) => {
  const cards = [...document.querySelectorAll(`#felt .card[data-pile='${pile}']:not([aria-hidden])`)];
  return cards.sort((one, other) => one.dataset.i - other.dataset.i).at(-count);
}"""

_FROM_FOCUS_TO = """id => {
  const [from, to] = [document.activeElement, document.getElementById(id)].map(element => {
    const box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + Math.min(box.height, 40) / 2];
  });
  return [...from, document.activeElement.id, ...to];
}"""

#: Plays tokens on a second connection as another tab does: some at once, the rest slowly enough to leave the page part
#: of the player's rate limit; or all of them at uneven intervals of `gap` ms on average.
PLAY_ELSEWHERE = """async ([tokens, table = location.pathname, gap = 0]) => {
  const [atOnce, perSecond] = [70, 45];
  const path = table.replace("table", "play");
  const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ws${path}?page=script`);
  const said = [];
  let wake = () => {};
  socket.onmessage = ({data}) => { said.push(JSON.parse(data)); wake(); };
  const hear = async (...types) => {
    for (;;) {
      while (!said.length) await new Promise((resolve) => { wake = resolve; });
      const message = said.shift();
      if (types.includes(message.type)) return message;
      if (message.type === "error") throw new Error(message.code);
    }
  };
  await new Promise((resolve) => { socket.onopen = resolve; });
  socket.send(JSON.stringify({type: "hello", v: 1, have: null}));
  let {n} = await hear("view");
  const begun = performance.now();
  let next = begun;
  for (const [k, token] of tokens.entries()) {
    const due = begun + (gap ? gap * k + k * k * 137 % gap : (k - atOnce) * 1000 / perSecond);
    const early = Math.max(due, next) - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    // A page that a busy machine has held up does not catch up faster than the rate limit allows.
    if (gap || k >= atOnce) next = performance.now() + 1000 / perSecond;
    socket.send(JSON.stringify({type: "move", n: ++n, token}));
    while ((await hear("moved")).n !== n);
  }
  socket.close();
}"""


def won_record(variant: str, *, last: bool = False) -> dict[str, Any]:
    """Return the shortest won game of a variant without undos in the golden records, or with `last` the last one."""
    cases = json.loads((GOLDEN / f"{variant}.json").read_text())
    won = [case["record"] for case in cases if case["title"] == "won"]
    return won[-1] if last else min(won, key=lambda record: len(record["tokens"]))


class Player:
    """Plays tokens on a page; the subclasses use mouse, touch or keys."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.wait_for_selector("#felt .card")
        self.count = int(page.text_content("#moves"))

    def start(self) -> None:
        """Wait until the cards are dealt."""
        self.page.wait_for_function("() => document.querySelector('#connection').title === 'Connected'")

    def wait_played(self, *, over: bool = False) -> None:
        """Wait until the server has confirmed one more token."""
        self.count += 1
        self.page.wait_for_function(
            "([n, over]) => { const felt = document.querySelector('#felt');"
            " return Number(felt.dataset.confirmed) >= n || (over && document.body.dataset.finished); }",
            arg=[self.count, over],
        )

    def play_elsewhere(self, tokens: list[str]) -> None:
        """Play these tokens in a second tab, and wait until this page shows them."""
        self.page.evaluate(PLAY_ELSEWHERE, [tokens])
        self.count += len(tokens) - 1
        self.wait_played()

    def play_away(self, tokens: list[str], gap: int = 0) -> None:
        """Play these tokens while the page is closed, so it need not draw each of them, and open it again."""
        table = self.page.url
        self.page.goto("/healthz")
        self.page.evaluate(PLAY_ELSEWHERE, [tokens, urlsplit(table).path, gap])
        self.page.goto(table)
        self.start()
        self.count += len(tokens)
        self.page.wait_for_function("n => document.querySelector('#moves').textContent === String(n)", arg=self.count)

    def middle(self, selector_or_handle: Any) -> tuple[float, float]:
        """Return the point for a card: its upper part, which no card of its pile covers."""
        found = (
            self.page.query_selector(selector_or_handle) if isinstance(selector_or_handle, str) else selector_or_handle
        )
        x, y = found.evaluate(_POINT, 7)
        return x, y

    @staticmethod
    def _centre(element: Any) -> tuple[float, float]:
        x, y = element.evaluate(_POINT, 10_000)
        return x, y

    def card(self, pile: str, count: int = 1) -> Any:
        """Return the element of the `count`th card from the top of a pile, or None."""
        return self.page.evaluate_handle(_CARD, [pile, count]).as_element()

    def is_picked_up(self) -> bool:
        """Return whether a card is picked up, so it was not moved by the tap that chose it."""
        return self.page.query_selector("#felt .chosen") is not None

    def place(self, pile: str) -> Any:
        """Return the drop target for a card: a pile's top card or its empty place."""
        if pile == "f":
            return self.page.wait_for_selector("#felt .slot.kind-f.target")
        return self.card(pile) or self.page.query_selector(f"#slot-{pile}")


class Mouse(Player):
    """Clicks and drags."""

    def play(self, token: str, *, drag: bool = False) -> None:
        mouse = self.page.mouse
        if token in {"d", "n"}:
            mouse.click(*self.middle("#slot-s"))
        elif token == "u":
            self.page.click("#undo")
        elif token in {"up", "down"}:
            self.page.click(f"[data-direction={token}]")
        else:
            source, to, count = _parts(token)
            start = self.middle(self.card(source, count))
            if drag:
                mouse.move(*start)
                mouse.down()
                mouse.move(start[0] + 9, start[1] + 9)
                end = self._centre(self.place(to))
                mouse.move(end[0] - 3, end[1] - 3, steps=3)
                mouse.move(*end)
                mouse.up()
            else:
                mouse.click(*start)
                if self.is_picked_up():
                    mouse.click(*self._centre(self.place(to)))


class Touch(Player):
    """Taps; a card with one place to go moves at the first one, and a second sends a card to the foundation."""

    def play(self, token: str) -> None:
        tap = self.page.touchscreen.tap
        if token in {"d", "n"}:
            tap(*self.middle("#slot-s"))
            return
        source, to, count = _parts(token)
        start = self.middle(self.card(source, count))
        tap(*start)
        if not self.is_picked_up():
            return
        if to == "f":
            tap(*self.middle(self.card(source, count)))
        else:
            tap(*self._centre(self.place(to)))


class Keys(Player):
    """Arrow keys, Enter and letters, without a pointer."""

    def skip_to_cards(self) -> None:
        """Move the focus from the top of the page to the cards by the skip link."""
        for key in ("Tab", "Enter", "Tab"):
            self.page.keyboard.press(key)

    def play_away(self, tokens: list[str], gap: int = 0) -> None:
        """Play these tokens in a second tab, as the focus would be lost with the page."""
        self.play_elsewhere(tokens)

    def focus(self, element: Any) -> None:
        """Move the focus to an element with the arrow keys."""
        page = self.page
        page.evaluate(_LIE_STILL)
        target = element.get_attribute("id")
        tried: set[tuple[str, str]] = set()
        for _ in range(120):
            x, y, here, to_x, to_y = page.evaluate(_FROM_FOCUS_TO, target)
            if here == target:
                return
            across = ["ArrowRight", "ArrowLeft"] if to_x > x else ["ArrowLeft", "ArrowRight"]
            along = ["ArrowDown", "ArrowUp"] if to_y > y else ["ArrowUp", "ArrowDown"]
            keys = [across[0], along[0]] if abs(to_x - x) > abs(to_y - y) else [along[0], across[0]]
            key = next((key for key in [*keys, along[1], across[1]] if (here, key) not in tried), keys[0])
            tried.add((here, key))
            page.keyboard.press(key)
        raise AssertionError(f"the arrow keys do not lead to {target}; they ended at {here or 'nothing of the table'}")

    def play(self, token: str) -> None:
        keyboard = self.page.keyboard
        if token in {"d", "n"}:
            keyboard.press("d")
            return
        source, to, count = _parts(token)
        self.focus(self.card(source, count))
        if to == "f":
            keyboard.press("f")
            return
        keyboard.press("Enter")
        wanted = self.place(to).get_attribute("id")
        for _ in range(30):
            keyboard.press("ArrowRight")
            if self.page.evaluate("document.activeElement.id") == wanted:
                break
        keyboard.press("Enter")


def _parts(token: str) -> tuple[str, str, int]:
    match = _MOVE.fullmatch(token)
    assert match is not None, token
    return match[1], match[2], int(match[3] or 1)


def deal(page: Any) -> None:
    """Press the button on a deal's opening page."""
    page.click("text=Deal the cards")
    page.wait_for_url(re.compile("/table/"))


def start_game(page: Any) -> Mouse:
    """Deal the cards, and return the mouse once it can play."""
    deal(page)
    player = Mouse(page)
    player.start()
    return player


def sign_up(page: Any, name: str) -> None:
    """Sign up on the page."""
    page.goto("/accounts/signup/")
    page.fill("input[name=username]", name)
    page.fill("input[name=password1]", "a-braid-of-20-cards")
    page.click("main button[type=submit]")
    page.wait_for_url(lambda url: "signup" not in url)


def play_through(player: Player, tokens: list[str], **how: Any) -> None:
    """Play tokens, each after the previous one is confirmed."""
    for k, token in enumerate(tokens):
        player.play(token, **({"drag": k % how["drag_every"] == 0} if how else {}))  # type: ignore[attr-defined]
        player.wait_played(over=k == len(tokens) - 1)


def play_ends(player: Player, tokens: list[str], count: int, gap: int = 0, **how: Any) -> None:
    """Play the first and last `count` tokens on the page, and the rest `gap` ms apart while it is closed."""
    play_through(player, tokens[:count], **how)
    player.play_away(tokens[count:-count], gap)
    play_through(player, tokens[-count:], **how)


#: Shown at a table that is open in another window, too.
REPLACED = "#lost:has-text('This game is open in another window.')"


def turn_to(tab: Any, signal: str = "window.dispatchEvent(new Event('focus'))") -> None:
    """Turn to a table that another tab has replaced, and wait until it has taken the connection back."""
    tab.wait_for_selector(REPLACED)
    tab.evaluate(signal)
    tab.wait_for_selector("#connection[aria-label=Connected]")


def give_up(page: Any) -> None:
    """Give up the game."""
    page.keyboard.press("r")
    page.click("#resign-dialog button.danger")


def practise(page: Any) -> Mouse:
    """Start a practice game of Labyrinth."""
    page.goto("/practice/")
    page.click(".practice-card:has-text('Labyrinth')")
    page.wait_for_url(re.compile("/table/"))
    player = Mouse(page)
    player.start()
    return player


def resigned_practice(visit: Callable[..., Any]) -> Any:
    """Return the page of a practice game that was resigned after three moves."""
    page = visit()
    player = practise(page)
    for _ in range(3):
        player.play("d")
        player.wait_played()
    give_up(page)
    page.wait_for_selector("#finish-rank[data-state=verified]", state="attached")
    return page
