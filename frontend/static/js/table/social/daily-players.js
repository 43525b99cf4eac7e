/** Other players of the daily deal, and the player's pace compared with the leader's or a ghost's. */

import { all, byId, write } from "../../shared/dom.js";
import { Connection } from "../../shared/connection.js";
import { t, tn } from "../../shared/i18n.js";
import { request } from "../../shared/request.js";
import { onSettings, settings } from "../../site/settings.js";
import { elapsed } from "../state/game.js";
import { Pace, leadTexts } from "./pace.js";
import { DayList, DayStrip } from "./peers.js";

/** @import { Peer } from "./peers.js" */
/** @import { State } from "../state/state.js" */
/** @import { View } from "../state/types.js" */

/** Intervals in ms: of updates of the difference, and of requests for the leader. */
const TICK = 500;
const LEADER_EVERY = 120000;

export class DayTable {
  /** @type {Connection|null} */ #connection = null;
  /** @type {{players: number, lanes: Peer[]}} */ #others = { players: 0, lanes: [] };
  /** @type {Pace|null} */ #pace = null;
  #requestedAt = -Infinity;
  #strip = new DayStrip(byId("strip-track"));
  #lists = [...all("[data-lanes]")].map((list) => new DayList(list));

  /** @param {State} state @param {HTMLElement} place */
  constructor(state, place) {
    const { dataset } = place;
    this.state = state;
    this.place = place;
    this.me = dataset.me ?? "";
    this.socket = dataset.socket ?? "";
    this.ghost = state.felt.dataset.ghost ?? "";
    this.address = this.ghost || dataset.pace || "";
    onSettings(() => this.#follow());
    this.#follow();
    setInterval(() => this.#tick(), TICK);
  }

  wait() {}

  refused() {}

  drawn() {
    this.#tick();
  }

  /** Connects while the player wants to see the others. */
  #follow() {
    if (!this.socket || settings.hide_others) {
      this.#connection?.close();
      this.#connection = null;
      return;
    }
    this.#connection ??= new Connection(this.socket, {
      hello: () => ({ type: "hello", v: 1 }),
      message: (message) => message.type === "lanes" && this.#take(message),
      status: () => {},
    });
  }

  /** @param {{players: number, lanes: [string, string, number][]}} message */
  #take({ players, lanes }) {
    const others = lanes.filter(([player]) => player !== this.me);
    this.#others = { players, lanes: others.map(([key, name, cardsUp]) => ({ key, name, cardsUp, kind: "" })) };
    this.#tick();
  }

  #tick() {
    const { view, status } = this.state;
    if (!view || (!this.ghost && settings.hide_others)) return;
    if (status === "playing") this.#requestPace();
    const ms = elapsed(this.state);
    this.#pace?.note(ms, view.cards_up, this.state.n === 0);
    this.#showPeers(view, ms);
    if (status === "playing") this.#showPace(view, ms);
  }

  async #requestPace() {
    const now = performance.now();
    const due = now - this.#requestedAt > LEADER_EVERY && !(this.ghost && this.#pace);
    if (!this.address || !due || document.visibilityState !== "visible") return;
    this.#requestedAt = now;
    try {
      const response = await request(this.address);
      const line = response.ok ? await response.json() : { name: "", points: [] };
      this.#pace = line.points.length > 0 ? Pace.after(this.#pace, line) : null;
    } catch {
      // The old line stays until the next time.
    }
  }

  /** @param {View} view @param {number} ms */
  #showPeers({ cards_up, goal }, ms) {
    /** @type {Peer[]} */
    const peers = [{ key: "me", name: t("You"), cardsUp: cards_up, kind: "me" }];
    const pace = this.#pace;
    if (pace) peers.push({ key: "pace", name: this.#whose(pace), cardsUp: pace.cardsAt(ms), kind: "pace" });
    peers.push(...this.#others.lanes);
    for (const list of this.#lists) list.show(peers, goal);
    this.#strip.show(peers, goal);
    const rest = this.#others.players - 1 - this.#others.lanes.length;
    for (const line of all("[data-rest]"))
      write(line, rest > 0 ? tn("and one more player", "and {n} more players", rest) : "");
    const { players } = this.#others;
    byId("strip-count").hidden = players < 1;
    write(byId("strip-count"), String(players));
    const count = players > 0 ? tn("{n} player on this deal now", "{n} players on this deal now", players) : "";
    byId("strip").setAttribute("aria-label", `${count} ${byId("strip-pace").textContent}`.trim() || t("Ghost"));
  }

  /** @param {Pace} pace @returns {string} */
  #whose({ name }) {
    if (this.ghost) return name || t("Ghost");
    return name ? t("{name}, leader", { name }) : t("Leader");
  }

  /** @param {View} view @param {number} ms */
  #showPace({ cards_up }, ms) {
    const pace = this.#pace;
    const ahead = pace?.smoothed(ms, cards_up) ?? null;
    const name = this.ghost && pace?.name ? pace.name : this.ghost ? t("the ghost") : t("the leader");
    byId("pace").hidden = ahead === null;
    this.place.dataset.standing = "";
    if (!pace || ahead === null) return;
    const [brief, full] = leadTexts(ahead, pace.fine, name);
    this.place.dataset.standing = full;
    for (const line of [byId("strip-pace"), ...all("[data-pace-line]")]) {
      write(line, full);
      line.dataset.ahead = String(ahead >= 0);
    }
    write(byId("pace-whom"), this.ghost ? t("Ghost") : t("Leader"));
    write(byId("pace-span"), brief);
    byId("pace").dataset.ahead = String(ahead >= 0);
    byId("pace").title = full;
  }
}
