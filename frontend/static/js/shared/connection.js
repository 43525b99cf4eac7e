/** Reconnecting WebSocket of all pages with live data. */

import { Backoff, spread } from "./backoff.js";
import { onWake, pageTime } from "./clock.js";

/** Waits between attempts, and the longest after a lost network while the page is in view, in ms. */
const [FIRST_WAIT, LONGEST_WAIT, LONGEST_IN_VIEW] = [400, 15000, 2000];
/** A ping without an answer means that the connection is dead: not every dead network is reported. In ms. */
const PING_EVERY = 4000;
/** Times allowed for the answer, and for a sign of life when the page wakes, in ms. */
const [PONG_WITHIN, WAKE_WITHIN] = [3500, 2000];
/** Time allowed for opening a connection again, doubled at each failure, and for the first time, in ms. */
const [OPEN_WITHIN, OPEN_AT_MOST] = [2000, 16000];
/** Close code of a server that shuts down after answering all its requests. */
const RESTART = 1012;
/** Close code while the server waits for its database. */
const DATABASE_AWAY = 4303;
/** Wait before asking again if the database is back, in ms. */
const ASK_AGAIN = 1000;
/** Statuses after close codes; after any other, the connection is lost. @type {Record<number, Status>} */
const STATUSES = { [DATABASE_AWAY]: "waiting", 4401: "signed-out", 4409: "crowded", 4411: "replaced", 4429: "crowded" };
for (const code of [4400, 4403, 4404, 4406, 4410]) STATUSES[code] = "refused";
/** Statuses after which trying again would be pointless, or would take the place of a page in use. */
const FINAL = ["refused", "signed-out", "replaced"];

/**
 * @typedef {"connecting"|"open"|"waiting"|"lost"|"crowded"|"refused"|"signed-out"|"replaced"} Status
 * @typedef {object} Handlers
 * @property {() => object} hello the first message, which asks for the current state
 * @property {(message: any) => void} message
 * @property {(status: Status) => void} status
 */

export class Connection {
  /** @type {WebSocket|null} */ #socket = null;
  #backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT);
  #openWithin = OPEN_AT_MOST;
  #pongWithin = PONG_WITHIN;
  #heartbeat = 0;
  #deadline = 0;
  #retry = 0;
  #asking = 0;
  #greeted = false;
  #handedOver = false;
  #replaced = false;
  #done = new AbortController();

  /** @param {string} path @param {Handlers} handlers */
  constructor(path, handlers) {
    this.path = path;
    this.handlers = handlers;
    const { signal } = this.#done;
    const stopWaking = onWake(() => this.#wake());
    signal.addEventListener("abort", stopWaking);
    addEventListener("offline", () => this.#lose(), { signal });
    addEventListener("pagehide", () => this.#socket?.close(1000), { signal });
    // Only a player who turns to this page takes the place back, or two pages would take it from each other.
    const takeBack = () => this.#replaced && !document.hidden && this.#connect();
    for (const type of ["focus", "click", "keydown", "visibilitychange"]) addEventListener(type, takeBack, { signal });
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
    this.#lose();
  }

  /** Closes the connection for good. */
  close() {
    this.#done.abort();
    clearTimeout(this.#retry);
    this.#lose();
  }

  #connect() {
    clearTimeout(this.#retry);
    this.#retry = 0;
    this.handlers.status("connecting");
    const began = pageTime();
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${this.path}`);
    this.#socket = socket;
    this.#greeted = this.#handedOver = this.#replaced = false;
    this.#expect(this.#openWithin);
    socket.addEventListener("open", () => {
      if (socket !== this.#socket) return;
      this.#hear();
      this.#openWithin = OPEN_WITHIN;
      this.#pongWithin = Math.max(PONG_WITHIN, 2 * (pageTime() - began));
      this.greet();
      this.#heartbeat = window.setInterval(() => this.#deadline || this.#ping(this.#pongWithin), PING_EVERY);
    });
    socket.addEventListener("message", (event) => {
      if (socket !== this.#socket) return;
      this.#hear();
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

  /** Ends the wait for a sign of life. */
  #hear() {
    clearTimeout(this.#deadline);
    this.#deadline = 0;
  }

  /** Gives the connection up unless something is heard in time. @param {number} within ms @param {boolean} [isWake] */
  #expect(within, isWake) {
    clearTimeout(this.#deadline);
    this.#deadline = window.setTimeout(() => {
      if (this.#socket?.readyState === WebSocket.CONNECTING) this.#openWithin = Math.min(2 * within, OPEN_AT_MOST);
      this.#lose(isWake);
    }, within);
  }

  /** @param {number} within ms @param {boolean} [isWake] */
  #ping(within, isWake) {
    if (this.#put({ type: "ping", t: Math.round(pageTime()) })) this.#expect(within, isWake);
  }

  /** Checks the connection of a page that was away, or connects at once. */
  #wake() {
    const state = this.#socket?.readyState;
    if (state === WebSocket.OPEN) this.#ping(WAKE_WITHIN, true);
    else if (state === WebSocket.CONNECTING) this.#expect(WAKE_WITHIN, true);
    else this.#lose(true);
  }

  /** Drops a connection without waiting for the close handshake. @param {boolean} [isWake] skips the next wait */
  #lose(isWake) {
    const socket = this.#socket;
    if (socket) this.#lost(1006);
    socket?.close();
    if (!isWake || !this.#retry) return;
    this.#backoff.reset();
    this.#openWithin = OPEN_WITHIN;
    this.#connect();
  }

  /** @param {number} code */
  #lost(code) {
    clearInterval(this.#heartbeat);
    this.#hear();
    this.#socket = null;
    if (this.#done.signal.aborted) return;
    const status = STATUSES[code] ?? "lost";
    this.#replaced = status === "replaced";
    this.#handedOver = code === RESTART && this.#greeted;
    if (!FINAL.includes(status)) this.#retry = window.setTimeout(() => this.#connect(), this.#wait(code));
    this.handlers.status(status);
  }

  /** @param {number} code @returns {number} ms to wait before reconnecting */
  #wait(code) {
    if (this.#handedOver) return this.#backoff.handedOver();
    const wait = code === DATABASE_AWAY ? spread(ASK_AGAIN) : this.#backoff.lost();
    return code in STATUSES || document.hidden ? wait : Math.min(wait, spread(LONGEST_IN_VIEW));
  }
}
