/** What cards and piles are called, and how they are drawn. */

import { t } from "../i18n.js";

/** @import { Card, Pile, View } from "./types.js" */

const FRENCH = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
const TAROT = { W: "wands", C: "cups", S: "swords", P: "pentacles" };
const RANKS = {
  A: "ace", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
  T: "ten", J: "jack", P: "page", N: "knight", Q: "queen", K: "king",
};
const TRUMPS = [
  "the Fool", "the Magician", "the High Priestess", "the Empress", "the Emperor", "the Hierophant", "the Lovers",
  "the Chariot", "Strength", "the Hermit", "the Wheel of Fortune", "Justice", "the Hanged Man", "Death", "Temperance",
  "the Devil", "the Tower", "the Star", "the Moon", "the Sun", "Judgement", "the World",
];

/** @param {string} game */
export const deckOf = (game) => (game === "tarot" ? "tarot" : "french");

/** @param {Card} card @param {string} game @returns {string} "clubs", "cups", "trumps": for the style sheet */
export function suitOf(card, game) {
  if (card[0] === "M" && game === "tarot") return "trumps";
  const suit = card[card.length - 1];
  return game === "tarot" ? TAROT[/** @type {"W"} */ (suit)] : FRENCH[/** @type {"S"} */ (suit)];
}

/** @param {string} rank @returns {string} */
export const rankName = (rank) => t(RANKS[/** @type {"A"} */ (rank)] ?? rank);

/** @param {Card|null} card @param {string} game @returns {string} "ten of cups" */
export function cardName(card, game) {
  if (card === null) return t("a face-down card");
  const suit = suitOf(card, game);
  if (suit === "trumps") {
    const number = Number(card.slice(1));
    const name = t(TRUMPS[number]);
    if (number > 10) return t("{name}, trump {number}, plays as {value}", { name, number, value: playedValue(number) });
    return number === 0 ? name : t("{name}, trump {number}", { name, number });
  }
  return t("{rank} of {suit}", { rank: rankName(card[0]), suit: t(suit) });
}

/** @param {number} number of a trump @returns {number} */
const playedValue = (number) => (number > 10 ? Math.floor(number / 10) + (number % 10) : number);

/** @param {Pile} pile @param {View} view @returns {string} */
export function pileName(pile, view) {
  const number = Number(pile.slice(1)) + 1;
  switch (pile[0]) {
    case "s":
      return t("stock");
    case "w":
      return t("waste");
    case "f":
      return t("foundation {number}", { number });
    case "r":
      if (pile === "r") return view.game === "braid" ? t("braid") : t("reserve");
      return t("reserve {number}", { number });
    default:
      if (view.game === "braid") return number <= 4 ? t("inner cell {number}", { number }) : t("outer cell {number}", { number: number - 4 });
      if (view.game === "labyrinth")
        return t("row {row}, place {number}", { row: Math.floor((number - 1) / 8) + 1, number: ((number - 1) % 8) + 1 });
      return t("pile {number}", { number });
  }
}

/** @param {View} view @param {Pile} pile @returns {number} cards in a pile, hidden ones counted */
export const sizeOf = (view, pile) => (view.under[pile] ?? 0) + (view.piles[pile]?.length ?? 0);
