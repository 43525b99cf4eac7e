/** Themes of a puzzle, shown once its try is over. */

import { link, part } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";

/** @typedef {{title: string, address: string}} Theme the address leads to another puzzle with the theme */

/** Lists themes, each with a link to another such puzzle. @param {HTMLElement} place @param {Theme[]} themes */
export function listThemes(place, themes) {
  place.hidden = themes.length === 0;
  const links = themes.map(({ title, address }) => link(address, "", title));
  place.replaceChildren(part("b", "", t("More like this:")), ...links);
}
