/** Undo history in session storage, so that moves can be redone after a reload of this tab. */

import { tryStorage } from "../../site/settings.js";

/** @import { State } from "./state.js" */

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
