/** Which card lies over which: a moving one passes over those that stand until it has arrived. */

/** @import { State } from "./state.js" */

const SETTLE_AFTER = 330;

/** @param {State} state @param {HTMLElement} element @param {number} z @param {boolean} moved */
export function stack({ felt, moving, draws }, element, z, moved) {
  if (felt.classList.contains("still")) moving.delete(element);
  else if (moved) moving.set(element, { z, since: draws });
  const own = moving.get(element);
  if (own) own.z = z;
  element.style.zIndex = String(own ? 1000 + z : z);
}

/**
 * Lets those that set out with this drawing, and are not sent elsewhere before they arrive, stand where they belong.
 * @param {State} state
 */
export function settleLater({ moving, draws }) {
  if (moving.size > 0) setTimeout(() => settle(moving, draws), SETTLE_AFTER);
}

/** @param {State["moving"]} moving @param {number} draws */
function settle(moving, draws) {
  for (const [element, { z, since }] of moving) {
    if (since > draws) continue;
    moving.delete(element);
    if (!element.classList.contains("lifted")) element.style.zIndex = String(z);
  }
}
