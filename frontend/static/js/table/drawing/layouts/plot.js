/**
 * Layout of The Plot: twelve piles in rows, the reserve beside them, and phase one's only foundation before the others.
 */

import { shared } from "./card-spacing.js";
import { Grid, Plan, roomiest, run } from "./grid.js";

/** @import { View, Layout } from "../../state/types.js" */

const WIDE = { columns: 10, rows: [run("t", 0, 6), run("t", 6, 12)] };
const TALL = { columns: 5.4, rows: [run("t", 0, 4), run("t", 4, 8), run("t", 8, 12)] };

/** @param {View} view @param {number} width @param {number} height @param {boolean} flipped @returns {Layout} */
export function plot(view, width, height, flipped) {
  // The screen alone decides between the two, with space for a few cards per row.
  const grids = [new Grid(width, height, WIDE.columns, 4.2), new Grid(width, height, TALL.columns, 8)];
  const upright = roomiest(grids) === 1;
  const { columns, rows } = upright ? TALL : WIDE;
  const above = (/** @type {Grid} */ grid) => (upright ? grid.y(2.2) : 0);
  const between = (/** @type {Grid} */ grid) => (rows.length - 1) * gapOf(grid);
  const need = (/** @type {Grid} */ grid) =>
    above(grid) + Math.max(grid.high(upright ? 3.15 : 4), shared(view, grid, rows, 0).least + between(grid));
  const plan = new Plan(view, Grid.fitting(width, height, columns, need, { widest: 0.3 }));
  (upright ? tall : wide)(plan);
  const { grid } = plan;
  let y = above(grid);
  const { heights } = shared(view, grid, rows, height - y - between(grid));
  rows.forEach((piles, k) => {
    piles.forEach((pile, column) => plan.fan(pile, grid.x((upright ? 1.4 : 1.5) + column), Math.round(y), heights[k]));
    y += heights[k] + gapOf(grid);
  });
  return plan.done(width, flipped);
}

/** @param {Grid} grid @returns {number} pixels between two rows of piles */
const gapOf = (grid) => Math.round(grid.h * 0.1);

/** @param {Plan} plan @param {number} k */
const more = (plan, k) => ({ sign: plan.view.base ?? "", dim: k > 0 && plan.view.phase === 1 });

/** @param {Plan} plan foundations right of the piles */
function wide(plan) {
  const { grid } = plan;
  left(plan, 0);
  for (let k = 0; k < 8; k++) plan.stack(`f${k}`, grid.x(8 + (k % 2)), grid.y(Math.floor(k / 2)), more(plan, k));
}

/** @param {Plan} plan foundations above the piles: upright screens */
function tall(plan) {
  const { grid } = plan;
  for (let k = 0; k < 8; k++) plan.stack(`f${k}`, grid.x(1.4 + (k % 4)), grid.y(Math.floor(k / 4)), more(plan, k));
  left(plan, 2.2);
}

/** @param {Plan} plan @param {number} top row; on upright screens the reserve stands above it */
function left(plan, top) {
  const { grid } = plan;
  plan.stack("r", grid.x(0), grid.y(0), { sign: "reserve" });
  plan.stack("s", grid.x(0), grid.y(top || 1.45), { sign: "stock" });
  plan.stack("w", grid.x(0), grid.y((top || 1.45) + 1.15));
}
