/** Cards that go to the foundations by themselves, as the player has set: ordinary moves, one after the other. */

import { settings } from "../settings.js";
import { offered } from "./game.js";

/** @import { State } from "./state.js" */
/** @import { Token } from "./types.js" */

/** @typedef {{play: (token: Token) => void, playOut: () => void}} Moves */

/**
 * After a confirmed move: makes the next one by itself, if there is one, after a while. Who takes a move back is left
 * in peace until the next move of their own.
 * @param {State} state @param {Moves} moves @param {Token} token the move that was confirmed
 */
export function moveUpLater(state, moves, token) {
  clearTimeout(state.moveUp);
  if (token === "u" || settings.auto_up === "off" || state.undone.length > 0) return;
  const { n } = state;
  later(state, moves, n);
}

/** @param {State} state @param {Moves} moves @param {number|null} n the number of moves that it is meant after */
function later(state, moves, n) {
  state.moveUp = window.setTimeout(() => {
    if (state.n !== n) return;
    if (state.pending.length > 0 || state.held || state.picked || state.paused) later(state, moves, n);
    else moveUp(state, moves);
  }, delay(state));
}

/** @param {State} state @returns {number} ms; the server says between which, for games that count a player's pace */
function delay({ felt }) {
  const [least, most] = (felt.dataset.autoPace ?? "").split(" ").map(Number);
  return least + Math.random() * (most - least);
}

/** @param {State} state @param {Moves} moves */
function moveUp(state, { play, playOut }) {
  if (state.auto) return playOut();
  const wanted = settings.auto_up === "all" ? offered(state) : state.safe;
  const token = wanted.find((one) => one.endsWith("-f"));
  if (token) play(token);
}
