/** Small sounds, silent until the player wants them; what makes them is loaded with the first. */

import { settings } from "../settings.js";

/** @import { Sound } from "./tones.js" */

/** @param {Sound} what */
export function play(what) {
  if (settings.sound)
    import("./tones.js").then(
      ({ make }) => make(what),
      () => {},
    );
}
