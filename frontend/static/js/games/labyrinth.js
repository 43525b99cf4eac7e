/** Labyrinth: its table layout, and its rules, written independently from its rules page. */

import { Grid, Plan, roomiest } from "./grid.js";
import { carry, dealt, FRENCH, names, SUITS, suitTaker as taker, top } from "./position.js";
import { FRENCH_SUITS, signOf } from "./suits.js";

/** @import { Game } from "./games.js" */
/** @import { Rules, State } from "./position.js" */

/** Card width below which eight columns overlap, in pixels: a phone's. */
const LEGIBLE = 56;

/** Up to six rows of eight, with visible gaps where the width allows. @type {Game["layout"]} */
function layout(view, width, height, flipped) {
  const dealt = view.rows ?? 1;
  const rows = Math.max(4, dealt);
  const grids = [new Grid(width, height, 10.5, rows), upright(width, height, rows + 1.25)];
  const wide = roomiest(grids) === 0;
  const plan = new Plan(view, grids[wide ? 0 : 1]);
  const { grid } = plan;
  if (!wide) stretch(grid, rows + 1.25, height);
  const [left, top] = wide ? [2.5, 0] : [0, 1.25];
  for (let k = 0; k < 4; k++) {
    const [x, y] = wide ? [grid.x(k % 2), grid.y(Math.floor(k / 2))] : [grid.x(7) - (3 - k) * (grid.w + 4), grid.y(0)];
    plan.stack(`f${k}`, x, y, { sign: signOf(FRENCH_SUITS[k]) });
  }
  plan.stack("s", grid.x(wide ? 0.5 : 0), grid.y(wide ? rows - 1 : 0), { sign: "stock" });
  for (let k = 0; k < rows * 8; k++) {
    // Overlapping columns leave the upper left corners free, so of the cards of a row the right one comes last.
    const [row, column] = [Math.floor(k / 8), flipped ? 7 - (k % 8) : k % 8];
    plan.stack(`t${8 * row + column}`, grid.x(left + column), grid.y(top + row), { dim: row >= dealt });
  }
  // Their places have the width of a step, at the left of the card.
  const covered = Math.max(0, -grid.across);
  for (const slot of plan.slots) {
    if (slot.pile[0] !== "t") continue;
    slot.w -= covered;
    if (flipped) slot.x += covered;
  }
  return plan.done(width, flipped);
}

/** The grid of an upright screen. @param {number} width pixels @param {number} height pixels @param {number} rows */
function upright(width, height, rows) {
  const apart = new Grid(width, height, 8, rows, { gap: 0.05 });
  if (apart.w >= LEGIBLE) return apart;
  const grid = new Grid(width, height, 6.4, rows, { gap: 0.05, widest: LEGIBLE });
  grid.across = Math.floor((width - 8 * grid.w) / 7);
  grid.left = Math.max(0, (width - 8 * grid.w - 7 * grid.across) / 2);
  return grid;
}

/**
 * Spreads the rows on an upright screen, whose width is filled by eight cards.
 * @param {Grid} grid @param {number} rows @param {number} height pixels
 */
function stretch(grid, rows, height) {
  grid.gap = Math.max(grid.gap, Math.min(Math.round(grid.h * 0.3), Math.floor((height - rows * grid.h) / (rows - 1))));
  grid.top = Math.max(0, (height - grid.high(rows)) / 2);
}

const COLUMNS = 8;

/** @type {Rules["deal"]} */
function deal(deck, options) {
  const piles = /** @type {Record<string, string[]>} */ ({ s: deck.slice(COLUMNS) });
  for (const [k, name] of names("t", 48).entries()) piles[name] = k < COLUMNS ? [deck[k]] : [];
  for (const [k, suit] of [...SUITS].entries()) piles[`f${k}`] = [`A${suit}`];
  return dealt(options, piles, { rows: 1 });
}

/** @param {State} state @param {number} row @param {number} column */
const isEmpty = ({ piles, rows }, row, column) =>
  row >= 0 && row < rows && piles[`t${COLUMNS * row + column}`].length === 0;

/** True if a cell's card is playable. @param {State} state @param {number} row @param {number} column */
function isFree(state, row, column) {
  if (isEmpty(state, row, column)) return false;
  const outermost = row === 0 || row === state.rows - 1;
  return outermost || isEmpty(state, row - 1, column) || isEmpty(state, row + 1, column);
}

/** @param {State} state */
function legal(state) {
  const tokens = new Set();
  for (let cell = 0; cell < COLUMNS * state.rows; cell++) {
    if (!isFree(state, Math.floor(cell / COLUMNS), cell % COLUMNS)) continue;
    const card = top(state, `t${cell}`);
    if (card && taker(state, card)) tokens.add(`t${cell}-f`);
  }
  if (state.piles.s.length) tokens.add("d");
  return tokens;
}

/** @type {Rules["facts"]} */
const facts = (state) => ({
  rows: state.rows,
  free: names("t", COLUMNS * state.rows).filter((_, k) => isFree(state, Math.floor(k / COLUMNS), k % COLUMNS)),
});

/** @type {Rules["play"]} */
function play(state, token) {
  const { s } = state.piles;
  if (token === "d") {
    for (const [k, card] of s.splice(0, COLUMNS).entries()) state.piles[`t${COLUMNS * state.rows + k}`].push(card);
    state.rows++;
    return;
  }
  const [source] = token.split("-");
  carry(state, token, taker);
  if (names("t", COLUMNS).includes(source)) state.piles[source].push(...s.splice(0, 1));
}

/** @type {Game} */
export const labyrinth = { suits: FRENCH_SUITS, layout };

/** @type {Rules} */
export const labyrinthRules = {
  deck: FRENCH.filter((card) => !card.startsWith("A")),
  deal,
  legal,
  play,
  facts,
  goal: () => 52,
};
