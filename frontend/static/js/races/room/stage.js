/** Stage of a room: its state in one sentence, the matching clock, and the player's possible actions. */

import { t } from "../../shared/i18n.js";
import { callPlayer } from "../../shared/attention.js";
import { clockText } from "../../shared/times.js";
import { byId, write } from "../../shared/dom.js";
import { isPuzzleRace, parts } from "../types.js";

/** @import { RaceSocket } from "../socket.js" */
/** @import { RaceState } from "../types.js" */

const TICK = 200;
/** Time after which an answer to a quick match is repeated, in ms. */
const ANSWER_EVERY = 1000;
/** Wait for an opponent after which a ghost is offered, in ms. */
const GHOST_AFTER_MS = 30000;
/** Wait after which a bot is offered, in ms. */
const BOTS_AFTER = 20000;

export class Stage {
  #since = performance.now();
  /** Deadline to meet the opponent of a quick match, on the server's clock. @type {number|null} */ #askedUntil = null;
  #answeredAt = -Infinity;
  #missed = false;
  /** True while the player has a race, or an opponent, to be there for. */ #isOn = false;

  /** @param {RaceSocket} socket @param {boolean} signedIn */
  constructor(socket, signedIn) {
    this.socket = socket;
    byId("sit-form").addEventListener("submit", (/** @type {Event} */ event) => {
      // A visitor becomes a guest by sending the form.
      if (signedIn && socket.send({ type: "sit" })) event.preventDefault();
    });
    byId("leave").addEventListener("click", () => socket.send({ type: "leave" }));
    document.addEventListener("visibilitychange", () => this.#answer());
    setInterval(() => this.#tick(), TICK);
  }

  /** @returns {RaceState|null} */
  get #race() {
    return this.socket.room?.to_come ?? null;
  }

  /** True while the player's own game in the running race continues. */
  get #plays() {
    const { room, you } = this.socket;
    const mine = (room?.running?.lanes ?? []).map(parts).find(({ entrant }) => entrant === you.running);
    return mine === undefined || mine.state === "racing" || mine.state === "seated";
  }

