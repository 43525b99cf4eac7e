/** Pause in practice games: the server's clock stops, and the cards are covered until the player resumes. */

import { byId } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { noAnswer } from "../../shared/request.js";
import { say } from "../../shared/announcer.js";
import { keepFocus } from "../input/focus.js";
import { hush, notice } from "../../shared/notice.js";
import { pick } from "../input/picked-card.js";

/** @import { TableSocket } from "../state/socket.js" */
/** @import { State } from "../state/state.js" */

/**
 * @param {State} state @param {() => TableSocket} socket getter, as the socket is created later
 * @returns {(() => void)|undefined} pauses or resumes the game; undefined if it cannot be paused
 */
export function bindPause(state, socket) {
  const button = byId("pause");
  if (!button) return undefined;
  const turn = () => {
    if (state.status !== "playing" || state.view?.won) return;
    if (!socket().ask({ type: state.paused ? "resume" : "pause" })) notice(noAnswer());
  };
  button.addEventListener("click", turn);
  byId("resume").addEventListener("click", turn);
  return turn;
}

/** Covers or uncovers the cards. @param {State} state */
export function showPause(state) {
  const [button, cover] = [byId("pause"), byId("paused")];
  if (!button) return;
  keepFocus(() => (button.hidden = state.status !== "playing"), state.focus);
  if (cover.hidden === !state.paused) return;
  const away = cover.contains(document.activeElement) || document.activeElement === document.body;
  cover.hidden = !state.paused;
  state.felt.inert = state.paused;
  document.body.toggleAttribute("data-paused", state.paused);
  button.setAttribute("aria-pressed", String(state.paused));
  byId("hint")?.toggleAttribute("disabled", state.paused);
  if (state.paused) {
    pick(state, null);
    hush();
    if (!document.activeElement?.matches("input")) byId("resume").focus();
    say(t("Paused: the clock is stopped and the cards are hidden."));
  } else {
    if (away) state.focus?.focus({ preventScroll: true });
    if (state.status === "playing") say(t("The game continues."));
  }
}
