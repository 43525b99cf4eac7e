/** Tarot Solitaire: nine piles that may grow long, five foundations. */

import { Grid, Plan } from "./grid.js";

/** @import { View, Layout } from "../types.js" */

const SIGNS = ["wands", "cups", "swords", "pentacles", "trumps"];

/** Less of a covered card than these shares of its height cannot be read. */
const LEAST_UP = 0.19;
const LEAST_DOWN = 0.06;
/** Cards do not shrink below this share of the width they could have; longer piles compress instead. */
const NARROWEST = 0.66;

/** @param {View} view @param {number} width @param {number} height @param {boolean} flipped @returns {Layout} */
export function tarot(view, width, height, flipped) {
  const flat = height < 430 && width > height * 1.4;
  const plan = new Plan(
    view,
    flat ? new Grid(width, height, 12.1, 2.9, { top: true }) : roomyGrid(view, width, height),
  );
  if (flat) sides(plan);
  else above(plan);
  return plan.done(width, flipped);
}

/**
 * Nine columns of cards as wide as they can be while the longest pile can still be read.
 * @param {View} view @param {number} width @param {number} height
 */
function roomyGrid(view, width, height) {
  const full = new Grid(width, height, 9, 3.6, { top: true });
  const longest = tallest(view);
  let grid = full;
  for (let w = full.w - 2; grid.y(1) + grid.gap + longest * grid.h > height && w >= full.w * NARROWEST; w -= 2) {
    const gap = Math.min(0.42, (width / w - 9) / 8);
    grid = new Grid(width, height, 9, 3.6, { top: true, widest: w, gap: Math.max(gap, 0.1) });
  }
  return grid;
}

/** @param {View} view @returns {number} the height that the longest pile needs, in cards */
function tallest(view) {
  const piles = Object.keys(view.piles).filter((name) => name[0] === "t");
  return Math.max(
    ...piles.map((name) =>
      view.piles[name].slice(0, -1).reduce((sum, card) => sum + (card === null ? LEAST_DOWN : LEAST_UP), 1),
    ),
  );
}

/** @param {Plan} plan stock and foundations above the piles */
function above(plan) {
  const { grid } = plan;
  plan.stack("s", grid.x(0), grid.y(0), { sign: "stock" });
  plan.row(
    "w",
    grid.x(1),
    grid.y(0),
    Math.round(Math.min(grid.w * 0.42, (2 * (grid.w + grid.gap) - grid.gap) / 2 - 1)),
  );
  for (let k = 0; k < 5; k++) plan.stack(`f${k}`, grid.x(4 + k), grid.y(0), { sign: SIGNS[k] });
  piles(plan, 0, Math.round(grid.y(1) + grid.gap));
}

/** @param {Plan} plan stock on one side, foundations on the other: low screens */
function sides(plan) {
  const { grid } = plan;
  plan.stack("s", grid.x(0), grid.y(0), { sign: "stock" });
  plan.fan("w", grid.x(0), grid.y(1.12), grid.bottom - grid.y(1.12));
  for (let k = 0; k < 5; k++)
    plan.stack(`f${k}`, grid.x(10.1 + (k % 2)), grid.y(Math.floor(k / 2) * 0.97), { sign: SIGNS[k] });
  piles(plan, 1.05, grid.y(0));
}

/** @param {Plan} plan @param {number} left column @param {number} top pixels */
function piles(plan, left, top) {
  for (let k = 0; k < 9; k++) plan.fan(`t${k}`, plan.grid.x(left + k), top, plan.grid.bottom - top - 2);
}
