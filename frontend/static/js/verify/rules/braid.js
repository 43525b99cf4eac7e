/** Rules of Braid, implemented independently from its rules page. */

import { carry, dealt, draw, names, newRound, RANKS, top } from "./state.js";

/** @import { Rules, State } from "./state.js" */

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

/** @type {Rules} */
export const braid = { deal, legal, play, goal: () => 104 };
