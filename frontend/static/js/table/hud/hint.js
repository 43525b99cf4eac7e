/** Hints, where they are allowed: one good next move, found by the server, shown and announced but not made. */

import { byId } from "../../shared/dom.js";
import { t, tn } from "../../shared/i18n.js";
import { noAnswer, request } from "../../shared/request.js";
import { pileName, theCard } from "../drawing/cards.js";
import { offered, plays } from "../state/game.js";
import { notice } from "../../shared/notice.js";
import { parse } from "../state/moves.js";
import { pointAt } from "../input/picked-card.js";

/** @import { State } from "../state/state.js" */
/** @import { Token, View } from "../state/types.js" */

const GLANCE = 250;
/** Wait before the search is mentioned, in ms. */
const PATIENCE = 500;

/** Requests a hint, one at a time. @param {State} state @param {HTMLElement} button */
export async function askHint(state, button) {
  if (button.hasAttribute("aria-busy") || !plays(state) || state.pending.length > 0) return;
  button.setAttribute("aria-busy", "true");
  const waiting = window.setTimeout(() => notice(t("Looking for a good move…")), PATIENCE);
  try {
    await look(state, button.dataset.address ?? "", waiting);
  } catch {
    notice(noAnswer());
  } finally {
    clearTimeout(waiting);
    button.removeAttribute("aria-busy");
  }
}

/**
 * Polls until there is an answer or the game has moved on.
 * @param {State} state @param {string} address @param {number} waiting the timer of the waiting message
 */
async function look(state, address, waiting) {
  const { n } = state;
  while (state.n === n && !state.paused) {
    const response = await request(address, "POST");
    const reply = await response.json();
    if (state.n !== n || state.paused || state.pending.length > 0) return;
    if (!response.ok || reply.state === "answered") clearTimeout(waiting);
    if (!response.ok) return notice(refusal(reply.error?.code));
    if (reply.state === "answered") return show(state, reply);
    await new Promise((resolve) => setTimeout(resolve, GLANCE));
  }
}

/**
 * @typedef {object} Hint
 * @property {Token} token
 * @property {"way"|"safe"|"back"|"return"|"likely"} why
 * @property {number} [moves] number of moves to undo
 * @property {boolean} [more] whether the player has already undone moves as the previous hint said
 * @property {boolean} [provisional] whether the search continues
 * @property {boolean} [lost] whether the deal cannot be won at all
 */

/** @param {State} state @param {Hint} hint */
function show(state, hint) {
  const { view } = state;
  const { token, why, moves = 1 } = hint;
  if (!view || (token !== "u" && !offered(state).includes(token))) return;
  if (hint.more || why === "back" || why === "return") {
    notice(undoText(hint, moves));
    byId("undo").focus({ preventScroll: true });
    return;
  }
  pointAt(state, token);
  notice(likely(hint, moveText(view, token)));
}

/** @param {Hint} hint @param {string} move @returns {string} */
function likely({ why, lost }, move) {
  if (why !== "likely") return t("Hint: {move}.", { move });
  if (lost) return t("This deal can't be won. To get further, try: {move}.", { move });
  return t("No sure way found in time. Try: {move}.", { move });
}

/** @param {Hint} hint @param {number} moves to take back @returns {string} */
function undoText({ why, more, provisional }, moves) {
  if (more) return tn("Undo one more move.", "Undo {n} more moves.", moves);
  if (why === "back")
    return tn("You can't win from here. Undo the last move.", "You can't win from here. Undo {n} moves.", moves);
  if (provisional)
    return tn(
      "Not sure yet from here. You could win before your last move: undo it, or tap Hint again.",
      "Not sure yet from here. You could win {n} moves ago: undo them, or tap Hint again.",
      moves,
    );
  return tn(
    "No sure way found from here. Before the last move you could win: undo it.",
    "No sure way found from here. {n} moves ago you could win: undo them.",
    moves,
  );
}

/** @param {View} view @param {Token} token @returns {string} "the seven of clubs to the eight of hearts" */
export function moveText(view, token) {
  const move = parse(token);
  if (!move) {
    if (token === "d") return view.game === "labyrinth" ? t("deal a row") : t("draw from the stock");
    if (token === "n") return t("turn the waste over");
    return token === "up" ? t("build up") : t("build down");
  }
  const named = (/** @type {string|null|undefined} */ code) => (code ? theCard(code, view.game) : null);
  const cards = view.piles[move.from] ?? [];
  const card = named(cards[cards.length - move.count]) ?? pileName(move.from, view);
  if (move.to === "f") return t("{card} to the foundation", { card });
  return t("{card} to {place}", { card, place: named(view.piles[move.to]?.at(-1)) ?? pileName(move.to, view) });
}

/** @param {string} [code] of the server's refusal @returns {string} */
function refusal(code) {
  if (code === "rate_limited") return t("Too many questions. Try again in a minute.");
  if (code === "no_hints") return t("No hints in ranked games until the game closes.");
  return t("No hint here.");
}
