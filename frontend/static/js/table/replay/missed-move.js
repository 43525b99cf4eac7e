/** Arrows over a replay's cards: the move that lost the game, and the moves that would still have won it. */

import { topOf } from "../drawing/pieces.js";
import { likelyFoundation, parse } from "../state/moves.js";

/** @import { State } from "../state/state.js" */
/** @import { Pile, Token, View } from "../state/types.js" */

/** @typedef {{x: number, y: number}} Point the middle of a card */

/** Pixels between an arrow's tip and the middle of the card it points at. */
const SHORT = 14;

/**
 * Replaces the arrows.
 * @param {SVGElement} sheet covers the felt
 * @param {State} state
 * @param {Token|null} played the losing move, null where there is none
 * @param {Token[]} better
 */
export function drawMissedMoves(sheet, state, played, better) {
  const { width, height } = state.size;
  sheet.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const arrows = better.map((token) => arrow(state, token, "better"));
  if (played) arrows.unshift(arrow(state, played, "played"));
  sheet.replaceChildren(...arrows.flatMap((one) => one ?? []));
}

/** @param {State} state @param {Token} token @param {"played"|"better"} kind @returns {SVGElement|null} */
function arrow(state, token, kind) {
  const [from, to] = endsOf(state, token);
  if (!from || !to) return null;
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  const share = Math.max(0, length - SHORT) / Math.max(length, 1);
  const tip = { x: from.x + dx * share, y: from.y + dy * share };
  const turn = (Math.atan2(dy, dx) * 180) / Math.PI;
  const group = part("g", { class: kind });
  group.append(
    part("circle", { cx: from.x, cy: from.y, r: 6 }),
    part("path", { class: "shaft", d: `M${from.x} ${from.y}L${tip.x} ${tip.y}` }),
    part("path", { class: "head", d: "M8 0L-8 8V-8Z", transform: `translate(${tip.x} ${tip.y}) rotate(${turn})` }),
  );
  return group;
}

/** @param {State} state @param {Token} token @returns {(Point|null)[]} the points where a move starts and ends */
function endsOf(state, token) {
  const view = /** @type {View} */ (state.drawn);
  if (token === "d") return [topPoint(state, "s"), topPoint(state, view.game === "labyrinth" ? lastRow(view) : "w")];
  if (token === "n") return [topPoint(state, "w"), topPoint(state, "s")];
  const move = parse(token);
  if (!move) return [null, null];
  const [first] = topOf(state, move.from, move.count);
  const card = (view.piles[move.from] ?? []).at(-move.count) ?? null;
  const to = move.to === "f" ? likelyFoundation(view, card) : move.to;
  return [first ? middle(state, first.rect) : topPoint(state, move.from), topPoint(state, to)];
}

/** The middle of a labyrinth's last row, below which the next is dealt. @param {View} view @returns {Pile} */
const lastRow = ({ rows = 1 }) => `t${(rows - 1) * 8 + 3}`;

/** @param {State} state @param {Pile} pile @returns {Point|null} */
function topPoint(state, pile) {
  const place = topOf(state, pile, 1)[0]?.rect ?? state.layout?.slots.find((slot) => slot.pile === pile);
  return place ? middle(state, place) : null;
}

/** @param {State} state @param {Point} corner top left of a card @returns {Point} */
function middle({ layout }, { x, y }) {
  const { w = 0, h = 0 } = layout ?? {};
  return { x: Math.round(x + w / 2), y: Math.round(y + Math.min(h / 2, w * 0.4)) };
}

/** @param {string} name @param {Record<string, string|number>} attributes @returns {SVGElement} */
function part(name, attributes) {
  const element = /** @type {SVGElement} */ (document.createElementNS("http://www.w3.org/2000/svg", name));
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}
