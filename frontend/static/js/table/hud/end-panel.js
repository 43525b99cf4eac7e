/** Extra content of the end panel, rendered by the server for the game's own player. */

import { byId } from "../../shared/dom.js";
import { localise } from "../../site/local-times.js";

/** Number of the last request; an earlier one's answer may arrive later and is outdated. */
let requests = 0;

/**
 * Loads the content into the panel. The primary action moves to the panel's own buttons, which stay in sight.
 * Without an answer the panel does without.
 * @param {(standing: string, isTop: boolean) => void} tell receives the place as text, or an empty string, and whether
 *   the place is worth confirming in a race
 */
export async function showAfter(tell) {
  const place = byId("finish-after");
  if (!place?.dataset.address) return tell("", false);
  const number = ++requests;
  const text = await fetch(place.dataset.address)
    .then((response) => (response.ok ? response.text() : ""))
    .catch(() => "");
  if (number !== requests) return;
  if (!text) return tell("", false);
  const found = new DOMParser().parseFromString(text, "text/html").body;
  localise(found);
  const focused = document.activeElement?.id;
  const actions = byId("finish-actions");
  const first = found.querySelector("[data-first]");
  actions?.querySelector("[data-first]")?.remove();
  if (first) actions?.prepend(first);
  place.replaceChildren(...found.childNodes);
  if (focused) byId(focused)?.focus({ preventScroll: true });
  const { standing = "", topPlace } = place.querySelector("[data-standing]")?.dataset ?? {};
  tell(standing, topPlace !== undefined);
}
