/** Reactions at a race's table: six of them, sent with one press, shown for a moment, and mutable. */

import { all } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { tryStorage } from "../../site/settings.js";

const SEEN_FOR = 3000;
const PAUSE = 1000;
const KEY = "talon.muted";

export class Reactions {
  #muted = Boolean(tryStorage(() => localStorage.getItem(KEY)));
  /** @type {Map<HTMLElement, number>} */ #timers = new Map();

  /** @param {(kind: string) => void} send */
  constructor(send) {
    for (const button of buttons())
      button.addEventListener("click", () => {
        send(button.dataset.react ?? "");
        this.#pause();
      });
    for (const box of boxes()) {
      box.checked = this.#muted;
      box.addEventListener("change", () => this.#mute(box.checked));
    }
  }

  /** @param {string} kind @param {string} name of the sender @param {HTMLElement[]} places where it is shown */
  show(kind, name, places) {
    const picture = [...buttons()].find(({ dataset }) => dataset.react === kind)?.firstElementChild;
    if (this.#muted || !picture) return;
    for (const place of places) {
      clearTimeout(this.#timers.get(place));
      place.replaceChildren(picture.cloneNode(true));
      place.title = t("{name} reacts", { name });
      place.classList.remove("seen");
      void place.offsetWidth;
      place.classList.add("seen");
      this.#timers.set(
        place,
        window.setTimeout(() => place.classList.remove("seen"), SEEN_FOR),
      );
    }
  }

  /** @param {boolean} muted */
  #mute(muted) {
    this.#muted = muted;
    for (const box of boxes()) box.checked = muted;
    // Without storage the choice lasts for this page only.
    tryStorage(() => localStorage.setItem(KEY, muted ? "yes" : ""));
  }

  #pause() {
    for (const button of buttons()) button.disabled = true;
    setTimeout(() => buttons().forEach((button) => (button.disabled = false)), PAUSE);
  }
}

const buttons = () => all("button[data-react]");
const boxes = () => all("input[data-mute]");
