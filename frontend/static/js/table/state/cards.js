/** Cards and piles as the server names them. */

/** @import { Card, Pile, View } from "./types.js" */

const FRENCH = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
const TAROT = { W: "wands", C: "cups", S: "swords", P: "pentacles" };

/** @param {string} game */
export const deckOf = (game) => (game === "tarot" ? "tarot" : "french");

/** @param {Card} card @param {string} game @returns {string} "clubs", "cups", "trumps": for the style sheet */
export function suitOf(card, game) {
  if (card[0] === "M" && game === "tarot") return "trumps";
  const suit = card[card.length - 1];
  return game === "tarot" ? TAROT[/** @type {"W"} */ (suit)] : FRENCH[/** @type {"S"} */ (suit)];
}

/** @param {View} view @param {Pile} pile @returns {number} the size of a pile, including hidden cards */
export const sizeOf = (view, pile) => (view.under[pile] ?? 0) + (view.piles[pile]?.length ?? 0);
