/** Focus management for elements that get hidden. */

/**
 * True if an element can be seen and used.
 * @param {Element|null|undefined} element @returns {element is HTMLElement}
 */
const takesFocus = (element) =>
  element instanceof HTMLElement &&
  element.isConnected &&
  !element.closest("[hidden]") &&
  !element.matches(":disabled");

/**
 * Shows and hides elements. If that hides the focused one, moves the focus to the first neighbour that can take it.
 * @param {() => void} change @param {(Element|null|undefined)[]} neighbours
 */
export function keepFocus(change, ...neighbours) {
  const focused = document.activeElement;
  change();
  if (focused && focused !== document.body && !takesFocus(focused))
    neighbours.find(takesFocus)?.focus({ preventScroll: true });
}
