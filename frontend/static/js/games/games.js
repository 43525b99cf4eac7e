/**
 * Registry of the games: what the browser knows about each, at the table and in the check of records. A game is one
 * module in this folder with two exports, each with one line here; everything optional has a default.
 */

import { braid, braidRules } from "./braid.js";
import { labyrinth, labyrinthRules } from "./labyrinth.js";
import { plot, plotRules } from "./plot.js";
import { stonewall, stonewallRules } from "./stonewall.js";
import { tarot, tarotRules } from "./tarot.js";

/** @import { Layout, View } from "../table/state/types.js" */
/** @import { Rules } from "./position.js" */

/**
 * @typedef {object} Game a game at the table
 * @property {(view: View, width: number, height: number, flipped: boolean) => Layout} layout of the table in a felt of
 *   `width` by `height` pixels; `flipped` is left-handed, with the stock at the right
 * @property {string[]} [suits] of the foundations, in order, if each has a suit of its own
 * @property {boolean} [hasAlikeColumns] empty tableau piles are interchangeable
 * @property {boolean} [movesRuns] several cards of a pile may move together
 */

/** @type {Record<string, Game>} */
export const GAMES = { braid, labyrinth, plot, stonewall, tarot };

/** The rules a second time, for the check of records; a table does without them. @type {Record<string, Rules>} */
export const RULES = {
  braid: braidRules,
  labyrinth: labyrinthRules,
  plot: plotRules,
  stonewall: stonewallRules,
  tarot: tarotRules,
};
