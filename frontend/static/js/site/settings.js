/**
 * Player settings: stored in this browser and in the account, if any, and set as data attributes on the root element.
 */

import { request } from "../shared/request.js";

/**
 * @typedef {object} Settings stored in the account under the same names
 * @property {"system"|"light"|"dark"} theme
 * @property {"green"|"blue"|"red"|"slate"} table
 * @property {"lattice"|"waves"|"plain"} back
 * @property {"system"|"full"|"reduced"} motion
 * @property {boolean} four_colours
 * @property {boolean} large_cards
 * @property {boolean} left_handed
 * @property {boolean} sound
 * @property {boolean} one_tap a tap moves a card at once if it has only one target
 * @property {"off"|"safe"|"all"} auto_up cards that move to the foundations automatically
 * @property {boolean} hide_clock
 * @property {boolean} hide_others hides other players at a daily deal's table
 * @property {boolean} hide_presence hides the player's name from others while a game is open
 */

const KEY = "talon.settings";

/** @type {Readonly<Settings>} */
const DEFAULTS = Object.freeze({
  theme: "system",
  table: "green",
  back: "lattice",
  motion: "system",
  four_colours: false,
  large_cards: false,
  left_handed: false,
  sound: false,
  one_tap: false,
  auto_up: "off",
  hide_clock: false,
  hide_others: false,
  hide_presence: false,
});

const root = document.documentElement;

/** @template T @param {() => T} use @returns {T|null} null if the storage is full or blocked, or its text unreadable */
export function tryStorage(use) {
  try {
    return use();
  } catch {
    return null;
  }
}

/** @type {Settings} */
export const settings = {
  ...DEFAULTS,
  ...tryStorage(() => JSON.parse(localStorage.getItem(KEY) ?? "{}")),
  ...JSON.parse(root.dataset.preferences || "{}"),
};

/** @type {(() => void)[]} */
const listeners = [];

/** @param {() => void} listener called after every change */
export const onSettings = (listener) => listeners.push(listener);

/** @template {keyof Settings} K @param {K} name @param {Settings[K]} value */
function setSetting(name, value) {
  settings[name] = value;
  // Without storage the choice lasts for this page only.
  tryStorage(() => localStorage.setItem(KEY, JSON.stringify(settings)));
  const url = root.dataset.preferencesUrl;
  if (url) request(url, "POST", { [name]: value }, { keepalive: true }).catch(() => {});
  applySettings();
  for (const listener of listeners) listener();
}

/** Copies the settings to the root element, where the style sheet reads them. */
export function applySettings() {
  const dark =
    settings.theme === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : settings.theme === "dark";
  root.dataset.theme = dark ? "dark" : "light";
  root.dataset.felt = settings.table;
  root.dataset.back = settings.back;
  root.dataset.suits = settings.four_colours ? "four" : "two";
  root.dataset.hand = settings.left_handed ? "left" : "right";
  root.dataset.others = settings.hide_others ? "hidden" : "shown";
  if (motionReduced()) root.dataset.motion = "none";
  else delete root.dataset.motion;
}

/** @returns {boolean} whether cards should jump instead of glide */
export function motionReduced() {
  return settings.motion === "system"
    ? matchMedia("(prefers-reduced-motion: reduce)").matches
    : settings.motion === "reduced";
}

/** Connects a form whose fields are named after the settings. @param {HTMLFormElement} form */
export function bindSettings(form) {
  for (const field of /** @type {NodeListOf<any>} */ (form.querySelectorAll("[name]"))) {
    const name = /** @type {keyof Settings} */ (field.name);
    if (!(name in DEFAULTS)) continue;
    const box = field.type === "checkbox";
    if (box) field.checked = settings[name];
    else if (field.type === "radio") field.checked = field.value === settings[name];
    else field.value = settings[name];
    field.addEventListener("change", () => setSetting(name, /** @type {never} */ (box ? field.checked : field.value)));
  }
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applySettings);
