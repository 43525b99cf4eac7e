/** What the panel at the end shows beside the game's own figures: the server writes it, for the game's player alone. */

import { localise } from "../moments.js";

/** The last request: the answer to an earlier one may come later and is out of date. */
let asked = 0;

/**
 * Asks for it and puts it into the panel; what is to do first goes to the panel's own buttons, which stay in sight.
 * Without an answer the panel does without.
 * @param {(standing: string, isTop: boolean) => void} tell is given the place in words, or nothing if there is none,
 *   and whether it is worth confirming in a race
 */
export async function showAfter(tell) {
  const place = document.getElementById("finish-after");
  if (!place?.dataset.address) return tell("", false);
  const number = ++asked;
  const text = await fetch(place.dataset.address)
    .then((response) => (response.ok ? response.text() : ""))
    .catch(() => "");
  if (number !== asked) return;
  if (!text) return tell("", false);
  const found = new DOMParser().parseFromString(text, "text/html").body;
  localise(found);
  const focused = document.activeElement?.id;
  const actions = document.getElementById("finish-actions");
  const [earlier, first] = [actions, found].map((within) => within?.querySelector("[data-first]"));
  earlier?.remove();
  if (first) actions?.prepend(first);
  place.replaceChildren(...found.childNodes);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  const { standing = "", topPlace } =
    /** @type {HTMLElement|null} */ (place.querySelector("[data-standing]"))?.dataset ?? {};
  tell(standing, topPlace !== undefined);
}
