/** A racer's seat in a room, at any kind of table: the countdown, news, reactions, and the way back to the room. */

import { say } from "../../shared/announcer.js";
import { callPlayer, seen } from "../../shared/attention.js";
import { all, byId, write } from "../../shared/dom.js";
import { bubbleIn } from "../../races/live-list.js";
import { RaceSocket } from "../../races/socket.js";
import { Starting } from "./race-countdown.js";
import { RaceNews } from "./race-news.js";
import { Strip } from "./rank-strip.js";
import { Reactions } from "./reactions.js";

/** @import { RaceState, Room } from "../../races/types.js" */

/** Time to read why the player is taken back to the room, in ms. */
const READ_FOR = 3200;

export class RaceSeat {
  strip = new Strip(byId("strip"), byId("strip-place"), byId("strip-cells"));
  /** The race as last shown. @type {RaceState|null} */ race = null;
  #reactions = new Reactions((kind) => this.socket.send({ type: "react", kind }));
  #isLeaving = false;

  /**
   * @param {DOMStringMap} dataset of the lanes
   * @param {{changed: (room: Room) => void, gone: (why: "kicked"|"closed") => void}} handlers
   */
  constructor(dataset, { changed, gone }) {
    this.number = Number(dataset.number);
    this.mine = Number(dataset.entrant);
    this.room = dataset.room ?? "/races/";
    this.code = dataset.code ?? "";
    /** @type {RaceSocket} */
    this.socket = new RaceSocket(this.code, {
      page: "table",
      changed,
      lanes: (_, room) => changed(room),
      reacted: (entrant, kind) => this.#reacted(entrant, kind),
      gone,
    });
    this.starting = new Starting(this.socket.clock);
    this.news = new RaceNews(this.socket, this.mine);
  }

  /** The room's state of this race; null if it has moved on without it. @param {Room} room @returns {RaceState|null} */
  raceIn({ to_come, running, last }) {
    return [to_come, running, last].find((race) => race?.number === this.number) ?? null;
  }

  /** Goes back to the room, showing the reason. @param {string} why */
  leave(why) {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.starting.end();
    write(byId("race-banner-text"), why);
    byId("race-banner-link").hidden = true;
    byId("race-banner").hidden = false;
    say(why);
    callPlayer(why);
    this.socket.close();
    seen().then(() => setTimeout(() => location.replace(this.room), READ_FOR));
  }

  /** @param {number} entrant @param {string} kind */
  #reacted(entrant, kind) {
    const name = this.race?.seats.find((seat) => seat.entrant === entrant)?.name;
    if (name === undefined) return;
    this.#reactions.show(kind, name, [...all(`:is(.lane, .strip-cell)[data-entrant="${entrant}"]`)].map(bubbleIn));
  }
}
