/** Picked-up card: its targets and their highlights. */

import { tn } from "../../shared/i18n.js";
import { say } from "../../shared/announcer.js";
import { sizeOf } from "../state/cards.js";
import { choices, offered, shown } from "../state/game.js";
import { likelyFoundation, parse } from "../state/moves.js";
import { faceOf, topOf } from "../drawing/pieces.js";

/** @import { Picked, State } from "../state/state.js" */
/** @import { Choice, Token } from "../state/types.js" */

/** @param {State} state @returns {Choice[]} the moves of the picked-up card; empty without one */
export function targets(state) {
  return state.picked ? choices(state, state.picked.pile, state.picked.count) : [];
}

/** @param {State} state @param {Picked|null} picked */
export function pick(state, picked) {
  state.picked = picked;
  const found = targets(state);
  mark(state, found, picked);
  if (picked) say(tn("picked up, one place to go", "picked up, {n} places to go", found.length));
}

/** After a redraw, marks the cards that can move, and checks the picked-up one. @param {State} state */
export function refresh(state) {
  const legal = offered(state);
  const view = shown(state);
  if (!view) return;
  const sources = new Set(legal.map((token) => parse(token)).map((move) => move && `${move.from}x${move.count}`));
  for (const { element, rect } of state.pieces)
    element.classList.toggle("movable", sources.has(`${rect.pile}x${sizeOf(view, rect.pile) - rect.i}`));
  const stock = state.slots.elements.get("s");
  stock?.classList.toggle("ready", legal.includes("d") || legal.includes("n"));
  stock?.classList.toggle("turn", legal.includes("n"));
  if (!state.picked) return;
  const found = targets(state);
  if (found.length === 0) pick(state, null);
  else if (!state.held?.lifted) mark(state, found, state.picked);
}

/** Highlights the targets of a card. @param {State} state @param {Choice[]} found @param {Picked|null} picked */
export function mark(state, found, picked) {
  const view = shown(state);
  for (const element of state.felt.querySelectorAll(".target, .chosen")) {
    element.classList.remove("target", "chosen");
    element.removeAttribute("aria-pressed");
  }
  if (!view) return;
  for (const { to, token } of found) {
    const from = parse(token)?.from ?? "";
    const pile = to === "f" ? likelyFoundation(view, view.piles[from]?.at(-1) ?? null) : to;
    state.slots.elements.get(pile)?.classList.add("target");
    faceOf(state, pile)?.classList.add("target");
  }
  if (picked)
    for (const { element } of topOf(state, picked.pile, picked.count)) {
      element.classList.add("chosen");
      element.setAttribute("aria-pressed", "true");
    }
}

/**
 * Points at a move without making it: picks its cards up and marks their target, or the stock for a move without cards.
 * @param {State} state @param {Token} token
 */
export function pointAt(state, token) {
  const move = parse(token);
  if (move) {
    state.picked = { pile: move.from, count: move.count };
    mark(state, [{ to: move.to, token }], state.picked);
    return;
  }
  pick(state, null);
  if (token === "d" || token === "n") state.slots.elements.get("s")?.classList.add("target");
}
