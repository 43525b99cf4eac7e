/** Undo history: the moves that can be redone, also after a reload of this tab (in session storage). */

import { tryStorage } from "../../site/settings.js";

/** @import { State } from "./state.js" */
/** @import { Token } from "./types.js" */

/** @param {State} state */
const key = ({ felt }) => `talon.line.${felt.dataset.socket}`;

/** @param {State} state */
export function remember(state) {
  const { n, line, undone } = state;
  tryStorage(() => sessionStorage.setItem(key(state), JSON.stringify({ n, line, undone })));
}

/** Removes the history of a finished game. @param {State} state */
export const forgetLine = (state) => tryStorage(() => sessionStorage.removeItem(key(state)));

/** After a view, restores the history if it belongs to the same position. @param {State} state */
export function recall(state) {
  const { n, line, undone } = tryStorage(() => JSON.parse(sessionStorage.getItem(key(state)) ?? "{}")) ?? {};
  if (n === state.n) Object.assign(state, { line, undone });
}

/**
 * Updates the undo history for a full view: if moves were taken back all at once, they can be redone.
 * @param {State} state @param {any} message
 */
export function replaceLine(state, message) {
  const { line, undone } = state;
  const confirmed = message.n - (state.n ?? 0);
  state.batching = false;
  if (state.local && confirmed >= 0 && confirmed <= state.pending.length) {
    Object.assign(state, state.pending.splice(0, confirmed).reduce(extended, state));
    return;
  }
  state.pending = [];
  const stands = line.length - confirmed;
  const rewound = state.rewinding && stands >= 0;
  state.undone = rewound ? [...undone, ...line.slice(stands).reverse()] : [];
  state.line = rewound ? line.slice(0, stands) : [];
  if (!rewound) state.local = null;
  state.rewinding = false;
}

/**
 * The undo history after one more token. An undo of a move that this page has not seen clears it.
 * @param {Pick<State, "line"|"undone">} history @param {Token} token
 */
export function extended({ line, undone }, token) {
  const last = line.at(-1);
  if (token === "u") return { line: line.slice(0, -1), undone: last ? [...undone, last] : [] };
  return { line: [...line, token], undone: undone.at(-1) === token ? undone.slice(0, -1) : [] };
}
