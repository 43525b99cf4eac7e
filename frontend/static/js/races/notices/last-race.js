/** Room of this browser's last race, stored so that every page can offer a rematch. */

import { tryStorage } from "../../site/settings.js";

/** Local-storage key of the last race's room. */
const KEY = "talon.raced";
/** Inactive rooms close after this time, in ms (games.races.rooms.IDLE). */
const KEPT_FOR = 30 * 60 * 1000;

/** @typedef {{code: string, at: number, declined: number}} LastRace `declined` is the number of a declined race */

/** @param {string} code the room in which a race was run @param {number} [declined] */
export function remember(code, declined = 0) {
  // Without storage, rematches are offered on this page only.
  tryStorage(() => localStorage.setItem(KEY, JSON.stringify({ code, at: Date.now(), declined })));
}

export const forget = () => tryStorage(() => localStorage.removeItem(KEY));

/** @returns {LastRace|null} null unless it was run recently */
export function lastRace() {
  const last = tryStorage(() => JSON.parse(localStorage.getItem(KEY) ?? "null"));
  return last && Date.now() - last.at < KEPT_FOR ? last : null;
}
