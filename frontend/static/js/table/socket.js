/** The connection to the server's table. */

import { Connection } from "../connection.js";

/** @import { Status } from "../connection.js" */

/**
 * @typedef {object} Handlers
 * @property {() => number|null} have the last number seen, for the hello
 * @property {(message: any) => void} message
 * @property {(status: Status) => void} status
 */

/** What answers nothing that was asked. */
const UNASKED = ["pong", "because", "verdict"];

export class TableSocket extends Connection {
  /** @type {{type: string, n?: number}|null} what was asked last, as long as there is no answer */ #asked = null;

  /** @param {string} path @param {Handlers} handlers */
  constructor(path, { have, message, status }) {
    super(path, {
      hello: () => ({ type: "hello", v: 1, have: have() }),
      message: (heard) => {
        message(heard);
        this.#heard(heard);
      },
      status,
    });
  }

  /**
   * Sends what is no move. If the connection is lost before there is an answer, it is sent again over the next one.
   * @param {{type: string, n?: number}} message
   * @returns {boolean} whether it left, or will
   */
  ask(message) {
    const asked = this.send(message) || this.coming;
    this.#asked = asked ? message : null;
    return asked;
  }

  /** @param {{type: string, n: number, code?: string}} message */
  #heard({ type, n, code }) {
    const asked = this.#asked;
    // It is for the position that was seen then.
    if (type === "resumed" && asked && (asked.n ?? n + 1) === n + 1) this.send(asked);
    else if (!UNASKED.includes(type) && code !== "server_busy") this.#asked = null;
  }
}
