/** Layout of Tarot Solitaire: nine piles that may grow long, five foundations. */

import { least, longest, shared } from "./card-spacing.js";
import { Grid, Plan, run } from "./grid.js";

/** @import { View, Layout } from "../../state/types.js" */
import { signOf } from "../cards.js";

const PILES = run("t", 0, 9);
const ROWS = [PILES.slice(0, 5), PILES.slice(5)];

/** @param {View} view @param {number} width @param {number} height @param {boolean} flipped @returns {Layout} */
export function tarot(view, width, height, flipped) {
  const low = height < 430 && width > height * 1.4;
  const arrangement = low ? sides : height > width * 1.15 ? twoRows : above;
  return arrangement(view, width, height).done(width, flipped);
}

/**
 * Stock and foundations above the piles.
 * @param {View} view @param {number} width @param {number} height @returns {Plan}
 */
function above(view, width, height) {
  const start = (/** @type {Grid} */ grid) => grid.y(1) + grid.gap;
  const plan = new Plan(
    view,
    Grid.fitting(width, height, 9, (grid) => start(grid) + longest(view, grid, PILES)),
  );
  const { grid } = plan;
  plan.stack("s", grid.x(0), 0, { sign: "stock" });
  plan.row("w", grid.x(1), 0, grid.w + Math.min(grid.across, Math.round(grid.w * 0.06)));
  foundations(plan, 4);
  PILES.forEach((pile, k) => plan.fan(pile, grid.x(k), start(grid), height - start(grid)));
  return plan;
}

/**
 * The piles in two rows, with stock and waste at the end of the second: upright screens.
 * @param {View} view @param {number} width @param {number} height @returns {Plan}
 */
function twoRows(view, width, height) {
  const rows = (/** @type {Grid} */ grid, room = 0) => {
    const found = shared(view, grid, ROWS, room);
    return { ...found, waste: grid.h + grid.gap + least(grid, ["", "", ""]) };
  };
  const start = (/** @type {Grid} */ grid) => grid.y(1) + 2 * grid.gap;
  const need = (/** @type {Grid} */ grid) => {
    const [first, second] = ROWS.map((piles) => longest(view, grid, piles));
    return start(grid) + first + 2 * grid.gap + Math.max(second, rows(grid).waste);
  };
  const plan = new Plan(view, Grid.fitting(width, height, 5, need, { widest: 0.7 }));
  const { grid } = plan;
  foundations(plan, 0);
  const room = height - start(grid) - 2 * grid.gap;
  const { heights, waste } = rows(grid, room);
  const second = Math.min(start(grid) + heights[0], height - waste - 2 * grid.gap) + 2 * grid.gap;
  ROWS[0].forEach((pile, k) => plan.fan(pile, grid.x(k), start(grid), second - 2 * grid.gap - start(grid)));
  ROWS[1].forEach((pile, k) => plan.fan(pile, grid.x(k), Math.round(second), height - second));
  plan.stack("s", grid.x(4), Math.round(second), { sign: "stock" });
  const below = Math.round(second) + grid.h + grid.gap;
  plan.fan("w", grid.x(4), below, height - below);
  return plan;
}

/**
 * Stock left, foundations right: low screens.
 * @param {View} view @param {number} width @param {number} height @returns {Plan}
 */
function sides(view, width, height) {
  const need = (/** @type {Grid} */ grid) =>
    Math.max(grid.high(3), longest(view, grid, PILES), grid.y(1) + least(grid, ["", "", ""]));
  const plan = new Plan(view, Grid.fitting(width, height, 12.1, need));
  const { grid } = plan;
  plan.stack("s", grid.x(0), 0, { sign: "stock" });
  plan.fan("w", grid.x(0), grid.y(1), height - grid.y(1));
  for (let k = 0; k < 5; k++)
    plan.stack(`f${k}`, grid.x(10.1 + (k % 2)), grid.y(Math.floor(k / 2)), { sign: signOf("tarot", k) });
  PILES.forEach((pile, k) => plan.fan(pile, grid.x(1.05 + k), 0, height));
  return plan;
}

/** @param {Plan} plan @param {number} column of the first: a row above the piles */
function foundations(plan, column) {
  for (let k = 0; k < 5; k++) plan.stack(`f${k}`, plan.grid.x(column + k), 0, { sign: signOf("tarot", k) });
}
