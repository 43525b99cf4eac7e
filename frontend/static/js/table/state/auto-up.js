/** Automatic moves to the foundations, according to the settings, made as ordinary moves one at a time. */

import { settings } from "../../site/settings.js";
import { offered } from "./game.js";
import { parse } from "./moves.js";

/** @import { State } from "./state.js" */
/** @import { Token } from "./types.js" */

/** @typedef {{play: (token: Token) => void, playOut: () => void}} Moves */

/**
 * After a confirmed move, schedules the next automatic one, if any. After an undo, none follows until the player's next
 * move.
 * @param {State} state @param {Moves} moves @param {Token} token the move that was confirmed
 */
export function moveUpLater(state, moves, token) {
  clearTimeout(state.moveUp);
  if (token === "u" || settings.auto_up === "off" || state.undone.length > 0) return;
  const { n } = state;
  later(state, moves, n, token);
}

/**
 * @param {State} state @param {Moves} moves @param {number|null} n the number of moves after which it applies
 * @param {Token} last the last of them
 */
function later(state, moves, n, last) {
  state.moveUp = window.setTimeout(
    () => {
      if (state.n !== n) return;
      if (state.pending.length > 0 || state.held || state.picked || state.paused) later(state, moves, n, last);
      else moveUp(state, moves);
    },
    delay(state, last),
  );
}

/**
 * The time before an automatic move: longer if its card lies farther from the last one, as by hand.
 * @param {State} state @param {Token} last
 * @returns {number} ms, within a range from the server for games that measure a player's pace
 */
function delay(state, last) {
  const [min, max] = (state.felt.dataset.autoPace ?? "").split(" ").map(Number);
  const token = wanted(state);
  const share = 0.9 * (token ? way(state, last, token) : 0) + 0.1 * Math.random();
  return min + share * (max - min);
}

/**
 * The distance between the piles of two moves, from 0 for the same pile to 1 for nine cards or more.
 * @param {State} state @param {Token} last @param {Token} token
 */
function way({ layout }, last, token) {
  const [from, to] = [last, token].map((one) => layout?.slots.find(({ pile }) => pile === (parse(one)?.from ?? "s")));
  if (!layout || !from || !to) return 0.5;
  return Math.min(1, Math.log10(1 + Math.hypot(from.x - to.x, from.y - to.y) / layout.w));
}

/** @param {State} state @returns {Token|undefined} the next automatic move */
const wanted = (state) => (settings.auto_up === "all" ? offered(state) : state.safe).find((one) => one.endsWith("-f"));

/** @param {State} state @param {Moves} moves */
function moveUp(state, { play, playOut }) {
  if (state.auto) return playOut();
  const token = wanted(state);
  if (token) play(token);
}
