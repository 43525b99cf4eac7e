/** Short forms for reading and writing elements. */

/** @param {string} id @returns {HTMLElement} the element, which must exist */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * @param {string} tag @param {string} className
 * @param {...(Node|string)} content
 */
export function part(tag, className, ...content) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

/** @param {string} href @param {string} className @param {string} text */
export function link(href, className, text) {
  return Object.assign(document.createElement("a"), { href, className, textContent: text });
}

/** Writes a text only if it differs. @param {Element} element @param {string} text */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
