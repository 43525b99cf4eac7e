/** Button that asks the server for a hint. */

import { byId } from "../../shared/dom.js";
import { lazily } from "../../shared/lazy.js";

/** @import { State } from "../state/state.js" */

/** @param {State} state @returns {(() => void)|undefined} asks for a hint; undefined if hints are not available */
export function bindHint(state) {
  const button = byId("hint");
  if (!button) return undefined;
  const ask = () =>
    lazily(
      () => import("./hint.js"),
      ({ askHint }) => askHint(state, button),
    );
  button.addEventListener("click", ask);
  return ask;
}
