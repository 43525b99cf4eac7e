/** What a puzzle's page shows once the try is over: the themes, and the game the puzzle comes from. */

import { link, part } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";

/**
 * @typedef {object} After
 * @property {{title: string, address: string}[]} themes each address leads to another puzzle with the theme
 * @property {{player: string, address: string}|null} source
 */

/** @param {HTMLElement} place @param {After|null} after null while the try goes on */
export function showAfter(place, after) {
  place.hidden = after === null;
  if (after === null) return;
  const { themes, source } = after;
  /** @type {HTMLElement[]} */
  const parts = themes.map(({ title, address }) => link(address, "", title));
  if (parts.length > 0) parts.unshift(part("b", "", t("More like this:")));
  if (source) parts.push(link(source.address, "", t("From a game by {name}", { name: source.player })));
  place.replaceChildren(...parts);
}
