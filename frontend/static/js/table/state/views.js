/** View updates, shared by table, replay and lesson. */

/** @import { View } from "./types.js" */

/**
 * The view after a move's changes; the view before is left unchanged.
 * @param {View} view @param {any} changes @returns {View}
 */
export function viewAfter(view, { piles, under, ...facts }) {
  return { ...view, ...facts, piles: { ...view.piles, ...piles }, under: { ...view.under, ...under } };
}
