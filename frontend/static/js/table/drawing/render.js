/**
 * Renderer: updates the page's card elements to match the state. An element keeps its card; moved cards are found by
 * comparing the new layout with the existing elements, and CSS transitions animate them, so a new position may arrive
 * at any moment.
 */

import { motionReduced, settings } from "../../site/settings.js";
import { sizeOf } from "../state/cards.js";
import { blankCard } from "./faces.js";
import { shown } from "../state/game.js";
import { layout } from "./layout.js";
import { match, same } from "./matching.js";
import { flip, move, wait } from "./motion.js";
import { endPeek } from "./pieces.js";
import { settleLater, stack } from "./stacking-order.js";

/** @import { How, Piece, State } from "../state/state.js" */
/** @import { CardRect, Layout, View } from "../state/types.js" */

const LEAVE_AFTER = 340;

/** @param {State} state @param {How} [how] @returns {View|null} the view drawn */
export function render(state, { deal = false, jump = false, source = null } = {}) {
  const { felt, size, drawn: before } = state;
  const view = shown(state);
  if (!view || size.width === 0) return null;
  const to = layout(view, size.width, size.height, settings.left_handed);
  state.draws++;
  if (view !== before) endPeek(state);
  state.drawn = view;
  const changesFaces = state.faces.adapt(to.w);
  if (state.layout?.w !== to.w) measure(state, to);
  if (changesFaces) for (const { element, rect } of state.pieces) dress(state, element, rect);
  state.layout = to;
  felt.classList.toggle("still", jump || motionReduced());
  state.slots.draw(to, view, new Set(to.cards.map(({ pile }) => pile)));
  const { kept, gone } = match(state.pieces, to.cards, source);
  const entering = to.cards.map((rect, k) => (kept[k] ? null : enter(state, rect, deal)));
  // One reflow for all new cards, so that their transitions start from where they were put.
  if (entering.some(Boolean)) void felt.offsetWidth;
  state.pieces = to.cards.map((rect, k) =>
    place(state, /** @type {Piece} */ (kept[k] ?? entering[k]), rect, { deal, order: k, entered: !kept[k] }),
  );
  // Screen readers read each pile and its cards from first to last, wherever the elements were inserted.
  const owned = new Map(to.slots.map(({ pile }) => [pile, [`slot-${pile}`]]));
  for (const { element, rect } of state.pieces) owned.get(rect.pile)?.push(element.id);
  felt.setAttribute("aria-owns", [...owned.values()].flat().join(" "));
  for (const piece of gone) leave(state, piece, before);
  lock(state, view);
  settleLater(state);
  if (jump) void felt.offsetWidth;
  return view;
}

/** Sets the size of the cards. @param {State} state @param {Layout} layout */
function measure(state, { w, h }) {
  state.felt.style.setProperty("--cw", `${w}px`);
  state.felt.style.setProperty("--ch", `${h}px`);
}

/** @param {State} state */
const stockOf = ({ layout }) => layout?.slots.find((slot) => slot.pile === "s");

/**
 * Creates a card at its origin: the stock, or its own place, where it fades in.
 * @param {State} state @param {CardRect} rect @param {boolean} deal @returns {Piece}
 */
function enter(state, rect, deal) {
  const element = blankCard();
  const stock = deal || comesFromStock(state, rect) ? stockOf(state) : undefined;
  const { x, y } = stock ?? rect;
  if (!stock) element.classList.add("fresh");
  element.style.zIndex = String(rect.z);
  move(element, x, y, rect.turn ?? 0);
  dress(state, element, rect);
  state.felt.append(element);
  return { element, rect: { ...rect, x, y } };
}

/** @param {State} state @param {CardRect} rect */
function comesFromStock({ drawn }, { pile }) {
  return pile === "w" || (drawn?.game === "labyrinth" && pile[0] === "t");
}

/**
 * @param {State} state @param {Piece} piece
 * @param {CardRect} rect @param {{deal: boolean, order: number, entered: boolean}} how
 * @returns {Piece} the piece at its new place
 */
function place(state, { element, rect: old }, rect, { deal, order, entered }) {
  const lifted = element.classList.contains("lifted");
  if (!entered && !lifted && same(old, rect)) return { element, rect };
  const moved = entered || lifted || old.x !== rect.x || old.y !== rect.y;
  if (old.code !== rect.code || old.mirror !== rect.mirror || old.pile !== rect.pile || old.i !== rect.i)
    dress(state, element, rect);
  const turns = rect.code !== null && (entered ? !element.classList.contains("fresh") : old.code === null);
  if (turns && !state.felt.classList.contains("still")) flip(element, deal ? wait(order) : 0);
  element.classList.remove("lifted", "last", "fresh");
  element.style.transitionDelay = deal ? `${wait(order)}ms` : "";
  move(element, rect.x, rect.y, rect.turn ?? 0);
  stack(state, element, rect.z, moved);
  return { element, rect };
}

/** @param {State} state @param {Piece} piece @param {View|null} before */
function leave(state, { element, rect }, before) {
  const { drawn } = state;
  const stock = stockOf(state);
  const home = stock && before && drawn && sizeOf(drawn, "s") > sizeOf(before, "s");
  const covered = drawn && rect.i < sizeOf(drawn, rect.pile);
  element.setAttribute("aria-hidden", "true");
  element.removeAttribute("id");
  state.moving.delete(element);
  element.classList.remove("lifted", "chosen");
  element.style.transitionDelay = "";
  if (home && !covered) {
    dress(state, element, { ...rect, code: null });
    move(element, stock.x, stock.y, 0);
  } else if (!covered) element.classList.add("fading");
  if (covered) element.style.zIndex = String(Math.min(rect.z, 1));
  if (state.felt.classList.contains("still")) element.remove();
  else setTimeout(() => element.remove(), LEAVE_AFTER);
}

/** @param {State} state @param {HTMLElement} element @param {CardRect} rect */
function dress({ faces, drawn }, element, rect) {
  faces.dress(element, rect, /** @type {View} */ (drawn));
}

/** Marks the locked cards of a labyrinth. @param {State} state @param {View} view */
function lock({ pieces }, { free }) {
  for (const { element, rect } of pieces)
    element.classList.toggle("locked", free !== undefined && rect.pile[0] === "t" && !free.includes(rect.pile));
}
