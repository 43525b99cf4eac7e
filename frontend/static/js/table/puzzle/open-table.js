/** Open table: all cards are known. It shows steps and hands the player's moves to its host. */

import { byId } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { noAnswer, request } from "../../shared/request.js";
import { showDraw } from "../hud/hud.js";
import { openCommands } from "../input/keyboard.js";
import { nudge } from "../input/illegal-move.js";
import { pick } from "../input/picked-card.js";
import { drawCards } from "../input/tap.js";
import { takeView } from "../state/game.js";
import { parse } from "../state/moves.js";
import { newTable } from "../drawing/new-table.js";
import { bind, draw, observe } from "../table.js";
import { listHidden, markCards, markFaceDown } from "./hidden-cards.js";
import { Playback } from "./playback.js";

/** @import { Host, How } from "../state/state.js" */
/** @import { Outcome } from "./outcome-texts.js" */
/** @import { Card, Pile, Token, View } from "../state/types.js" */

/**
 * @typedef {object} Step
 * @property {Token|null} token the move that led here
 * @property {View} view
 * @property {Token[]} legal
 * @property {Card[]} face_down
 * @property {Record<Pile, Card[]>} hidden
 */

/** Time within which each attempt to send a move must be answered, in ms. */
export const MOVE_WITHIN = 4000;

export class OpenTable {
  #playback = new Playback();
  /** True while the player may move, once no steps are left to show. */
  isOpen = true;
  /** True while a move is on its way. */
  isWaiting = false;

  /**
   * @param {HTMLElement} felt @param {Step} step the first one @param {(token: Token) => void} onMove
   * @param {Partial<Host>} [host] further services
   */
  constructor(felt, step, onMove, host) {
    this.step = step;
    this.state = newTable(felt, {
      play: (token) => {
        if (!this.isReady) return;
        pick(this.state, null);
        onMove(token);
      },
      draw: (how = {}) => this.#draw(how),
      ...host,
    });
    const keys = { undo: () => {}, help: () => openCommands(this.state, keys) };
    felt.addEventListener("pointerdown", (event) => this.#skip(event), { capture: true });
    felt.addEventListener("keydown", (event) => /^(Enter| )$/.test(event.key) && this.#skip(event), { capture: true });
    bind(this.state, keys, document);
    window.addEventListener("resize", () => (byId("puzzle-say").style.minHeight = ""));
    byId("commands").addEventListener("click", keys.help);
    byId("draw").addEventListener("click", () => drawCards(this.state));
  }

  /** True if the player may move now. */
  get isReady() {
    return this.isOpen && !this.isWaiting && !this.#playback.running;
  }

  /** Draws the first step, now that the host is complete. @param {boolean} isOpen */
  start(isOpen) {
    this.isOpen = isOpen;
    this.show(this.step);
    observe(this.state);
  }

  /** Shows steps one after another. @param {Step[]} steps @param {number} pace ms @param {() => void} done */
  run(steps, pace, done) {
    this.#playback.run(steps, pace, (step) => this.show(step), done);
  }

  /** @param {Step} step @param {How} [how] */
  show(step, how = { source: step.token ? (parse(step.token)?.from ?? null) : null }) {
    const { view, hidden } = step;
    if (view.game !== this.step.view.game) this.#clear();
    this.step = step;
    const legal = this.isOpen && !this.#playback.running ? step.legal : [];
    takeView(this.state, { n: view.moves, view, legal, stuck: false, ms: 0, state: "playing" });
    this.#draw(how);
    listHidden(byId("hidden-cards"), this.state, hidden);
    const button = showDraw(view, legal);
    button.hidden ||= !this.isOpen;
  }

  /** Removes all cards before another game, whose piles and deck may differ. */
  #clear() {
    for (const { element } of this.state.pieces) element.remove();
    this.state.pieces = [];
  }

  /** Sends a move to the server. @param {object} move @returns {Promise<any>} the reply, or null if that failed */
  async send(move) {
    this.isWaiting = true;
    try {
      const response = await request(this.state.felt.dataset.move ?? "", "POST", move, { within: MOVE_WITHIN });
      const reply = await response.json();
      if (!this.isOpen) return null;
      if (response.ok) return reply;
      // The time is up, or another tab has played on or signed in: show what is stored.
      if ([401, 404, 409].includes(response.status)) location.reload();
      else tell({ state: "refused", label: t("Not sent:"), words: reply.error.message });
    } catch {
      if (this.isOpen) tell({ state: "refused", label: noAnswer(), words: "" });
    } finally {
      this.isWaiting = false;
    }
    return null;
  }

  /** Marks cards that are not on a foundation, and no others. @param {Card[]} cards */
  mark(cards) {
    markCards(byId("hidden-cards"), this.state, cards);
  }

  /** Lets the cards of a losing move fall back. @param {Token} token */
  refuse(token) {
    const move = parse(token);
    if (move) nudge(this.state, move.from, move.count);
    draw(this.state, {});
  }

  /** Ends the forced moves at once. @param {Event} event which then plays nothing */
  #skip(event) {
    if (!this.isOpen || !this.#playback.running) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.#playback.skip();
  }

  /** @param {How} how */
  #draw(how) {
    draw(this.state, how);
    markFaceDown(this.state, this.step.face_down);
  }
}

/** Writes the line above the table. @param {Outcome} outcome */
export function tell({ state, label, words }) {
  const line = byId("puzzle-say");
  // A shorter message would move the cards away from the player's finger.
  line.style.minHeight = ["done", "lost"].includes(state) ? "" : `${line.getBoundingClientRect().height}px`;
  line.dataset.state = state;
  line.querySelector("b").textContent = label;
  line.querySelector("span").textContent = words;
}
