/** The Plot: its table layout, and its rules, written independently from its rules page. */

import { shared } from "./card-spacing.js";
import { Grid, Plan, roomiest } from "./grid.js";
import { carry, dealt, draw, FRENCH, names, RANKS, top } from "./position.js";

/** @import { Game } from "./games.js" */
/** @import { Rules, State } from "./position.js" */

const FOUNDATIONS = names("f", 8);
const PILES = names("t", 12);
const WIDE = { columns: 10, rows: [PILES.slice(0, 6), PILES.slice(6)] };
const TALL = { columns: 5.4, rows: [PILES.slice(0, 4), PILES.slice(4, 8), PILES.slice(8)] };

/** Twelve piles in rows, the reserve beside them, and phase one's only foundation first. @type {Game["layout"]} */
function layout(view, width, height, flipped) {
  // The screen alone decides between the two, with space for a few cards per row.
  const grids = [new Grid(width, height, WIDE.columns, 4.2), new Grid(width, height, TALL.columns, 8)];
  const upright = roomiest(grids) === 1;
  const { columns, rows } = upright ? TALL : WIDE;
  const start = (/** @type {Grid} */ grid) => (upright ? grid.y(2.2) : 0);
  const between = (/** @type {Grid} */ grid) => (rows.length - 1) * gapOf(grid);
  const need = (/** @type {Grid} */ grid) =>
    start(grid) + Math.max(grid.high(upright ? 3.15 : 4), shared(view, grid, rows, 0).least + between(grid));
  const plan = new Plan(view, Grid.fitting(width, height, columns, need, { widest: 0.3 }));
  (upright ? tall : wide)(plan);
  const { grid } = plan;
  let y = start(grid);
  const { heights } = shared(view, grid, rows, height - y - between(grid));
  rows.forEach((piles, k) => {
    piles.forEach((pile, column) => plan.fan(pile, grid.x((upright ? 1.4 : 1.5) + column), Math.round(y), heights[k]));
    y += heights[k] + gapOf(grid);
  });
  return plan.done(width, flipped);
}

/** @param {Grid} grid @returns {number} pixels between two rows of piles */
const gapOf = (grid) => Math.round(grid.h * 0.1);

/** @param {Plan} plan @param {number} k */
const more = (plan, k) => ({ sign: plan.view.base ?? "", dim: k > 0 && plan.view.phase === 1 });

/** @param {Plan} plan foundations right of the piles */
function wide(plan) {
  const { grid } = plan;
  left(plan, 0);
  for (let k = 0; k < 8; k++) plan.stack(`f${k}`, grid.x(8 + (k % 2)), grid.y(Math.floor(k / 2)), more(plan, k));
}

/** @param {Plan} plan foundations above the piles: upright screens */
function tall(plan) {
  const { grid } = plan;
  for (let k = 0; k < 8; k++) plan.stack(`f${k}`, grid.x(1.4 + (k % 4)), grid.y(Math.floor(k / 4)), more(plan, k));
  left(plan, 2.2);
}

/** @param {Plan} plan @param {number} top row; on upright screens the reserve stands above it */
function left(plan, top) {
  const { grid } = plan;
  plan.stack("r", grid.x(0), grid.y(0), { sign: "reserve" });
  plan.stack("s", grid.x(0), grid.y(top || 1.45), { sign: "stock" });
  plan.stack("w", grid.x(0), grid.y((top || 1.45) + 1.15));
}

/** @type {Rules["deal"]} */
function deal(deck, options) {
  const piles = /** @type {Record<string, string[]>} */ ({ r: deck.slice(0, 13).reverse(), w: [], s: deck.slice(26) });
  for (const name of FOUNDATIONS) piles[name] = [];
  piles.f0 = [deck[13]];
  for (const [k, name] of PILES.entries()) piles[name] = [deck[14 + k]];
  return dealt(options, piles, { base: deck[13][0] });
}

/** Two once the first foundation is complete. @param {State} state */
const phase = ({ piles }) => (piles.f0.length === 13 ? 2 : 1);

/** @type {Rules["facts"]} */
const facts = (state) => ({ phase: phase(state) });

/** The next higher rank; the ace follows the king. @param {string} rank */
const above = (rank) => RANKS[(RANKS.indexOf(rank) + 1) % 13];

/** The lowest-numbered foundation that takes a card. @param {State} state @param {string} card */
function taker(state, card) {
  const takes = (/** @type {string} */ name) => {
    const cards = state.piles[name];
    if (!cards.length) return phase(state) === 2 && card[0] === state.base;
    return cards.length < 13 && above(cards[cards.length - 1][0]) === card[0];
  };
  return FOUNDATIONS.find(takes) ?? null;
}

/** @param {State} state @param {string} source @param {string} card @param {string} target */
function pileTakes(state, source, card, target) {
  const under = top(state, target);
  const waits = phase(state) === 1 && card[0] === state.base;
  if (!under) return source === "w" && (phase(state) === 2 || waits);
  return !waits && above(card[0]) === under[0];
}

/** @param {State} state */
function legal(state) {
  const tokens = new Set();
  for (const source of [...PILES, "w", "r"]) {
    const card = top(state, source);
    if (!card) continue;
    if (taker(state, card)) tokens.add(`${source}-f`);
    if (source === "r") continue;
    for (const target of PILES)
      if (source !== target && pileTakes(state, source, card, target)) tokens.add(`${source}-${target}`);
  }
  if (state.piles.s.length) tokens.add("d");
  return tokens;
}

/** @type {Rules["play"]} */
function play(state, token) {
  if (token === "d") draw(state);
  else carry(state, token, taker);
}

/** @type {Game} */
export const plot = { layout };

/** @type {Rules} */
export const plotRules = { deck: [...FRENCH, ...FRENCH], covered: "r", deal, legal, play, facts, goal: () => 104 };
