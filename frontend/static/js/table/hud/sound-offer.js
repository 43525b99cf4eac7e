/** Offer to turn sound on: a line below the cards of the first game, until it is answered or the game is over. */

import { button, part } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { onSettings, setSetting, settings, tryStorage } from "../../site/settings.js";
import { keepFocus } from "../input/focus.js";

/** @import { Sound } from "./tones.js" */

/** @param {string} answer `answered`, or the path of the asking table @returns {boolean} whether it is stored */
const store = (answer) => tryStorage(() => (localStorage.setItem("talon.sound-offer", answer), true)) ?? false;

/** @param {HTMLElement} felt @param {(what: Sound) => void} play */
export function offerSound(felt, play) {
  const stored = JSON.parse(document.documentElement.dataset.preferences || "{}");
  // Without storage the question would come back in every game.
  if (!store("sound" in stored ? "answered" : location.pathname) || "sound" in stored) return;
  const question = Object.assign(part("p", ""), { id: "sound-offer-text", role: "status" });
  const line = part("div", "beside", question);
  const close = () => {
    store("answered");
    keepFocus(() => line.remove(), felt.querySelector("[tabindex='0']"));
  };
  const accept = () => {
    setSetting("sound", true);
    play("up");
  };
  line.append(button(t("Yes"), "tool gold", accept), button(t("No thanks"), "tool", close));
  Object.assign(line, { id: "sound-offer", role: "group" }).setAttribute("aria-labelledby", question.id);
  onSettings(() => settings.sound && close());
  felt.after(line);
  // Screen readers announce what changes in a status that is already there.
  requestAnimationFrame(() => question.append(t("Turn sound on?")));
}
