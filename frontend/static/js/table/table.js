/** What every table that can be played does, whoever answers its moves. */

import { onSettings } from "../settings.js";
import { bindPointer, keep } from "./drag.js";
import { bindKeys, refreshOrder } from "./keyboard.js";
import { refresh } from "./picking.js";
import { render } from "./render.js";

/** @import { Keys } from "./keyboard.js" */
/** @import { How, State } from "./state.js" */
/** @import { View } from "./types.js" */

/**
 * Connects pointer, keys and settings.
 * @param {State} state @param {Keys} keys @param {Document|HTMLElement} scope where letters count
 */
export function bind(state, keys, scope) {
  bindPointer(state);
  bindKeys(state, keys, scope);
  onSettings(() => state.host.draw({ jump: true }));
}

/** Draws the table whenever its size changes, now for the first time. @param {State} state */
export function observe(state) {
  new ResizeObserver(([{ contentRect }]) => {
    state.size = { width: contentRect.width, height: contentRect.height };
    state.host.draw({ jump: true });
  }).observe(state.felt);
}

/** Draws what is seen, held and picked up. @param {State} state @param {How} how @returns {View|null} what is shown */
export function draw(state, how) {
  const view = render(state, how);
  if (!view) return null;
  keep(state);
  refresh(state);
  refreshOrder(state);
  return view;
}
