/** Sound effects, off by default and offered in the first game. The module that generates them loads with the first. */

import { byId } from "../../shared/dom.js";
import { onSettings, settings, tryStorage } from "../../site/settings.js";

/** @import { Sound } from "./tones.js" */

/** Plays a sound, once the module is loaded. @type {((what: Sound) => void)|null} */
let make = null;

/** Whether sound may still have to be offered on this page. */
let mayOffer = true;
onSettings(() => (mayOffer &&= !settings.sound));

/** @param {Sound} what */
export function play(what) {
  if (!settings.sound) return offer();
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

/** Offers sound with the first move of the first game that is not a race. Storage has the path of that game's table. */
function offer() {
  const felt = byId("felt");
  if (!mayOffer || !felt || felt.dataset.race) return;
  mayOffer = false;
  if (tryStorage(() => [null, location.pathname].includes(localStorage.getItem("talon.sound-offer"))))
    import("./sound-offer.js").then(
      ({ offerSound }) => offerSound(felt, play),
      () => {},
    );
}
