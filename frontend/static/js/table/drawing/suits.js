/** Suits of the foundations in games that fix them. Their order is defined only here. */

const FRENCH = ["spades", "hearts", "diamonds", "clubs"];

/** @type {Record<string, string[]>} by game */
export const FOUNDATIONS = {
  tarot: ["wands", "cups", "swords", "pentacles", "trumps"],
  stonewall: FRENCH,
  labyrinth: FRENCH,
};

/** @type {Record<string, string>} */
const SIGNS = { spades: "♠", hearts: "♥", diamonds: "♦", clubs: "♣" };

/** The sign of an empty foundation. @param {string} game @param {number} k its number from 0 @returns {string} */
export const signOf = (game, k) => SIGNS[FOUNDATIONS[game][k]] ?? FOUNDATIONS[game][k];
