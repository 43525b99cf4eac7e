/** Room of this browser's last race, stored so that every page can offer a rematch. */

/** Local-storage key of the last race's room. */
const KEY = "talon.raced";
/** Inactive rooms close after this time, in ms (games.races.rooms.IDLE). */
const KEPT_FOR = 30 * 60 * 1000;

/** @typedef {{code: string, at: number, declined: number}} Raced `declined` is the number of a declined race */

/** @param {string} code the room in which a race was run @param {number} [declined] */
export function remember(code, declined = 0) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ code, at: Date.now(), declined }));
  } catch {
    // Without storage, rematches are offered on this page only.
  }
}

export function forget() {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Nothing is stored.
  }
}

/** @returns {Raced|null} */
export function raced() {
  try {
    const last = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return last && Date.now() - last.at < KEPT_FOR ? last : null;
  } catch {
    return null;
  }
}
