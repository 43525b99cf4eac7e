/** Names and drawing of cards and piles. */

import { marked, t, tc, tn } from "../../shared/i18n.js";
import { GAMES } from "../../games/games.js";
import { sizeOf, suitOf } from "../state/cards.js";

/** @import { Card, Pile, View } from "../state/types.js" */

const RANKS = {
  french: {
    A: marked("French deck", "ace"),
    2: marked("French deck", "two"),
    3: marked("French deck", "three"),
    4: marked("French deck", "four"),
    5: marked("French deck", "five"),
    6: marked("French deck", "six"),
    7: marked("French deck", "seven"),
    8: marked("French deck", "eight"),
    9: marked("French deck", "nine"),
    T: marked("French deck", "ten"),
    J: marked("French deck", "jack"),
    Q: marked("French deck", "queen"),
    K: marked("French deck", "king"),
  },
  tarot: {
    A: marked("tarot", "ace"),
    2: marked("tarot", "two"),
    3: marked("tarot", "three"),
    4: marked("tarot", "four"),
    5: marked("tarot", "five"),
    6: marked("tarot", "six"),
    7: marked("tarot", "seven"),
    8: marked("tarot", "eight"),
    9: marked("tarot", "nine"),
    T: marked("tarot", "ten"),
    P: marked("tarot", "page"),
    N: marked("tarot", "knight"),
    Q: marked("tarot", "queen"),
    K: marked("tarot", "king"),
  },
};
const SUITS = {
  spades: marked("French deck", "spades"),
  hearts: marked("French deck", "hearts"),
  diamonds: marked("French deck", "diamonds"),
  clubs: marked("French deck", "clubs"),
  wands: marked("tarot", "wands"),
  cups: marked("tarot", "cups"),
  swords: marked("tarot", "swords"),
  pentacles: marked("tarot", "pentacles"),
};
const TRUMPS = [
  marked("tarot", "the Fool"),
  marked("tarot", "the Magician"),
  marked("tarot", "the High Priestess"),
  marked("tarot", "the Empress"),
  marked("tarot", "the Emperor"),
  marked("tarot", "the Hierophant"),
  marked("tarot", "the Lovers"),
  marked("tarot", "the Chariot"),
  marked("tarot", "Strength"),
  marked("tarot", "the Hermit"),
  marked("tarot", "the Wheel of Fortune"),
  marked("tarot", "Justice"),
  marked("tarot", "the Hanged Man"),
  marked("tarot", "Death"),
  marked("tarot", "Temperance"),
  marked("tarot", "the Devil"),
  marked("tarot", "the Tower"),
  marked("tarot", "the Star"),
  marked("tarot", "the Moon"),
  marked("tarot", "the Sun"),
  marked("tarot", "Judgement"),
  marked("tarot", "the World"),
];

/** @param {string} rank of the French deck @returns {string} */
export const rankName = (rank) => tc(...RANKS.french[/** @type {"A"} */ (rank)]);

/** @param {Card|null} card @param {string} game @returns {string} "ten of cups" */
export function cardName(card, game) {
  if (card === null) return t("a face-down card");
  const suit = suitOf(card, game);
  if (suit === "trumps") {
    const number = Number(card.slice(1));
    const name = tc(...TRUMPS[number]);
    const value = playedValue(number);
    if (number > 10) return t("{name} (trump {number}, plays as {value})", { name, number, value });
    return number === 0 ? name : t("{name} (trump {number})", { name, number });
  }
  const of = suitName(suit);
  if (game !== "tarot") return tc("French deck", "{rank} of {suit}", { rank: rankName(card[0]), suit: of });
  return tc("tarot", "{rank} of {suit}", { rank: tc(...RANKS.tarot[/** @type {"A"} */ (card[0])]), suit: of });
}

/** @param {Card} card @param {string} game @returns {string} "the ten of cups", within a sentence */
export function theCard(card, game) {
  const name = cardName(card, game);
  return suitOf(card, game) === "trumps" ? name : t("the {card}", { card: name });
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
      return foundationName(number, view);
    case "r":
      if (pile === "r") return view.game === "braid" ? t("braid") : t("reserve");
      return t("reserve {number}", { number });
    default:
      if (view.game === "braid")
        return number <= 4 ? t("inner cell {number}", { number }) : t("outer cell {number}", { number: number - 4 });
      if (view.game === "labyrinth")
        return t("row {row}, place {number}", {
          row: Math.floor((number - 1) / 8) + 1,
          number: ((number - 1) % 8) + 1,
        });
      return t("pile {number}", { number });
  }
}

/** @param {number} number from 1 @param {View} view @returns {string} with its suit, if it already has one */
function foundationName(number, view) {
  const { game } = view;
  const { suits } = GAMES[game];
  if (suits) {
    const suit = suits[number - 1];
    return suit === "trumps" ? t("foundation of trumps") : t("foundation of {suit}", { suit: suitName(suit) });
  }
  const first = view.piles[`f${number - 1}`]?.[0];
  if (game !== "braid" || !first) return t("foundation {number}", { number });
  return t("foundation {number}, {suit}", { number, suit: suitName(suitOf(first, game)) });
}

/** @param {string} suit @returns {string} */
const suitName = (suit) => tc(...SUITS[/** @type {"cups"} */ (suit)]);

/** @param {View} view @param {Pile} pile @returns {string} "pile 3, 7 cards" */
export function pileText(view, pile) {
  const size = sizeOf(view, pile);
  return `${pileName(pile, view)}, ${size === 0 ? t("empty") : tn("1 card", "{n} cards", size)}`;
}
