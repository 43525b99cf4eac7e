/** Automatic moves to the foundations, according to the settings, made as ordinary moves one at a time. */

import { settings } from "../../site/settings.js";
import { offered } from "./game.js";

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
  later(state, moves, n);
}

/** @param {State} state @param {Moves} moves @param {number|null} n the number of moves after which it applies */
function later(state, moves, n) {
  state.moveUp = window.setTimeout(() => {
    if (state.n !== n) return;
    if (state.pending.length > 0 || state.held || state.picked || state.paused) later(state, moves, n);
    else moveUp(state, moves);
  }, delay(state));
}

/** @param {State} state @returns {number} ms, within a range from the server for games that measure a player's pace */
function delay({ felt }) {
  const [min, max] = (felt.dataset.autoPace ?? "").split(" ").map(Number);
  return min + Math.random() * (max - min);
}

/** @param {State} state @param {Moves} moves */
function moveUp(state, { play, playOut }) {
  if (state.auto) return playOut();
  const wanted = settings.auto_up === "all" ? offered(state) : state.safe;
  const token = wanted.find((one) => one.endsWith("-f"));
  if (token) play(token);
}
