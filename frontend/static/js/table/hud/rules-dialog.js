/** Rules of the game in a dialog, loaded from their page when they are first opened. */

import { byId } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { request } from "../../shared/request.js";

/** Loads the rules page once and shows its text. */
export async function loadRules() {
  const place = byId("rules-text");
  if (place.dataset.loaded) return;
  try {
    const response = await request(place.dataset.address, "GET", undefined, { headers: { Accept: "text/html" } });
    if (!response.ok) throw new Error(String(response.status));
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    place.replaceChildren(...(page.querySelector(".rules-text")?.children ?? []));
    place.dataset.loaded = "true";
  } catch {
    place.textContent = t("The rules could not be loaded.");
  }
}
