/** Suits as the style sheets name them, in the order of the foundations. */

export const FRENCH_SUITS = ["spades", "hearts", "diamonds", "clubs"];
export const TAROT_SUITS = ["wands", "cups", "swords", "pentacles", "trumps"];

/** @type {Record<string, string>} */
const SIGNS = { spades: "♠", hearts: "♥", diamonds: "♦", clubs: "♣" };

/** @param {string} suit @returns {string} the sign of its empty foundation */
export const signOf = (suit) => SIGNS[suit] ?? suit;
