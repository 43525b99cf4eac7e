/** Sound effects, off by default; the module that generates them loads with the first one. */

import { settings } from "../../site/settings.js";

/** @import { Sound } from "./tones.js" */

/** Plays a sound, once the module is loaded. @type {((what: Sound) => void)|null} */
let make = null;

/** @param {Sound} what */
export function play(what) {
  if (!settings.sound) return;
  // Called synchronously: some browsers allow sound only during a user action.
  if (make) return make(what);
  import("./tones.js").then(
    (tones) => {
      make = tones.make;
      make(what);
    },
    () => {},
  );
}
