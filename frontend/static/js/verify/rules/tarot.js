/** Rules of Tarot Solitaire, implemented independently from its rules page. */

import { carry, dealt, draw, names, newRound, top, unit } from "./state.js";

/** @import { Rules, State } from "./state.js" */

const SUITS = "WCSP";
const RANKS = "A23456789TPNQK";
const PILES = names("t", 9);
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
  if (!isTrump(card)) return RANKS.indexOf(card[0]) + 1;
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

/** @type {Rules} */
export const tarot = { deal, legal, play, goal: ({ options }) => (options.fool === "trump" ? 78 : 77) };
