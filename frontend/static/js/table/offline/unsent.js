/** Moves made without a network, in local storage until the server has them, even if the page is closed. */

import { Connection } from "../../shared/connection.js";
import { tryStorage } from "../../site/settings.js";
import { batch } from "../state/recovery.js";

/** @import { State } from "../state/state.js" */
/** @import { Token } from "../state/types.js" */

/** @typedef {{n: number, tokens: Token[], at: number}} Unsent number of the last confirmed token, those after it */

const KEY = "talon.unsent.";
/** Age at which moves are dropped, in ms: their player may not have been back at this browser. */
const FORGOTTEN = 7 * 24 * 3_600_000;

/** @param {string} path of a table's socket */
export const forgetUnsent = (path) => tryStorage(() => localStorage.removeItem(KEY + path));

/** @param {State} state */
export function keepUnsent({ felt, n, pending }) {
  const unsent = JSON.stringify({ n, tokens: pending, at: Date.now() });
  tryStorage(() => localStorage.setItem(KEY + felt.dataset.socket, unsent));
}

/** @param {string} path @param {number} n the last token that the server has @returns {Token[]} those it lacks */
export function unsentAfter(path, n) {
  const unsent = stored(path);
  return unsent ? unsent.tokens.slice(Math.max(0, n - unsent.n)) : [];
}

/** @param {string} path @returns {Unsent|null} */
const stored = (path) => tryStorage(() => JSON.parse(localStorage.getItem(KEY + path) ?? "null")) ?? null;

/** Sends the moves of a table that this page no longer shows. @param {string} path */
export function deliver(path) {
  const done = () => {
    forgetUnsent(path);
    connection.close();
  };
  let isMine = false;
  const connection = new Connection(path, {
    hello: () => ({ type: "hello", v: 1 }),
    message: ({ type, n, code }) => {
      // At another player's table, the moves wait until that player is back.
      if (type === "error" && code !== "server_busy") return isMine ? done() : connection.close();
      if (type !== "view") return;
      isMine = true;
      const rest = unsentAfter(path, n);
      if (rest.length === 0) done();
      else connection.send(batch(rest, n));
    },
    status: (status) => status === "refused" && connection.close(),
  });
}

/** Sends what tables closed without a network have left. @param {string} path of the table in this page */
export function deliverOthers(path) {
  const keys = tryStorage(() => Object.keys(localStorage)) ?? [];
  const paths = keys.filter((key) => key.startsWith(KEY)).map((key) => key.slice(KEY.length));
  for (const other of paths) {
    if ((stored(other)?.at ?? 0) < Date.now() - FORGOTTEN) forgetUnsent(other);
    else if (other !== path) deliver(other);
  }
}
