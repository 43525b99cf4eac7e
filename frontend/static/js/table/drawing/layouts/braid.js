/** Layout of Braid: the plait of twenty cards down the middle, with inner and outer cells on both sides. */

import { Grid, Plan, roomiest } from "./grid.js";

/** @import { View, Layout } from "../../state/types.js" */

/** Offset of the plait's cards from its middle, in card widths, so that each index shows beside the next card. */
const LEAN = 0.36;
/** Height that a turned card of the plait stands out above and below, in card widths. */
const OVERHANG = 0.045;

/** @param {View} view @param {number} width @param {number} height @param {boolean} flipped @returns {Layout} */
export function braid(view, width, height, flipped) {
  const grids = [
    new Grid(width, height, 9.9, 4),
    new Grid(width, height, 5.75, 6.35, { gap: 0.09 }),
    new Grid(width, height, 8.8, 5.1),
  ];
  const choice = roomiest(grids);
  const plan = new Plan(view, grids[choice]);
  const place = [wide, tall, middling][choice];
  place(plan, height);
  return plan.done(width, flipped);
}

const SIGNS = (/** @type {View} */ view) => ({ sign: view.base ?? "" });

/** @param {Plan} plan */
function wide(plan) {
  const { grid, view } = plan;
  plan.stack("s", grid.x(0), grid.y(0.6), { sign: "stock" });
  plan.stack("w", grid.x(0), grid.y(1.75));
  cells(plan, 1.35, 0, 4);
  for (let k = 0; k < 8; k++) plan.stack(`f${k}`, grid.x(7.95 + (k % 2)), grid.y(Math.floor(k / 2)), SIGNS(view));
}

/** @param {Plan} plan @param {number} height space left over makes the plait longer */
function tall(plan, height) {
  const { grid, view } = plan;
  const rows = Math.min(5.4, height / (grid.h + grid.gap) - 2.25);
  grid.top = Math.max(0, (height - grid.high(rows + 2.25)) / 2);
  for (let k = 0; k < 8; k++) plan.stack(`f${k}`, grid.x(1.5 + (k % 4)), grid.y(Math.floor(k / 4)), SIGNS(view));
  plan.stack("s", grid.x(0.1), grid.y(0), { sign: "stock" });
  plan.stack("w", grid.x(0.1), grid.y(1));
  cells(plan, 0, 2.25, rows);
}

/** @param {Plan} plan */
function middling(plan) {
  const { grid, view } = plan;
  for (let k = 0; k < 8; k++) plan.stack(`f${k}`, grid.x(k), grid.y(0), SIGNS(view));
  plan.stack("s", grid.x(0), grid.y(1.4), { sign: "stock" });
  plan.stack("w", grid.x(0), grid.y(2.45));
  cells(plan, 1.9, 1.1, 4);
}

/**
 * The plait and its twelve cells: five and three quarters columns wide.
 * @param {Plan} plan @param {number} left column @param {number} top row @param {number} rows
 */
function cells(plan, left, top, rows) {
  const { grid } = plan;
  const pitch = (rows - 4) / 3 + 1;
  for (let k = 0; k < 4; k++) {
    plan.stack(`t${4 + k}`, grid.x(left), grid.y(top + k * pitch), { sign: "outer" });
    plan.stack(`t${8 + k}`, grid.x(left + 4.75), grid.y(top + k * pitch), { sign: "outer" });
  }
  for (let k = 0; k < 2; k++) {
    const y = grid.y(top + (0.5 + k * 2) * pitch);
    plan.stack(`t${k}`, grid.x(left + 1.02), y, { sign: "inner" });
    plan.stack(`t${2 + k}`, grid.x(left + 3.73), y, { sign: "inner" });
  }
  weave(plan, grid.x(left + 2.375), grid.y(top), grid.y(top + rows) - grid.gap - grid.y(top));
}

/** @param {Plan} plan @param {number} x middle column @param {number} y @param {number} room */
function weave(plan, x, y, room) {
  const { grid, view } = plan;
  const listed = view.piles.r ?? [];
  const lean = grid.w * LEAN;
  const overhang = grid.w * OVERHANG;
  const step = (room - grid.h - 2 * overhang) / 19;
  plan.slot("r", x, y + Math.round(9.5 * step), { sign: "braid" });
  listed.forEach((code, i) => {
    const right = i % 2 === 1;
    plan.cards.push({
      pile: "r",
      i,
      code,
      x: Math.round(x + (right ? lean : -lean)),
      y: Math.round(y + overhang + i * step),
      z: i,
      turn: right ? 5 : -5,
      mirror: right,
    });
  });
}
