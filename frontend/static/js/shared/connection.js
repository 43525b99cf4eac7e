/** Reconnecting WebSocket for a table or a race. */

import { Backoff, spread } from "./backoff.js";
import { pageTime } from "./clock.js";

const FIRST_WAIT = 400;
const LONGEST_WAIT = 15000;
const PING_EVERY = 15000;
const PONG_WITHIN = 8000;
/** Close code of a server that shuts down after answering all its requests. */
const RESTART = 1012;
/** Close code for a client that read too slowly; it may reconnect and gets what it missed. */
const TOO_SLOW = 4408;

/** Close code for a session that has ended. */
const SIGNED_OUT = 4401;

/** Close code while the server waits for its database. */
const DATABASE_AWAY = 4303;
/** Wait before asking again if the database is back, in ms. */
const ASK_AGAIN = 1000;

/** Close code for too many connections; a new one is accepted when another closes. */
const CROWDED = 4409;

/**
 * @typedef {"connecting"|"open"|"waiting"|"lost"|"refused"|"crowded"|"signed-out"} Status
 * @typedef {object} Handlers
 * @property {() => object} hello the first message, which asks for the current state
 * @property {(message: any) => void} message
 * @property {(status: Status) => void} status
 */

export class Connection {
  /** @type {WebSocket|null} */ #socket = null;
  #backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT);
  #ping = 0;
  #pong = 0;
  #retry = 0;
  #asking = 0;
  #greeted = false;
  #handedOver = false;
  #done = false;

  /** @param {string} path @param {Handlers} handlers */
  constructor(path, handlers) {
    this.path = path;
    this.handlers = handlers;
    addEventListener("online", () => this.#again());
    addEventListener("offline", () => this.#lose());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.#again());
    addEventListener("pagehide", () => this.#socket?.close(1000));
    addEventListener("pageshow", (event) => event.persisted && this.#again());
    this.#connect();
  }

  /** True while a connection is being opened, or about to be, and the server has not answered yet. */
  get coming() {
    return this.#handedOver || (this.#socket !== null && !this.#greeted);
  }

  /** @param {object} message @returns {boolean} whether it was sent */
  send(message) {
    return this.#greeted && this.#put(message);
  }

  /** @param {object} message @returns {boolean} */
  #put(message) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Asks for the current state. */
  greet() {
    this.#put(this.handlers.hello());
  }

  /** Waits for the server's database, then asks for the current state. @param {number} wait ms */
  #greetLater(wait) {
    this.handlers.status("waiting");
    if (this.#asking) return;
    this.#asking = window.setTimeout(() => {
      this.#asking = 0;
      this.greet();
    }, spread(wait));
  }

  /** Reconnects at once, for when client and server disagree. */
  restart() {
    this.#socket?.close(1000);
  }

  /** Closes the connection for good. */
  close() {
    this.#done = true;
    clearTimeout(this.#retry);
    this.#socket?.close(1000);
  }

  #connect() {
    clearTimeout(this.#retry);
    this.handlers.status("connecting");
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${this.path}`);
    this.#socket = socket;
    this.#greeted = this.#handedOver = false;
    socket.addEventListener("open", () => {
      this.greet();
      this.#ping = window.setInterval(() => this.#heartbeat(), PING_EVERY);
    });
    socket.addEventListener("message", (event) => {
      if (socket !== this.#socket) return;
      clearTimeout(this.#pong);
      const message = JSON.parse(event.data);
      if (message.code === "server_busy") this.#greetLater(message.data?.retry_after_ms ?? ASK_AGAIN);
      else if (message.type !== "error" && message.type !== "pong") this.#arrived();
      this.handlers.message(message);
    });
    socket.addEventListener("close", (event) => socket === this.#socket && this.#lost(event.code));
  }

  #arrived() {
    this.#greeted = true;
    this.#backoff.stands();
    this.handlers.status("open");
  }

  #heartbeat() {
    if (!this.#put({ type: "ping", t: Math.round(pageTime()) })) return;
    clearTimeout(this.#pong);
    this.#pong = window.setTimeout(() => this.#lose(), PONG_WITHIN);
  }

  /** Drops a connection without waiting for the close handshake. */
  #lose() {
    const socket = this.#socket;
    if (!socket || this.#retry) return;
    this.#lost(1006);
    socket.close();
  }

  /** @param {number} code */
  #lost(code) {
    clearInterval(this.#ping);
    clearTimeout(this.#pong);
    this.#socket = null;
    this.#handedOver = code === RESTART && this.#greeted && !this.#done;
    const wait = this.#wait(code);
    if (this.#done) return;
    if (code === CROWDED) return this.handlers.status("crowded");
    if (code === SIGNED_OUT) return this.handlers.status("signed-out");
    // 44xx: the server refuses this client, so a retry is pointless.
    if (code >= 4400 && code < 4500 && code !== TOO_SLOW) return this.handlers.status("refused");
    this.handlers.status(code === DATABASE_AWAY ? "waiting" : "lost");
    clearTimeout(this.#retry);
    this.#retry = window.setTimeout(() => {
      this.#retry = 0;
      this.#connect();
    }, wait);
  }

  /** @param {number} code @returns {number} ms to wait before reconnecting */
  #wait(code) {
    if (this.#handedOver) return this.#backoff.handedOver();
    return code === DATABASE_AWAY ? spread(ASK_AGAIN) : this.#backoff.lost();
  }

  /** Reconnects now instead of after the wait. */
  #again() {
    if (this.#socket || this.#done || !this.#retry) return;
    this.#backoff.reset();
    clearTimeout(this.#retry);
    this.#retry = 0;
    this.#connect();
  }
}
