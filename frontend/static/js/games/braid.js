/** Braid: its table layout, and its rules, written independently from its rules page. */

import { Grid, Plan, roomiest } from "./grid.js";
import { carry, dealt, draw, FRENCH, names, newRound, RANKS, top } from "./position.js";

/** @import { View } from "../table/state/types.js" */
/** @import { Game } from "./games.js" */
/** @import { Rules, State } from "./position.js" */

/** Offset of the plait's cards from its middle, in card widths, so that each index shows beside the next card. */
const LEAN = 0.36;
/** Height that a turned card of the plait stands out above and below, in card widths. */
const OVERHANG = 0.045;

/** @type {Game["layout"]} */
function layout(view, width, height, flipped) {
  const grids = [
    new Grid(width, height, 9.9, 4),
    new Grid(width, height, 5.75, 6.35, { gap: 0.09 }),
    new Grid(width, height, 8.8, 5.1),
  ];
  const choice = roomiest(grids);
  const plan = new Plan(view, grids[choice]);
  const place = [wide, tall, middling][choice];
  place(plan, height);
  return plan.done(width, flipped);
}

const SIGNS = (/** @type {View} */ view) => ({ sign: view.base ?? "" });

/** The plait of twenty cards down the middle, between its cells, on wide screens. @param {Plan} plan */
function wide(plan) {
  const { grid, view } = plan;
  plan.stack("s", grid.x(0), grid.y(0.6), { sign: "stock" });
  plan.stack("w", grid.x(0), grid.y(1.75));
  plait(plan, 1.35, 0, 4);
  for (let k = 0; k < 8; k++) plan.stack(`f${k}`, grid.x(7.95 + (k % 2)), grid.y(Math.floor(k / 2)), SIGNS(view));
}

/** @param {Plan} plan @param {number} height space left over makes the plait longer */
function tall(plan, height) {
  const { grid, view } = plan;
  const rows = Math.min(5.4, height / (grid.h + grid.gap) - 2.25);
  grid.top = Math.max(0, (height - grid.high(rows + 2.25)) / 2);
  for (let k = 0; k < 8; k++) plan.stack(`f${k}`, grid.x(1.5 + (k % 4)), grid.y(Math.floor(k / 4)), SIGNS(view));
  plan.stack("s", grid.x(0.1), grid.y(0), { sign: "stock" });
  plan.stack("w", grid.x(0.1), grid.y(1));
  plait(plan, 0, 2.25, rows);
}

/** @param {Plan} plan */
function middling(plan) {
  const { grid, view } = plan;
  for (let k = 0; k < 8; k++) plan.stack(`f${k}`, grid.x(k), grid.y(0), SIGNS(view));
  plan.stack("s", grid.x(0), grid.y(1.4), { sign: "stock" });
  plan.stack("w", grid.x(0), grid.y(2.45));
  plait(plan, 1.9, 1.1, 4);
}

/**
 * The plait and its twelve cells: five and three quarters columns wide.
 * @param {Plan} plan @param {number} left column @param {number} top row @param {number} rows
 */
function plait(plan, left, top, rows) {
  const { grid } = plan;
  const pitch = (rows - 4) / 3 + 1;
  for (let k = 0; k < 4; k++) {
    plan.stack(`t${4 + k}`, grid.x(left), grid.y(top + k * pitch), { sign: "outer" });
    plan.stack(`t${8 + k}`, grid.x(left + 4.75), grid.y(top + k * pitch), { sign: "outer" });
  }
  for (let k = 0; k < 2; k++) {
    const y = grid.y(top + (0.5 + k * 2) * pitch);
    plan.stack(`t${k}`, grid.x(left + 1.02), y, { sign: "inner" });
    plan.stack(`t${2 + k}`, grid.x(left + 3.73), y, { sign: "inner" });
  }
  weave(plan, grid.x(left + 2.375), grid.y(top), grid.y(top + rows) - grid.gap - grid.y(top));
}

/** @param {Plan} plan @param {number} x middle column @param {number} y @param {number} room */
function weave(plan, x, y, room) {
  const { grid, view } = plan;
  const listed = view.piles.r ?? [];
  const lean = grid.w * LEAN;
  const overhang = grid.w * OVERHANG;
  const step = (room - grid.h - 2 * overhang) / 19;
  plan.slot("r", x, y + Math.round(9.5 * step), { sign: "braid" });
  listed.forEach((code, i) => {
    const right = i % 2 === 1;
    plan.cards.push({
      pile: "r",
      i,
      code,
      x: Math.round(x + (right ? lean : -lean)),
      y: Math.round(y + overhang + i * step),
      z: i,
      turn: right ? 5 : -5,
      mirror: right,
    });
  });
}

const CELLS = names("t", 12);
const [INNER, OUTER] = [CELLS.slice(0, 4), CELLS.slice(4)];
const FOUNDATIONS = names("f", 8);

/** @type {Rules["deal"]} */
function deal(deck, options) {
  const piles = /** @type {Record<string, string[]>} */ ({ r: deck.slice(0, 20), w: [], s: deck.slice(33) });
  for (const [k, name] of CELLS.entries()) piles[name] = [deck[20 + k]];
  for (const name of FOUNDATIONS) piles[name] = [];
  piles.f0 = [deck[32]];
  const direction = options.direction === "up" ? "up" : null;
  return dealt(options, piles, { rounds: Number(options.redeals), base: deck[32][0], direction });
}

/** The next card of a started foundation. @param {State} state @param {string} name */
function nextCard(state, name) {
  const cards = state.piles[name];
  if (cards.length === 13) return null;
  const [rank, suit] = cards[cards.length - 1];
  return RANKS[(RANKS.indexOf(rank) + (state.direction === "up" ? 1 : 12)) % 13] + suit;
}

/** The lowest-numbered foundation that takes a card. @param {State} state @param {string} card */
const taker = (state, card) =>
  FOUNDATIONS.find((name) => (state.piles[name].length ? nextCard(state, name) === card : card[0] === state.base)) ??
  null;

/** @param {State} state */
function legal(state) {
  if (state.direction === null) return new Set(["up", "down"]);
  const { piles } = state;
  const tokens = fillings(state);
  for (const name of [...CELLS, "w", "r"]) {
    const card = top(state, name);
    if (card && taker(state, card)) tokens.add(`${name}-f`);
  }
  if (piles.s.length) tokens.add("d");
  else if (piles.w.length && state.rounds) tokens.add("n");
  return tokens;
}

/** The moves that fill an empty cell. @param {State} state */
function fillings({ piles }) {
  const tokens = new Set();
  const source = piles.r.length ? "r" : "w";
  const empty = (/** @type {string} */ cell) => piles[cell].length === 0;
  if (piles.w.length) OUTER.filter(empty).forEach((cell) => tokens.add(`w-${cell}`));
  if (piles[source].length) INNER.filter(empty).forEach((cell) => tokens.add(`${source}-${cell}`));
  return tokens;
}

/** @type {Rules["play"]} */
function play(state, token) {
  if (token === "up" || token === "down") state.direction = token;
  else if (token === "d") draw(state);
  else if (token === "n") {
    newRound(state);
    state.rounds--;
  } else carry(state, token, taker);
}

/** @type {Game} */
export const braid = { layout };

/** @type {Rules} */
export const braidRules = {
  deck: [...FRENCH, ...FRENCH],
  options: { direction: ["up", "either"], redeals: [2, 3] },
  variants: { braid: {}, "braid-either": { direction: "either" }, pigtail: { redeals: 3 } },
  deal,
  legal,
  play,
  facts: ({ direction }) => ({ direction }),
  goal: () => 104,
};
