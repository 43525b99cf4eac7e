/** Undo history in session storage, so that moves can be redone after a reload of this tab. */

/** @import { State } from "./state.js" */

/** @param {State} state */
const key = ({ felt }) => `talon.line.${felt.dataset.socket}`;

/** @param {State} state */
export function remember(state) {
  const { n, line, undone } = state;
  try {
    sessionStorage.setItem(key(state), JSON.stringify({ n, line, undone }));
  } catch {
    // Without storage the history does not survive a reload.
  }
}

/** Removes the history of a finished game. @param {State} state */
export function forgetLine(state) {
  try {
    sessionStorage.removeItem(key(state));
  } catch {
    // In that case nothing was stored either.
  }
}

/** After a view, restores the history if it belongs to the same position. @param {State} state */
export function recall(state) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key(state)) ?? "{}");
    if (kept.n === state.n) Object.assign(state, { line: kept.line, undone: kept.undone });
  } catch {
    // Unreadable history: nothing can be redone.
  }
}
