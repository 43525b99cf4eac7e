/** WebSocket client of a table. */

import { Connection } from "../../shared/connection.js";

/** @import { Status } from "../../shared/connection.js" */

/**
 * @typedef {object} Handlers
 * @property {() => number|null} have the last number seen, for the hello
 * @property {(message: any) => void} message
 * @property {(status: Status) => void} status
 */

/** Messages that answer no request. */
const UNASKED = ["pong", "because", "verdict"];

export class TableSocket extends Connection {
  /** @type {{type: string, n?: number}|null} the last request, until it is answered */ #request = null;

  /** @param {string} path @param {Handlers} handlers */
  constructor(path, { have, message, status }) {
    super(path, {
      hello: () => ({ type: "hello", v: 1, have: have() }),
      message: (received) => {
        message(received);
        this.#received(received);
      },
      status,
    });
  }

  /**
   * Sends a request other than a move. If the connection is lost before the answer, it is sent again over the next one.
   * @param {{type: string, n?: number, to_choice?: boolean}} message
   * @returns {boolean} whether it was sent or will be
   */
  ask(message) {
    const isSent = this.send(message) || this.coming;
    this.#request = isSent ? message : null;
    return isSent;
  }

  /** @param {{type: string, n: number, code?: string}} message */
  #received({ type, n, code }) {
    const request = this.#request;
    // A request applies only to the position in which it was made.
    if (type === "resumed" && request && (request.n ?? n + 1) === n + 1) this.send(request);
    else if (!UNASKED.includes(type) && code !== "server_busy") this.#request = null;
  }
}
