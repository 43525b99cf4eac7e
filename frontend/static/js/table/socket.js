/** The connection to the server's table. */

import { Connection } from "../connection.js";

/** @import { Status } from "../connection.js" */

/**
 * @typedef {object} Handlers
 * @property {() => number|null} have the last number seen, for the hello
 * @property {(message: any) => void} message
 * @property {(status: Status) => void} status
 */

export class TableSocket extends Connection {
  /** @param {string} path @param {Handlers} handlers */
  constructor(path, { have, message, status }) {
    super(path, { hello: () => ({ type: "hello", v: 1, have: have() }), message, status });
  }
}
