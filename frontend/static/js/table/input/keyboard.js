/** Keyboard control of the table: arrows move between cards, Enter picks up and puts down, letters do the rest. */

import { GAMES } from "../../games/games.js";
import { all } from "../../shared/dom.js";
import { shortcutOff } from "../../site/settings.js";
import { sizeOf } from "../state/cards.js";
import { lazily } from "../../shared/lazy.js";
import { readPile } from "./pile-look.js";
import { pick, targets } from "./picked-card.js";
import { drawCards, sendUp, tap } from "./tap.js";
import { faceOf, pieceOf } from "../drawing/pieces.js";

/** @import { State } from "../state/state.js" */
/** @import { CardRect, Choice } from "../state/types.js" */

/**
 * @typedef {object} Keys letter keys handled by the page
 * @property {() => void} undo
 * @property {() => void} [redo]
 * @property {() => void} [hint]
 * @property {() => void} [auto]
 * @property {() => void} [resign]
 * @property {() => void} help
 * @property {() => void} [pause] pauses or resumes the game
 */

/** Keys that work while the game is paused. */
const AWAKE = ["b", "Pause", "?"];
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const reader = () => import("../commands/command-line.js");

/** @param {State} state @param {Keys} keys */
export const openCommands = (state, keys) => lazily(reader, (module) => module.openCommands(state, keys));

/** Lists the commands in the help when it is first opened. @param {State} state @param {HTMLElement} dialog */
export function bindHelp(state, dialog) {
  const list = () => lazily(reader, ({ listCommands }) => listCommands(dialog, state));
  dialog.addEventListener("focusin", list, { once: true });
}

/** @param {State} state @param {Keys} keys @param {Document|HTMLElement} scope where letter keys work */
export function bindKeys(state, keys, scope) {
  const { felt } = state;
  felt.addEventListener("keydown", (event) => onFelt(state, event));
  felt.addEventListener("focusin", (event) => arrive(state, /** @type {HTMLElement} */ (event.target)));
  scope.addEventListener("keydown", (event) => anywhere(state, keys, /** @type {KeyboardEvent} */ (event)));
  addEventListener("pointerdown", () => felt.classList.remove("keys"), { capture: true });
}

/** Schedules the tab-order update after a redraw: the cards must be in place first. @param {State} state */
export function refreshOrder(state) {
  if (state.ordering) return;
  state.ordering = true;
  requestAnimationFrame(() => {
    state.ordering = false;
    order(state);
  });
}

/**
 * Keeps one element of the felt in the tab order: the last one focused, or the first that can move.
 * @param {State} state
 */
function order(state) {
  const { felt } = state;
  const stops = stopsOf(state);
  if (!state.focus || !stops.includes(state.focus)) {
    const focused = felt.contains(document.activeElement) || document.activeElement === document.body;
    const lost = state.focus;
    state.focus =
      (lost && faceOf(state, lost.dataset.pile ?? "")) ??
      stops.find((stop) => stop.classList.contains("movable")) ??
      stops[0] ??
      null;
    if (lost && focused && felt.classList.contains("keys")) focus(state, state.focus);
  }
  for (const stop of stops) {
    const index = stop === state.focus ? 0 : -1;
    if (stop.tabIndex !== index) stop.tabIndex = index;
  }
}

/** @param {State} state @returns {HTMLElement[]} the keyboard stops: face-up cards, and piles that show none */
function stopsOf(state) {
  const { pieces, slots } = state;
  const filled = new Set(pieces.map(({ rect }) => rect.pile));
  const cards = pieces.filter(({ rect }) => reachable(state, rect)).map(({ element }) => element);
  const bare = [...slots.elements].filter(([pile]) => pile === "s" || !filled.has(pile)).map(([, element]) => element);
  return [...cards, ...bare];
}

/** @param {State} state @param {CardRect} rect */
function reachable({ drawn: view }, rect) {
  if (!view || rect.code === null) return false;
  const top = rect.i === sizeOf(view, rect.pile) - 1;
  return top || (rect.pile[0] === "t" && GAMES[view.game].movesRuns === true);
}

