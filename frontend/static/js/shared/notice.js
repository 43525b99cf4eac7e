/** Short notices at the bottom of a table. */

import { say } from "./announcer.js";
import { byId } from "./dom.js";

let noticeTimer = 0;

/** Time that a notice stays, in ms: longer texts take longer to read. @param {string} text */
const stay = (text) => 2500 + 55 * text.length;

/** Shows a notice that disappears by itself, and announces it. @param {string} text */
export function notice(text) {
  const line = byId("notice");
  say(text);
  line.textContent = text;
  line.hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = window.setTimeout(() => (line.hidden = true), stay(text));
}

/** Hides the notice when the game goes on. */
export function hush() {
  byId("notice").hidden = true;
}
