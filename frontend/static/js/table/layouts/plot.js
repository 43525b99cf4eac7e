/**
 * The Plot: three rows of four piles, the reserve beside them, and the one foundation of phase one before the others.
 */

import { Grid, Plan, roomiest } from "./grid.js";

/** @import { View, Layout } from "../types.js" */

const CELL = 1.42;

/** @param {View} view @param {number} width @param {number} height @param {boolean} flipped @returns {Layout} */
export function plot(view, width, height, flipped) {
  const grids = [new Grid(width, height, 8.1, 3 * CELL - 0.12), new Grid(width, height, 5.4, 2.2 + 3 * CELL)];
  const choice = roomiest(grids);
  const plan = new Plan(view, grids[choice]);
  (choice === 0 ? wide : tall)(plan);
  return plan.done(width, flipped);
}

/** @param {Plan} plan @param {number} k */
const more = (plan, k) => ({ sign: plan.view.base ?? "", dim: k > 0 && plan.view.phase === 1 });

/** @param {Plan} plan */
function wide(plan) {
  const { grid } = plan;
  plan.stack("r", grid.x(0), grid.y(0), { sign: "reserve" });
  plan.stack("s", grid.x(0), grid.y(1.45), { sign: "stock" });
  plan.stack("w", grid.x(0), grid.y(2.5));
  for (let k = 0; k < 8; k++)
    plan.stack(`f${k}`, grid.x(6.1 + (k % 2)), grid.y(Math.floor(k / 2) * 1.03), more(plan, k));
  tableau(plan, 1.55, 0, 1);
}

/** @param {Plan} plan */
function tall(plan) {
  const { grid } = plan;
  for (let k = 0; k < 8; k++) plan.stack(`f${k}`, grid.x(1.4 + (k % 4)), grid.y(Math.floor(k / 4)), more(plan, k));
  plan.stack("r", grid.x(0), grid.y(0), { sign: "reserve" });
  plan.stack("s", grid.x(0), grid.y(2.2), { sign: "stock" });
  plan.stack("w", grid.x(0), grid.y(3.25));
  tableau(plan, 1.4, 2.2, 1);
}

/** @param {Plan} plan @param {number} left @param {number} top rows @param {number} pitch columns */
function tableau(plan, left, top, pitch) {
  const { grid } = plan;
  for (let k = 0; k < 12; k++) {
    const y = grid.y(top + Math.floor(k / 4) * CELL);
    plan.fan(`t${k}`, grid.x(left + (k % 4) * pitch), y, CELL * (grid.h + grid.gap) - grid.gap * 1.6);
  }
}
