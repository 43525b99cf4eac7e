/** Words for moves, for screen readers. */

import { t, tn } from "../../shared/i18n.js";
import { cardName, pileName } from "../drawing/cards.js";
import { sizeOf } from "../state/cards.js";
import { parse } from "../state/moves.js";

/** @import { Token, View } from "../state/types.js" */

/** @param {View} before @param {View} after @param {Token} token @returns {string} "ten of cups to page of swords" */
export function moveText(before, after, token) {
  if (token === "u") return t("undone");
  if (token === "n") return t("the waste is the stock again");
  if (token === "up") return t("foundations build up");
  if (token === "down") return t("foundations build down");
  if (token === "d") return drawText(before, after);
  const move = parse(token);
  if (!move) return token;
  const cards = before.piles[move.from] ?? [];
  const card = cardName(cards[cards.length - move.count] ?? null, before.game);
  const cardText = move.count > 1 ? tn("{card} and one more", "{card} and {n} more", move.count - 1, { card }) : card;
  const turned = after.piles[move.from]?.at(-1);
  const wasDown = (before.piles[move.from] ?? []).at(-1 - move.count) === null;
  const turns = turned && wasDown ? t("turns up {card}", { card: cardName(turned, after.game) }) : "";
  const news = turns && `, ${turns}`;
  if (move.to === "f")
    return (
      t("{card} to the foundation, {up} of {goal}", { card: cardText, up: after.cards_up, goal: after.goal }) + news
    );
  const onto = before.piles[move.to]?.at(-1);
  const place = onto ? cardName(onto, before.game) : pileName(move.to, before);
  return t("{card} to {place}", { card: cardText, place }) + news;
}

/** @param {View} before @param {View} after */
function drawText(before, after) {
  if (after.game === "labyrinth")
    return tn("row {row} dealt, one left", "row {row} dealt, {n} left", sizeOf(after, "s"), { row: after.rows ?? 1 });
  const count = Math.max(1, sizeOf(before, "s") - sizeOf(after, "s"));
  const names = (after.piles.w ?? []).slice(-count).map((card) => cardName(card, after.game));
  return tn("drawn: {cards}; one left", "drawn: {cards}; {n} left", sizeOf(after, "s"), { cards: names.join(", ") });
}
