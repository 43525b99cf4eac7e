/** Highlighting of a move without making it. */

import { parse } from "../state/moves.js";
import { mark, pick } from "./picked-card.js";

/** @import { State } from "../state/state.js" */
/** @import { Token } from "../state/types.js" */

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
