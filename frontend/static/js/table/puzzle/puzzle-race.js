/** Racer's page of a puzzle race: the countdown, a storm beside the others' lanes, and the way to the result. */

import { say } from "../../shared/announcer.js";
import { callPlayer, seen } from "../../shared/attention.js";
import { onWake } from "../../shared/clock.js";
import { all, byId, write } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { request } from "../../shared/request.js";
import { bubbleIn } from "../../races/live-list.js";
import { offerRematches } from "../../races/notices/rematch.js";
import { ordinal } from "../../races/ordinal.js";
import { sayStanding } from "../../races/room/announcements.js";
import { Lanes, mostSolved, solvedText } from "../../races/room/lanes.js";
import { RaceSocket } from "../../races/socket.js";
import { applySettings } from "../../site/settings.js";
import { Starting } from "../social/race-countdown.js";
import { RaceNews } from "../social/race-news.js";
import { Reactions } from "../social/reactions.js";
import { racersOf, Strip } from "../social/rank-strip.js";
import { MOVE_WITHIN, tell } from "./open-table.js";
import { Storm } from "./storm.js";

/** @import { RaceState, Room } from "../../races/types.js" */
/** @import { Racer } from "../social/rank-strip.js" */

/** States of racers who stay on this page. */
const PLAYING = new Set(["ready", "racing", "timed_out"]);
/** Time until a failed request is repeated, and for which the reason to go back to the room is shown, in ms. */
const [RETRY, READ_FOR] = [2000, 3200];

class PuzzleRace {
  #lists = [...all("[data-lanes]")].map((list) => new Lanes(list));
  #strip = new Strip(byId("strip"), byId("strip-place"), byId("strip-cells"));
  #reactions = new Reactions((kind) => this.#socket.send({ type: "react", kind }));
  #isLeaving = false;
  #isGone = false;
  #hasBegun = false;
  /** The timer of the next request for the puzzle. */ #timer = 0;
  /** @type {RaceState|null} */ #race = null;
  /** @type {RaceSocket} */ #socket;
  /** @type {RaceNews} */ #news;

  /** @param {HTMLElement} felt @param {HTMLElement} place of the lanes */
  constructor(felt, { dataset }) {
    this.felt = felt;
    this.number = Number(dataset.number);
    this.mine = Number(dataset.entrant);
    this.room = dataset.room ?? "/races/";
    this.code = dataset.code ?? "";
    this.#socket = new RaceSocket(this.code, {
      page: "table",
      changed: (room) => this.#changed(room),
      lanes: (_, room) => this.#changed(room),
      reacted: (entrant, kind) => this.#reacted(entrant, kind),
      gone: () => this.#gone(),
    });
    this.starting = new Starting(this.#socket.clock);
    this.#news = new RaceNews(this.#socket, this.mine);
    byId("strip").addEventListener("click", () => byId("lanes-dialog").showModal());
    this.#bindGivingUp();
    onWake(() => this.#timer && this.#begin());
    tell({ state: "try", label: t("Are you ready?"), words: t("The first puzzle comes when the clock starts.") });
    this.#begin();
  }

  get #result() {
    return byId("race-banner-link").href;
  }

  /**
   * Fetches the current puzzle. Before the start, the reply only has the time to wait; once the time is up, the request
   * ends the player's race.
   */
  async #begin() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    let wait = RETRY;
    try {
      const response = await request(this.felt.dataset.current ?? "", "POST", undefined, { within: MOVE_WITHIN });
      const reply = await response.json();
      if (reply.starts_in) {
        this.starting.wait(reply);
        wait = reply.starts_in;
      } else if (response.ok) {
        return this.#start(reply);
      } else if ([401, 404, 409].includes(response.status)) {
        return location.replace(this.#result);
      }
    } catch {
      tell({ state: "refused", label: t("Connecting…"), words: "" });
    }
    this.#timer = window.setTimeout(() => this.#begin(), wait);
  }

  #bindGivingUp() {
    const dialog = byId("resign-dialog");
    byId("another").addEventListener("click", () => {
      dialog.returnValue = "";
      dialog.showModal();
    });
    dialog.addEventListener("close", () => dialog.returnValue === "resign" && this.#socket.send({ type: "leave" }));
  }

  /** @param {any} reply */
  #start(reply) {
    // The time seemed to be up, by a clock that was wrong.
    if (reply.puzzle && this.#hasBegun) return location.reload();
    this.#hasBegun = true;
    this.starting.end();
    if (reply.puzzle) return void new Storm(this.felt, reply, () => this.#begin());
    write(byId("storm-solved"), String(reply.state.solved));
    this.#wait();
  }

  /** Waits for the others: wrong moves cost time, so the player may be done before them. */
  #wait() {
    if (this.#isGone) return location.replace(this.#result);
    tell({ state: "done", label: t("Your time is up."), words: t("The result comes when everyone is done.") });
  }

  /** @param {Room} room */
  #changed({ to_come, running, last }) {
    const race = [to_come, running, last].find((race) => race?.number === this.number) ?? null;
    if (race?.state === "finished") return this.#finish();
    if (race?.state === "open") return this.#leave(t("Fewer than two players are ready, so the race is open again."));
    if (race === null || race.state === "void") return this.#leave(t("This race doesn't count. Back to the room."));
    this.#race = race;
    const racers = racersOf(race);
    // Players who gave up or came too late watch from the room.
    if (!PLAYING.has(racers.find(({ entrant }) => entrant === this.mine)?.state ?? ""))
      return location.replace(this.room);
    for (const lanes of this.#lists) lanes.show(race, { goal: 1, me: this.mine });
    this.#strip.show(racers, this.mine, mostSolved(race));
    // The time left is the player's own, above the table.
    this.#news.follow({ ...race, ends_in: null }, racers);
    if (race.state === "racing") sayStanding(this.#standing(racers));
  }

  /** @param {Racer[]} racers @returns {string} */
  #standing(racers) {
    const [leader] = racers;
    const place = racers.find(({ entrant }) => entrant === this.mine)?.place ?? null;
    if (place === null) return "";
    const where = `${t("You're {place}", { place: ordinal(place) })}.`;
    return leader.entrant === this.mine ? where : `${where} ${leader.name}: ${solvedText(leader.cardsUp)}.`;
  }

  /** @param {number} entrant @param {string} kind */
  #reacted(entrant, kind) {
    const name = this.#race?.seats.find((seat) => seat.entrant === entrant)?.name ?? "";
    this.#reactions.show(kind, name, [...all(`:is(.lane, .strip-cell)[data-entrant="${entrant}"]`)].map(bubbleIn));
  }

  /** Handles removal by the host: the player may still finish this race. */
  #gone() {
    this.#isGone = true;
    if (!this.#hasBegun) this.#leave(t("The host removed you from the room."));
  }

  #finish() {
    offerRematches(this.code);
    location.replace(this.#result);
  }

  /** Goes back to the room, showing the reason. @param {string} why */
  #leave(why) {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.starting.end();
    write(byId("race-banner-text"), why);
    byId("race-banner-link").hidden = true;
    byId("race-banner").hidden = false;
    say(why);
    callPlayer(why);
    this.#socket.close();
    seen().then(() => setTimeout(() => location.replace(this.room), READ_FOR));
  }
}

applySettings();
new PuzzleRace(byId("felt"), byId("lanes"));
