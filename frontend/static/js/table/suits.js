/** What each foundation is for, where that is laid down: the one place for the order in which they lie. */

const FRENCH = ["spades", "hearts", "diamonds", "clubs"];

/** @type {Record<string, string[]>} by game */
export const FOUNDATIONS = {
  tarot: ["wands", "cups", "swords", "pentacles", "trumps"],
  stonewall: FRENCH,
  labyrinth: FRENCH,
};

/** @type {Record<string, string>} */
const SIGNS = { spades: "♠", hearts: "♥", diamonds: "♦", clubs: "♣" };

/**
 * What the empty place of a foundation shows.
 * @param {string} game @param {number} k its number from 0 @returns {string}
 */
export const signOf = (game, k) => SIGNS[FOUNDATIONS[game][k]] ?? FOUNDATIONS[game][k];
