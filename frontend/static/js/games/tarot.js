/** Tarot Solitaire: its table layout, and its rules, written independently from its rules page. */

import { least, longest, shared } from "./card-spacing.js";
import { Grid, Plan } from "./grid.js";
import { carry, dealt, draw, names, newRound, TAROT, TAROT_RANKS, top, unit } from "./position.js";
import { signOf, TAROT_SUITS } from "./suits.js";

/** @import { View } from "../table/state/types.js" */
/** @import { Game } from "./games.js" */
/** @import { Rules, State } from "./position.js" */

const PILES = names("t", 9);
const ROWS = [PILES.slice(0, 5), PILES.slice(5)];

/** Nine piles that may grow long, five foundations. @type {Game["layout"]} */
function layout(view, width, height, flipped) {
  const low = height < 430 && width > height * 1.4;
  const arrangement = low ? sides : height > width * 1.15 ? twoRows : above;
  return arrangement(view, width, height).done(width, flipped);
}

/**
 * Stock and foundations above the piles.
 * @param {View} view @param {number} width @param {number} height @returns {Plan}
 */
function above(view, width, height) {
  const start = (/** @type {Grid} */ grid) => grid.y(1) + grid.gap;
  const plan = new Plan(
    view,
    Grid.fitting(width, height, 9, (grid) => start(grid) + longest(view, grid, PILES)),
  );
  const { grid } = plan;
  plan.stack("s", grid.x(0), 0, { sign: "stock" });
  plan.row("w", grid.x(1), 0, grid.w + Math.min(grid.across, Math.round(grid.w * 0.06)));
  foundations(plan, 4);
  PILES.forEach((pile, k) => plan.fan(pile, grid.x(k), start(grid), height - start(grid)));
  return plan;
}

/**
 * The piles in two rows, with stock and waste at the end of the second: upright screens.
 * @param {View} view @param {number} width @param {number} height @returns {Plan}
 */
function twoRows(view, width, height) {
  const rows = (/** @type {Grid} */ grid, room = 0) => {
    const found = shared(view, grid, ROWS, room);
    return { ...found, waste: grid.h + grid.gap + least(grid, ["", "", ""]) };
  };
  const start = (/** @type {Grid} */ grid) => grid.y(1) + 2 * grid.gap;
  const need = (/** @type {Grid} */ grid) => {
    const [first, second] = ROWS.map((piles) => longest(view, grid, piles));
    return start(grid) + first + 2 * grid.gap + Math.max(second, rows(grid).waste);
  };
  const plan = new Plan(view, Grid.fitting(width, height, 5, need, { widest: 0.7 }));
  const { grid } = plan;
  foundations(plan, 0);
  const room = height - start(grid) - 2 * grid.gap;
  const { heights, waste } = rows(grid, room);
  const second = Math.min(start(grid) + heights[0], height - waste - 2 * grid.gap) + 2 * grid.gap;
  ROWS[0].forEach((pile, k) => plan.fan(pile, grid.x(k), start(grid), second - 2 * grid.gap - start(grid)));
  ROWS[1].forEach((pile, k) => plan.fan(pile, grid.x(k), Math.round(second), height - second));
  plan.stack("s", grid.x(4), Math.round(second), { sign: "stock" });
  const below = Math.round(second) + grid.h + grid.gap;
  plan.fan("w", grid.x(4), below, height - below);
  return plan;
}

/**
 * Stock left, foundations right: low screens.
 * @param {View} view @param {number} width @param {number} height @returns {Plan}
 */
function sides(view, width, height) {
  const need = (/** @type {Grid} */ grid) =>
    Math.max(grid.high(3), longest(view, grid, PILES), grid.y(1) + least(grid, ["", "", ""]));
  const plan = new Plan(view, Grid.fitting(width, height, 12.1, need));
  const { grid } = plan;
  plan.stack("s", grid.x(0), 0, { sign: "stock" });
  plan.fan("w", grid.x(0), grid.y(1), height - grid.y(1));
  for (let k = 0; k < 5; k++)
    plan.stack(`f${k}`, grid.x(10.1 + (k % 2)), grid.y(Math.floor(k / 2)), { sign: signOf(TAROT_SUITS[k]) });
  PILES.forEach((pile, k) => plan.fan(pile, grid.x(1.05 + k), 0, height));
  return plan;
}

/** @param {Plan} plan @param {number} column of the first: a row above the piles */
function foundations(plan, column) {
  for (let k = 0; k < 5; k++) plan.stack(`f${k}`, plan.grid.x(column + k), 0, { sign: signOf(TAROT_SUITS[k]) });
}

