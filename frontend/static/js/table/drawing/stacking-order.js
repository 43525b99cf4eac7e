/** Stacking order of cards: a moving card stays above the others until it arrives. */

/** @import { State } from "../state/state.js" */

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
 * Restores the z-index of cards that started moving with this drawing, unless they are sent elsewhere first.
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
