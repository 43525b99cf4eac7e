/** The moves that stand and those taken back, kept beyond a reload in this tab, so that they can be made again. */

/** @import { State } from "./state.js" */

/** @param {State} state */
const key = ({ felt }) => `talon.line.${felt.dataset.socket}`;

/** @param {State} state */
export function remember(state) {
  const { n, line, undone } = state;
  try {
    sessionStorage.setItem(key(state), JSON.stringify({ n, line, undone }));
  } catch {
    // Without room nothing outlives a reload.
  }
}

/** The game is over. @param {State} state */
export function forgetLine(state) {
  try {
    sessionStorage.removeItem(key(state));
  } catch {
    // Then nothing was kept either.
  }
}

/** After a view: what is kept counts if it was the same moment of the game. @param {State} state */
export function recall(state) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key(state)) ?? "{}");
    if (kept.n === state.n) Object.assign(state, { line: kept.line, undone: kept.undone });
  } catch {
    // It cannot be read: then nothing can be made again.
  }
}
