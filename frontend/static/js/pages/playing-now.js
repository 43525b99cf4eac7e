/** Players at today's deals right now: shown with the page and refreshed while it is visible. */

import { all, byId, link, part } from "../shared/dom.js";
import { tn } from "../shared/i18n.js";
import { poll } from "../shared/polling.js";

const EVERY = 20000;

/**
 * @typedef {object} Playing
 * @property {number} players
 * @property {{name: string, player: string}[]} names
 * @property {Record<string, {now: number, begun: number}>} deals by variant
 */

/**
 * Redraws only on a change, so that selections and reading positions survive.
 * @param {HTMLElement} place @param {Node[]} parts
 */
function fill(place, parts) {
  const box = part("p", "", ...parts);
  if (place.innerHTML !== box.innerHTML) place.replaceChildren(...box.childNodes);
  place.hidden = parts.length === 0;
}

/** @param {Playing} playing */
function draw(playing) {
  fill(line, siteParts(playing));
  for (const place of all(".seated[data-variant]")) fill(place, dealParts(playing.deals[place.dataset.variant]));
}

/** @param {Playing} playing */
function siteParts({ players, names }) {
  if (players === 0) return [];
  const parts = [part("span", "now", tn("{n} player online", "{n} players online", players))];
  if (names.length === 0) return parts;
  const links = names.flatMap(({ name, player }, k) => [k ? ", " : "", link(`/players/${player}/`, "", name)]);
  const list = part("span", "names", ...links);
  if (players > names.length) list.append(` ${tn("and {n} more", "and {n} more", players - names.length)}`);
  return [...parts, list];
}

/** @param {Playing["deals"][string]} [deal] @returns {Node[]} who is playing it now, or else who has today */
function dealParts(deal) {
  if (!deal) return [];
  if (deal.now > 0) return [part("span", "now", tn("{n} playing now", "{n} playing now", deal.now))];
  return [part("span", "", tn("one player today", "{n} players today", deal.begun))];
}

const line = byId("playing");
if (line) {
  draw(JSON.parse(line.dataset.playing));
  poll(line.dataset.address, EVERY, draw);
}
