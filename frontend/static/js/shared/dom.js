/** Short forms for finding, making and changing elements. */

/** @param {string} id @returns {any} the element; null without one */
export const byId = (id) => document.getElementById(id);

/** @param {string} selector @param {ParentNode} [root] @returns {NodeListOf<any>} */
export const all = (selector, root = document) => root.querySelectorAll(selector);

/** @param {string} tag @param {string} className @param {...(Node|string)} content */
export function part(tag, className, ...content) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

/** @param {string} href @param {string} className @param {string} text */
export const link = (href, className, text) => Object.assign(part("a", className, text), { href });

/** @param {string} text @param {string} className @param {() => void} [press] */
export function button(text, className, press) {
  const element = Object.assign(part("button", className, text), { type: "button" });
  if (press) element.addEventListener("click", press);
  return element;
}

/** A player's picture, shown beside the name. @param {string} src @param {number} [size] in pixels */
export const avatar = (src, size = 24) =>
  Object.assign(new Image(size, size), { className: "avatar", alt: "", decoding: "async", src });

/** Writes a text only if it differs: screen readers announce changes. @param {Element} element @param {string} text */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
