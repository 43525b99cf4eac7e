/**
 * Pace comparison with another player or a ghost: the lead in time, at equal cards up.
 *
 * `data-ghost="<address>"` on a table's felt selects the opponent. The address returns a `PaceLine` as JSON, with the
 * points in order of time.
 *
 * @typedef {[ms: number, cardsUp: number]} Point time from which so many cards were up, on that game's clock
 *
 * @typedef {object} PaceLine
 * @property {string} name of the player, as shown; may be empty
 * @property {Point[]} points
 */

import { point, t } from "../../shared/i18n.js";
import { clockText } from "../../shared/times.js";

/** Time constant of the smoothing, in ms. */
const SMOOTH_MS = 1200;

export class Pace {
  /** @type {Point[]} */ #points;
  /** Time of the opponent's first reaching each number of cards up. @type {Map<number, number>} */ #theirs = new Map();
  /** The same for this player; null for a number reached before the first `note`. */
  #mine = new Map();
  #shown = /** @type {number|null} */ (null);
  #shownAt = 0;

  /** @param {PaceLine} line */
  constructor({ name, points }) {
    this.name = name;
    this.#points = points;
    /** True if the times are finer than whole seconds. */
    this.fine = points.some(([ms]) => ms % 1000 !== 0);
    for (const [ms, cardsUp] of points) for (let n = this.#theirs.size; n <= cardsUp; n++) this.#theirs.set(n, ms);
  }

  /**
   * A comparison of the same game with a newer line, keeping this player's times.
   * @param {Pace|null} before @param {PaceLine} line
   */
  static after(before, line) {
    const pace = new Pace(line);
    if (before) pace.#mine = before.#mine;
    return pace;
  }

  /** @param {number} ms @returns {number} the opponent's cards up at that time */
  cardsAt(ms) {
    return this.#points.findLast(([at]) => at <= ms)?.[1] ?? 0;
  }

  /**
   * Records this player's cards up. For a game already under way, the first record has no time.
   * @param {number} ms on this game's clock @param {number} cardsUp @param {boolean} [begins] at the first position
   */
  note(ms, cardsUp, begins = false) {
    if (this.#mine.size === 0) this.#mine.set(cardsUp, begins ? 0 : null);
    else for (let n = Math.max(...this.#mine.keys()) + 1; n <= cardsUp; n++) this.#mine.set(n, ms);
  }

  /**
   * The current lead: that of the moment the current cards were reached, shrinking while the player waits.
   * @param {number} ms on this game's clock @param {number} cardsUp
   * @returns {number|null} ms; negative if behind, Infinity if the opponent never got so far, null if unknown
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

  /** The lead as shown, smoothed over time. @param {number} ms @param {number} cardsUp */
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
  return seconds < 60 ? `${seconds} s` : clockText(seconds * 1000);
}

/** @param {number} ahead ms @param {boolean} fine @param {string} name @returns {[string, string]} short, full form */
export function leadTexts(ahead, fine, name) {
  if (ahead === Infinity) return ["+", t("further than {name} got", { name })];
  const span = spanText(ahead, fine);
  if (!/[1-9]/.test(span)) return ["±0", t("Level with {name}", { name })];
  if (ahead < 0) return [`−${span}`, t("{span} behind {name}", { span, name })];
  return [`+${span}`, t("{span} ahead of {name}", { span, name })];
}
