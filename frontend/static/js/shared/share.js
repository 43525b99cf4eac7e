/** Shares texts and files: through the device, else through the clipboard, else in a dialog to copy from by hand. */

import { button as pressable, part } from "./dom.js";
import { t } from "./i18n.js";

/** Time for which a button shows that the text was copied, in ms. */
const SHOWN_FOR = 2500;

/** Shares a text on touch screens, and copies it elsewhere. @param {string} text @param {HTMLElement} button */
export const shareText = (text, button) =>
  matchMedia("(pointer: coarse)").matches ? share({ text }, text, button) : copy(text, button);

/**
 * Shares data through the device; if it cannot, copies the text. Cancelling changes nothing.
 * @param {ShareData} data @param {string} text @param {HTMLElement} button
 */
export async function share(data, text, button) {
  try {
    await navigator.share(data);
  } catch (error) {
    // InvalidStateError: the device's dialog is still open.
    if (!["AbortError", "InvalidStateError"].includes(/** @type {Error} */ (error).name)) await copy(text, button);
  }
}

/** @param {string} text @param {HTMLElement} button says "Copied" for a moment */
export async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text); // missing on http://
  } catch {
    return show(text);
  }
  const label = (button.dataset.label ??= button.textContent ?? "");
  Object.assign(button, { ariaLive: "polite", textContent: button.dataset.done ?? t("Copied") });
  setTimeout(() => Object.assign(button, { ariaLive: "off", textContent: label }), SHOWN_FOR);
}

/** @param {string} text */
function show(text) {
  const field = Object.assign(document.createElement("textarea"), { value: text, rows: 5, readOnly: true });
  field.ariaLabel = t("Text to share");
  const close = pressable(t("Close"), "button", () => dialog.close());
  const dialog = /** @type {any} */ (part("dialog", "", part("h2", "", t("Text to share")), field));
  dialog.append(part("p", "actions", close));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  field.select();
}
