/** Rules of The Plot, implemented independently from its rules page. */

import { carry, dealt, draw, names, RANKS, top } from "./state.js";

/** @import { Rules, State } from "./state.js" */

const FOUNDATIONS = names("f", 8);
const PILES = names("t", 12);

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

/** @type {Rules} */
export const plot = { deal, legal, play, goal: () => 104 };
