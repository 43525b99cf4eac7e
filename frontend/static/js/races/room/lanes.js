/** Race lanes: each racer's progress, in order of places. Only changes are written to the page. */

import { t, tn } from "../../shared/i18n.js";
import { motionReduced } from "../../site/settings.js";
import { durationText } from "../../shared/times.js";
import { avatar, part, write } from "../../shared/dom.js";
import { isPuzzleRace, parts } from "../types.js";

/** @import { RaceState, Seat } from "../types.js" */
/** @typedef {ReturnType<typeof parts>} LaneParts */

/** Size of a racer's picture beside the name, in px. */
const PICTURE = 18;
/** Puzzles solved that fill a bar if no one has solved more. */
const MANY_SOLVED = 10;
/** States of racers whose race is over or never began. */
const OVER = new Set(["won", "retired", "timed_out", "absent", "disqualified"]);

/** @param {string} state of an entrant @param {boolean} [away] @returns {string} as text; empty while racing */
export function stateText(state, away = false) {
  const texts = {
    won: t("won"),
    retired: t("gave up"),
    timed_out: t("out of time"),
    absent: t("didn't show up"),
    disqualified: t("disqualified"),
  };
  return texts[/** @type {"won"} */ (state)] ?? (away ? t("away") : "");
}

/** The puzzles solved that fill a bar. @param {RaceState} race @returns {number} */
export const mostSolved = ({ lanes }) => Math.max(MANY_SOLVED, ...lanes.map(([, solved]) => solved));

/** @param {number} n puzzles @returns {string} */
export const solvedText = (n) => tn("one solved", "{n} solved", n);

/** A racer's line. */
class Line {
  place = part("b", "lane-place");
  name = part("span", "");
  state = part("span", "lane-state");
  up = part("span", "lane-up");
  moves = part("span", "lane-moves");
  time = part("span", "lane-time");
  bar = part("i", "");

  /** @param {Seat} seat */
  constructor(seat) {
    this.called = seat.name;
    const whose = part("span", "lane-name", avatar(seat.avatar, PICTURE), " ", this.name);
    const figures = part("span", "lane-figures", this.up, this.moves, this.time);
    const track = Object.assign(part("span", "lane-track", this.bar), { ariaHidden: "true" });
    this.row = part("li", "lane", this.place, whose, this.state, figures, track);
    this.row.dataset.entrant = String(seat.entrant);
  }

  /** @param {LaneParts} lane @param {number} goal @param {boolean} mine @param {boolean} solves puzzles */
  show(lane, goal, mine, solves) {
    const { state, away, cardsUp, tokens, place, ms } = lane;
    this.row.className = ["lane", state, away && !OVER.has(state) && "away", mine && "me"].filter(Boolean).join(" ");
    write(this.name, mine ? t("You") : this.called);
    write(this.place, place === null ? "–" : `${place}.`);
    // Everyone's time is up at the end of a puzzle race.
    write(this.state, solves && state === "timed_out" ? "" : stateText(state, away));
    write(this.up, solves ? solvedText(cardsUp) : `${cardsUp}/${goal}`);
    write(this.moves, solves ? "" : ` · ${tn("one move", "{n} moves", tokens)}`);
    write(this.time, ms !== null && state === "won" ? durationText(ms) : "");
    this.bar.style.transform = `scaleX(${Math.min(1, cardsUp / goal)})`;
  }
}

export class Lanes {
  /** @type {Map<number, Line>} */ #lines = new Map();

  /** @param {HTMLElement} list an `ol` or `ul` */
  constructor(list) {
    this.list = list;
  }

  /**
   * @param {RaceState} race
   * @param {{goal: number, me: number|null}} about the number of cards to put up, unused in a puzzle race, and the
   * player's own entrant
   */
  show(race, { goal, me }) {
    const solves = isPuzzleRace(race);
    const full = solves ? mostSolved(race) : goal;
    const seats = new Map(race.seats.map((seat) => [seat.entrant, seat]));
    const lanes = race.lanes.map(parts).sort((a, b) => (a.place ?? Infinity) - (b.place ?? Infinity));
    for (const lane of lanes) {
      const seat = seats.get(lane.entrant);
      if (seat && !this.#lines.has(lane.entrant)) this.#lines.set(lane.entrant, new Line(seat));
      this.#lines.get(lane.entrant)?.show(lane, full, lane.entrant === me, solves);
    }
    this.#arrange(lanes.flatMap(({ entrant }) => this.#lines.get(entrant)?.row ?? []));
  }

  /** Animates overtaking. @param {HTMLElement[]} rows */
  #arrange(rows) {
    const present = [...this.list.children];
    if (rows.length === present.length && rows.every((row, k) => row === present[k])) return;
    const before = new Map(rows.map((row) => [row, row.isConnected ? row.getBoundingClientRect().top : null]));
    this.list.replaceChildren(...rows);
    if (motionReduced()) return;
    for (const row of rows) {
      const from = before.get(row) ?? null;
      const way = from === null ? 0 : from - row.getBoundingClientRect().top;
      if (way)
        row.animate([{ transform: `translateY(${way}px)` }, { transform: "none" }], { duration: 320, easing: "ease" });
    }
  }
}
