/** Lookup of cards and piles on the felt. */

import { sizeOf } from "../state/cards.js";

/** @import { Piece, State } from "../state/state.js" */
/** @import { Pile } from "../state/types.js" */

/** @param {State} state @param {Element|null} element @returns {Piece|undefined} */
export function pieceOf(state, element) {
  const card = element?.closest(".card");
  return card ? state.pieces.find((piece) => piece.element === card) : undefined;
}

/**
 * The card and pile at a point of the felt, by layout position: input need not wait for the animation.
 * @param {State} state @param {number} x pixels @param {number} y
 * @returns {{piece: Piece|null, pile: Pile|null}}
 */
export function pieceAt(state, x, y) {
  const { w = 0, h = 0, slots = [] } = state.layout ?? {};
  const covers = (/** @type {{x: number, y: number}} */ place) =>
    x >= place.x && x < place.x + w && y >= place.y && y < place.y + h;
  const piece = state.pieces
    .filter(({ rect }) => covers(rect))
    .reduce((/** @type {Piece|null} */ top, one) => (top && top.rect.z > one.rect.z ? top : one), null);
  return { piece, pile: piece?.rect.pile ?? slots.find(covers)?.pile ?? null };
}

/** @param {State} state @param {Pile} pile @param {number} count @returns {Piece[]} its top cards, bottom first */
export function topOf({ drawn, pieces }, pile, count) {
  const size = drawn ? sizeOf(drawn, pile) : 0;
  return pieces.filter(({ rect }) => rect.pile === pile && rect.i >= size - count);
}

/** @param {State} state @param {Pile} pile @returns {HTMLElement|undefined} its top card or its slot */
export function faceOf(state, pile) {
  return topOf(state, pile, 1)[0]?.element ?? state.slots.elements.get(pile);
}

/** Removes the fan of a pile that the player looks at (input/peek.js). @param {State} state */
export const endPeek = ({ felt }) => felt.querySelector(".peek")?.remove();
