/** Small sounds, silent until the player wants them; what makes them is loaded with the first. */

import { settings } from "../settings.js";

/** @import { Sound } from "./tones.js" */

/** Makes a sound, once it is there. @type {((what: Sound) => void)|null} */
let make = null;

/** @param {Sound} what */
export function play(what) {
  if (!settings.sound) return;
  // At once: some browsers let a page sound only within what the player does.
  if (make) return make(what);
  import("./tones.js").then(
    (tones) => {
      make = tones.make;
      make(what);
    },
    () => {},
  );
}
