"""Layout: no card index is covered or cut off, and nothing leaves the felt, for any table, hand, index size and screen.

Positions are given to the page's own layout code, which computes each index's rectangle. A few positions are also drawn
and compared with that. ``--full`` takes 200 positions per variant.
"""

from __future__ import annotations

import itertools
import re

import pytest

from games.rules import CATALOGUE
from tests.browser.conftest import PHONE, Visit, from_sources
from tests.browser.positions import positions
from tests.browser.table_driver import deal

SIZES = {"390": (390, 844), "820": (820, 1180), "1440": (1440, 900), "2560": (2560, 1440)}
FEW, MANY = 4, 200
#: Variants on the table of another variant of their game.
SAME_TABLE = {"braid-either", "tarot-novice"}
GAMES = {
    game: [name for name, variant in CATALOGUE.items() if variant.game == game]
    for game in sorted({variant.game for variant in CATALOGUE.values()})
}

# Shared helpers, added to the page once.
_TOOLS = """async views => {
  const load = name => import(new URL(`/static/js/table/${name}.js`, location.href).href);
  const [{layout}, {small}, {newTable}, {render}, {settings}] = await Promise.all([
    load('drawing/layout'), load('../games/card-spacing'), load('drawing/new-table'), load('drawing/render'),
    load('../site/settings')]);
  const old = document.querySelector('#felt');
  const bench = document.body.appendChild(document.createElement('div'));
  bench.style.cssText = 'position: fixed; left: 0; top: 0; pointer-events: none';
  const fresh = newTable(old, {play() {}, draw() {}});
  const artwork = fresh.faces.artwork(views[0]);
  await artwork.load();
  const indices = new Map();

  // The box of a symbol's index, in hundredths of a card's width: what begins in its upper part and ends there.
  // The emblem has a ground as large as the shape of any suit.
  const indexOf = symbol => {
    if (!indices.has(symbol)) {
      const picture = artwork.picture('0 0 100 140', '', [symbol], 'M-10-11H10V11H-10z');
      picture.style.cssText = 'width: 100px; height: 140px';
      bench.replaceChildren(picture);
      const boxes = [...picture.children].map(part => part.getBoundingClientRect()).filter(box => box.bottom < 62);
      const edge = (side, pick) => pick(...boxes.map(box => box[side]));
      indices.set(symbol, boxes.length ? [edge('left', Math.min), edge('top', Math.min),
        edge('right', Math.max), edge('bottom', Math.max)] : null);
      bench.replaceChildren();
    }
    return indices.get(symbol);
  };
  const turned = (points, turn, cx, cy) => {
    const [c, s] = [Math.cos(turn * Math.PI / 180), Math.sin(turn * Math.PI / 180)];
    return points.map(([x, y]) => [cx + (x - cx) * c - (y - cy) * s, cy + (x - cx) * s + (y - cy) * c]);
  };
  const corners = (left, top, right, bottom) => [[left, top], [right, top], [right, bottom], [left, bottom]];
  const shapes = ({w, h}, rect, large) => {
    const {x, y, code, mirror, turn = 0} = rect;
    const about = points => turned(points, turn, x + w / 2, y + h / 2);
    const box = code && indexOf(`${code}-${large ? (mirror ? 'd' : 'c') : mirror ? 'j' : 'i'}`);
    return {
      card: about(corners(x, y, x + w, y + h)),
      index: box && about(corners(...box.map((at, k) => (k % 2 ? y : x) + at * w / 100))),
    };
  };
  // Whether two convex shapes share more than an edge of half a pixel: by a line that separates them.
  const meet = (one, other) => ![one, other].some(shape => shape.some(([x, y], k) => {
    const [nextX, nextY] = shape[(k + 1) % shape.length];
    const [nx, ny] = [nextY - y, x - nextX];
    const length = Math.hypot(nx, ny);
    const along = points => points.map(([px, py]) => (px * nx + py * ny) / length);
    return Math.max(...along(one)) < Math.min(...along(other)) + 0.5
      || Math.max(...along(other)) < Math.min(...along(one)) + 0.5;
  }));
  const space = () => ({width: old.clientWidth, height: old.clientHeight});

  globalThis.bench = {
    // The faults of one position at one hand and size of index.
    faults(view, flipped, largeIndex) {
      settings.card_face = largeIndex ? 'large' : 'classic';
      const {width, height} = space();
      const laid = layout(view, width, height, flipped);
      const large = small(laid.w);
      const placed = [...laid.cards].sort((a, b) => a.z - b.z).map(rect => ({rect, ...shapes(laid, rect, large)}));
      const found = [];
      placed.forEach(({rect, card, index}, k) => {
        const name = `${rect.code ?? 'a back'} on ${rect.pile}`;
        if (card.some(([x, y]) => x < -4 || y < -4 || x > width + 4 || y > height + 4)) found.push(`${name} is cut`);
        if (!index) return;
        if (index.some(([x, y]) => x < 0 || y < 0 || x > width || y > height)) found.push(`${name} has its index cut`);
        for (const above of placed.slice(k + 1)) {
          const squared = above.rect.pile === rect.pile && above.rect.x === rect.x && above.rect.y === rect.y;
          if (squared) return;
          if (meet(index, above.card)) found.push(`${above.rect.code} covers the index of ${name}`);
        }
      });
      for (const [k, one] of laid.slots.entries()) for (const other of laid.slots.slice(k + 1))
        if (meet(corners(one.x, one.y, one.x + one.w, one.y + one.h),
          corners(other.x, other.y, other.x + other.w, other.y + other.h)))
          found.push(`${one.pile} and ${other.pile} overlap`);
      return found.map(fault => `${fault}; cards of ${laid.w} px`);
    },

    // What a position looks like where it is drawn: indices that are not where they were reckoned, or not seen.
    async seen(view, flipped, largeIndex) {
      Object.assign(settings, {card_face: largeIndex ? 'large' : 'classic', left_handed: flipped});
      document.querySelector('#felt').replaceWith(old);
      const felt = old.cloneNode(false);
      old.replaceWith(felt);
      const state = newTable(felt, {play() {}, draw() {}});
      Object.assign(state, {view, size: {width: felt.clientWidth, height: felt.clientHeight}});
      render(state, {jump: true});
      await Promise.all(felt.getAnimations({subtree: true}).map(one => one.finished.catch(() => {})));
      const {left, top} = felt.getBoundingClientRect();
      const found = [];
      const squared = ({pile, x, y, z}) =>
        state.pieces.some(({rect}) => rect.pile === pile && rect.x === x && rect.y === y && rect.z > z);
      for (const {element, rect} of state.pieces) {
        if (!rect.code || squared(rect)) continue;
        const {index} = shapes(state.layout, rect, small(state.layout.w));
        const [xs, ys] = [0, 1].map(k => index.map(point => point[k]));
        const parts = [...element.querySelectorAll('svg > *')].map(part => part.getBoundingClientRect());
        const reckoned = [Math.min(...xs) + left, Math.max(...xs) + left];
        const near = parts.filter(box => box.left > reckoned[0] - 2 && box.right < reckoned[1] + 2
          && box.top > Math.min(...ys) + top - 2 && box.bottom < Math.max(...ys) + top + 2);
        if (near.length < 2) found.push(`${rect.code} on ${rect.pile} has its index elsewhere`);
        // Just inside its corners, as an edge between two cards falls within a pixel.
        const middle = [0, 1].map(k => index.reduce((sum, point) => sum + point[k] / 4, 0));
        for (const [x, y] of index.map(point => point.map((at, k) => at + 1.2 * Math.sign(middle[k] - at)))) {
          const hit = document.elementFromPoint(left + x, top + y)?.closest('.card');
          if (hit !== element) found.push(`${rect.code} on ${rect.pile} is hidden at ${[x, y].map(Math.round)}`);
        }
      }
      document.querySelector('#felt').replaceWith(old);
      return found;
    },
  };
}"""

