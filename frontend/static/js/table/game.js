/** The state of one table: what the server has confirmed, and the moves that are on their way to it. */

import { choicesFor, imagine, untouched } from "./moves.js";

/** @import { Choice, Pile, Token, View } from "./types.js" */

/**
 * @typedef {object} Clock
 * @property {number} ms the server's reading
 * @property {number} at when it was taken, by `performance.now()`
 * @property {boolean} runs
 */

export class Game {
  /** @type {View|null} */ view = null;
  /** @type {Token[]} */ legal = [];
  /** @type {Token[]} */ pending = [];
  /** The number of the last confirmed token; null before the first view. @type {number|null} */ n = null;
  stuck = false;
  auto = false;
  state = "playing";
  /** @type {Clock} */ clock = { ms: 0, at: 0, runs: false };
  /** @type {Token|null} the last confirmed token, for animation and announcement */
  last = null;

  /** @returns {View|null} what to show: confirmed, with the unanswered moves made */
  get shown() {
    return this.view && this.pending.reduce(imagine, this.view);
  }

  /** @returns {Token[]} what may be tried now */
  get offered() {
    if (this.state !== "playing") return [];
    return this.pending.reduce(untouched, this.legal);
  }

  get canUndo() {
    return this.state === "playing" && Boolean(this.view?.can_undo || this.pending.length) && !this.pending.includes("u");
  }

  /** @returns {number} milliseconds on the clock now */
  get elapsed() {
    const { ms, at, runs } = this.clock;
    return runs ? ms + performance.now() - at : ms;
  }

  /** @param {Pile} pile @param {number} count @returns {Choice[]} */
  choices(pile, count) {
    return choicesFor(this.offered, pile, count);
  }

  /** @param {Token} token @returns {number} the number to send it with */
  push(token) {
    this.pending.push(token);
    return (this.n ?? 0) + this.pending.length;
  }

  /** @param {any} message a whole view */
  takeView(message) {
    this.view = message.view;
    this.pending = [];
    this.last = null;
    this.state = message.state;
    this.#take(message);
  }

  /**
   * @param {any} message one confirmed move
   * @returns {boolean} false when a number is missing and the whole view is needed
   */
  takeMove(message) {
    if (!this.view || this.n === null) return false;
    if (message.n <= this.n) return true;
    if (message.n !== this.n + 1) return false;
    const { piles, under, ...facts } = message.changes;
    this.view = { ...this.view, ...facts, piles: { ...this.view.piles, ...piles }, under: { ...this.view.under, ...under } };
    if (this.pending[0] === message.token) this.pending.shift();
    else this.pending = [];
    this.last = message.token;
    this.#take(message);
    return true;
  }

  /** The missing moves have come: the clock goes by the server's again. @param {{ms: number, state: string}} message */
  takeResumed(message) {
    this.state = message.state;
    this.clock = { ms: message.ms, at: performance.now(), runs: message.state === "playing" && !this.view?.won };
  }

  /** The unanswered moves will not happen. */
  forget() {
    this.pending = [];
  }

  /** @param {{how: string, ms: number, state: string}} message */
  takeEnd(message) {
    this.state = message.state;
    this.pending = [];
    this.legal = [];
    this.auto = false;
    this.clock = { ms: message.ms, at: performance.now(), runs: false };
  }

  /** @param {any} message */
  #take(message) {
    this.n = message.n;
    this.legal = message.legal;
    this.stuck = message.stuck;
    this.auto = message.auto;
    this.clock = { ms: message.ms, at: performance.now(), runs: this.state === "playing" && !this.view?.won };
  }
}
