/** Ordinals for a place in a race, as in "you are 1st". */

import { language, t } from "../shared/i18n.js";

const ordinals = new Intl.PluralRules(language, { type: "ordinal" });

/** @param {number} n @returns {string} 1st, 2nd */
export function ordinal(n) {
  const forms = { one: t("{n}st", { n }), two: t("{n}nd", { n }), few: t("{n}rd", { n }), other: t("{n}th", { n }) };
  return forms[/** @type {"one"} */ (ordinals.select(n))];
}
