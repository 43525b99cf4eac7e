/** Racer's page of a puzzle race: the countdown, a storm beside the others' lanes, and the way to the result. */

import { onWake } from "../../shared/clock.js";
import { all, byId, write } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { request } from "../../shared/request.js";
import { offerRematches } from "../../races/notices/rematch.js";
import { sayStanding } from "../../races/room/announcements.js";
import { Lanes, mostSolved, solvedText } from "../../races/room/lanes.js";
import { applySettings } from "../../site/settings.js";
import { RaceSeat } from "../social/race-seat.js";
import { racersOf } from "../social/rank-strip.js";
import { standingText } from "../social/race-texts.js";
import { MOVE_WITHIN, tell } from "./open-table.js";
import { PuzzleRun } from "./puzzle-run.js";

/** @import { Room } from "../../races/types.js" */

/** States of racers who stay on this page. */
const PLAYING = new Set(["seated", "racing", "timed_out"]);
/** Time until a failed request is repeated, in ms. */
const RETRY = 2000;

class PuzzleRace {
  #lists = [...all("[data-lanes]")].map((list) => new Lanes(list));
  #isGone = false;
  #hasBegun = false;
  /** The timer of the next request for the puzzle. */ #timer = 0;

  /** @param {HTMLElement} felt @param {HTMLElement} place of the lanes */
  constructor(felt, { dataset }) {
    this.felt = felt;
    this.seat = new RaceSeat(dataset, { changed: (room) => this.#changed(room), gone: () => this.#gone() });
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
        this.seat.starting.wait(reply);
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
    dialog.addEventListener("close", () => dialog.returnValue === "resign" && this.seat.socket.send({ type: "leave" }));
  }

  /** @param {any} reply */
  #start(reply) {
    // The time seemed to be up, by a clock that was wrong.
    if (reply.puzzle && this.#hasBegun) return location.reload();
    this.#hasBegun = true;
    this.seat.starting.end();
    if (reply.puzzle) return void new PuzzleRun(this.felt, reply, () => this.#begin());
    write(byId("run-solved"), String(reply.state.solved));
    this.#wait();
  }

  /** Waits for the others: wrong moves cost time, so the player may be done before them. */
  #wait() {
    if (this.#isGone) return location.replace(this.#result);
    tell({ state: "done", label: t("Your time is up."), words: t("The result comes when everyone is done.") });
  }

  /** @param {Room} room */
  #changed(room) {
    const race = this.seat.raceIn(room);
    if (race?.state === "finished") return this.#finish();
    if (race?.state === "open")
      return this.seat.leave(t("Fewer than two players are here, so the race is open again."));
    if (race === null || race.state === "void") return this.seat.leave(t("This race doesn't count. Back to the room."));
    this.seat.race = race;
    const racers = racersOf(race);
    // Players who gave up or came too late watch from the room.
    if (!PLAYING.has(racers.find(({ entrant }) => entrant === this.seat.mine)?.state ?? ""))
      return location.replace(this.seat.room);
    for (const lanes of this.#lists) lanes.show(race, { goal: 1, me: this.seat.mine });
    this.seat.strip.show(racers, this.seat.mine, mostSolved(race));
    // The time left is the player's own, above the table.
    this.seat.news.follow({ ...race, ends_in: null }, racers);
    if (race.state !== "racing") return;
    sayStanding(standingText(racers, this.seat.mine, ({ name, cardsUp }) => `${name}: ${solvedText(cardsUp)}.`));
  }

  /** Handles removal by the host: the player may still finish this race. */
  #gone() {
    this.#isGone = true;
    if (!this.#hasBegun) this.seat.leave(t("The host removed you from the room."));
  }

  #finish() {
    offerRematches(this.seat.code);
    location.replace(this.#result);
  }
}

applySettings();
new PuzzleRace(byId("felt"), byId("lanes"));
