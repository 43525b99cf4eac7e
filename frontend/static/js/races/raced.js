/** The room of this browser's last race, kept so that every page can offer a rematch. */

/** Where the browser keeps the room of its last race. */
const KEY = "talon.raced";
/** Rooms in which nothing happens close after this time, in ms (games.races.rooms.IDLE). */
const KEPT_FOR = 30 * 60 * 1000;

/** @typedef {{code: string, at: number, declined: number}} Raced `declined` is the number of a race one won't join */

/** @param {string} code the room in which a race was run @param {number} [declined] */
export function remember(code, declined = 0) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ code, at: Date.now(), declined }));
  } catch {
    // Without storage rematches are offered on this page only.
  }
}

export function forget() {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // There is nothing stored.
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
