/** Call to a race, for players elsewhere on the site: a small notice with one button, which goes to the race. */

import { callPlayer } from "../../shared/attention.js";
import { t } from "../../shared/i18n.js";
import { link, part, write } from "../../shared/dom.js";
import { RaceSocket } from "../socket.js";

const TICK = 250;
/** Time before a scheduled race from which players are called, in ms. */
const CALLED = 60000;

class RaceCall {
  #socket;
  #code = "";
  /** Start of the race, or the end of the time to meet an opponent, on the server's clock. @type {number|null} */
  #at = null;
  #asks = false;
  #isOver = false;
  #line = part("p", "");
  #go = link("", "button small", t("Go to the race"));
  #box = part("section", "offer call");

  /** @param {string} code */
  constructor(code) {
    this.#box.setAttribute("role", "alert");
    this.#box.hidden = true;
    this.#box.append(this.#line, this.#go);
    document.body.append(this.#box);
    this.#socket = this.#follow(code);
    setInterval(() => this.#tick(), TICK);
  }

  /** @param {string} code */
  #follow(code) {
    this.#code = code;
    return new RaceSocket(code, {
      elsewhere: true,
      changed: () => this.#show(),
      moved: (other) => {
        this.#socket.close();
        this.#socket = this.#follow(other);
      },
      gone: () => this.#end(),
    });
  }

  #show() {
    const { room, you } = this.#socket;
    const race = room?.to_come;
    if (!race || you.to_come === null) return this.#asks ? this.#miss() : this.#end();
    this.#asks = you.answer_by !== null;
    this.#at = you.answer_by ?? this.#socket.at(race.starts_in ?? race.scheduled_in);
    this.#go.href = you.table ?? `/races/${this.#code}/`;
    this.#tick();
  }

  #tick() {
    if (this.#isOver) return;
    const left = this.#at === null ? Infinity : this.#socket.clock.until(this.#at);
    const calls = left < CALLED;
    if (calls) {
      const n = Math.max(0, Math.ceil(left / 1000));
      write(this.#line, this.#asks ? t("Opponent found. Come within {n} s.", { n }) : t("Starts in {n} s.", { n }));
    }
    if (calls === !this.#box.hidden) return;
    this.#box.hidden = !calls;
    if (calls) callPlayer(this.#asks ? t("Opponent found") : t("The race is starting"));
    else if (this.#socket.room?.kind === "quick") callPlayer(t("Looking for an opponent…"));
  }

  /** Reports that the seat is lost. The next page says so as well. */
  #miss() {
    this.#isOver = true;
    this.#socket.close();
    callPlayer(t("You missed this match"));
    write(this.#line, t("You missed this match"));
    write(this.#go, t("Go to Races"));
    this.#go.href = "/races/";
  }

  #end() {
    this.#isOver = true;
    this.#socket.close();
    this.#box.hidden = true;
  }
}

const { waitingRoom = "" } = document.documentElement.dataset;
// The race's own pages show the same information.
const { code = "" } = (document.getElementById("room") ?? document.getElementById("lanes"))?.dataset ?? {};
if (waitingRoom && waitingRoom !== code) new RaceCall(waitingRoom);