  /** True while the player waits for a quick match. */
  get #seeks() {
    return this.socket.room?.kind === "quick" && this.#race?.state === "open" && this.socket.you.to_come !== null;
  }

  /** Tracks the deadline of a quick match, and notes a missed one. */
  #followAsked() {
    const { you, clock } = this.socket;
    if (you.to_come === null) this.#missed ||= this.#askedUntil !== null && clock.until(this.#askedUntil) < TICK;
    else this.#missed = false;
    this.#askedUntil = you.answer_by;
  }

  /** Meets the opponent of a quick match, by having this page in front. */
  #answer() {
    const now = performance.now();
    if (this.socket.you.answer_by === null || document.hidden || now - this.#answeredAt < ANSWER_EVERY) return;
    this.#answeredAt = now;
    this.socket.send({ type: "here" });
  }

  show() {
    const { room, you } = this.socket;
    if (!room) return;
    this.#followAsked();
    const [text, note] = this.#words();
    write(byId("stage-text"), text);
    write(byId("stage-note"), note);
    const race = this.#race;
    const open = !race || race.state === "open";
    const seated = you.to_come !== null;
    const isOn = seated && (!open || (room.kind === "quick" && (race?.seats.length ?? 0) > 1));
    if (isOn !== this.#isOn) callPlayer(text);
    this.#isOn = isOn;
    const full = (race?.seats.length ?? 0) >= room.seats;
    const may = open && !seated && you.running === null && !full && !(room.kind === "heat" && !race);
    byId("sit-form").hidden = !may;
    byId("next-race")?.toggleAttribute("hidden", Boolean(race ?? room.running));
    write(byId("sit"), room.last && !room.running ? t("Join the next race") : t("Join"));
    byId("leave").hidden = !(seated && open);
    byId("invite").hidden = room.kind === "quick" || room.kind === "heat";
    byId("meanwhile").hidden = !(room.kind === "quick" && seated && open);
    const table = byId("to-table");
    table.hidden = you.table === null || you.running === null;
    if (you.table) table.href = you.table;
    this.#tick();
  }

  /** @returns {[string, string]} the sentence, and a note to it */
  #words() {
    const { room, you } = this.socket;
    const race = this.#race;
    if (race?.state === "countdown") return [t("The race is starting"), this.#startNote(race)];
    if (you.running !== null && this.#plays) return [t("You're in the race"), t("The clock keeps running.")];
    if (you.running !== null) return [t("Your game is over"), t("The others are still racing.")];
    if (you.to_come === null) return this.#asVisitor();
    if (room?.kind === "quick") return this.#asSeeker();
    if (room?.kind === "heat") return [t("You're in this heat"), t("Keep this page open until it starts.")];
    const isAlone = (race?.seats.length ?? 0) < 2;
    if (isAlone && room?.last) return [t("Waiting for a rematch"), t("It starts once two players are here.")];
    if (isAlone) return [t("No one else is here yet"), t("Share the link with your opponents.")];
    if (race?.deal.state !== "ready") return [t("Looking for a winnable deal."), ""];
    if (you.host) return [t("Start when you like"), t("Everyone who is here will race.")];
    return [t("Waiting for the host to start"), t("Keep this page open until then.")];
  }

  /** @param {RaceState} race */
  #startNote(race) {
    return isPuzzleRace(race)
      ? t("The first puzzle comes when the clock starts.")
      : t("The cards come when the clock starts.");
  }

  /** @returns {[string, string]} */
  #asVisitor() {
    const { room } = this.socket;
    if (this.#missed) return [t("You missed this match"), t("You didn't come in time.")];
    if (room?.running?.state === "settling")
      return [t("The race is over"), t("Verifying the games. This takes a moment.")];
    const isHeat = room?.kind === "heat";
    if (room?.running) return [t("A race is on"), isHeat ? "" : t("Watch it, then join the next one.")];
    if (room?.last && isHeat)
      return [room.last.state === "void" ? t("This race didn't take place") : t("The race is over"), ""];
    if (this.#race && this.#race.seats.length >= (room?.seats ?? 0))
      return [t("This room is full"), t("You can watch the race here.")];
    const solves = this.#race !== null && isPuzzleRace(this.#race);
    if (room?.last)
      return [t("Play again?"), solves ? t("Same room and link, new puzzles.") : t("Same room and link, new cards.")];
    if (solves) return [t("Join this race"), t("No account needed. Everyone sees the puzzles at the same moment.")];
    return [t("Join this race"), t("No account needed. Everyone sees the cards at the same moment.")];
  }

  /** @returns {[string, string]} */
  #asSeeker() {
    if (this.socket.you.answer_by !== null) return [t("Opponent found"), t("The race is about to start.")];
    if (this.#race?.gathers_in !== null) return [t("Opponent found"), t("Waiting for your opponent to come.")];
    return [t("Looking for an opponent…"), t("We'll call you on any page of the site.")];
  }

  #tick() {
    this.#answer();
    const { room, clock, you } = this.socket;
    const race = this.#race;
    const span = race?.starts_in ?? race?.gathers_in ?? race?.scheduled_in ?? null;
    const at = you.answer_by ?? this.socket.at(span);
    const figure = byId("stage-clock");
    figure.hidden = at === null;
    if (at !== null) {
      const left = Math.max(0, clock.until(at));
      write(figure, left > 60000 ? clockText(left) : String(Math.ceil(left / 1000)));
    }
    const waited = room?.kind === "quick" ? performance.now() - this.#since : 0;
    byId("ghost").hidden = waited < GHOST_AFTER_MS;
    byId("bots-offer").hidden = waited < BOTS_AFTER || !this.#seeks || race?.seats.length !== 1;
  }
}
