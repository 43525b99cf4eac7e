/** Drop target of the cards in the hand. */

/** @import { Held, State } from "../state/state.js" */
/** @import { Choice, Pile, Slot } from "../state/types.js" */

/** @typedef {{x: number, y: number, w: number, h: number}} Area */

/**
 * @param {Held} held @param {Pile} pile @returns {Choice|undefined} the possible move of the cards in the hand to it
 */
const choiceAt = ({ choices }, pile) => choices.find(({ to }) => to === pile || (to === "f" && pile[0] === "f"));

/** @param {State} state @param {Held} held @param {PointerEvent} event @returns {Choice|null} the intended move */
export function choiceUnder(state, held, event) {
  const pile = pileUnder(state, held, event, (one) => Boolean(choiceAt(held, one)));
  return (pile && choiceAt(held, pile)) || null;
}

/**
 * The pile that the lifted card covers most, or that is under the pointer.
 * @param {State} state @param {Held} held @param {PointerEvent} event
 * @param {(pile: Pile) => boolean} counts filter for the piles @returns {Pile|null}
 */
export function pileUnder(state, { box, lifted, ...start }, event, counts) {
  const { layout } = state;
  if (!layout || !lifted) return null;
  const { w, h } = layout;
  const { rect } = lifted[0];
  const point = { x: event.clientX - box.left, y: event.clientY - box.top };
  const card = { x: rect.x + event.clientX - start.x, y: rect.y + event.clientY - start.y, w, h };
  /** @type {{pile: Pile|null, score: number}} */
  let best = { pile: null, score: w * h * 0.12 };
  for (const slot of layout.slots) {
    if (!counts(slot.pile)) continue;
    const area = groundOf(state, slot);
    const inside = point.x >= area.x && point.x <= area.x + area.w && point.y >= area.y && point.y <= area.y + area.h;
    const score = overlap(card, area) + (inside ? w * h : 0);
    if (score > best.score) best = { pile: slot.pile, score };
  }
  return best.pile;
}

/** A pile's area, including the cards fanned below it. @param {State} state @param {Slot} slot @returns {Area} */
function groundOf({ pieces, layout }, slot) {
  let { x, y, w, h } = slot;
  for (const { rect } of pieces)
    if (rect.pile === slot.pile) {
      w = Math.max(w, rect.x + slot.w - x);
      h = Math.max(h, rect.y + (layout?.h ?? h) - y);
    }
  return { x, y, w, h };
}

/** @param {Area} a @param {Area} b */
function overlap(a, b) {
  const wide = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
  const high = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  return wide > 0 && high > 0 ? wide * high : 0;
}