_FAULTS = """views => views.flatMap((view, k) => [false, true].flatMap(left => [false, true].flatMap(large =>
  bench.faults(view, left, large).map(fault => `${k}${left ? ' left' : ''}${large ? ' large' : ''}: ${fault}`))))"""

_SEEN = """async view => [...await bench.seen(view, false, false), ...await bench.seen(view, true, true)]"""


@pytest.mark.parametrize("game", GAMES)
def test_every_index_is_readable_at_every_table(visit: Visit, request: pytest.FixtureRequest, game: str) -> None:
    full = request.config.getoption("full")
    drawn_here = [variant for variant in GAMES[game] if full or variant not in SAME_TABLE]
    views = {variant: positions(variant, MANY if full else FEW) for variant in drawn_here}
    page = visit(f"/play/{GAMES[game][0]}/")
    from_sources(page)
    deal(page)
    page.wait_for_selector("#felt .card")
    page.evaluate(_TOOLS, [view for drawn in views.values() for view in drawn[:1]])
    found = {}
    for name, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for variant, drawn in views.items():
            found[f"{variant} at {name}"] = page.evaluate(_FAULTS, drawn) + page.evaluate(_SEEN, drawn[2])
    assert {where: faults for where, faults in found.items() if faults} == {}


# The rows of tools, by the vertical middles of those shown, and whether any leaves the screen.
_TOOL_ROWS = """() => {
  const tools = [...document.querySelectorAll('.tools :is(button, a, select)')]
    .map(one => one.getBoundingClientRect()).filter(({width}) => width);
  const outside = tools.some(({left, right}) => left < 0 || right > document.documentElement.clientWidth);
  return [new Set(tools.map(({top, bottom}) => Math.round((top + bottom) / 4))).size, outside];
}"""

