/** News of a running race: the time left, changes of the lead and finishes, each in one line above the cards. */

import { say } from "../../shared/announcer.js";
import { byId, part, write } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { clockText, durationText } from "../../shared/times.js";
import { play } from "../hud/sound.js";

/** @import { RaceSocket } from "../../races/socket.js" */
/** @import { RaceState } from "../../races/types.js" */
/** @import { Racer } from "./rank-strip.js" */

/** Time for which a line is shown, and between two changes of the lead that are announced, in ms. */
const SHOWN_FOR = 5000;
const LEADS_EVERY = 6000;
const TICK = 500;
const MINUTE = 60000;

export class RaceNews {
  #line = part("p", "race-news");
  #left = part("span", "strip-left");
  /** States of the racers in the last message, by entrant. @type {Map<number, string>} */ #states = new Map();
  #leader = 0;
  #leadAt = -LEADS_EVERY;
  #endsAt = /** @type {number|null} */ (null);
  #timer = 0;
  /** Whether it was the last minute at the last tick; null without a time left. @type {boolean|null} */ #isLast = null;

  /** @param {RaceSocket} socket @param {number} mine entrant */
  constructor(socket, mine) {
    this.socket = socket;
    this.mine = mine;
    this.#line.ariaHidden = "true";
    this.#left.setAttribute("aria-hidden", "true");
    byId("main").append(this.#line);
    byId("strip-place").after(this.#left);
    setInterval(() => this.#tick(), TICK);
  }

  /** Announces what has changed since the last call. @param {RaceState} race @param {Racer[]} racers by place */
  follow(race, racers) {
    this.#endsAt = race.state === "racing" ? this.socket.at(race.ends_in) : null;
    this.#tick();
    const before = this.#states;
    this.#states = new Map(racers.map(({ entrant, state }) => [entrant, state]));
    if (race.state !== "racing") return;
    // After a reload, the state of the race is no news.
    if (before.size === 0) this.#leader = leaderOf(racers)?.entrant ?? 0;
    const [ended] = racers.filter(({ entrant, state }) => entrant !== this.mine && before.get(entrant) !== state);
    const text = ended && endText(ended);
    if (text) this.#tell(text);
    else this.#followLead(racers);
  }

  /** @param {Racer[]} racers */
  #followLead(racers) {
    const first = leaderOf(racers);
    if (!first || first.entrant === this.#leader || performance.now() - this.#leadAt < LEADS_EVERY) return;
    const isFirst = this.#leader === 0;
    this.#leader = first.entrant;
    this.#leadAt = performance.now();
    if (isFirst && first.entrant === this.mine) return;
    this.#tell(first.entrant === this.mine ? t("You take the lead") : t("{name} takes the lead", { name: first.name }));
  }

  /** Shows and announces a line. @param {string} text */
  #tell(text) {
    write(this.#line, text);
    this.#line.classList.add("seen");
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#line.classList.remove("seen"), SHOWN_FOR);
    say(text);
    play("up");
  }

  #tick() {
    const left = this.#endsAt === null ? null : Math.max(0, this.socket.clock.until(this.#endsAt));
    const isLast = left !== null && left <= MINUTE;
    write(this.#left, left === null ? "" : clockText(left));
    byId("lanes-note").dataset.left = left === null ? "" : t("{time} left", { time: clockText(left) });
    document.body.classList.toggle("last-minute", isLast);
    if (isLast && this.#isLast === false) this.#tell(t("One minute left"));
    this.#isLast = left === null ? null : isLast;
  }
}

/** @param {Racer} racer @returns {string} how the racer's game has ended; empty while it has not */
function endText({ name, state, ms }) {
  if (state === "won" && ms !== null) return t("{name} has won in {time}", { name, time: durationText(ms) });
  return state === "retired" ? t("{name} gave up", { name }) : "";
}

/** @param {Racer[]} racers by place @returns {Racer|null} the racer with more cards up than any other */
const leaderOf = ([first, second]) => (first && first.cardsUp > (second?.cardsUp ?? 0) ? first : null);
