/** Peek: a pile fans out to show its covered cards, as far as the player may see them, and a tooltip names it. */

import { byId, part } from "../../shared/dom.js";
import { say } from "../../shared/announcer.js";
import { cardName, pileName, pileText } from "../drawing/cards.js";
import { blankCard } from "../drawing/faces.js";
import { move } from "../drawing/motion.js";
import { endPeek } from "../drawing/pieces.js";

/** @import { State } from "../state/state.js" */
/** @import { Card, Pile, View } from "../state/types.js" */

/** Distances between cards: across in card widths, between rows in card heights. */
const ACROSS = 0.54;
const DOWN = 0.62;
/** Distance of the tooltip in pixels. */
const GAP = 6;

/** @param {View} view @param {Pile} pile @returns {{code: Card, i: number}[]} its face-up cards, bottom first */
function openCards(view, pile) {
  const under = view.under[pile] ?? 0;
  const listed = (view.piles[pile] ?? []).map((code, k) => ({ code, i: under + k }));
  return /** @type {{code: Card, i: number}[]} */ (listed.filter(({ code }) => code !== null));
}

/**
 * @param {State} state @param {Pile} pile @returns {string[]|null} its face-up cards' names; null if none is covered
 */
export function peek(state, pile) {
  const { drawn: view, layout, felt } = state;
  endPeek(state);
  const slot = layout?.slots.find((one) => one.pile === pile);
  if (!view || !layout || !slot) return null;
  const cards = openCards(view, pile);
  if (cards.length < 2) return null;
  const { w, h } = layout;
  const step = w * ACROSS;
  const perRow = Math.max(1, Math.floor((felt.clientWidth - w) / step) + 1);
  const rows = Math.ceil(cards.length / perRow);
  const width = (Math.min(perRow, cards.length) - 1) * step + w;
  const height = (rows - 1) * h * DOWN + h;
  const left = Math.max(0, Math.min(felt.clientWidth - width, slot.x + (w - width) / 2));
  const top = Math.max(0, Math.min(felt.clientHeight - height, slot.y));
  const fan = Object.assign(part("div", "peek"), { ariaHidden: "true" });
  cards.forEach(({ code, i }, k) => {
    const element = blankCard();
    element.removeAttribute("id");
    const [x, y] = [left + (k % perRow) * step, top + Math.floor(k / perRow) * h * DOWN];
    state.faces.dress(element, { pile, i, code, x, y, z: k }, view);
    element.removeAttribute("role");
    move(element, x, y, 0);
    fan.append(element);
  });
  felt.append(fan);
  return cards.map(({ code }) => cardName(code, view.game));
}

/** Fans a pile out until the next key, and announces its cards. @param {State} state @param {string} pile */
export function peekAt(state, pile) {
  const names = peek(state, pile);
  if (!names || !state.drawn) return;
  say(`${pileName(pile, state.drawn)}: ${names.join(", ")}`);
  state.felt.addEventListener("keydown", () => endPeek(state), { once: true, capture: true });
  state.felt.addEventListener("focusout", () => endPeek(state), { once: true });
}

/** Names a pile in a tooltip, which a lesson does not have. @param {State} state @param {Pile} pile */
export function showName({ drawn, layout, felt }, pile) {
  const slot = layout?.slots.find((one) => one.pile === pile);
  const name = byId("pile-name");
  if (!drawn || !slot || !name) return;
  const text = pileText(drawn, pile);
  name.textContent = text.charAt(0).toLocaleUpperCase() + text.slice(1);
  name.hidden = false;
  const [left, top] = [felt.offsetLeft, felt.offsetTop];
  const widest = left + felt.clientWidth - name.offsetWidth;
  const x = Math.max(left, Math.min(widest, left + slot.x + (slot.w - name.offsetWidth) / 2));
  const above = top + slot.y - name.offsetHeight - GAP;
  const y = above > 0 ? above : top + slot.y + GAP;
  name.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
}
