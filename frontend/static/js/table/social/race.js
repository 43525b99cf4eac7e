/** Table in a race: the countdown, the others' lanes, reactions, and the result. */

import { say } from "../../shared/announcer.js";
import { all, byId, write } from "../../shared/dom.js";
import { t, tn } from "../../shared/i18n.js";
import { sayStanding } from "../../races/room/announcements.js";
import { Lanes, stateText } from "../../races/room/lanes.js";
import { ordinal } from "../../races/ordinal.js";
import { listen, offerRematches } from "../../races/notices/rematch.js";
import { showEnd } from "../controller.js";
import { isCalledOff } from "../state/state.js";
import { RaceSeat } from "./race-seat.js";
import { countPlaced, placeText, rivalOf, standingText } from "./race-texts.js";
import { racersOf } from "./rank-strip.js";

/** @import { RaceState, Room } from "../../races/types.js" */
/** @import { State } from "../state/state.js" */
/** @import { View } from "../state/types.js" */
/** @import { Racer } from "./rank-strip.js" */

/** Time for the room to report why the table no longer exists, in ms. */
const WHY_WITHIN = 1500;

/** Offers rematches of this browser's last race at the tables of other games. */
export const listenForRematch = () => listen();

export class RaceTable {
  #lists;
  #goal = 0;
  #status = "";

  /** @param {State} state @param {HTMLElement} place */
  constructor(state, place) {
    const { dataset } = place;
    this.state = state;
    this.place = place;
    this.#lists = [...all("[data-lanes]")].map((list) => ({ list, lanes: new Lanes(list) }));
    this.seat = new RaceSeat(dataset, { changed: (room) => this.#changed(room), gone: (why) => this.#gone(why) });
    byId("strip").addEventListener("click", () => this.#seek());
  }

  /** Scrolls to the player's own line. */
  #seek() {
    for (const { list } of this.#lists) list.querySelector(".me")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {any} message `waiting` */
  wait(message) {
    this.state.faces.artwork(message.deal).load();
    this.seat.starting.wait(message);
  }

  /**
   * Ends the countdown once the cards are on the table, and shows the place once the game is over: the room may report
   * that before the table does.
   * @param {View} view
   */
  drawn({ goal }) {
    this.seat.starting.end();
    const { status } = this.state;
    if (this.#goal === goal && this.#status === status) return;
    const isFirst = this.#goal !== goal;
    this.#goal = goal;
    this.#status = status;
    this.#show();
    if (isFirst) this.#seek();
  }

  /** Handles a refusal: `not_found` if the table disappeared before its cards were dealt. @param {string} code */
  refused(code) {
    if (code !== "not_found" || !isCalledOff(this.state)) return;
    // The room reports the reason, unless its connection is down.
    setTimeout(() => this.#leave(t("This race won't start. Back to the room.")), WHY_WITHIN);
  }

  /** @param {Room} room */
  #changed(room) {
    const race = this.seat.raceIn(room);
    if (race === null) {
      const { to_come, running, last } = room;
      // The room has moved on without this race: it was void, unless a later race has finished since.
      const goesOn = [to_come, running].some((race) => (race?.number ?? 0) > this.seat.number);
      if (goesOn && (last?.number ?? 0) < this.seat.number)
        this.#leave(t("This race doesn't count. Back to the room."));
      return;
    }
    this.seat.race = race;
    if (race.state === "open") this.#leave(t("Fewer than two players are here, so the race is open again."));
    else if (race.state === "void") this.#leave(t("This race doesn't count. Back to the room."));
    else this.#show();
  }

  #show() {
    const { race } = this.seat;
    if (!race) return;
    const racers = racersOf(race);
    for (const { lanes } of this.#lists) lanes.show(race, { goal: this.#goal || 1, me: this.seat.mine });
    this.seat.strip.show(racers, this.seat.mine, this.#goal);
    this.seat.news.follow(race, racers);
    const me = racers.find(({ entrant }) => entrant === this.seat.mine);
    if (!me) return;
    this.#showNote(race, racers);
    this.#showPlace(race, me, racers);
    if (me.place === null) return;
    const standing = standingText(racers, this.seat.mine, ({ name, cardsUp: n }) =>
      t("{name} leads with {n} cards up.", { name, n }),
    );
    this.place.dataset.standing = standing;
    if (race.state === "racing") sayStanding(standing);
  }

  /** Shows the number of players still racing. @param {RaceState} race @param {Racer[]} racers */
  #showNote({ state }, racers) {
    const racing = racers.filter((racer) => !stateText(racer.state)).length;
    const text =
      state === "finished" ? t("finished") : state === "racing" ? tn("1 still racing", "{n} still racing", racing) : "";
    write(byId("lanes-note"), text);
  }

  /** @param {RaceState} race @param {Racer} me @param {Racer[]} racers */
  #showPlace({ state }, me, racers) {
    const { place } = me;
    const n = state === "finished" ? countPlaced(racers) : racers.length;
    const values = { place: place === null ? "" : ordinal(place), n };
    // No one can overtake a winner any more.
    const final = state === "finished" || me.state === "won";
    document.body.dataset.race = state;
    if (this.state.status === "playing") return;
    offerRematches(this.seat.code);
    this.state.racePlace = placeText(me, values, final);
    this.state.rival = state === "finished" ? rivalOf(racers, this.seat.mine) : null;
    showEnd(this.state);
    if (state !== "finished") return;
    byId("finish-close").textContent = t("Back to the table");
    const text = place === null ? t("The race is over.") : t("The race is over. You're {place} of {n}.", values);
    if (byId("race-banner").hidden) say(text);
    byId("race-banner-text").textContent = text;
    byId("race-banner").hidden = false;
  }

  /** @param {"kicked"|"closed"} why */
  #gone(why) {
    if (this.state.status !== "playing" || this.state.view) return;
    this.#leave(why === "kicked" ? t("The host removed you from the room.") : t("This room is closed."));
  }

  /** Goes back to the room, unless the game is over. @param {string} why */
  #leave(why) {
    if (this.state.status === "playing") this.seat.leave(why);
  }
}
