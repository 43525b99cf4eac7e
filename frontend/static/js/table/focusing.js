/** Focus that would be lost with what is hidden. */

/**
 * Whether it can be seen and used.
 * @param {Element|null|undefined} element @returns {element is HTMLElement}
 */
const takesFocus = (element) =>
  element instanceof HTMLElement &&
  element.isConnected &&
  !element.closest("[hidden]") &&
  !element.matches(":disabled");

/**
 * Shows and hides things; if that hides what has the focus, the first of these that can take it gets it.
 * @param {() => void} change @param {(Element|null|undefined)[]} neighbours
 */
export function keepFocus(change, ...neighbours) {
  const focused = document.activeElement;
  change();
  if (focused && focused !== document.body && !takesFocus(focused))
    neighbours.find(takesFocus)?.focus({ preventScroll: true });
}
