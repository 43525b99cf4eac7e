/** Less common table actions: commands, rules, undo all, full screen. */

import { byId } from "../../shared/dom.js";
import { rewind } from "../controller.js";
import { openCommands } from "../input/keyboard.js";
import { loadRules } from "./rules-dialog.js";

/** @import { Keys } from "../input/keyboard.js" */
/** @import { TableSocket } from "../state/socket.js" */
/** @import { State } from "../state/state.js" */

/** @param {State} state @param {TableSocket} socket @param {Keys} keys */
export function bindMore(state, socket, keys) {
  const dialog = byId("more-dialog");
  dialog.addEventListener(
    "click",
    (/** @type {Event} */ event) => {
      // A choice closes this dialog before it opens another.
      const choices = "[data-opens], [data-resign], #commands, #rewind, #full-screen";
      if (/** @type {Element} */ (event.target).closest(choices)) dialog.close();
    },
    { capture: true },
  );
  byId("commands").addEventListener("click", () => openCommands(state, keys));
  byId("rewind").addEventListener("click", () => rewind(state, socket, { toChoice: false }));
  byId("rules").addEventListener("click", loadRules);
  const full = byId("full-screen");
  full.hidden = !document.fullscreenEnabled;
  full.addEventListener("click", turnFullScreen);
  document.addEventListener("fullscreenchange", () => full.setAttribute("aria-pressed", String(isFull())));
}

const isFull = () => document.fullscreenElement !== null;

function turnFullScreen() {
  const done = isFull() ? document.exitFullscreen() : document.documentElement.requestFullscreen();
  done.catch(() => {});
}
