/** Time formats: a running clock in whole seconds, and a game's duration to a tenth. */

import { point } from "./i18n.js";

/** @param {number} ms @returns {string} 4:07 or 1:04:07: a running clock, or a moment on it */
export function clockText(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** @param {number|null} ms @param {number} [places] @returns {string} 4:07.3: a game's duration */
export function durationText(ms, places = 1) {
  if (ms === null) return "–";
  const rest = String(Math.floor(ms) % 1000).padStart(3, "0");
  return `${clockText(ms)}${point}${rest.slice(0, places)}`;
}

/**
 * The times of a board: to the millisecond if one would otherwise look the same as its neighbour's.
 * @param {{cards_up: number|null, elapsed_ms: number|null}[]} entries @returns {string[]}
 */
export function durationTexts(entries) {
  const looks = entries.map(({ cards_up, elapsed_ms }) => `${cards_up} ${durationText(elapsed_ms)}`);
  return entries.map(({ elapsed_ms }, k) =>
    durationText(elapsed_ms, looks[k] === looks[k - 1] || looks[k] === looks[k + 1] ? 3 : 1),
  );
}
