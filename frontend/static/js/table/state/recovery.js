/** Recovery after a lost connection: pending moves are sent again, and the end of a game is asked for. */

import { lacking } from "./game.js";

/** @import { State } from "./state.js" */
/** @import { TableSocket } from "./socket.js" */
/** @import { Token } from "./types.js" */

/** Time within which all messages about a game's end should arrive, in ms. */
const MISSING_WITHIN = 1000;

/** Most tokens in one message. */
const AT_ONCE = 250;

/** @param {Token[]} tokens @param {number} n the last confirmed one @returns {object} the message with the first */
export const batch = (tokens, n) => ({ type: "moves", n: n + 1, tokens: tokens.slice(0, AT_ONCE) });

/**
 * Sends the pending moves again; in practice, where there may be many, in one message.
 * @param {State} state @param {TableSocket} socket
 */
export function resend(state, socket) {
  const { local, pending } = state;
  const n = state.n ?? 0;
  if (local && pending.length > 0) state.batching = socket.send(batch(pending, n));
  else pending.forEach((token, k) => socket.send({ type: "move", n: n + 1 + k, token }));
}

/** Requests the rest of the end if it does not arrive by itself. @param {State} state @param {TableSocket} socket */
export function completeLater(state, socket) {
  clearTimeout(state.completing);
  if (lacking(state)) state.completing = window.setTimeout(() => socket.greet(), MISSING_WITHIN);
}
