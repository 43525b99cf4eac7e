/** Rules of Labyrinth, implemented independently from its rules page. */

import { carry, dealt, names, suitTaker as taker, SUITS, top } from "./state.js";

/** @import { Rules, State } from "./state.js" */

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

/** @type {Rules} */
export const labyrinth = { deal, legal, play, goal: () => 52 };
