/** "Can this still be won?": asks the server when the dialog opens, and looks for the answer until it is there. */

import { csrfToken } from "./csrf.js";
import { t, tn } from "./i18n.js";

const GLANCE = 600;

/**
 * @typedef {object} Reply
 * @property {"looking"|"answered"} state
 * @property {number} n
 * @property {"yes"|"no"|"unknown"} [answer]
 * @property {number} [moves]
 */

class Question {
  #timer = 0;
  #open = false;
  #waiting = false;

  /** @param {HTMLElement} button @param {HTMLDialogElement} dialog */
  constructor(button, dialog) {
    this.address = button.dataset.address ?? "";
    this.text = /** @type {HTMLElement} */ (dialog.querySelector("#hint-text"));
    this.way = /** @type {HTMLElement} */ (dialog.querySelector("#hint-way"));
    button.addEventListener("click", () => this.#ask());
    dialog.addEventListener("close", () => this.#withdraw());
  }

  async #ask() {
    this.#open = this.#waiting = true;
    this.way.hidden = true;
    this.#say(t("Looking for a way …"));
    await this.#take(this.#send("POST"));
  }

  async #look() {
    await this.#take(this.#send("GET"));
  }

  /** An answer that nobody waits for need not be found. */
  #withdraw() {
    this.#open = false;
    clearTimeout(this.#timer);
    if (this.#waiting) this.#send("DELETE").catch(() => {});
    this.#waiting = false;
  }

  /** @param {Promise<Response>} sent */
  async #take(sent) {
    try {
      const response = await sent;
      const body = await response.json();
      if (!this.#open) return;
      if (response.ok) return this.#show(body);
      this.#waiting = false;
      this.#say(refusal(body.error?.code));
    } catch {
      this.#waiting = false;
      this.#say(t("The server could not be reached."));
    }
  }

  /** @param {Reply} reply */
  #show(reply) {
    if (reply.state === "looking") {
      this.#timer = setTimeout(() => this.#look(), GLANCE);
      return;
    }
    this.#waiting = false;
    const moves = reply.moves ?? 0;
    const texts = {
      yes: moves === 0 ? t("Yes: it is won.") : tn("Yes, with one move.", "Yes, in {n} moves.", moves),
      no: t("No: from here no way leads to a win. Undo goes back to where one may."),
      unknown: t("No way was found in the time given; there may be one."),
    };
    this.#say(texts[reply.answer ?? "unknown"]);
    this.way.hidden = reply.answer !== "yes" || moves === 0;
  }

  /** @param {string} method */
  #send(method) {
    return fetch(this.address, { method, headers: { Accept: "application/json", "X-CSRFToken": csrfToken() }, credentials: "same-origin" });
  }

  /** @param {string} text */
  #say(text) {
    this.text.textContent = text;
  }
}

/** @param {string} [code] of the server's refusal @returns {string} */
function refusal(code) {
  if (code === "no_hints") return t("A game that counts gets no hints before its deal is closed.");
  if (code === "rate_limited") return t("Too many questions. Please ask again in a minute.");
  return t("The question could not be asked.");
}

const button = document.getElementById("can-win");
const dialog = document.getElementById("hint-dialog");
if (button && dialog instanceof HTMLDialogElement) new Question(button, dialog);
