/**
 * State graph of a lesson: the view of each position, the target of every legal move, and the reasons for illegal ones.
 * It was generated from the rules, so it answers as the server would.
 */

import { viewAfter } from "../state/moves.js";

/** @import { Pile, Token, View } from "../state/types.js" */
/** @import { Reason } from "../hud/illegal-reasons.js" */

/**
 * @typedef {object} Position
 * @property {View} [view] only in the first position
 * @property {number} [of] the position that `changes` start from
 * @property {any} [changes]
 * @property {number} say index of the text to show
 * @property {Record<Token, number>} [moves] legal moves, each with the position it leads to
 * @property {Reason[][]} [reasons] only in the first position: every explanation of the lesson
 * @property {Record<string, number|[number, Record<Pile, number>]|null>} why index in `reasons`, by
 *   pile and cards: one for all targets, or also those for targets that differ. Missing entries are the same as in the
 *   position `of`
 * @property {boolean} [run] the remaining moves play automatically
 * @property {boolean} [done] the aim is reached
 */

export class Graph {
  /** @type {View[]} */ #views = [];
  /** @type {Position["why"][]} */ #answers = [];
  /** Number of moves to the aim, by position; Infinity if out of reach. @type {number[]} */ #left;

  /** @param {Position[]} positions */
  constructor(positions) {
    this.positions = positions;
    positions.forEach(({ view, of, changes, why }, at) => {
      this.#views[at] = view ?? viewAfter(this.#views[/** @type {number} */ (of)], changes);
      this.#answers[at] = { ...this.#answers[of ?? -1], ...why };
    });
    this.#left = this.#distances();
    /** True if any move draws cards. */
    this.draws = positions.some(({ moves = {} }) => "d" in moves || "n" in moves);
  }

  /**
   * The message that the server would send for a position reached with token `n`.
   * @param {number} at @param {number} n
   */
  message(at, n) {
    const { moves = {}, run, done } = this.positions[at];
    const view = { ...this.#views[at], moves: n, can_undo: n > 0 };
    const legal = run || done ? [] : Object.keys(moves);
    return {
      type: "view",
      n,
      view,
      legal,
      stuck: !done && !run && legal.length === 0,
      auto: Boolean(run),
      ms: 0,
      state: "playing",
    };
  }

  /** The same as the change made by a move. @param {number} at @param {number} n @param {Token} token */
  moved(at, n, token) {
    const { view, ...message } = this.message(at, n);
    const { piles, under, game: _game, options: _options, ...facts } = view;
    const all = Object.fromEntries(Object.keys(piles).map((pile) => [pile, under[pile] ?? 0]));
    return { ...message, type: "moved", token, changes: { ...facts, piles, under: all } };
  }

  /**
   * The reasons why the top cards of a pile cannot move.
   * @param {number} at @param {Pile} pile @param {number} count @param {Pile|""} to @returns {Reason[]}
   */
  why(at, pile, count, to) {
    const key = pile[0] === "f" ? "f" : count > 1 ? `${pile}x${count}` : pile;
    const [usual, others = {}] = [this.#answers[at][key] ?? -1].flat();
    const place = to[0] === "f" ? "f0" : to;
    return this.positions[0].reasons?.[/** @type {any} */ (others)[place] ?? usual] ?? [];
  }

  /** @param {number} at @returns {boolean} whether the aim can still be reached */
  isOpen(at) {
    return this.#left[at] < Infinity;
  }

  /** @param {number} at @returns {Token|null} a move on a shortest path to the aim */
  best(at) {
    const moves = Object.entries(this.positions[at].moves ?? {});
    const ways = moves.filter(([, to]) => this.#left[to] < this.#left[at]);
    return ways[0]?.[0] ?? null;
  }

  #distances() {
    const left = this.positions.map(({ done }) => (done ? 0 : Infinity));
    for (let changed = true; changed;) {
      changed = false;
      this.positions.forEach(({ moves = {} }, at) => {
        const nearest = Math.min(left[at], ...Object.values(moves).map((to) => left[to] + 1));
        changed ||= nearest < left[at];
        left[at] = nearest;
      });
    }
    return left;
  }
}
