/** Shared parts of all replays: the views of a recorded game, keys, and the label of the play button. */

import { t, tc } from "../../shared/i18n.js";
import { shortcutOff } from "../../site/settings.js";
import { viewAfter } from "../state/moves.js";

/** @import { View } from "../state/types.js" */

/** @param {{view: View, moved: {changes: any}[]}} steps @returns {View[]} the view after each number of moves */
export function viewsOf({ view, moved }) {
  const views = [view];
  for (const { changes } of moved) views.push((view = viewAfter(view, changes)));
  return views;
}

/**
 * Makes keys work wherever the focus is, unless the focused element needs them itself.
 * @param {Record<string, () => void>} keys by their names
 */
export function bindKeys(keys) {
  document.addEventListener("keydown", (event) => {
    const action = Object.hasOwn(keys, event.key) ? keys[event.key] : null;
    const at = /** @type {Element} */ (event.target);
    if (!action || shortcutOff(event) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (at.closest("dialog, select, textarea, input:not([type=range])")) return;
    if (event.key === " " && at.closest("button, a")) return;
    event.preventDefault();
    action();
  });
}

/** Labels the button with the effect of a press. @param {Element|null} button @param {boolean} running */
export function showRunning(button, running) {
  button?.toggleAttribute("data-running", running);
  button?.setAttribute("aria-label", running ? t("Pause") : tc("replay", "Play"));
}
