/** What the five games share: the table as plain lists, written for reading and apart from the server's engine. */

/** @import { Options } from "../shuffle.js" */

export const SUITS = "SHDC";
export const RANKS = "A23456789TJQK";

/**
 *
 * @typedef {object} State one table
 * @property {Options} options
 * @property {Record<string, string[]>} piles from bottom to top; the stock has its next card first
 * @property {Record<string, number[]>} down the places of a pile, from its bottom, whose cards lie face down
 * @property {number} rounds how often the waste may still be turned over
 * @property {string} base
 * @property {string | null} direction
 * @property {number} rows
 *
 * @typedef {object} Rules what every game has
 * @property {(deck: string[], options: Options) => State} deal
 * @property {(state: State) => Set<string>} legal every legal token of a game not yet won, `u` not among them
 * @property {(state: State, token: string) => void} play
 * @property {(state: State) => number} goal
 */

/** @param {Options} options @param {Record<string, string[]>} piles @param {Partial<State>} [rest] @returns {State} */
export const dealt = (options, piles, rest) => ({
  ...{ options, piles, down: {}, rounds: 0, base: "", direction: null, rows: 0 },
  ...rest,
});

/** @param {State} state @returns {State} one that can be played on without touching the first */
export const copied = (state) => ({
  ...state,
  piles: Object.fromEntries(Object.entries(state.piles).map(([name, cards]) => [name, [...cards]])),
  down: Object.fromEntries(Object.entries(state.down).map(([name, places]) => [name, [...places]])),
});

/** @param {string} letter @param {number} count */
export const names = (letter, count) => Array.from({ length: count }, (_, k) => `${letter}${k}`);

/** The playable card of a pile. @param {State} state @param {string} pile @returns {string | undefined} */
export const top = (state, pile) => state.piles[pile].at(-1);

/** @param {State} state */
export function cardsUp({ piles }) {
  const up = Object.entries(piles).filter(([name]) => name.startsWith("f"));
  return up.reduce((sum, [, cards]) => sum + cards.length, 0);
}

/** Draws from the stock on to the waste. @param {State} state @param {number} [count] */
export function draw({ piles }, count = 1) {
  piles.w.push(...piles.s.splice(0, count));
}

/** Turns the waste over: the card drawn first will be drawn first again. @param {State} state */
export function newRound({ piles }) {
  piles.s = piles.w;
  piles.w = [];
}

/**
 * Carries cards over and turns up what they leave bare.
 * @param {State} state @param {string} token @param {(state: State, card: string) => string | null} taker
 */
export function carry(state, token, taker) {
  const [source, rest] = token.split("-");
  const [named, count = "1"] = rest.split("x");
  const pile = state.piles[source];
  const target = named === "f" ? String(taker(state, pile[pile.length - 1])) : named;
  state.piles[target].push(...pile.splice(pile.length - Number(count)));
  state.down[source] = (state.down[source] ?? []).filter((place) => place !== pile.length - 1);
}

/** @param {string} source @param {string} target @param {number} count */
export const unit = (source, target, count) => `${source}-${target}${count > 1 ? `x${count}` : ""}`;
