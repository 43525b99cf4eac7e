/**
 * A lesson's positions: what is seen in each, where every legal move leads, and why cards stay where they are. The
 * rules wrote them down beforehand, so the graph answers as the server would.
 */

import { viewAfter } from "./views.js";

/** @import { Pile, Token, View } from "./types.js" */
/** @import { Reason } from "./why.js" */

/**
 * @typedef {object} Position
 * @property {View} [view] of the first one
 * @property {number} [of] the position that `changes` are told of
 * @property {any} [changes]
 * @property {number} say which text is to be shown
 * @property {Record<Token, number>} [moves] the legal ones, each with the position it leads to
 * @property {Reason[][]} [reasons] of the first one: all that is ever said
 * @property {Record<string, number|[number, Record<Pile, number>]|null>} why which of them, by pile and cards; for all
 *   places alike, or with those where it is another. What is not named is as in the position `of`
 * @property {boolean} [run] the rest goes by itself
 * @property {boolean} [done] the aim is reached
 */

export class Graph {
  /** @type {View[]} */ #views = [];
  /** @type {Position["why"][]} */ #answers = [];
  /** How many moves the aim is away; Infinity where it is out of reach. @type {number[]} */ #left;

  /** @param {Position[]} positions */
  constructor(positions) {
    this.positions = positions;
    positions.forEach(({ view, of, changes, why }, at) => {
      this.#views[at] = view ?? viewAfter(this.#views[/** @type {number} */ (of)], changes);
      this.#answers[at] = { ...this.#answers[of ?? -1], ...why };
    });
    this.#left = this.#distances();
    /** Whether anything is ever drawn. */
    this.draws = positions.some(({ moves = {} }) => "d" in moves || "n" in moves);
  }

  /**
   * What the server would say of a position that was reached with token `n`.
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

  /** The same as the change that a move makes. @param {number} at @param {number} n @param {Token} token */
  moved(at, n, token) {
    const { view, ...message } = this.message(at, n);
    const { piles, under, game: _game, options: _options, ...facts } = view;
    const all = Object.fromEntries(Object.keys(piles).map((pile) => [pile, under[pile] ?? 0]));
    return { ...message, type: "moved", token, changes: { ...facts, piles, under: all } };
  }

  /**
   * Why the top cards of a pile stay where they are.
   * @param {number} at @param {Pile} pile @param {number} count @param {Pile|""} to @returns {Reason[]}
   */
  why(at, pile, count, to) {
    const asked = pile[0] === "f" ? "f" : count > 1 ? `${pile}x${count}` : pile;
    const [usual, others = {}] = [this.#answers[at][asked] ?? -1].flat();
    const place = to[0] === "f" ? "f0" : to;
    return this.positions[0].reasons?.[/** @type {any} */ (others)[place] ?? usual] ?? [];
  }

  /** @param {number} at @returns {boolean} whether the aim can still be reached */
  isOpen(at) {
    return this.#left[at] < Infinity;
  }

  /** @param {number} at @returns {Token|null} a move on a shortest way to the aim */
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
