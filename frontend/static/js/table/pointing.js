/** Highlighting of a move without making it. */

import { parse } from "./moves.js";
import { mark, pick } from "./picking.js";

/** @import { State } from "./state.js" */
/** @import { Token } from "./types.js" */

/**
 * Picks the cards up and marks their target; a move without cards highlights the stock.
 * @param {State} state @param {Token} token
 */
export function pointAt(state, token) {
  const move = parse(token);
  if (!move) {
    pick(state, null);
    if (token === "d" || token === "n") state.slots.elements.get("s")?.classList.add("target");
    return;
  }
  state.picked = { pile: move.from, count: move.count };
  mark(state, [{ to: move.to, token }], state.picked);
}
