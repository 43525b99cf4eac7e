/** A hint, where hints are allowed: one good next move, found by the server, pointed at and said but not made. */

import { csrfToken } from "../csrf.js";
import { t, tn } from "../i18n.js";
import { pileName, theCard } from "./cards.js";
import { offered, plays } from "./game.js";
import { notice } from "./hud.js";
import { parse } from "./moves.js";
import { pointAt } from "./pointing.js";

/** @import { State } from "./state.js" */
/** @import { Token, View } from "./types.js" */

const GLANCE = 250;
/** How long nothing is said of looking, in ms. */
const PATIENCE = 500;

/** Asks for a hint, one at a time. @param {State} state @param {HTMLElement} button */
export async function askHint(state, button) {
  if (button.hasAttribute("aria-busy") || !plays(state) || state.pending.length > 0) return;
  button.setAttribute("aria-busy", "true");
  const waiting = window.setTimeout(() => notice(t("Looking for a good move …")), PATIENCE);
  try {
    await look(state, button.dataset.address ?? "", waiting);
  } catch {
    notice(t("The server could not be reached."));
  } finally {
    clearTimeout(waiting);
    button.removeAttribute("aria-busy");
  }
}

/**
 * Asks until there is an answer or the game has gone on.
 * @param {State} state @param {string} address @param {number} waiting the timer of what is said meanwhile
 */
async function look(state, address, waiting) {
  const { n } = state;
  while (state.n === n && !state.paused) {
    const headers = { Accept: "application/json", "X-CSRFToken": csrfToken() };
    const response = await fetch(address, { method: "POST", headers, credentials: "same-origin" });
    const reply = await response.json();
    if (state.n !== n || state.paused || state.pending.length > 0) return;
    if (!response.ok || reply.state === "answered") clearTimeout(waiting);
    if (!response.ok) return notice(refusal(reply.error?.code));
    if (reply.state === "answered") return show(state, reply);
    await new Promise((resolve) => setTimeout(resolve, GLANCE));
  }
}

/** @param {State} state @param {{token: Token, why: "way"|"back"|"return"|"likely", moves?: number}} reply */
function show(state, { token, why, moves }) {
  const { view } = state;
  if (!view || (token !== "u" && !offered(state).includes(token))) return;
  if (why === "back") return takeBack(t("From here the game can no longer be won. Take the last move back."));
  if (why === "return") return takeBack(wayBefore(moves ?? 1));
  pointAt(state, token);
  const move = moveText(view, token);
  notice(why === "way" ? t("Hint: {move}.", { move }) : t("No sure way was found in time. Perhaps: {move}.", { move }));
}

/** @param {number} moves since there was a way @returns {string} */
function wayBefore(moves) {
  return tn(
    "No sure way was found from here, but there is one from a move before. Take the last move back.",
    "No sure way was found from here, but there is one from {n} moves before. Take moves back.",
    moves,
  );
}

/** The way leads back. @param {string} why */
function takeBack(why) {
  notice(why);
  document.getElementById("undo")?.focus({ preventScroll: true });
}

/** @param {View} view @param {Token} token @returns {string} "the seven of clubs to the eight of hearts" */
function moveText(view, token) {
  const move = parse(token);
  if (!move) {
    if (token === "d") return view.game === "labyrinth" ? t("deal a row") : t("draw a card");
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
  if (code === "rate_limited") return t("Too many questions. Please ask again in a minute.");
  if (code === "no_hints") return t("Ranked games get no hints before their deal has closed.");
  return t("There is no hint here.");
}
