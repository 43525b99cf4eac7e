/** Stonewall: its table layout, and its rules, written independently from its rules page. */

import { longest } from "./card-spacing.js";
import { Grid, Plan, roomiest } from "./grid.js";
import { carry, dealt, FRENCH, names, RANKS, suitTaker as taker, top, unit } from "./position.js";
import { FRENCH_SUITS, signOf } from "./suits.js";

/** @import { Game } from "./games.js" */
/** @import { Rules, State } from "./position.js" */

const PILES = names("t", 6);
const RESERVE = names("r", 16);

/** Six piles of the wall, sixteen reserve cards, four foundations. @type {Game["layout"]} */
function layout(view, width, height, flipped) {
  // The screen alone decides between the two, with space for a few cards in the wall.
  const upright = roomiest([new Grid(width, height, 11.7, 4), new Grid(width, height, 6, 7.5)]) === 1;
  const wall = (/** @type {Grid} */ grid) => longest(view, grid, PILES);
  const need = (/** @type {Grid} */ grid) =>
    upright ? grid.high(4) + 3 * grid.gap + wall(grid) : Math.max(grid.high(4), wall(grid));
  const plan = new Plan(view, Grid.fitting(width, height, upright ? 6 : 11.7, need, { widest: upright ? 0.42 : 0.2 }));
  (upright ? below : beside)(plan);
  return plan.done(width, flipped);
}

/** @param {Plan} plan foundations left, reserve right of the wall */
function beside(plan) {
  const { grid } = plan;
  for (let k = 0; k < 4; k++) plan.stack(`f${k}`, grid.x(0), grid.y(k), { sign: signOf(FRENCH_SUITS[k]) });
  PILES.forEach((pile, k) => plan.fan(pile, grid.x(1.35 + k), 0, grid.bottom));
  for (let k = 0; k < 16; k++)
    plan.stack(`r${k}`, grid.x(7.7 + (k % 4)), grid.y(Math.floor(k / 4)), { sign: "reserve" });
}

/** @param {Plan} plan foundations above, reserve below: upright screens */
function below(plan) {
  const { grid } = plan;
  for (let k = 0; k < 4; k++) plan.stack(`f${k}`, grid.x(1 + k), grid.y(0), { sign: signOf(FRENCH_SUITS[k]) });
  const top = grid.bottom - grid.high(3);
  for (let k = 0; k < 16; k++) {
    const y = top + Math.floor(k / 6) * (grid.h + grid.gap);
    plan.stack(`r${k}`, grid.x(k % 6), Math.round(y), { sign: "reserve" });
  }
  const start = grid.y(1) + grid.gap;
  PILES.forEach((pile, k) => plan.fan(pile, grid.x(k), start, top - start - 2 * grid.gap));
}

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

/** @type {Game} */
export const stonewall = { suits: FRENCH_SUITS, hasAlikeColumns: true, movesRuns: true, layout };

/** @type {Rules} */
export const stonewallRules = {
  deck: FRENCH,
  deal,
  legal,
  play: (state, token) => carry(state, token, taker),
  goal: () => 52,
};