const SUITS = "WCSP";
const FOOL = "M0";

/** @type {Rules["deal"]} */
function deal(deck, options) {
  const rest = [...deck];
  /** @type {Record<string, string[]>} */
  const piles = { w: [] };
  for (const name of [...PILES, ...names("f", 5)]) piles[name] = [];
  for (const length of [...(options.first_row ? [9] : []), 9, 8, 7, 6, 5, 4, 3, 2, 1])
    for (const name of PILES.slice(0, length)) piles[name].push(...rest.splice(0, 1));
  piles.s = rest;
  const down = Object.fromEntries(PILES.map((name) => [name, [...piles[name].keys()].slice(0, -1)]));
  return dealt(options, piles, { down, rounds: Infinity });
}

/** True for trumps, including the Fool. @param {string} card */
const isTrump = (card) => card[0] === "M";

/** True for the Fool of the standard game. @param {State} state @param {string} card */
const isWild = (state, card) => card === FOOL && state.options.fool === "wild";

/** A card's value in the tableau. @param {string} card */
function value(card) {
  if (!isTrump(card)) return TAROT_RANKS.indexOf(card[0]) + 1;
  const number = Number(card.slice(1));
  return number <= 10 ? number : Math.floor(number / 10) + (number % 10);
}

/** The family of a card's suit. @param {string} card */
function party(card) {
  if (isTrump(card)) return "trumps";
  return "WS".includes(card[1]) ? "staves" : "vessels";
}

/** @param {State} state @param {string} card @param {string} under */
function goesOn(state, card, under) {
  if (isWild(state, card) || isWild(state, under)) return true;
  if (card === FOOL || under === FOOL || party(card) === party(under)) return false;
  return value(card) === value(under) - 1 || (value(card) === 10 && value(under) === 2);
}

/** True for cards that may start an empty pile. @param {string} card */
const isHighest = (card) => card === "M21" || (!isTrump(card) && card[0] === "K");

/** @param {State} state @param {string} card */
function taker(state, card) {
  if (isTrump(card)) {
    const first = state.options.fool === "trump" ? 0 : 1;
    return Number(card.slice(1)) === first + state.piles.f4.length ? "f4" : null;
  }
  const name = `f${SUITS.indexOf(card[1])}`;
  return value(card) === state.piles[name].length + 1 ? name : null;
}

/** @param {State} state @param {string} pile @param {string} card */
function pileTakes(state, pile, card) {
  const under = top(state, pile);
  return under ? goesOn(state, card, under) : isHighest(card) || isWild(state, card);
}

/** @param {State} state */
function legal(state) {
  const { piles } = state;
  const tokens = new Set();
  for (const source of [...PILES, "w"]) {
    const card = top(state, source);
    if (!card) continue;
    if (taker(state, card)) tokens.add(`${source}-f`);
    for (const target of PILES) if (source !== target) between(state, source, target).forEach((one) => tokens.add(one));
  }
  if (piles.s.length) tokens.add("d");
  else if (piles.w.length) tokens.add("n");
  return tokens;
}

/** The moves from pile to pile. @param {State} state @param {string} source @param {string} target */
function between(state, source, target) {
  const cards = state.piles[source];
  if (source === "w") return pileTakes(state, target, cards[cards.length - 1]) ? [`w-${target}`] : [];
  const tokens = [];
  for (const [place, card] of cards.entries()) {
    if (state.down[source]?.includes(place)) continue;
    if (place === 0 && (isHighest(card) || !state.piles[target].length)) continue;
    if (pileTakes(state, target, card)) tokens.push(unit(source, target, cards.length - place));
  }
  return tokens;
}

/** @type {Rules["play"]} */
function play(state, token) {
  if (token === "d") draw(state, Number(state.options.draw));
  else if (token === "n") newRound(state);
  else carry(state, token, taker);
}

/** @type {Game} */
export const tarot = { suits: TAROT_SUITS, hasAlikeColumns: true, movesRuns: true, layout };

/** @type {Rules} */
export const tarotRules = {
  deck: TAROT,
  options: { first_row: [true, false], draw: [2, 1, 3], fool: ["wild", "trump"] },
  variants: { tarot: {}, "tarot-novice": { first_row: false, draw: 1 }, "tarot-adept": { draw: 3, fool: "trump" } },
  deal,
  legal,
  play,
  goal: ({ options }) => (options.fool === "trump" ? 78 : 77),
};
