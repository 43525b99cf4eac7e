/** WebSocket client of a race room, used by the room's page and the racers' tables. */

import { onWake, pageTime } from "../shared/clock.js";
import { Connection } from "../shared/connection.js";
import { t } from "../shared/i18n.js";
import { ServerClock } from "../shared/server-clock.js";

/** @import { Status } from "../shared/connection.js" */
/** @import { Lane, RaceState, Room, Seat, You } from "./types.js" */

/** Pings that calibrate the clock at first, and the ms between them. */
const FIRST_PINGS = 5;
const PING_EVERY = 400;
/** Messages that are not repeated on the next connection, and the time for which the others are, in ms. */
const PASSING = ["ping", "sync", "react"];
const REPEATED_FOR = 30000;

/**
 * @typedef {object} Handlers
 * @property {string} [page] pages of one name replace each other; without a name, any number of them may be open
 * @property {boolean} [elsewhere] the page is not one of the race, so the player does not count as present
 * @property {(room: Room, you: You) => void} [changed] the room has changed, not only lanes
 * @property {(lanes: Lane[], room: Room, you: You) => void} [lanes] changed lanes, already applied to the room
 * @property {(entrant: number, kind: string) => void} [reacted]
 * @property {(code: string) => void} [moved] the player's seat has moved to another room
 * @property {(why: "kicked"|"closed") => void} [gone]
 * @property {(error: {code: string, data: Record<string, any>}) => void} [refused]
 * @property {(status: Status) => void} [status]
 */

/** Translates an anonymous player's name, which the server sends in English. @param {Seat} seat */
function named(seat) {
  const [, kind, n] = /^(Guest|Player) (\d+)$/.exec(seat.player ? "" : seat.name) ?? [];
  if (n) seat.name = kind === "Guest" ? t("Guest {n}", { n }) : t("Player {n}", { n });
}

export class RaceSocket {
  clock = new ServerClock();
  /** @type {Room|null} */ room = null;
  /** @type {You} */ you = { host: false, to_come: null, running: null, table: null, answer_by: null };
  /** @type {Connection} */ #connection;
  /** The last command, until the room changes. @type {{message: object, at: number}|null} */ #command = null;
  #stopWaking;
  #pings = 0;
  /** True once the clock is calibrated on this connection. */
  #settled = false;

  /** @param {string} code @param {Handlers} handlers */
  constructor(code, handlers) {
    this.handlers = handlers;
    this.#stopWaking = onWake(() => this.#settled && this.#settleClock());
    this.#connection = new Connection(`/ws/race/${code}/?page=${handlers.page ?? Math.random()}`, {
      hello: () => ({ type: "hello", v: 1, elsewhere: handlers.elsewhere ?? false }),
      message: (message) => this.#take(message),
      status: (status) => this.#status(status),
    });
  }

  /**
   * Sends a message. If the connection is lost before the effect of a command arrives, it is sent again over the next.
   * @param {Record<string, any>} message @returns {boolean} whether it was sent
   */
  send(message) {
    if (!PASSING.includes(message.type)) this.#command = { message, at: pageTime() };
    return this.#connection.send(message);
  }

  /** Closes the connection for good. */
  close() {
    this.#stopWaking();
    clearInterval(this.#pings);
    this.#connection.close();
  }

  /** The time of an event that was `span` ms away in the last room message. @param {number|null} span */
  at(span) {
    return span === null || !this.room ? null : this.room.now + span;
  }

  /** @param {Status} status */
  #status(status) {
    if (status !== "open") {
      clearInterval(this.#pings);
      this.#settled = false;
    }
    this.handlers.status?.(status);
  }

  /** @param {any} message */
  #take(message) {
    const { handlers } = this;
    switch (message.type) {
      case "room":
        return this.#takeRoom(message);
      case "you":
        this.you = message;
        return this.room && handlers.changed?.(this.room, this.you);
      case "lanes":
        return this.#takeLanes(message);
      case "call":
        return this.#ping();
      case "pong":
        return this.clock.answered(message);
      case "reacted":
        return handlers.reacted?.(message.entrant, message.kind);
      case "moved":
        return handlers.moved?.(message.code);
      case "gone":
        return handlers.gone?.(message.why);
      case "error":
        this.#command = null;
        return handlers.refused?.(message);
    }
  }

  /** @param {Room} room */
  #takeRoom(room) {
    this.room = room;
    for (const race of [room.to_come, room.running, room.last]) race?.seats.forEach(named);
    this.clock.heard(room.now);
    const command = this.#command;
    this.#command = null;
    if (!this.#settled) {
      this.#settleClock();
      if (command && pageTime() - command.at < REPEATED_FOR) this.#connection.send(command.message);
    }
    this.handlers.changed?.(room, this.you);
  }

  /**
   * Applies the changes since the previous version; after a gap, requests the full state.
   * @param {{v: number, lanes: Lane[]}} news
   */
  #takeLanes({ v, lanes }) {
    if (!this.room || v <= this.room.v) return;
    if (v > this.room.v + 1) {
      this.send({ type: "sync" });
      return;
    }
    this.room.v = v;
    for (const race of [this.room.to_come, this.room.running, this.room.last]) if (race) merge(race, lanes);
    this.handlers.lanes?.(lanes, this.room, this.you);
  }

  #settleClock() {
    clearInterval(this.#pings);
    this.clock.reset();
    this.#settled = true;
    let left = FIRST_PINGS;
    const ping = () => {
      this.#ping();
      left -= 1;
      if (left === 0) clearInterval(this.#pings);
    };
    ping();
    this.#pings = window.setInterval(ping, PING_EVERY);
  }

  #ping() {
    this.send({ type: "ping", t: Math.round(pageTime()) });
  }
}

/** @param {RaceState} race @param {Lane[]} lanes */
function merge(race, lanes) {
  for (const lane of lanes) {
    const k = race.lanes.findIndex(([entrant]) => entrant === lane[0]);
    if (k >= 0) race.lanes[k] = lane;
  }
}
