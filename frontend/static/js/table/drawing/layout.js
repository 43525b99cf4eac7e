/** Table layout: a pure function of the view and the available space. */

import { braid } from "./layouts/braid.js";
import { labyrinth } from "./layouts/labyrinth.js";
import { plot } from "./layouts/plot.js";
import { stonewall } from "./layouts/stonewall.js";
import { tarot } from "./layouts/tarot.js";

/** @import { Layout, View } from "../state/types.js" */

const TABLES = { braid, labyrinth, plot, stonewall, tarot };

/**
 * @param {View} view
 * @param {number} width pixels of the felt @param {number} height
 * @param {boolean} flipped left-handed: stock at the right
 * @returns {Layout}
 */
export function layout(view, width, height, flipped) {
  const result = TABLES[/** @type {"braid"} */ (view.game)](view, width, height, flipped);
  let z = 0;
  for (const card of result.cards) card.z = z++;
  return result;
}
