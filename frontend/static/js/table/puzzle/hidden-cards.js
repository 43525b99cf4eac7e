/** Cards that a player at a table would not see: lists of stock, waste and reserve, and marks on face-down cards. */

import { part } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { cardName } from "../drawing/cards.js";
import { suitOf } from "../state/cards.js";

/** @import { State } from "../state/state.js" */
/** @import { Card, Pile } from "../state/types.js" */

/**
 * Lists the cards of the stock, and those below the top of waste and reserve, from the top.
 * @param {HTMLElement} place @param {State} state @param {Record<Pile, Card[]>} hidden
 */
export function listHidden(place, state, hidden) {
  const { view } = state;
  if (!view) return;
  const lists = Object.entries(hidden).map(([pile, cards]) => {
    const items = cards.map((card) => cardItem(state, card, view.game));
    return part("div", "hidden-pile", part("b", "", label(pile)), Object.assign(part("ol", "", ...items)));
  });
  place.hidden = lists.length === 0;
  place.replaceChildren(...lists);
}

/** @param {Pile} pile */
function label(pile) {
  if (pile === "s") return t("Stock, next card first:");
  return pile === "w" ? t("Waste, below its top card:") : t("Reserve, below its top card:");
}

/** @param {State} state @param {Card} card @param {string} game */
function cardItem(state, card, game) {
  const item = part("li", "", state.faces.artwork({ game }).picture("0 0 100 140", "", [`${card}-c`]));
  item.append(part("span", "visually-hidden", cardName(card, game)));
  item.dataset.suit = suitOf(card, game);
  item.dataset.card = card;
  return item;
}

/** Marks the cards that lie face down. @param {State} state @param {Card[]} faceDown */
export function markFaceDown({ pieces }, faceDown) {
  for (const { element, rect } of pieces) {
    const isDown = rect.code !== null && rect.pile[0] === "t" && faceDown.includes(rect.code);
    element.classList.toggle("turned-up", isDown);
    if (isDown) element.setAttribute("aria-label", `${element.getAttribute("aria-label")}, ${t("face down")}`);
  }
}

/**
 * Marks cards on the table and in the lists, and no others.
 * @param {HTMLElement} lists @param {State} state @param {Card[]} cards
 */
export function markCards(lists, { pieces }, cards) {
  for (const { element, rect } of pieces)
    element.classList.toggle("lacking", rect.pile[0] !== "f" && cards.includes(rect.code ?? ""));
  for (const item of lists.querySelectorAll("li"))
    item.classList.toggle("lacking", cards.includes(item.dataset.card ?? ""));
}
