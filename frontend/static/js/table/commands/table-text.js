/** What the player can see on the table, in words. */

import { language, t, tn } from "../../shared/i18n.js";
import { cardName, pileName, pileText, theCard } from "../drawing/cards.js";
import { sizeOf } from "../state/cards.js";
import { facts } from "../hud/hud.js";
import { GAMES } from "../../games/games.js";
import { parse } from "../state/moves.js";

/** @import { Pile, Token, View } from "../state/types.js" */
/** @import { Names } from "./names.js" */

/** @param {string} text @returns {string} as a sentence begins */
export const capital = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/** @param {View} view @param {Names} names @param {Token[]} tokens @returns {string} grouped by the cards they move */
export function movesText(view, names, tokens) {
  /** @type {Map<string, Set<string>>} */
  const groups = new Map();
  for (const token of tokens) {
    const move = parse(token);
    const [card, place] = move
      ? [names.source(move.from, move.count), names.place(move.to, GAMES[view.game].hasAlikeColumns === true)]
      : [actionText(token, view.game), ""];
    groups.set(card, (groups.get(card) ?? new Set()).add(place));
  }
  const or = new Intl.ListFormat(language, { type: "disjunction" });
  return [...groups]
    .map(([card, places]) => (places.has("") ? card : t("{card} to {place}", { card, place: or.format(places) })))
    .join("; ");
}

/**
 * As in `hint.js`: code that two late modules share would be in the first load.
 * @param {Token} token without cards @param {string} game
 */
function actionText(token, game) {
  if (token === "d") return game === "labyrinth" ? t("deal a row") : t("draw a card");
  if (token === "n") return t("turn the waste over");
  return token === "up" ? t("build up") : t("build down");
}

/** @param {View} view @param {Pile} pile @param {number} count the card's place from the top */
export function placeText(view, pile, count) {
  const place = pileName(pile, view);
  if (pile[0] === "f") return place;
  if (count === 1) return t("{place}, on top", { place });
  return tn("{place}, under one card", "{place}, under {n} cards", count - 1, { place });
}

/** @param {View} view @param {Pile[]} piles @returns {string} their cards, from the bottom */
export function pilesText(view, piles) {
  const filled = piles.filter((pile) => sizeOf(view, pile) > 0);
  if (filled.length === 0) return `${piles.map((pile) => pileText(view, pile)).join("; ")}.`;
  const isPlace = (/** @type {Pile} */ pile) => view.game === "labyrinth" && pile[0] === "t";
  const others = filled.filter((pile) => !isPlace(pile)).map((pile) => cardsText(view, pile));
  return `${[...rowTexts(view, filled.filter(isPlace)), ...others].map(capital).join(". ")}.`;
}

/** @param {View} view @param {Pile[]} piles of the labyrinth @returns {string[]} "row 1: place 2 ten of hearts" */
function rowTexts(view, piles) {
  /** @type {Map<string, string[]>} */
  const rows = new Map();
  for (const pile of piles) {
    const number = Number(pile.slice(1));
    const row = t("row {row}", { row: Math.floor(number / 8) + 1 });
    const place = t("place {number}", { number: (number % 8) + 1 });
    rows.set(row, [...(rows.get(row) ?? []), `${place} ${cardName(view.piles[pile][0], view.game)}`]);
  }
  return [...rows].map(([row, cards]) => `${row}: ${cards.join(", ")}`);
}

/** @param {View} view @param {Pile} pile @returns {string} "pile 3: seven of cups (one hidden)" */
function cardsText(view, pile) {
  const cards = view.piles[pile];
  const open = cards.filter((card) => card !== null);
  const hidden = sizeOf(view, pile) - open.length;
  if (open.length === 0) return pileText(view, pile);
  const shown = pile[0] === "f" ? open.slice(-1) : open;
  const below = hidden > 0 && pile[0] !== "f" ? ` (${tn("one hidden", "{n} hidden", hidden)})` : "";
  return `${pileName(pile, view)}: ${shown.map((card) => cardName(card, view.game)).join(", ")}${below}`;
}

/** @param {View} view @returns {string} */
export function scoreText(view) {
  const up = t("{up} of {goal} cards up", { up: view.cards_up, goal: view.goal });
  const details = facts(view).map(([name, value]) => `${name}: ${value}`);
  return `${[up, tn("one move", "{n} moves", view.moves), ...details].join("; ")}.`;
}

/** @param {View} view @returns {string} a description of the table */
export const tableText = (view) => `${scoreText(view)} ${pilesText(view, Object.keys(view.piles))}`;

/** @param {string} way to say a command @param {string} game @returns {string} with names in it */
export function example(way, game) {
  const card = theCard(game === "tarot" ? "7C" : "7H", game);
  const names = { card, place: t("the foundation"), pile: t("the foundations") };
  return way.replace(/\{(\w+)\}/g, (_, slot) => names[/** @type {"card"} */ (slot)]);
}
