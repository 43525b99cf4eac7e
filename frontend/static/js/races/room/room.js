/** Room page: passes the socket's updates to the parts of the page. */

import "../../site/field-buttons.js";
import { Reactions } from "../../table/social/reactions.js";
import { bindHost, showHost } from "./host-controls.js";
import { bubbleIn } from "../live-list.js";
import { say } from "../../shared/announcer.js";
import { all, byId, write } from "../../shared/dom.js";
import { Names } from "../names.js";
import { connectionText, refusalText } from "../error-texts.js";
import { showDeal, showHead } from "./heading.js";
import { Seats } from "./seats.js";
import { RaceSocket } from "../socket.js";
import { Stage } from "./stage.js";
import { Watch } from "./spectators.js";

/** @import { Room, You } from "../types.js" */

/** A refusal disappears after this time, in ms. */
const SHOWN_FOR = 8000;

class RoomPage {
  /** True if the player has had a seat in the upcoming race while this page was open; it then leads to the table. */
  #waited = false;
  #timer = 0;
  #reactions = new Reactions((kind) => this.socket.send({ type: "react", kind }));

  /** @param {HTMLElement} box */
  constructor(box) {
    this.names = new Names(box);
    this.socket = new RaceSocket(box.dataset.code ?? "", {
      page: "room",
      changed: (room, you) => this.#show(room, you),
      lanes: (_lanes, room, you) => this.#showLanes(room, you),
      reacted: (entrant, kind) => this.#react(entrant, kind),
      moved: (code) => location.replace(`/races/${code}/`),
      // The server's page shows the reason. This page may be the answer to a form, which a reload would send again.
      gone: () => location.replace(`/races/${box.dataset.code}/`),
      refused: ({ code, data }) => this.#notice("refusal", refusalText(code, data), SHOWN_FOR),
      status: (status) => status !== "connecting" && this.#notice("lost", connectionText(status)),
    });
    this.stage = new Stage(this.socket, box.dataset.signedIn === "true");
    this.seats = new Seats(this.socket);
    this.watch = new Watch(this.socket, this.names);
    bindHost(this.socket);
  }

  /** @param {Room} room @param {You} you */
  #show(room, you) {
    if (this.#leaves(room, you)) return;
    showHead(room, this.names);
    showDeal(room);
    showHost(room, you);
    byId("reactions").hidden = you.to_come === null && you.running === null;
    this.stage.show();
    this.seats.show();
    this.watch.show();
  }

  /** @param {Room} room @param {You} you */
  #showLanes(room, you) {
    showHost(room, you);
    this.seats.show();
    this.watch.lanes();
  }

  /** Takes a seated player to the table when the countdown begins. @param {Room} room @param {You} you */
  #leaves({ to_come }, { to_come: seat, running, table }) {
    const goes = table !== null && (this.#waited || to_come?.state === "countdown") && (seat ?? running) !== null;
    this.#waited ||= seat !== null;
    if (!goes || (to_come?.state === "open" && seat !== null)) return false;
    this.socket.close();
    location.assign(/** @type {string} */ (table));
    return true;
  }

  /** Shows a reaction at its sender's seat and lane. @param {number} entrant @param {string} kind */
  #react(entrant, kind) {
    const rows = [...all(`[data-entrant="${entrant}"]`)];
    const name = rows[0]?.querySelector(".seat-name, .lane-name")?.textContent ?? "";
    this.#reactions.show(kind, name, rows.map(bubbleIn));
  }

  /** @param {string} id @param {string} text @param {number} [span] ms */
  #notice(id, text, span) {
    const line = byId(id);
    if (line.textContent !== text) say(text);
    write(line, text);
    line.hidden = !text;
    if (!span) return;
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => (line.hidden = true), span);
  }
}

const box = byId("room");
if (box) new RoomPage(box);
