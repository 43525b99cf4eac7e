/** What a puzzle's page shows once the try is over: themes, the player's vote, and the game the puzzle comes from. */

import { byId, button, link, part } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { request } from "../../shared/request.js";
import { say } from "../hud/announce.js";

/**
 * @typedef {{player: string, address: string, play_on: string, n: number|null}} Source `n` counts the moves before the
 *   puzzle's start; null if the game did not reach it
 * @typedef {{address: string, mine: string}} Vote `mine` is empty before the vote
 *
 * @typedef {object} After
 * @property {{title: string, address: string}[]} themes each address leads to another puzzle with the theme
 * @property {Source|null} source
 * @property {Vote|null} vote null for guests
 */

/** @param {HTMLElement} place @param {After|null} after null while the try goes on */
export function showAfter(place, after) {
  place.hidden = after === null;
  if (after === null) return;
  const { themes, source, vote } = after;
  /** @type {HTMLElement[]} */
  const parts = themes.map(({ title, address }) => link(address, "", title));
  if (parts.length > 0) parts.unshift(part("b", "", t("More like this:")));
  if (source) parts.push(link(source.address, "", t("From a game by {name}", { name: source.player })));
  if (vote) parts.push(votes(vote));
  place.replaceChildren(...parts);
  if (source) offerToPlayOn(source);
}

/** @param {Source} source */
function offerToPlayOn({ play_on: address, n }) {
  const form = byId("play-on");
  form.hidden = n === null;
  form.action = address;
  form.elements.namedItem("n").value = String(n);
}

/** @param {Vote} vote */
function votes({ address, mine }) {
  const texts = { good: t("Good puzzle"), bad: t("Not so good"), wrong: t("Report a mistake") };
  const buttons = Object.entries(texts).map(([vote, text]) => {
    const choice = button(text, "", async () => {
      const response = await request(address, "POST", { vote });
      if (response.ok) press(choice);
      say(response.ok ? t("Thank you for your vote.") : t("Your vote was not counted."));
    });
    choice.setAttribute("aria-pressed", String(vote === mine));
    return choice;
  });
  /** @param {HTMLElement} chosen */
  const press = (chosen) => buttons.forEach((one) => one.setAttribute("aria-pressed", String(one === chosen)));
  return part("div", "votes", ...buttons);
}
