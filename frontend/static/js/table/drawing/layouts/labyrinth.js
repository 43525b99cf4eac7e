/** Layout of Labyrinth: up to six rows of eight, with visible gaps. */

import { Grid, Plan, roomiest } from "./grid.js";

/** @import { View, Layout } from "../../state/types.js" */
import { signOf } from "../cards.js";

/** @param {View} view @param {number} width @param {number} height @param {boolean} flipped @returns {Layout} */
export function labyrinth(view, width, height, flipped) {
  const dealt = view.rows ?? 1;
  const rows = Math.max(4, dealt);
  const grids = [new Grid(width, height, 10.5, rows), new Grid(width, height, 8, rows + 1.25, { gap: 0.05 })];
  const wide = roomiest(grids) === 0;
  const plan = new Plan(view, grids[wide ? 0 : 1]);
  const { grid } = plan;
  if (!wide) stretch(grid, rows + 1.25, height);
  const [left, top] = wide ? [2.5, 0] : [0, 1.25];
  for (let k = 0; k < 4; k++) {
    const [x, y] = wide ? [k % 2, Math.floor(k / 2)] : [4 + k, 0];
    plan.stack(`f${k}`, grid.x(x), grid.y(y), { sign: signOf("labyrinth", k) });
  }
  plan.stack("s", grid.x(wide ? 0.5 : 0), grid.y(wide ? rows - 1 : 0), { sign: "stock" });
  for (let k = 0; k < rows * 8; k++)
    plan.stack(`t${k}`, grid.x(left + (k % 8)), grid.y(top + Math.floor(k / 8)), { dim: k >= dealt * 8 });
  return plan.done(width, flipped);
}

/**
 * Spreads the rows on an upright screen, whose width is filled by eight cards.
 * @param {Grid} grid @param {number} rows @param {number} height pixels
 */
function stretch(grid, rows, height) {
  grid.gap = Math.max(grid.gap, Math.min(Math.round(grid.h * 0.3), Math.floor((height - rows * grid.h) / (rows - 1))));
  grid.top = Math.max(0, (height - grid.high(rows)) / 2);
}
