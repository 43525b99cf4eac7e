/** Client state of a game: the confirmed state, the moves in flight, and values derived from both. */

import { pageTime } from "../../shared/clock.js";
import { choicesFor, imagine, untouched, viewAfter } from "./moves.js";
import { extended, replaceLine } from "./undo-history.js";

/** @import { State } from "./state.js" */
/** @import { Choice, Pile, Token, View } from "./types.js" */

/** Order of the statuses in an attempt's life cycle; any other status is final. @type {Record<string, number>} */
const STAGES = { playing: 0, pending: 1 };
const SETTLED = 2;

/** @param {string} status */
const stage = (status) => STAGES[status] ?? SETTLED;

/**
 * The pending moves without those that an undo or a redo cancels: until an undo is confirmed, only a redo follows it.
 * @param {Token[]} pending @returns {Token[]}
 */
const effective = (pending) =>
  pending.reduce((/** @type {Token[]} */ rest, token) => {
    const isCancelled = rest.length > 0 && (token === "u") !== (rest.at(-1) === "u");
    return isCancelled ? rest.slice(0, -1) : [...rest, token];
  }, []);

/** The position after the pending moves by the rules in this page; null without them. @param {State} state */
function ahead(state) {
  const { local, view, pending } = state;
  if (!local || !view || pending.length === 0) return null;
  return local.after(view, pending.reduce(extended, state).line, pending.length);
}

/** @param {State} state @returns {View|null} the optimistic view: confirmed, with the pending moves applied */
export const shown = (state) =>
  ahead(state)?.view ?? (state.view && effective(state.pending).reduce(imagine, state.view));

/** @param {State} state @returns {boolean} whether the game accepts moves */
export const plays = ({ status, paused }) => status === "playing" && !paused;

/** @param {State} state @returns {Token[]} the moves that may be tried now */
export const offered = (state) =>
  plays(state) ? (ahead(state)?.legal ?? effective(state.pending).reduce(untouched, state.legal)) : [];

/** @param {State} state @param {Pile} pile @param {number} count @returns {Choice[]} the moves of its top cards */
export const choices = (state, pile, count) => choicesFor(offered(state), pile, count);

/** @param {State} state @returns {boolean} whether the last move has to stand because it revealed a card */
export const isUndoBarred = (state) => plays(state) && state.noUndo !== null && state.pending.length === 0;

/** @param {State} state */
export const canUndo = (state) =>
  plays(state) &&
  !isUndoBarred(state) &&
  (ahead(state)?.view.can_undo ?? Boolean(state.view?.can_undo || state.pending.length));

/** @param {State} state @returns {Token|null} the last undone move after the pending ones, if it can be redone */
export function redoable(state) {
  const { legal, pending } = state;
  const token = pending.reduce(extended, state).undone.at(-1);
  return plays(state) && token && (pending.length > 0 || legal.includes(token)) ? token : null;
}

/** @param {State} state @returns {boolean} whether the game is over and its last token has arrived */
export const isComplete = ({ last, n }) => last !== null && (n ?? -1) >= last;

/** @param {State} state @returns {boolean} whether the game is over and its result is still incomplete */
export const lacking = (state) => state.status !== "playing" && !(state.how && isComplete(state));

/** @param {State} state @returns {number} milliseconds on the clock now */
export const elapsed = ({ clock: { ms, at, runs } }) => (runs ? ms + pageTime() - at : ms);

/** @param {State} state @param {Token} token @returns {number} the move's number for the server */
export function push(state, token) {
  state.pending.push(token);
  if (ahead(state)?.view.won) state.clock = { ms: elapsed(state), at: pageTime(), runs: false };
  return (state.n ?? 0) + state.pending.length;
}

/** Discards the pending moves. @param {State} state */
export function forget(state) {
  state.pending = [];
}

/** @param {State} state @param {any} message a full view */
export function takeView(state, message) {
  replaceLine(state, message);
  state.view = message.view;
  state.paused = Boolean(message.paused);
  turn(state, message.state);
  take(state, message);
  over(state, message.n);
}

/**
 * @param {State} state
 * @param {any} message one confirmed move
 * @returns {"taken"|"known"|"missing"} known: already applied; missing: earlier moves have not arrived
 */
export function takeMove(state, message) {
  if (!state.view || state.n === null) return "missing";
  if (message.n <= state.n) return "known";
  if (message.n !== state.n + 1) return "missing";
  state.view = viewAfter(state.view, message.changes);
  Object.assign(state, extended(state, message.token));
  if (state.pending[0] === message.token) state.pending.shift();
  else forget(state);
  take(state, message);
  return "taken";
}

/**
 * Sets a running clock by a pong, unless that took long.
 * @param {State} state @param {{t: number, ms: number|null}} pong
 */
export function takePong(state, { t, ms }) {
  const trip = pageTime() - t;
  if (ms !== null && state.clock.runs && trip < 2000) setClock(state, ms + trip / 2);
}

/**
 * Resumes after the missing moves have arrived, with the clock set to the server's.
 * @param {State} state @param {{n: number, ms: number, paused: boolean, state: string}} message
 */
export function takeResumed(state, message) {
  state.paused = message.paused;
  turn(state, message.state);
  setClock(state, message.ms);
  over(state, message.n);
}

/** Stops or restarts the clock. @param {State} state @param {{ms: number, paused: boolean}} message */
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

/** @param {State} state @param {any} message */
function take(state, message) {
  state.n = message.n;
  state.legal = message.legal;
  state.safe = message.safe ?? [];
  state.stuck = message.stuck;
  state.auto = message.auto;
  state.noUndo = message.no_undo ?? null;
  setClock(state, message.ms);
}

/** Changes the status, but never back: messages may arrive out of order. @param {State} state @param {string} status */
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

/** Notes the last token if the game is over. @param {State} state @param {number} n */
function over(state, n) {
  if (state.status !== "playing") state.last ??= n;
}

/** Sets the clock; the final time does not change. @param {State} state @param {number} ms */
function setClock(state, ms) {
  if (state.last !== null) return;
  state.clock = { ms, at: pageTime(), runs: plays(state) && !state.view?.won };
}
