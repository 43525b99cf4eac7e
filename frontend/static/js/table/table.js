/** Shared wiring of all playable tables, whether the server or a lesson answers their moves. */

import { onSettings } from "../site/settings.js";
import { bindPointer, keep } from "./input/pointer.js";
import { bindKeys, refreshOrder } from "./input/keyboard.js";
import { refresh } from "./input/picked-card.js";
import { render } from "./drawing/render.js";

/** @import { Keys } from "./input/keyboard.js" */
/** @import { How, State } from "./state/state.js" */
/** @import { View } from "./state/types.js" */

/**
 * Connects pointer, keys and settings.
 * @param {State} state @param {Keys} keys @param {Document|HTMLElement} scope where letter keys work
 */
export function bind(state, keys, scope) {
  bindPointer(state);
  const once = (/** @type {any} */ event) => stopRepeat(state.felt, event);
  scope.addEventListener("keydown", once, { capture: true });
  bindKeys(state, keys, scope);
  onSettings(() => state.host.draw({ jump: true }));
}

/**
 * Keeps a held key from repeating an action; it still moves the focus, scrolls and types.
 * @param {Element} felt @param {KeyboardEvent} event
 */
function stopRepeat(felt, event) {
  const { key, repeat, target } = event;
  if (!repeat || key.startsWith("Arrow")) return;
  event.stopPropagation();
  if (key === "Enter" || (key === " " && felt.contains(/** @type {Node} */ (target)))) event.preventDefault();
}

/** Draws the table now and whenever its size changes. @param {State} state */
export function observe(state) {
  new ResizeObserver(([{ contentRect }]) => {
    state.size = { width: contentRect.width, height: contentRect.height };
    state.host.draw({ jump: true });
  }).observe(state.felt);
}

/**
 * Draws the view, the held and the picked-up cards. @param {State} state @param {How} how @returns {View|null} the view
 * drawn
 */
export function draw(state, how) {
  const view = render(state, how);
  if (!view) return null;
  keep(state);
  refresh(state);
  refreshOrder(state);
  return view;
}
