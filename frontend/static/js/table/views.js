/** How a view changes: the one place that table, replay and lesson share. */

/** @import { View } from "./types.js" */

/**
 * The view after a move, by what the server says of it; the view before stays as it was.
 * @param {View} view @param {any} changes @returns {View}
 */
export function viewAfter(view, { piles, under, ...facts }) {
  return { ...view, ...facts, piles: { ...view.piles, ...piles }, under: { ...view.under, ...under } };
}
