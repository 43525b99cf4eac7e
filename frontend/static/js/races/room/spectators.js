/** Spectator view of the running race and of the one before it. */

import { t } from "../../shared/i18n.js";
import { clockText } from "../../shared/times.js";
import { sayStanding } from "./announcements.js";
import { Lanes, solvedText } from "./lanes.js";
import { byId, write } from "../../shared/dom.js";
import { isPuzzleRace, parts } from "../types.js";

/** @import { Names } from "../names.js" */
/** @import { RaceSocket } from "../socket.js" */
/** @import { RaceState } from "../types.js" */

const TICK = 500;
/** Number of racers named when the places are announced. */
const NAMED = 3;

export class Watch {
  /** Ids of the races shown. */
  #running = "";
  #last = "";
  /** @type {Lanes|null} */ #lanes = null;
  /** @type {Lanes|null} */ #lastLanes = null;

  /** @param {RaceSocket} socket @param {Names} names */
  constructor(socket, names) {
    this.socket = socket;
    this.names = names;
    setInterval(() => this.#tick(), TICK);
  }

  show() {
    const { running = null, last = null } = this.socket.room ?? {};
    byId("running").hidden = !running;
    byId("last").hidden = !last;
    if (running && running.id !== this.#running) {
      this.#running = running.id;
      this.#lanes = this.#fresh("lanes");
      document.getElementById("running-note")?.toggleAttribute("hidden", isPuzzleRace(running));
    }
    if (last && last.id !== this.#last) {
      this.#last = last.id;
      this.#lastLanes = this.#fresh("last-lanes");
      const { number, state } = last;
      const title = state === "void" ? t("Race {number} is void", { number }) : t("Race {number} finished", { number });
      write(byId("last-title"), title);
      const code = this.socket.room?.code;
      byId("last-link").href = `/races/${code}/${last.number}/`;
    }
    this.lanes();
    this.#tick();
  }

  /** Shows the changed lanes. */
  lanes() {
    const { room, you } = this.socket;
    if (room?.running) {
      this.#lanes?.show(room.running, { goal: this.names.goal(room.running), me: you.running });
      sayStanding(standing(room.running));
    }
    if (room?.last) this.#lastLanes?.show(room.last, { goal: this.names.goal(room.last), me: null });
  }

  /** @param {string} id */
  #fresh(id) {
    byId(id).replaceChildren();
    return new Lanes(byId(id));
  }

  #tick() {
    const { room, clock } = this.socket;
    const race = room?.running;
    if (!race) return;
    const at = this.socket.at(race.ends_in);
    const left = at === null ? 0 : Math.max(0, clock.until(at));
    const text = race.state === "settling" ? t("being verified") : t("{time} left", { time: clockText(left) });
    write(byId("running-clock"), text);
  }
}

/** The leaders, as text. @param {RaceState} race */
export function standing(race) {
  const names = new Map(race.seats.map(({ entrant, name }) => [entrant, name]));
  return race.lanes
    .map(parts)
    .filter(({ place }) => place !== null)
    .sort((a, b) => Number(a.place) - Number(b.place))
    .slice(0, NAMED)
    .map(({ entrant, place, cardsUp }) => {
      const name = names.get(entrant) ?? "";
      if (isPuzzleRace(race)) return `${place}: ${name}, ${solvedText(cardsUp)}`;
      return t("{place}: {name}, {up} up", { place: place ?? 0, name, up: cardsUp });
    })
    .join(". ");
}
