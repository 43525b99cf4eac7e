/** Table layout: a function of the view and the available space. */

import { cardFace } from "../../games/card-spacing.js";
import { GAMES } from "../../games/games.js";
import { settings } from "../../site/settings.js";

/** @import { Layout, View } from "../state/types.js" */

/**
 * @param {View} view
 * @param {number} width pixels of the felt @param {number} height
 * @param {boolean} flipped left-handed: stock at the right
 * @returns {Layout}
 */
export function layout(view, width, height, flipped) {
  cardFace.isLarge = settings.card_face === "large";
  const result = GAMES[view.game].layout(view, width, height, flipped);
  let z = 0;
  for (const card of result.cards) card.z = z++;
  return result;
}
