/** Matching of old card elements to the cards of a new layout. */

/** @import { CardRect, Pile } from "../state/types.js" */
/** @import { Piece } from "../state/state.js" */

/**
 * Keeps a card in its place if it may be the same; any other visible card comes from where it was last seen, preferably
 * from `source`.
 * @param {Piece[]} pieces @param {CardRect[]} rects
 * @param {Pile|null} source the pile the last move took its cards from
 * @returns {{kept: (Piece|null)[], gone: Set<Piece>}} the piece for each rectangle, and the remaining pieces
 */
export function match(pieces, rects, source) {
  const gone = new Set(pieces);
  const places = new Map(pieces.map((piece) => [placeOf(piece.rect), piece]));
  /** @type {(Piece|null)[]} */
  const kept = rects.map((rect) => {
    const piece = places.get(placeOf(rect));
    return piece && fits(piece.rect, rect) && gone.delete(piece) ? piece : null;
  });
  rects.forEach((rect, k) => {
    if (kept[k] || rect.code === null) return;
    const same = [...gone].filter((piece) => piece.rect.code === rect.code);
    const piece =
      same.find((one) => one.rect.pile === source) ?? same.find((one) => one.rect.pile !== rect.pile) ?? same[0];
    if (piece && gone.delete(piece)) kept[k] = piece;
  });
  return { kept, gone };
}

/** @param {CardRect} a @param {CardRect} b @returns {boolean} */
export const same = (a, b) =>
  a.x === b.x &&
  a.y === b.y &&
  a.z === b.z &&
  a.code === b.code &&
  a.pile === b.pile &&
  a.i === b.i &&
  a.turn === b.turn &&
  a.mirror === b.mirror;

/** @param {CardRect} rect */
const placeOf = (rect) => `${rect.pile} ${rect.i}`;

/**
 * @param {CardRect} old
 * @param {CardRect} rect
 * @returns {boolean} whether both can be the same card, as far as they are visible
 */
const fits = (old, rect) => old.code === rect.code || old.code === null || rect.code === null;
