/** What the server has confirmed, the moves that are on their way to it, and what follows from both. */

import { choicesFor, imagine, untouched } from "./moves.js";
import { viewAfter } from "./views.js";

/** @import { State } from "./state.js" */
/** @import { Choice, Pile, Token, View } from "./types.js" */

/**
 * How far each status lies along an attempt's way; what is not named is the end of it.
 * @type {Record<string, number>}
 */
const STAGES = { playing: 0, pending: 1 };
const SETTLED = 2;

/** @param {string} status */
const stage = (status) => STAGES[status] ?? SETTLED;

/** @param {State} state @returns {View|null} what to show: confirmed, with the unanswered moves made */
export const shown = ({ view, pending }) => view && pending.reduce(imagine, view);

/** @param {State} state @returns {boolean} whether moves are taken */
export const plays = ({ status, paused }) => status === "playing" && !paused;

/** @param {State} state @returns {Token[]} what may be tried now */
export const offered = (state) => (plays(state) ? state.pending.reduce(untouched, state.legal) : []);

/** @param {State} state @param {Pile} pile @param {number} count @returns {Choice[]} what its top cards can do */
export const choices = (state, pile, count) => choicesFor(offered(state), pile, count);

/** @param {State} state */
export const canUndo = (state) =>
  plays(state) && Boolean(state.view?.can_undo || state.pending.length) && !state.pending.includes("u");

/** @param {State} state @returns {Token|null} the move that was taken back last, if it can be made again now */
export function redoable(state) {
  const { legal, pending, undone } = state;
  const token = undone.at(-1);
  return plays(state) && pending.length === 0 && token && legal.includes(token) ? token : null;
}

/** @param {State} state @returns {boolean} whether the game is over and its last token has come */
export const isComplete = ({ last, n }) => last !== null && (n ?? -1) >= last;

/** @param {State} state @returns {boolean} whether the game is over, and not all is known of how */
export const lacking = (state) => state.status !== "playing" && !(state.how && isComplete(state));

/** @param {State} state @returns {number} milliseconds on the clock now */
export const elapsed = ({ clock: { ms, at, runs } }) => (runs ? ms + performance.now() - at : ms);

/** @param {State} state @param {Token} token @returns {number} the number to send it with */
export function push(state, token) {
  state.pending.push(token);
  return (state.n ?? 0) + state.pending.length;
}

/** The unanswered moves will not happen. @param {State} state */
export function forget(state) {
  state.pending = [];
}

/** @param {State} state @param {any} message a whole view */
export function takeView(state, message) {
  replaceLine(state, message);
  state.view = message.view;
  forget(state);
  state.paused = Boolean(message.paused);
  turn(state, message.state);
  take(state, message);
  over(state, message.n);
}

/**
 * @param {State} state
 * @param {any} message one confirmed move
 * @returns {"taken"|"known"|"missing"} known: it had been taken before; missing: others come before it
 */
export function takeMove(state, message) {
  if (!state.view || state.n === null) return "missing";
  if (message.n <= state.n) return "known";
  if (message.n !== state.n + 1) return "missing";
  state.view = viewAfter(state.view, message.changes);
  extendLine(state, message.token);
  if (state.pending[0] === message.token) state.pending.shift();
  else forget(state);
  take(state, message);
  return "taken";
}

/**
 * The missing moves have come: the clock goes by the server's again.
 * @param {State} state @param {{n: number, ms: number, paused: boolean, state: string}} message
 */
export function takeResumed(state, message) {
  state.paused = message.paused;
  turn(state, message.state);
  setClock(state, message.ms);
  over(state, message.n);
}

/** The clock has been stopped, or goes on. @param {State} state @param {{ms: number, paused: boolean}} message */
export function takeClock(state, message) {
  state.paused = message.paused && state.status === "playing";
  setClock(state, message.ms);
}

/** @param {State} state @param {{n: number, how: string, ms: number, state: string}} message */
export function takeEnd(state, message) {
  state.how = message.how;
  turn(state, message.state);
  state.last = null;
  setClock(state, message.ms);
  over(state, message.n);
}

/** @param {State} state @param {{state: string, tokens: number|null, elapsed_ms: number|null}} message */
export function takeVerdict(state, message) {
  state.verdict = message;
  turn(state, message.state);
  if (message.elapsed_ms !== null) setClock(state, message.elapsed_ms);
  if (message.tokens !== null) over(state, message.tokens);
}

/**
 * What a whole view means for the moves that stand: if all were taken back, they can be made again.
 * @param {State} state @param {any} message
 */
function replaceLine(state, message) {
  const all = state.rewinding && message.n - (state.n ?? 0) === state.line.length;
  state.undone = all ? [...state.undone, ...[...state.line].reverse()] : [];
  state.line = [];
  state.rewinding = false;
}

/** @param {State} state @param {Token} token confirmed */
function extendLine(state, token) {
  const { line, undone } = state;
  if (token === "u") {
    const back = line.pop();
    if (back) undone.push(back);
    else state.undone = [];
    return;
  }
  line.push(token);
  if (undone.at(-1) === token) undone.pop();
  else state.undone = [];
}

/** @param {State} state @param {any} message */
function take(state, message) {
  state.n = message.n;
  state.legal = message.legal;
  state.safe = message.safe ?? [];
  state.stuck = message.stuck;
  state.auto = message.auto;
  setClock(state, message.ms);
}

/** Messages may overtake one another: a status never goes back. @param {State} state @param {string} status */
export function turn(state, status) {
  if (stage(status) < stage(state.status)) return;
  state.status = status;
  if (status === "playing") state.played = true;
  else {
    forget(state);
    state.paused = false;
    setClock(state, elapsed(state));
  }
}

/** Notes the last token, if the game is over. @param {State} state @param {number} n */
function over(state, n) {
  if (state.status !== "playing") state.last ??= n;
}

/** The time of the end stands once it has come. @param {State} state @param {number} ms */
function setClock(state, ms) {
  if (state.last !== null) return;
  state.clock = { ms, at: performance.now(), runs: plays(state) && !state.view?.won };
}
