/** Lazy loader of the guide to a first game. */

import { byId } from "../../shared/dom.js";
import { lazily } from "../../shared/lazy.js";

/** @import { Guide } from "./guide.js" */
/** @import { State } from "../state/state.js" */

/** @param {State} state @returns {{heard: (message: any) => void}} the receiver of messages; a dummy without a guide */
export function guideAt(state) {
  const place = byId("guide");
  if (!place) return { heard: () => {} };
  /** @type {Guide|null} */
  let guide = null;
  return {
    heard: (message) =>
      lazily(
        () => Promise.all([import("./guide.js"), import("../hud/hint.js")]),
        ([{ Guide }, { moveText }]) => (guide ??= new Guide(state, place, moveText)).heard(message),
      ),
  };
}
