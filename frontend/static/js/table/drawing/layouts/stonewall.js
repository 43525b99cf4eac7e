/** Layout of Stonewall: six piles of the wall, sixteen reserve cards, four foundations. */

import { longest } from "./card-spacing.js";
import { Grid, Plan, roomiest, run } from "./grid.js";

/** @import { View, Layout } from "../../state/types.js" */
import { signOf } from "../cards.js";

const WALL = run("t", 0, 6);

/** @param {View} view @param {number} width @param {number} height @param {boolean} flipped @returns {Layout} */
export function stonewall(view, width, height, flipped) {
  // The screen alone decides between the two, with space for a few cards in the wall.
  const upright = roomiest([new Grid(width, height, 11.7, 4), new Grid(width, height, 6, 7.5)]) === 1;
  const wall = (/** @type {Grid} */ grid) => longest(view, grid, WALL);
  const need = (/** @type {Grid} */ grid) =>
    upright ? grid.high(4) + 3 * grid.gap + wall(grid) : Math.max(grid.high(4), wall(grid));
  const plan = new Plan(view, Grid.fitting(width, height, upright ? 6 : 11.7, need, { widest: upright ? 0.42 : 0.2 }));
  (upright ? below : beside)(plan);
  return plan.done(width, flipped);
}

/** @param {Plan} plan foundations left, reserve right of the wall */
function beside(plan) {
  const { grid } = plan;
  for (let k = 0; k < 4; k++) plan.stack(`f${k}`, grid.x(0), grid.y(k), { sign: signOf("stonewall", k) });
  WALL.forEach((pile, k) => plan.fan(pile, grid.x(1.35 + k), 0, grid.bottom));
  for (let k = 0; k < 16; k++)
    plan.stack(`r${k}`, grid.x(7.7 + (k % 4)), grid.y(Math.floor(k / 4)), { sign: "reserve" });
}

/** @param {Plan} plan foundations above, reserve below: upright screens */
function below(plan) {
  const { grid } = plan;
  for (let k = 0; k < 4; k++) plan.stack(`f${k}`, grid.x(1 + k), grid.y(0), { sign: signOf("stonewall", k) });
  const top = grid.bottom - grid.high(3);
  for (let k = 0; k < 16; k++) {
    const y = top + Math.floor(k / 6) * (grid.h + grid.gap);
    plan.stack(`r${k}`, grid.x(k % 6), Math.round(y), { sign: "reserve" });
  }
  const start = grid.y(1) + grid.gap;
  WALL.forEach((pile, k) => plan.fan(pile, grid.x(k), start, top - start - 2 * grid.gap));
}
