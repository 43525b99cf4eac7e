/** Live lists that keep unchanged rows and the focus. */

import { part } from "../shared/dom.js";

/** @param {HTMLElement} list @param {{key: string, row: HTMLElement}[]} items */
export function fillList(list, items) {
  const present = new Map([...list.children].map((row) => [/** @type {HTMLElement} */ (row).dataset.key, row]));
  const rows = items.map(({ key, row }) => {
    row.dataset.key = key;
    const old = present.get(key);
    if (!old) return row;
    if (old.outerHTML !== row.outerHTML) update(/** @type {HTMLElement} */ (old), row);
    return old;
  });
  if (rows.length === list.children.length && rows.every((row, k) => row === list.children[k])) return;
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  const inside = list.contains(focused);
  list.replaceChildren(...rows);
  if (inside && list.contains(focused)) focused.focus({ preventScroll: true });
}

/**
 * Updates a row in place. Unchanged controls stay in the document, so that a press on them is not lost. Restores the
 * focus by the control's position.
 * @param {HTMLElement} old @param {HTMLElement} fresh
 */
function update(old, fresh) {
  const controls = () => /** @type {HTMLElement[]} */ ([...old.querySelectorAll("a, button")]);
  const focused = controls().indexOf(/** @type {HTMLElement} */ (document.activeElement));
  old.className = fresh.className;
  const [before, nodes] = [[...old.childNodes], [...fresh.childNodes]];
  if (before.length !== nodes.length) old.replaceChildren(...nodes);
  else nodes.forEach((node, k) => before[k].isEqualNode(node) || before[k].replaceWith(node));
  if (focused >= 0) controls()[Math.min(focused, controls().length - 1)]?.focus();
}

/** The place of reactions in a racer's row. @param {HTMLElement} row @returns {HTMLElement} */
export const bubbleIn = (row) => row.querySelector(".bubble") ?? row.appendChild(part("span", "bubble"));
