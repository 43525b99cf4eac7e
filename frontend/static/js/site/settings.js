/**
 * Player settings: stored in this browser and in the account, if any, and set as data attributes on the root element.
 */

import { request } from "../shared/request.js";

const KEY = "talon.settings";

/** @typedef {typeof DEFAULTS} Settings stored in the account under the same names */
const DEFAULTS = {
  theme: /** @type {"system"|"light"|"dark"} */ ("system"),
  table: /** @type {"green"|"blue"|"red"|"slate"} */ ("green"),
  back: /** @type {"lattice"|"waves"|"plain"} */ ("lattice"),
  motion: /** @type {"system"|"full"|"reduced"} */ ("system"),
  /** With "colours", each suit has its own colour and, in the index, its own shape. */
  card_face: /** @type {"classic"|"large"|"colours"} */ ("classic"),
  left_handed: false,
  sound: false,
  /** A tap or click moves a card at once if it has one sensible target. */
  one_tap: true,
  /** Keys with a character work as shortcuts; arrows, Enter and Escape always do. */
  letter_keys: true,
  /** Cards that move to the foundations automatically. */
  auto_up: /** @type {"off"|"safe"|"all"} */ ("off"),
  hide_clock: false,
  /** Hides other players at a daily deal's table. */
  hide_others: false,
  /** Hides the player's name from others while a game is open. */
  hide_presence: false,
  /** Positions of the player's practice games may become puzzles. */
  puzzles_from_practice: false,
};

const root = document.documentElement;

/** @template T @param {() => T} use @returns {T|null} null if the storage is full or blocked, or its text unreadable */
export function tryStorage(use) {
  try {
    return use();
  } catch {
    return null;
  }
}

/** @type {Settings} chosen ones are read by the script in the page's head (theme.js) */
export const settings = { ...DEFAULTS, .../** @type {any} */ (globalThis).talonSettings };

/** @type {(() => void)[]} */
const listeners = [];

/** @param {() => void} listener called after every change */
export const onSettings = (listener) => listeners.push(listener);

/** @template {keyof Settings} K @param {K} name @param {Settings[K]} value */
export function setSetting(name, value) {
  settings[name] = value;
  // Without storage the choice lasts for this page only.
  tryStorage(() => localStorage.setItem(KEY, JSON.stringify(settings)));
  const url = root.dataset.preferencesUrl;
  if (url) request(url, "POST", { [name]: value }, { keepalive: true, tries: 1 }).catch(() => {});
  applySettings();
  for (const listener of listeners) listener();
}

/** Applies the settings to the page, with the function that the script in its head has left (theme.js). */
export const applySettings = () => /** @type {any} */ (globalThis).talonApplySettings(settings);

/** @returns {boolean} whether cards should jump instead of glide */
export const motionReduced = () => root.dataset.motion === "none";

/** @param {KeyboardEvent} event @returns {boolean} whether its shortcut is off: a character key without a modifier */
export const shortcutOff = ({ key, ctrlKey, metaKey }) =>
  !settings.letter_keys && !ctrlKey && !metaKey && key !== " " && [...key].length === 1;

for (const query of ["(prefers-color-scheme: dark)", "(prefers-reduced-motion: reduce)"])
  matchMedia(query).addEventListener("change", applySettings);
