/** "Can this still be won?": sends the question to the server and polls for the answer. */

import { byId } from "../shared/dom.js";
import { t, tn } from "../shared/i18n.js";
import { noAnswer, request } from "../shared/request.js";

const GLANCE = 600;

/**
 * @typedef {object} Reply
 * @property {"looking"|"answered"} state
 * @property {number} n
 * @property {"yes"|"no"|"unknown"} [answer]
 * @property {number} [moves]
 * @property {number} [back] moves to undo from a lost position to a winnable one
 */

export class Question {
  #timer = 0;
  #waiting = false;
  /** When the question was asked; 0 while the dialog is closed. */
  #askedAt = 0;

  /** @param {HTMLElement} button @param {HTMLDialogElement} dialog */
  constructor(button, dialog) {
    this.address = button.dataset.address ?? "";
    this.proven = "proven" in button.dataset;
    this.dialog = dialog;
    this.way = byId("hint-way");
    this.progress = byId("hint-progress");
    dialog.addEventListener("close", () => this.#withdraw());
  }

  async ask() {
    // If the dialog was closed and reopened before this module loaded, ask only once.
    if (this.#waiting) return;
    this.#waiting = true;
    this.#askedAt = Date.now();
    this.progress.value = 0;
    this.#say("looking", t("Looking for a solution…"), t("This takes up to half a minute."));
    await this.#request("POST");
  }

  /** Cancels a search whose answer is no longer needed. */
  #withdraw() {
    this.#askedAt = 0;
    clearTimeout(this.#timer);
    if (this.#waiting) request(this.address, "DELETE").catch(() => {});
    this.#waiting = false;
  }

  /** @param {string} method */
  async #request(method) {
    const askedAt = this.#askedAt;
    try {
      const response = await request(this.address, method);
      const body = await response.json();
      if (askedAt !== this.#askedAt) return;
      if (response.ok) return this.#show(body);
      this.#say("failed", "", refusal(body.error?.code));
    } catch {
      if (askedAt === this.#askedAt) this.#say("failed", "", noAnswer());
    }
  }

  /** @param {Reply} reply */
  #show(reply) {
    if (reply.state === "looking") {
      this.progress.value = (Date.now() - this.#askedAt) / 1000;
      this.#timer = setTimeout(() => this.#request("GET"), GLANCE);
      return;
    }
    const moves = reply.moves ?? 0;
    const answer = reply.answer ?? "unknown";
    /** @type {Record<string, [string, string]>} */
    const texts = {
      yes: [t("Yes"), moves === 0 ? t("It's won.") : tn("One move wins.", "You can win in {n} moves.", moves)],
      no: [t("No"), this.#lostText(reply.back)],
      unknown: [t("Unknown"), t("No solution found in time. There may be one.")],
    };
    this.#say(answer, ...texts[answer], answer === "yes" && moves > 0);
  }

  /** @param {number} [back] @returns {string} */
  #lostText(back) {
    if (back)
      return tn(
        "You can't win from here. Undo the last move: before that you could.",
        "You can't win from here. Undo {n} moves: before that you could.",
        back,
      );
    return this.proven
      ? t("You can't win from here, but the deal is winnable. Undo some moves and try another way.")
      : t("You can't win from here. Undo some moves and try another way.");
  }

  /**
   * @param {string} state "looking", "yes", "no", "unknown" or "failed", for the style sheet
   * @param {string} short @param {string} text @param {boolean} [way] whether a winning line can be shown
   */
  #say(state, short, text, way = false) {
    this.#waiting = state === "looking";
    this.dialog.dataset.state = state;
    byId("hint-short").textContent = short;
    byId("hint-text").textContent = text;
    byId("hint-close").textContent = state === "looking" ? t("Stop searching") : t("Close");
    this.progress.hidden = state !== "looking";
    this.way.hidden = !way;
    if (way) this.way.focus();
  }
}

/** @param {string} [code] of the server's refusal @returns {string} */
function refusal(code) {
  if (code === "no_hints") return t("No hints in ranked games until the game closes.");
  if (code === "rate_limited") return t("Too many questions. Try again in a minute.");
  return t("That didn't work. Please try again.");
}
