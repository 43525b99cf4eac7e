/** Local times: rewrites the UTC times in a page, which pages without JavaScript show labelled as UTC. */

import { language, tc } from "../shared/i18n.js";

/** @type {Intl.DateTimeFormatOptions} */
const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
/** @type {Record<string, Intl.DateTimeFormatOptions>} */
const FORMS = {
  date: { day: "numeric", month: "long", year: "numeric" },
  long: { day: "numeric", month: "long", year: "numeric", ...TIME },
  short: { day: "numeric", month: "long", ...TIME },
  time: TIME,
};

/** @param {number|Date} at @param {string} [form] @returns {string} */
export function momentText(at, form = "time") {
  const text = new Intl.DateTimeFormat(language, FORMS[form]).format(at);
  return form === "date" ? text : tc("a text that ends with a time", "{time}", { time: text });
}

/** Rewrites the times in a part of the page (`moment` and `utc_time` in games/templatetags/client.py). */
export function localise(/** @type {ParentNode} */ root = document) {
  for (const one of /** @type {NodeListOf<HTMLTimeElement>} */ (root.querySelectorAll("time[data-moment]")))
    one.textContent = momentText(new Date(one.dateTime), one.dataset.moment);
  const today = new Date().toISOString().slice(0, 10);
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-utc]")))
    one.textContent = momentText(new Date(`${today}T${one.dataset.utc}Z`));
}
