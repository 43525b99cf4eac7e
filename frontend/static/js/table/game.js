/** The state of one table: what the server has confirmed, and the moves that are on their way to it. */

import { choicesFor, imagine, untouched } from "./moves.js";
import { viewAfter } from "./views.js";

/** @import { Choice, Pile, Token, View } from "./types.js" */

/**
 * How far each state lies along an attempt's way; what is not named is the end of it.
 * @type {Record<string, number>}
 */
const STAGES = { playing: 0, pending: 1 };
const SETTLED = 2;

/** @param {string} state */
const stage = (state) => STAGES[state] ?? SETTLED;

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
  /** Whether this page has seen the game in play. */
  played = false;
  /** How it ended: "won", "resigned" or "closed"; empty before the server has said so. */
  how = "";
  /** The number of the last token there is, as soon as it is known that none follows. @type {number|null} */ #last =
    null;
  /** What the verifier says. @type {any} */ verdict = null;
  /** @type {Clock} */ clock = { ms: 0, at: 0, runs: false };

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
    return (
      this.state === "playing" && Boolean(this.view?.can_undo || this.pending.length) && !this.pending.includes("u")
    );
  }

  /** @returns {boolean} whether the game is over and its last token has come */
  get complete() {
    return this.#last !== null && (this.n ?? -1) >= this.#last;
  }

  /** @returns {boolean} whether the game is over, and not all is known of how */
  get lacking() {
    return this.state !== "playing" && !(this.how && this.complete);
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
    this.#turn(message.state);
    this.#take(message);
    this.#over(message.n);
  }

  /**
   * @param {any} message one confirmed move
   * @returns {"taken"|"known"|"missing"} known: it had been taken before; missing: others come before it
   */
  takeMove(message) {
    if (!this.view || this.n === null) return "missing";
    if (message.n <= this.n) return "known";
    if (message.n !== this.n + 1) return "missing";
    this.view = viewAfter(this.view, message.changes);
    if (this.pending[0] === message.token) this.pending.shift();
    else this.pending = [];
    this.#take(message);
    return "taken";
  }

  /**
   * The missing moves have come: the clock goes by the server's again.
   * @param {{n: number, ms: number, state: string}} message
   */
  takeResumed(message) {
    this.#turn(message.state);
    this.#setClock(message.ms);
    this.#over(message.n);
  }

  /** The unanswered moves will not happen. */
  forget() {
    this.pending = [];
  }

  /** A message came too late. @param {string} state */
  takeClosed(state) {
    this.#turn(state);
  }

  /** @param {{n: number, how: string, ms: number, state: string}} message */
  takeEnd(message) {
    this.how = message.how;
    this.#turn(message.state);
    this.#last = null;
    this.#setClock(message.ms);
    this.#over(message.n);
  }

  /** @param {{state: string, tokens: number|null, elapsed_ms: number|null}} message */
  takeVerdict(message) {
    this.verdict = message;
    this.#turn(message.state);
    if (message.elapsed_ms !== null) this.#setClock(message.elapsed_ms);
    if (message.tokens !== null) this.#over(message.tokens);
  }

  /** @param {any} message */
  #take(message) {
    this.n = message.n;
    this.legal = message.legal;
    this.stuck = message.stuck;
    this.auto = message.auto;
    this.#setClock(message.ms);
  }

  /** Messages may overtake one another: a state never goes back. @param {string} state */
  #turn(state) {
    if (stage(state) < stage(this.state)) return;
    this.state = state;
    if (state === "playing") this.played = true;
    else {
      this.pending = [];
      this.#setClock(this.elapsed);
    }
  }

  /** Notes the last token, if the game is over. @param {number} n */
  #over(n) {
    if (this.state !== "playing") this.#last ??= n;
  }

  /** The time of the end stands once it has come. @param {number} ms */
  #setClock(ms) {
    if (this.#last !== null) return;
    this.clock = { ms, at: performance.now(), runs: this.state === "playing" && !this.view?.won };
  }
}
