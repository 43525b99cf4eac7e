/** Screen-reader announcements. Their live region moves into a modal dialog, because everything outside is inert. */

import { all, byId, part } from "./dom.js";

/** Time in which screen readers notice that the region has moved, in ms. */
const SETTLES_IN = 150;

/** Parent of the region while no dialog is open. @type {ParentNode|null} */
let home = null;
/** Lines that wait until a moved region has settled. @type {Node[]} */
const waiting = [];
let saidAt = -Infinity;

/** @returns {number} ms since the last announcement */
export const quietFor = () => performance.now() - saidAt;

/** @param {string} text announced when the screen reader has finished its sentence */
export function say(text) {
  const region = byId("live");
  if (!region || !text) return;
  home ??= region.parentNode;
  saidAt = performance.now();
  // A new node is read out even if the words are the same as before.
  const line = part("p", "", text);
  // The focus is in the topmost dialog.
  const place = document.activeElement?.closest("dialog:modal") ?? [...all("dialog:modal")].at(-1) ?? home;
  if (waiting.push(line) > 1) return;
  if (place === region.parentNode) return region.replaceChildren(...waiting.splice(0));
  region.replaceChildren();
  place?.append(region);
  setTimeout(() => region.replaceChildren(...waiting.splice(0)), SETTLES_IN);
}