# Offers the given tools with the longest labels.
_OFFER = """([practice, auto, redo, replay]) => {
  const tools = document.querySelector('.tools');
  tools.querySelector('#draw span').textContent = 'Reihe geben';
  for (const one of tools.querySelectorAll('button')) one.disabled = false;
  tools.querySelector('#auto').hidden = !auto;
  tools.querySelector('#redo').disabled = !redo;
  tools.querySelector('#back-to-replay')?.remove();
  if (replay) tools.querySelector('#auto').insertAdjacentHTML('afterend',
    '<a class="tool brief" id="back-to-replay"><svg viewBox="0 0 24 24"></svg><span>Wiedergabe</span></a>');
  const hint = document.querySelector('#hint, #no-hint');
  hint.id = practice ? 'hint' : 'no-hint';
  hint.hidden = !practice;
}"""


def test_the_tools_fit_one_row_on_a_german_phone(visit: Visit) -> None:
    page = visit("/practice/", **PHONE, locale="de-DE")
    page.click(".practice-card:has-text('Labyrinth')")
    page.wait_for_url(re.compile("/table/"))
    page.wait_for_selector("#undo + #redo")
    found = {}
    for offered in itertools.product([False, True], repeat=4):
        if offered[3] and not offered[0]:  # only practice can continue from a replay
            continue
        page.evaluate(_OFFER, offered)
        found[offered] = page.evaluate(_TOOL_ROWS)
    assert {rows == [1, False] for rows in found.values()} == {True}, found
    page.reload()
    page.wait_for_function("() => document.querySelector('#connection').title === 'Verbunden'")
    page.keyboard.press("r")
    page.click("#resign-dialog button.danger")
    page.wait_for_selector("#finish-rank[data-state=verified]", state="attached")
    assert page.evaluate(_TOOL_ROWS) == [1, False]
    page.goto(page.url.replace("/table/", "/replay/"))
    page.wait_for_selector("#felt .card")
    assert page.is_visible("#share")
    assert page.is_visible("#play-on button")
    assert page.evaluate(_TOOL_ROWS) == [1, False]
