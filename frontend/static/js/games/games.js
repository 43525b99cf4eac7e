/**
 * Registry of the games: what the browser knows about each, at the table and in the check of records. A game is one
 * module in this folder and one line here; everything optional has a default.
 */

import { braid } from "./braid.js";
import { labyrinth } from "./labyrinth.js";
import { plot } from "./plot.js";
import { stonewall } from "./stonewall.js";
import { tarot } from "./tarot.js";

/** @import { Layout, View } from "../table/state/types.js" */
/** @import { Options, Rules } from "./position.js" */

/**
 * @typedef {object} Game
 * @property {string[]} deck before the shuffle: docs/shuffle.md
 * @property {Rules} rules
 * @property {(view: View, width: number, height: number, flipped: boolean) => Layout} layout of the table in a felt of
 *   `width` by `height` pixels; `flipped` is left-handed, with the stock at the right
 * @property {Record<string, Options[string][]>} [options] their choices, the default first
 * @property {Record<string, Options>} [variants] the daily variants, with their options that are not the default;
 *   without them, the game is the only one
 * @property {string[]} [suits] of the foundations, in order, if each has a suit of its own
 * @property {string} [covered] a pile that shows only its top card
 * @property {boolean} [hasAlikeColumns] empty tableau piles are interchangeable
 * @property {boolean} [movesRuns] several cards of a pile may move together
 */

/** @type {Record<string, Game>} */
export const GAMES = { braid, labyrinth, plot, stonewall, tarot };
