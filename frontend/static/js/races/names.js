/** Names of games, options and times. They come with the page, in its language. */

import { t, tn } from "../shared/i18n.js";

/**
 * @typedef {object} Naming
 * @property {Record<string, string>} variants
 * @property {Record<string, string>} games
 * @property {Record<string, string>} options
 * @property {Record<string, string>} choices by `option=value`
 * @property {Record<string, number>} goals
 *
 * @typedef {{variant: string, game: string, options: Record<string, boolean|number|string>}} Game
 */

export class Names {
  /** @param {HTMLElement} element with the names in `data-naming` */
  constructor({ dataset }) {
    this.naming = /** @type {Naming} */ (JSON.parse(dataset.naming ?? "{}"));
  }

  /** @param {Game} game @returns {string} */
  title({ variant, game }) {
    return (variant ? this.naming.variants[variant] : this.naming.games[game]) ?? game;
  }

  /** The options of a custom game, as text. @param {Game} game @returns {string[]} */
  options({ variant, options }) {
    if (variant) return [];
    return Object.entries(options).map(([name, value]) => {
      const choice = this.naming.choices[`${name}=${JSON.stringify(value)}`] ?? String(value);
      return `${this.naming.options[name] ?? name}: ${choice}`;
    });
  }

  /** The number of cards up in a won game. @param {Game} game @returns {number} */
  goal({ game }) {
    return this.naming.goals[game] ?? 1;
  }
}

/** @param {number} seconds @returns {string} */
export const limitText = (seconds) => tn("1 minute", "{n} minutes", Math.round(seconds / 60));

/** @param {number} ms that have passed @returns {string} */
export function agoText(ms) {
  const minutes = Math.max(0, Math.floor(ms / 60000));
  if (minutes < 1) return t("just now");
  if (minutes < 60) return tn("1 minute ago", "{n} minutes ago", minutes);
  if (minutes < 48 * 60) return tn("1 hour ago", "{n} hours ago", Math.floor(minutes / 60));
  return tn("1 day ago", "{n} days ago", Math.floor(minutes / 60 / 24));
}
