/** Stonewall: six piles of the wall, sixteen reserve cards, four foundations. */

import { Grid, Plan } from "./grid.js";

/** @import { View, Layout } from "../types.js" */

const SUITS = ["♠", "♥", "♦", "♣"];

/** @param {View} view @param {number} width @param {number} height @param {boolean} flipped @returns {Layout} */
export function stonewall(view, width, height, flipped) {
  const wide = new Grid(width, height, 11.7, 3.75, { top: true });
  const tall = new Grid(width, height, 7.2, 5.6, { top: true });
  const plan = new Plan(view, wide.w >= tall.w ? wide : tall);
  if (wide.w >= tall.w) beside(plan);
  else below(plan, width);
  return plan.done(width, flipped);
}

/** @param {Plan} plan foundations left, reserve right of the wall */
function beside(plan) {
  const { grid } = plan;
  const pitch = Math.min(1, ((grid.bottom - grid.h) / 3 - grid.gap) / grid.h) * 0.98;
  for (let k = 0; k < 4; k++) plan.stack(`f${k}`, grid.x(0), grid.y(k * pitch), { sign: SUITS[k] });
  for (let k = 0; k < 6; k++) plan.fan(`t${k}`, grid.x(1.35 + k), grid.y(0), grid.bottom - grid.y(0) - 2);
  for (let k = 0; k < 16; k++)
    plan.stack(`r${k}`, grid.x(7.7 + (k % 4)), grid.y(Math.floor(k / 4) * pitch), { sign: "reserve" });
}

/** @param {Plan} plan @param {number} width foundations above, reserve below: upright screens */
function below(plan, width) {
  const { grid } = plan;
  for (let k = 0; k < 4; k++) plan.stack(`f${k}`, grid.x(1.6 + k), grid.y(0), { sign: SUITS[k] });
  const step = Math.min(grid.w + grid.gap, (width - grid.w - 2) / 7);
  const left = (width - 7 * step - grid.w) / 2;
  const top = Math.round(grid.bottom - 2 * grid.h - grid.gap - 2);
  for (let k = 0; k < 16; k++)
    plan.stack(`r${k}`, Math.round(left + (k % 8) * step), top + Math.floor(k / 8) * (grid.h + grid.gap), {
      sign: "reserve",
    });
  const wall = grid.y(1) + grid.gap;
  const pitch = Math.min(1.2, (width - 6 * grid.w) / 5 / (grid.w + grid.gap) + grid.w / (grid.w + grid.gap));
  const start = (width - 5 * pitch * (grid.w + grid.gap) - grid.w) / 2;
  for (let k = 0; k < 6; k++)
    plan.fan(`t${k}`, Math.round(start + k * pitch * (grid.w + grid.gap)), wall, top - wall - grid.gap * 2);
}
