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
  bindKeys(state, keys, scope);
  onSettings(() => state.host.draw({ jump: true }));
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
