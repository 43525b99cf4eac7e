/** Meaning of a tap: it picks a card up, puts it down, moves it at once, or turns the stock. */

import { GAMES } from "../../games/games.js";
import { t } from "../../shared/i18n.js";
import { notice } from "../../shared/notice.js";
import { sizeOf } from "../state/cards.js";
import { pieceOf } from "../drawing/pieces.js";
import { choices, offered, shown } from "../state/game.js";
import { refuse } from "./illegal-move.js";
import { pick, pointAt, targets } from "./picked-card.js";

/** @import { Piece, State } from "../state/state.js" */
/** @import { Choice, Pile, Token, View } from "../state/types.js" */

/**
 * @param {View} view @param {Choice[]} found the moves of a card
 * @returns {Choice|undefined} the one sensible move: the only one, or the first if all lead to interchangeable piles
 */
export function onlyMove(view, found) {
  const isAlike = (/** @type {Choice} */ { to }) =>
    to[0] === "t" && sizeOf(view, to) === 0 && GAMES[view.game].hasAlikeColumns === true;
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
  if (pile === "s") return tapStock(state);
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

/** Draws; where a first tap only shows the move, it marks the stock. @param {State} state */
function tapStock(state) {
  const token = drawing(state);
  const isMarked = state.slots.elements.get("s")?.classList.contains("target");
  pick(state, null);
  if (!token || !state.host.tapsTwice || isMarked) return drawCards(state);
  pointAt(state, token);
  notice(t("Once more to play it."));
}

/** @param {State} state @returns {Token|undefined} the legal move of the stock */
const drawing = (state) => ["d", "n"].find((one) => offered(state).includes(one));

/** Draws, deals a row or turns the waste over, whichever is legal. @param {State} state */
export function drawCards(state) {
  const view = shown(state);
  const token = drawing(state);
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