/** @param {State} state @param {HTMLElement} element */
function arrive(state, element) {
  if (!element.matches(".card, .slot")) return;
  state.focus = element;
  for (const stop of all("[tabindex='0']", state.felt)) stop.tabIndex = -1;
  element.tabIndex = 0;
}

/** @param {State} state @param {HTMLElement|null} element */
function focus({ felt }, element) {
  felt.classList.add("keys");
  element?.focus({ preventScroll: true });
}

/** @param {State} state @param {KeyboardEvent} event */
function onFelt(state, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || shortcutOff(event)) return;
  const current = state.focus;
  const arrow = ARROWS[/** @type {"ArrowUp"} */ (event.key)];
  if (arrow) {
    event.preventDefault();
    const found = targets(state);
    focus(state, found.length > 0 ? turn(state, found, arrow[0] + arrow[1]) : nearest(state, arrow));
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    state.felt.classList.add("keys");
    if (current) tap(state, pieceOf(state, current) ?? null, current.dataset.pile ?? null);
  } else if (event.key === "f" && current) sendUp(state, current);
  else if (event.key === "p" && current) readPile(state, current.dataset.pile ?? "");
}

/**
 * With a card picked up, the arrows cycle through its targets.
 * @param {State} state @param {Choice[]} found @param {number} step
 */
function turn(state, found, step) {
  const foundation = all(".slot.target.kind-f", state.felt)[0]?.dataset.pile ?? "f0";
  const places = found.map(({ to }) => faceOf(state, to === "f" ? foundation : to) ?? null);
  const at = places.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  return places[(at + step + places.length) % places.length] ?? places[0];
}

/**
 * @param {State} state @param {number[]} direction
 * @returns {HTMLElement|null} the next stop in a direction, straight ahead preferred
 */
function nearest(state, [dx, dy]) {
  const from = state.focus && standing(state, state.focus);
  if (!from) return null;
  let best = state.focus;
  let least = Infinity;
  for (const stop of stopsOf(state)) {
    const to = stop !== state.focus && standing(state, stop);
    if (!to) continue;
    const ahead = (to.x - from.x) * dx + (to.y - from.y) * dy;
    const aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
    if (ahead < 4) continue;
    const cost = ahead + aside * 2.6;
    if (cost < least) [least, best] = [cost, stop];
  }
  return best;
}

/** @param {State} state @param {Keys} keys @param {KeyboardEvent} event */
function anywhere(state, keys, event) {
  const target = /** @type {Element} */ (event.target);
  if (event.defaultPrevented || event.altKey || target.closest("input, select, textarea, dialog[open]")) return;
  if ((event.ctrlKey || event.metaKey) && !["z", "Z", "y"].includes(event.key)) return;
  /** @type {Record<string, (() => void)|undefined>} */
  const actions = {
    d: () => drawCards(state),
    u: keys.undo,
    z: keys.undo,
    a: keys.auto,
    "?": keys.help,
    h: keys.hint ?? keys.help,
    y: keys.redo,
    b: keys.pause,
    Pause: keys.pause,
    Z: keys.redo,
    r: keys.resign,
    l: () => lazily(reader, ({ readTable }) => readTable(state)),
    "/": () => openCommands(state, keys),
    Escape: () => pick(state, null),
  };
  const action = actions[event.key];
  if (!action || shortcutOff(event) || (state.paused && !AWAKE.includes(event.key))) return;
  event.preventDefault();
  action();
}

/**
 * The layout position of a stop, even if its card is still moving, so quick keys need not wait for the animation.
 * @param {State} state @param {HTMLElement} stop @returns {{x: number, y: number}|undefined} in pixels of the felt
 */
function standing(state, stop) {
  const { layout } = state;
  const place = pieceOf(state, stop)?.rect ?? layout?.slots.find(({ pile }) => pile === stop.dataset.pile);
  if (!layout || !place) return undefined;
  return { x: place.x + layout.w / 2, y: place.y + Math.min(layout.h, 40) / 2 };
}
