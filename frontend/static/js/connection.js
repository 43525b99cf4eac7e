/** One connection to the server that keeps coming back: a table's or a race's. */

import { Backoff, spread } from "./backoff.js";

const FIRST_WAIT = 400;
const LONGEST_WAIT = 15000;
const PING_EVERY = 15000;
const PONG_WITHIN = 8000;
/** The close code of a server that stops when all it was asked is answered. */
const RESTART = 1012;
/** The close code of a connection that read too slowly: it may come back, and is told what it missed. */
const TOO_SLOW = 4408;

/** The close code where the session has ended. */
const SIGNED_OUT = 4401;

/** The close code while the server waits for its database. */
const DATABASE_AWAY = 4303;
/** How long to wait before the server is asked again whether its database is back, in ms. */
const ASK_AGAIN = 1000;

/** The close code where too many connections are open: another may come when one has gone. */
const CROWDED = 4409;

/**
 * @typedef {"connecting"|"open"|"waiting"|"lost"|"refused"|"crowded"|"signed-out"} Status
 * @typedef {object} Handlers
 * @property {() => object} hello the first message, which asks to be brought up to date
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

  /** Whether a connection is being made, or is about to be, and the server has not yet answered. */
  get coming() {
    return this.#handedOver || (this.#socket !== null && !this.#greeted);
  }

  /** @param {object} message @returns {boolean} whether it left */
  send(message) {
    return this.#greeted && this.#put(message);
  }

  /** @param {object} message @returns {boolean} */
  #put(message) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Asks to be brought up to date. */
  greet() {
    this.#put(this.handlers.hello());
  }

  /** Waits for the server's database, then asks to be brought up to date. @param {number} wait ms */
  #greetLater(wait) {
    this.handlers.status("waiting");
    if (this.#asking) return;
    this.#asking = window.setTimeout(() => {
      this.#asking = 0;
      this.greet();
    }, spread(wait));
  }

  /** Drops the connection and comes back at once: for when the two sides disagree. */
  restart() {
    this.#socket?.close(1000);
  }

  /** No further connection is wanted. */
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
    if (!this.#put({ type: "ping", t: Math.round(performance.now()) })) return;
    clearTimeout(this.#pong);
    this.#pong = window.setTimeout(() => this.#lose(), PONG_WITHIN);
  }

  /** Gives a connection up without waiting for its close to be answered. */
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
    // 44xx: the server will not have us; asking again changes nothing.
    if (code >= 4400 && code < 4500 && code !== TOO_SLOW) return this.handlers.status("refused");
    this.handlers.status(code === DATABASE_AWAY ? "waiting" : "lost");
    clearTimeout(this.#retry);
    this.#retry = window.setTimeout(() => {
      this.#retry = 0;
      this.#connect();
    }, wait);
  }

  /** @param {number} code @returns {number} how long to wait before a lost connection is tried again, in ms */
  #wait(code) {
    if (this.#handedOver) return this.#backoff.handedOver();
    return code === DATABASE_AWAY ? spread(ASK_AGAIN) : this.#backoff.lost();
  }

  /** Tries now rather than when the wait is over. */
  #again() {
    if (this.#socket || this.#done || !this.#retry) return;
    this.#backoff.reset();
    clearTimeout(this.#retry);
    this.#retry = 0;
    this.#connect();
  }
}
