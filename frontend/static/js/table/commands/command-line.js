/** Command line at the table: typed or dictated commands, answered in the live region. Loaded when it is first used. */

import { button, byId, part, write } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { say } from "../../shared/announcer.js";
import { keepFocus } from "../input/focus.js";
import { shown } from "../state/game.js";
import { loadStyles } from "../../shared/lazy.js";
import { answerTo } from "./answers.js";
import { commands, waysOf } from "./phrases.js";
import { capital, example, tableText } from "./table-text.js";

/** @import { Keys } from "../input/keyboard.js" */
/** @import { State } from "../state/state.js" */

/** The most announcements that "what changed" repeats. */
const MOST_CHANGES = 10;

/** @type {CommandLine|null} */
let line = null;

/** @param {State} state @param {Keys} keys */
export async function openCommands(state, keys) {
  await loadStyles(state.felt.dataset.commands ?? "");
  line ??= new CommandLine(state, keys);
  line.open();
}

/** Announces the whole table. @param {State} state */
export function readTable(state) {
  const view = shown(state);
  if (view) say(tableText(view));
}

/** Lists the commands in the help, folded. @param {HTMLElement} dialog @param {State} state */
export function listCommands(dialog, { felt, view }) {
  loadStyles(felt.dataset.commands ?? "");
  const entries = commands()
    .filter(({ about }) => about)
    .flatMap((command) => [
      part("dt", "", part("q", "", example(waysOf(command)[0], view?.game ?? ""))),
      part("dd", "", command.about),
    ]);
  const about = t("Press / and type or dictate one of these. Articles, accents and capitals don't matter.");
  const list = part("dl", "commands-list", ...entries);
  const fold = part("details", "", part("summary", "", t("Commands")), part("p", "", about), list);
  dialog.querySelector(".keys-list")?.after(fold);
}

class CommandLine {
  #field = Object.assign(document.createElement("input"), { id: "command", autocomplete: "off", spellcheck: false });
  #answer = part("p", "");
  #form;
  /** The focus before. @type {Element|null} */ #before = null;
  /** Announcements of moves since they were last asked for. @type {string[]} */ #changes = [];
  #told = false;
  /** The number of moves at the last announcement. @type {number|null} */ #n;

  /** @param {State} state @param {Keys} keys */
  constructor(state, keys) {
    this.state = state;
    this.keys = keys;
    this.#n = state.n;
    this.#changes = [this.last].filter(Boolean);
    const label = Object.assign(part("label", "", t("Command")), { htmlFor: "command" });
    const send = Object.assign(button(t("Send"), "tool gold"), { type: "submit" });
    const close = button(t("Close"), "tool", () => this.close());
    this.#form = part("form", "beside", this.#answer, label, this.#field, send, close);
    this.#form.id = "command-line";
    this.#form.addEventListener("submit", (event) => this.#submit(event));
    this.#form.addEventListener("keydown", ({ key }) => key === "Escape" && this.close());
    new MutationObserver(() => this.#heard()).observe(byId("live"), { childList: true });
    state.felt.after(this.#form);
  }

  /** The last text announced. */
  get last() {
    return byId("live").textContent;
  }

  open() {
    if (!this.#form.contains(document.activeElement)) this.#before = document.activeElement;
    this.#form.hidden = false;
    this.#field.focus();
  }

  close() {
    const { felt, focus } = this.state;
    const before = this.#before === document.body ? null : this.#before;
    keepFocus(() => (this.#form.hidden = true), before, focus, felt);
  }

  /** The latest moves as they were announced. */
  changes() {
    this.#told = true;
    return this.#changes.map(capital).join(". ");
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    const text = this.#field.value.trim();
    this.#field.value = "";
    const answer = text && answerTo(text, this);
    if (answer) say(capital(answer));
  }

  /** Shows what is announced, and notes it if moves were made. */
  #heard() {
    write(this.#answer, this.last);
    const { n } = this.state;
    if (n === this.#n) return;
    this.#n = n;
    if (this.#told) this.#changes = [];
    this.#told = false;
    this.#changes = [...this.#changes, this.last].slice(-MOST_CHANGES);
  }
}
