/**
 * How far one is ahead of another player or a ghost: in time, at equal cards up.
 *
 * A table's page is told whom to compare with by `data-ghost="<address>"` on its felt. The address answers a `PaceLine`
 * as JSON; the points stand in the order of their times.
 *
 * @typedef {[ms: number, cardsUp: number]} Point from when on so many cards were up, on the clock of that game
 *
 * @typedef {object} PaceLine
 * @property {string} name whose it is, as it is shown; empty for nobody's
 * @property {Point[]} points
 */

import { point } from "../i18n.js";

/** How long the shown difference takes to come most of the way to the true one, in ms. */
const SMOOTH_MS = 1200;

export class Pace {
  /** @type {Point[]} */ #points;
  /** When the other first had so many cards up. @type {Map<number, number>} */ #theirs = new Map();
  #most = 0;
  /** When this player first had so many cards up; known from when on somebody has looked. */
  #mine = new Map();
  #shown = /** @type {number|null} */ (null);
  #shownAt = 0;

  /** @param {PaceLine} line */
  constructor({ name, points }) {
    this.name = name;
    this.#points = points;
    /** Whether the times are finer than whole seconds. */
    this.fine = points.some(([ms]) => ms % 1000 !== 0);
    for (const [ms, cardsUp] of points) {
      for (let n = this.#theirs.size ? this.#most + 1 : 0; n <= cardsUp; n++) this.#theirs.set(n, ms);
      this.#most = Math.max(this.#most, cardsUp);
    }
  }

  /**
   * The same game compared with a newer line: what is known of this player stays.
   * @param {Pace|null} before @param {PaceLine} line
   */
  static after(before, line) {
    const pace = new Pace(line);
    if (before) pace.#mine = before.#mine;
    return pace;
  }

  /** The most cards that the other had up. */
  get most() {
    return this.#most;
  }

  /** @param {number} ms @returns {number} how many cards the other had up at that time */
  cardsAt(ms) {
    return this.#points.findLast(([at]) => at <= ms)?.[1] ?? 0;
  }

  /**
   * This player has so many cards up now. The first look at a game that is under way does not tell since when.
   * @param {number} ms on this game's clock @param {number} cardsUp @param {boolean} [begins] it is the first position
   */
  note(ms, cardsUp, begins = false) {
    if (this.#mine.size === 0) this.#mine.set(cardsUp, begins ? 0 : null);
    else for (let n = Math.max(...this.#mine.keys()) + 1; n <= cardsUp; n++) this.#mine.set(n, ms);
  }

  /**
   * The difference now: what it was when the present cards were reached, but who waits loses what they were ahead.
   * @param {number} ms on this game's clock @param {number} cardsUp
   * @returns {number|null} ms; below 0 behind, Infinity where the other never got so far, null while not known
   */
  difference(ms, cardsUp) {
    const theirs = this.#theirs.get(cardsUp);
    if (theirs === undefined) return this.#theirs.size ? Infinity : null;
    const mine = this.#mine.get(cardsUp) ?? null;
    const next = this.#theirs.get(cardsUp + 1);
    const left = next === undefined ? Infinity : next - ms;
    if (mine === null) return left < 0 ? left : null;
    return Math.min(theirs - mine, left);
  }

  /** The difference as it is shown: it glides rather than jumps. @param {number} ms @param {number} cardsUp */
  smoothed(ms, cardsUp) {
    const now = this.difference(ms, cardsUp);
    const passed = Math.max(0, ms - this.#shownAt);
    this.#shownAt = ms;
    if (now === null || !Number.isFinite(now) || this.#shown === null || !Number.isFinite(this.#shown))
      this.#shown = now;
    else this.#shown += (now - this.#shown) * (1 - Math.exp(-passed / SMOOTH_MS));
    return this.#shown;
  }
}

/** @param {number} ms @param {boolean} fine @returns {string} `4.2 s`, `12 s` or `1:12` */
export function spanText(ms, fine) {
  const size = Math.abs(ms);
  if (fine && size < 9950) return `${(size / 1000).toFixed(1).replace(".", point)} s`;
  const seconds = Math.round(size / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
