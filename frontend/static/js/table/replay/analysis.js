/** Analysis of the game in a replay: requested, shown as it grows, and read move by move. */

import { byId, part } from "../../shared/dom.js";
import { t, tn } from "../../shared/i18n.js";
import { noAnswer, request } from "../../shared/request.js";
import { keepFocus } from "../input/focus.js";
import { drawMissedMoves } from "./missed-move.js";
import { betterText, chanceText, drawBand, stretchesOf, stretchText, turnText, verdictText } from "./verdicts.js";

/** @import { State } from "../state/state.js" */
/** @import { View } from "../state/types.js" */
/** @import { Turn, Verdict } from "./verdicts.js" */

const GLANCE = 1500;

/** Number of alternative moves named where a game was lost, shortest wins first. */
const NAMED = 4;

/**
 * @typedef {object} Reply
 * @property {"none"|"waiting"|"working"|"done"|"failed"} state
 * @property {number} percent
 * @property {number} ahead
 * @property {boolean} mine whether this player requested it and may stop it
 * @property {Verdict[]} [verdicts]
 * @property {Turn[]} [turns]
 *
 * @typedef {object} Shown the replay
 * @property {HTMLElement} felt dispatches "turned" when another position is shown
 * @property {number} at
 * @property {View|null} aside
 * @property {View[]} views
 * @property {{moved: {token: string}[]}} steps
 * @property {State} state
 * @property {(at: number) => void} go
 */

class Analysis {
  /** @type {Verdict[]} */ verdicts = [];
  /** @type {Turn[]} */ turns = [];
  /** @type {Reply|null} set while the analysis runs */ progress = null;
  timer = 0;

  /** @param {HTMLElement} panel @param {Shown} replay */
  constructor(panel, replay) {
    this.panel = panel;
    this.replay = replay;
    this.address = panel.dataset.address ?? "";
    this.compared = byId("analysis-text").textContent;
    byId("analyse").addEventListener("click", () => this.#request("POST"));
    byId("analysis-stop").addEventListener("click", () => this.#stop());
    byId("analysis-turn").addEventListener("click", () => this.#toNextTurn());
    byId("verdicts").addEventListener("click", (/** @type {MouseEvent} */ event) => this.#seek(event));
    replay.felt.addEventListener("turned", () => this.#showHere());
    this.#request(location.hash === "#analyse" ? "POST" : "GET");
  }

  /** @param {string} method */
  async #request(method) {
    try {
      const response = await request(this.address, method);
      const body = await response.json();
      if (response.ok) this.#show(body);
      else this.#say(refusal(body.error?.code));
    } catch {
      this.#say(this.progress ? t("Connecting…") : noAnswer());
      if (this.progress) this.timer = window.setTimeout(() => this.#request("GET"), GLANCE);
    }
  }

  async #stop() {
    clearTimeout(this.timer);
    await request(this.address, "DELETE").catch(() => {});
    await this.#request("GET");
  }

  /** @param {Reply} reply */
  #show(reply) {
    const runs = reply.state === "waiting" || reply.state === "working";
    const wasRunning = this.panel.dataset.state === "working" || this.panel.dataset.state === "waiting";
    this.panel.dataset.state = reply.state;
    this.verdicts = reply.verdicts ?? [];
    this.turns = reply.turns ?? [];
    this.progress = runs ? reply : null;
    this.#keepFocus(() => {
      byId("analyse").hidden = runs || reply.state === "done";
      byId("analysis-stop").hidden = !(runs && reply.mine);
      byId("analysis-progress").hidden = !runs;
      byId("analysis-details").hidden = reply.state !== "done";
    });
    byId("analysis-progress").value = reply.percent;
    drawBand(byId("verdicts"), this.verdicts, this.turns);
    this.#list();
    this.#showHere();
    clearTimeout(this.timer);
    if (runs) this.timer = window.setTimeout(() => this.#request("GET"), GLANCE);
    if (reply.state === "failed") this.#say(t("We couldn't analyse this game."));
    if (wasRunning && reply.state === "done") byId("analysis-status").textContent = this.#summary();
  }

  /** Hides buttons that do not apply, moving the focus to one beside them. @param {() => void} change */
  #keepFocus(change) {
    keepFocus(change, ...document.querySelectorAll("#analysis-stop, #analysis-details, #analyse, [data-step=play]"));
  }

  /** @param {string} text */
  #say(text) {
    byId("analysis-text").textContent = byId("analysis-status").textContent = text;
  }

  #summary() {
    const last = this.turns.at(-1);
    return last ? turnText(last) : stretchesOf(this.verdicts).map(stretchText).join(". ");
  }

  /** Lists all sections of the game as text in the dialog. */
  #list() {
    const stretches = stretchesOf(this.verdicts);
    byId("stretches").replaceChildren(...stretches.map((one) => part("li", one.kind, stretchText(one))));
  }

  /** Shows what is known about the replay's current position. */
  #showHere() {
    const { at, aside, views } = this.replay;
    const turn = aside ? undefined : this.turns.find(({ n }) => n === at);
    const text = this.#text(turn);
    if (text !== null) byId("analysis-text").textContent = text;
    const next = this.#nextTurn();
    this.#keepFocus(() => (byId("analysis-turn").hidden = !next || next.n === at));
    if (next) byId("analysis-turn").textContent = turnText(next);
    const better = (turn?.better ?? []).slice(0, NAMED);
    byId("better").hidden = better.length === 0;
    byId("better").replaceChildren(
      ...better.map(([token, moves]) => part("li", "", betterText(views[at], token, moves))),
    );
    const lost = turn && turn.n + 1 === turn.to ? this.replay.steps.moved[turn.n].token : null;
    drawMissedMoves(
      byId("missed"),
      this.replay.state,
      lost,
      better.map(([token]) => token),
    );
  }

  /** @param {Turn|undefined} turn the one whose last winnable position is shown @returns {string|null} */
  #text(turn) {
    const { at } = this.replay;
    if (this.progress) return progressText(this.progress);
    if (turn) return chanceText(turn, NAMED);
    if (this.verdicts.length > at) return verdictText(this.verdicts[at], at);
    return this.panel.dataset.state === "none" ? this.compared : null;
  }

  /** The next turning point, or else the last one. */
  #nextTurn() {
    return this.turns.find(({ n }) => n >= this.replay.at) ?? this.turns.at(-1);
  }

  #toNextTurn() {
    const turn = this.#nextTurn();
    if (turn) this.replay.go(turn.n);
    byId("analysis-status").textContent = `${byId("analysis-text").textContent} ${byId("better").innerText}`;
  }

  /** @param {MouseEvent} event on the band, a shortcut for the bar above it */
  #seek(event) {
    const { left, width } = byId("verdicts").getBoundingClientRect();
    this.replay.go(Math.round(((event.clientX - left) / width) * (this.replay.views.length - 1)));
  }
}

/** @param {Reply} reply @returns {string} */
function progressText({ state, ahead, percent }) {
  if (state === "waiting" && ahead > 0) return tn("Waiting for one other game…", "Waiting for {n} other games…", ahead);
  if (state === "waiting") return t("Starting…");
  return t("Looking for solutions… {percent} %", { percent });
}

/** @param {string} [code] of the server's refusal @returns {string} */
function refusal(code) {
  if (code === "too_many_analyses") return t("We're still analysing other games for you. Please wait for those first.");
  if (code === "rate_limited") return t("Too many games at once. Please try again later.");
  return t("This game can't be analysed now.");
}

/** @param {Shown} replay */
export function bindAnalysis(replay) {
  const panel = byId("analysis");
  if (panel) new Analysis(panel, replay);
}
