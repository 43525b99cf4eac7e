/**
 * Shared parts of the games' rules: the table as plain lists, written for readability and independent of the server's
 * engine.
 */

export const SUITS = "SHDC";
export const RANKS = "A23456789TJQK";
export const TAROT_RANKS = "A23456789TPNQK";

/** @param {string} ranks @param {string} suits */
const cards = (ranks, suits) => [...suits].flatMap((suit) => [...ranks].map((rank) => rank + suit));

/** The decks before the shuffle. */
export const FRENCH = cards(RANKS, SUITS);
export const TAROT = [...cards(TAROT_RANKS, "WCSP"), ...Array.from({ length: 22 }, (_, trump) => `M${trump}`)];

/**
 * @typedef {Record<string, boolean | number | string>} Options
 *
 * @typedef {object} State one table
 * @property {Options} options
 * @property {Record<string, string[]>} piles from bottom to top; the stock has its next card first
 * @property {Record<string, number[]>} down indexes, from the bottom of a pile, of its face-down cards
 * @property {number} rounds times that the waste may still be turned over
 * @property {string} base
 * @property {string | null} direction
 * @property {number} rows
 *
 * @typedef {object} Rules the interface of a game
 * @property {string[]} deck before the shuffle: docs/shuffle.md
 * @property {Record<string, Options[string][]>} [options] their choices, the default first
 * @property {Record<string, Options>} [variants] the daily variants, with their options that are not the default;
 *   without them, the game is the only one
 * @property {string} [covered] a pile that shows only its top card
 * @property {(deck: string[], options: Options) => State} deal
 * @property {(state: State) => Set<string>} legal every legal token of a game not yet won, except `u`
 * @property {(state: State, token: string) => void} play
 * @property {(state: State) => number} goal
 * @property {(state: State) => object} [facts] what a view shows besides the piles
 */

/** @param {Options} options @param {Record<string, string[]>} piles @param {Partial<State>} [rest] @returns {State} */
export const dealt = (options, piles, rest) => ({
  ...{ options, piles, down: {}, rounds: 0, base: "", direction: null, rows: 0 },
  ...rest,
});

/** @param {State} state @returns {State} a copy that can be played on without changing the original */
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

/** Draws from the stock to the waste. @param {State} state @param {number} [count] */
export function draw({ piles }, count = 1) {
  piles.w.push(...piles.s.splice(0, count));
}

/** Turns the waste over: the card drawn first is drawn first again. @param {State} state */
export function newRound({ piles }) {
  piles.s = piles.w;
  piles.w = [];
}

/**
 * Moves cards, and turns up the cards that they uncover.
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

/**
 * The foundation of a card's suit, if the card is its next.
 * @param {State} state @param {string} card @returns {string | null}
 */
export function suitTaker(state, card) {
  const name = `f${SUITS.indexOf(card[1])}`;
  return RANKS.indexOf(card[0]) === state.piles[name].length ? name : null;
}
