/** Picked-up card: its targets, and the meaning of the next tap. */

import { tn } from "../../shared/i18n.js";
import { say } from "../hud/announce.js";
import { sizeOf } from "../drawing/cards.js";
import { choices, offered, shown } from "../state/game.js";
import { likelyFoundation, parse } from "../state/moves.js";
import { faceOf, pieceOf, topOf } from "../drawing/pieces.js";
import { refuse } from "./illegal-move.js";

/** @import { Picked, Piece, State } from "../state/state.js" */
/** @import { Choice, Pile, Token, View } from "../state/types.js" */

/** @param {State} state @returns {Choice[]} the moves of the picked-up card; empty without one */
export function targets(state) {
  return state.picked ? choices(state, state.picked.pile, state.picked.count) : [];
}

/** Draws, deals a row or turns the waste over, whichever is legal. @param {State} state */
export function drawCards(state) {
  const legal = offered(state);
  const view = shown(state);
  const token = ["d", "n"].find((one) => legal.includes(one));
  if (view && token && (token !== "d" || sizeOf(view, "s") > 0)) state.host.play(token);
  else if (!token) refuse(state, "s", 1);
}

/** @param {State} state @param {Element} element of a card to move to a foundation */
export function sendUp(state, element) {
  const view = shown(state);
  const piece = pieceOf(state, element);
  if (!piece || !view) return;
  const { pile, i } = piece.rect;
  const count = sizeOf(view, pile) - i;
  const choice = choices(state, pile, count).find(({ to }) => to === "f");
  if (choice) state.host.play(choice.token);
  else refuse(state, pile, count, "f0");
}

/** Games whose empty tableau piles are interchangeable. */
export const ALIKE = ["stonewall", "tarot"];

/**
 * @param {View} view @param {Choice[]} found the moves of a card
 * @returns {Choice|undefined} the one sensible move: the only one, or the first if all lead to interchangeable piles
 */
export function onlyMove(view, found) {
  const isAlike = (/** @type {Choice} */ { to }) =>
    to[0] === "t" && sizeOf(view, to) === 0 && ALIKE.includes(view.game);
  return found.length === 1 || found.every(isAlike) ? found[0] : undefined;
}

/**
 * Handles a tap or Enter: picks a card up, puts it down, or turns the stock. A second tap on the same card sends it to
 * the foundation or to its only target.
 * @param {State} state @param {Piece|null} piece @param {Pile|null} pile
 * @param {{oneTap?: boolean}} [options] `oneTap` moves a card with one sensible destination without picking it up
 */
export function tap(state, piece, pile, { oneTap = false } = {}) {
  const view = shown(state);
  if (!view || !pile) return pick(state, null);
  const { picked, host } = state;
  if (picked && picked.pile !== pile) {
    const choice = targets(state).find(({ to }) => to === pile || (to === "f" && pile[0] === "f"));
    if (choice) return host.play(choice.token);
  }
  if (pile === "s") {
    pick(state, null);
    return drawCards(state);
  }
  const count = piece ? sizeOf(view, pile) - piece.rect.i : 0;
  const found = count > 0 ? choices(state, pile, count) : [];
  if (found.length === 0) {
    if (picked && picked.pile !== pile) refuse(state, picked.pile, picked.count, pile);
    else if (count > 0) refuse(state, pile, count);
    return pick(state, null);
  }
  if (picked && picked.pile === pile && picked.count === count) {
    const choice = found.find(({ to }) => to === "f") ?? onlyMove(view, found);
    return choice ? host.play(choice.token) : pick(state, null);
  }
  const only = oneTap && onlyMove(view, found);
  if (only) return host.play(only.token);
  pick(state, { pile, count });
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
