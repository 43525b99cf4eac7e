/** Announcements of the places in a race: at most every ten seconds, so that they don't replace everything else. */

import { quietFor, say } from "../../shared/announcer.js";

const EVERY = 10000;

let timer = 0;
let [text, said] = ["", ""];

/** @param {string} standing */
export function sayStanding(standing) {
  text = standing;
  if (timer || !text || text === said) return;
  timer = window.setTimeout(
    () => {
      timer = 0;
      if (text !== said) say((said = text));
    },
    Math.max(0, EVERY - quietFor()),
  );
}
