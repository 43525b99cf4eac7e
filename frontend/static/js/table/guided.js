/** Where the guide of a first game waits for its module. */

import { late } from "./late.js";

/** @import { Guide } from "./guide.js" */
/** @import { State } from "./state.js" */

/** @param {State} state @returns {{heard: (message: any) => void}} who is to hear all: nobody, where no guide is */
export function guideAt(state) {
  const place = document.getElementById("guide");
  if (!place) return { heard: () => {} };
  /** @type {Guide|null} */
  let guide = null;
  return {
    heard: (message) =>
      late(
        () => import("./guide.js"),
        ({ Guide }) => (guide ??= new Guide(state, place)).heard(message),
      ),
  };
}
