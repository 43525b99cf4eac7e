/** Spacing of fanned piles, with readable indices. */

/** @import { Pile, View } from "../table/state/types.js" */
/** @import { Grid } from "./grid.js" */

/** Comfortable steps between the cards of a fan, in shares of their height. */
const EASY = { index: 0.25, large: 0.36, back: 0.12 };
/** Minimum steps: a covered card shows its whole index, a back only that it is there. */
const LEAST = { index: 0.235, large: 0.325, back: 0.05 };

/** The player's choice of cards, which the table sets before each layout. */
export const cardFace = { isLarge: false };

/** @param {number} w card width in pixels @returns {boolean} whether cards show the large index of small cards */
export const small = (w) => w < 66 || cardFace.isLarge;

/** @param {typeof EASY} steps @param {Grid} grid @param {string|null} card @returns {number} pixels to the next card */
const stepAfter = (steps, { w, h }, card) => (card === null ? steps.back : small(w) ? steps.large : steps.index) * h;

/** @param {Grid} grid @param {(string|null)[]} cards @returns {number} pixels that a readable fan needs */
export const least = (grid, cards) =>
  cards.slice(0, -1).reduce((sum, card) => sum + stepAfter(LEAST, grid, card), grid.h) + 1;

/** @param {Grid} grid @param {(string|null)[]} cards @returns {number} pixels that a comfortable fan takes */
const easy = (grid, cards) => cards.slice(0, -1).reduce((sum, card) => sum + stepAfter(EASY, grid, card), grid.h);

/** @param {View} view @param {Grid} grid @param {Pile[]} piles @returns {number} pixels that the longest pile needs */
export const longest = (view, grid, piles) => tallest(view, grid, piles, least);

/** @param {View} view @param {Grid} grid @param {Pile[]} piles @param {typeof least} measure */
const tallest = (view, grid, piles, measure) =>
  Math.max(grid.h, ...piles.map((pile) => measure(grid, view.piles[pile] ?? [])));

/**
 * The steps between the cards of a fan. In short space backs shrink first, then all steps in proportion.
 * @param {Grid} grid @param {(string|null)[]} cards @param {number} space pixels for all steps together
 * @returns {number[]} pixels
 */
export function spaced(grid, cards, space) {
  const covered = cards.slice(0, -1);
  const sum = (/** @type {typeof EASY} */ steps, /** @type {boolean} */ backs) =>
    covered.reduce((all, card) => all + ((card === null) === backs ? stepAfter(steps, grid, card) : 0), 0);
  const tight = share(space - sum(EASY, false), sum(LEAST, true), sum(EASY, true));
  const backs = sum(LEAST, true) + tight * (sum(EASY, true) - sum(LEAST, true));
  const open = share(space - backs, sum(LEAST, false), sum(EASY, false));
  const steps = covered.map((card) => {
    const [least, easy] = [stepAfter(LEAST, grid, card), stepAfter(EASY, grid, card)];
    return least + (card === null ? tight : open) * (easy - least);
  });
  const all = steps.reduce((total, step) => total + step, 0);
  return all > space ? steps.map((step) => (step * space) / all) : steps;
}

/** @param {number} space @param {number} least @param {number} easy @returns {number} 0 for the least, 1 for all */
const share = (space, least, easy) => (easy > least ? Math.min(1, Math.max(0, (space - least) / (easy - least))) : 1);

/**
 * Divides a height between rows of fans: each gets what its longest pile needs, and a share of the rest.
 * @param {View} view @param {Grid} grid @param {Pile[][]} rows @param {number} room pixels
 * @returns {{least: number, heights: number[]}} the total need, and the height of each row, without the gaps between
 */
export function shared(view, grid, rows, room) {
  const narrow = rows.map((piles) => longest(view, grid, piles));
  // A row has space for five cards from the start, so that it seldom moves.
  const ample = easy(grid, ["", "", "", "", ""]);
  const wanted = rows.map((piles, k) => Math.max(ample, tallest(view, grid, piles, easy)) - narrow[k]);
  const [needed, more] = [narrow, wanted].map((parts) => parts.reduce((sum, part) => sum + part, 0));
  const part = Math.min(1, Math.max(0, room - needed) / Math.max(1, more));
  return { least: needed, heights: narrow.map((height, k) => height + Math.max(0, wanted[k]) * part) };
}
