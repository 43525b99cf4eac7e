/** Rules of Stonewall, implemented independently from its rules page. */

import { carry, dealt, names, RANKS, suitTaker as taker, top, unit } from "./state.js";

/** @import { Rules, State } from "./state.js" */

const PILES = names("t", 6);
const RESERVE = names("r", 16);

/** @type {Rules["deal"]} */
function deal(deck, options) {
  /** @type {Record<string, string[]>} */
  const piles = {};
  for (const name of names("f", 4)) piles[name] = [];
  for (const [k, name] of PILES.entries()) piles[name] = deck.slice(6 * k, 6 * k + 6);
  for (const [k, name] of RESERVE.entries()) piles[name] = [deck[36 + k]];
  return dealt(options, piles, { down: Object.fromEntries(PILES.map((name) => [name, [0, 2, 4]])) });
}

/** @param {string} card */
const isRed = (card) => "HD".includes(card[1]);

/** @param {string} card @param {string} under */
const goesOn = (card, under) => RANKS.indexOf(card[0]) === RANKS.indexOf(under[0]) - 1 && isRed(card) !== isRed(under);

/** @param {State} state @param {string} pile @param {string} card */
function pileTakes(state, pile, card) {
  const under = top(state, pile);
  return !under || goesOn(card, under);
}

/** The number of face-up cards in sequence, counted from the top. @param {State} state @param {string} pile */
function runLength(state, pile) {
  const cards = state.piles[pile];
  let count = cards.length ? 1 : 0;
  while (count && count < cards.length) {
    const place = cards.length - count - 1;
    if (state.down[pile]?.includes(place) || !goesOn(cards[place + 1], cards[place])) break;
    count++;
  }
  return count;
}

/** @param {State} state */
function legal(state) {
  const tokens = new Set();
  for (const source of [...PILES, ...RESERVE]) {
    const card = top(state, source);
    if (!card) continue;
    if (taker(state, card)) tokens.add(`${source}-f`);
    const isPile = source.startsWith("t");
    const [cards, longest] = [state.piles[source], isPile ? runLength(state, source) : 1];
    for (const target of PILES) {
      if (source === target) continue;
      for (let count = 1; count <= longest; count++) {
        const wholeIntoSpace = isPile && count === cards.length && !state.piles[target].length;
        if (!wholeIntoSpace && pileTakes(state, target, cards[cards.length - count]))
          tokens.add(unit(source, target, count));
      }
    }
  }
  return tokens;
}

/** @type {Rules} */
export const stonewall = { deal, legal, play: (state, token) => carry(state, token, taker), goal: () => 52 };
