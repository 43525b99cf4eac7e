/** Strip under a racing table's rail: the player's place and the nearest rivals. */

import { t, tn } from "../../shared/i18n.js";
import { part, write } from "../../shared/dom.js";
import { ordinal } from "../../races/ordinal.js";
import { durationText } from "../../shared/times.js";
import { parts } from "../../races/types.js";

/** @import { RaceState } from "../../races/types.js" */

/**
 * @typedef {object} Racer
 * @property {number} entrant
 * @property {string} name
 * @property {number} cardsUp
 * @property {string} state
 * @property {boolean} away
 * @property {number|null} place
 * @property {number|null} ms
 */

const CELLS = 3;
const OUT = new Set(["retired", "timed_out", "absent", "disqualified"]);

class Cell {
  name = part("span", "strip-name");
  figure = part("b", "strip-figure");
  bar = part("i", "");
  track = part("span", "lane-track", this.bar);
  box = part("span", "strip-cell", this.name, this.figure, this.track, part("span", "bubble"));

  /** @param {Racer} racer @param {boolean} me @param {number} goal */
  show(racer, me, goal) {
    const { entrant, name, cardsUp, state, away, ms } = racer;
    const over = state === "won" || OUT.has(state);
    this.box.dataset.entrant = String(entrant);
    this.box.className = ["strip-cell", state, me && "me", away && !over && "away"].filter(Boolean).join(" ");
    write(this.name, me ? t("You") : name);
    write(this.figure, state === "won" && ms !== null ? durationText(ms) : over ? "✕" : goal ? String(cardsUp) : "");
    this.bar.style.transform = `scaleX(${goal ? Math.min(1, cardsUp / goal) : 0})`;
  }
}

/** @param {Racer[]} racers in the order of places @param {number} mine entrant @returns {Racer[]} the racers to show */
export function nearest(racers, mine) {
  const at = racers.findIndex(({ entrant }) => entrant === mine);
  const from = Math.max(0, Math.min(at < 0 ? 0 : at - 1, racers.length - CELLS));
  return racers.slice(from, from + CELLS);
}

/** @param {RaceState} race @returns {Racer[]} who showed up, in the order of places */
export function racersOf(race) {
  const names = new Map(race.seats.map(({ entrant, name }) => [entrant, name]));
  return race.lanes
    .map(parts)
    .filter(({ state }) => state !== "absent")
    .map((lane) => ({ ...lane, name: names.get(lane.entrant) ?? "" }))
    .sort((a, b) => (a.place ?? Infinity) - (b.place ?? Infinity));
}

export class Strip {
  /** @type {Cell[]} */ #cells = [];

  /** @param {HTMLElement} button @param {HTMLElement} place @param {HTMLElement} cells */
  constructor(button, place, cells) {
    this.button = button;
    this.place = place;
    this.cells = cells;
  }

  /** @param {Racer[]} racers in the order of places @param {number} mine entrant @param {number} goal 0 if unknown */
  show(racers, mine, goal) {
    const near = nearest(racers, mine);
    while (this.#cells.length < near.length) {
      const cell = new Cell();
      this.#cells.push(cell);
      this.cells.append(cell.box);
    }
    near.forEach((racer, k) => this.#cells[k].show(racer, racer.entrant === mine, goal));
    const place = racers.find(({ entrant }) => entrant === mine)?.place ?? null;
    const [first, of] = [place === null ? "–" : ordinal(place), tn("of one", "of {n}", racers.length)];
    if (this.place.textContent !== `${first}${of}`)
      this.place.replaceChildren(part("b", "", first), part("small", "", of));
    const where = place === null ? "" : `${t("You're {place}", { place: first })} ${of}. `;
    this.button.setAttribute("aria-label", `${where}${t("Show all players")}`);
  }
}
