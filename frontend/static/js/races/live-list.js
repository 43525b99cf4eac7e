/** Live lists that keep unchanged rows and the focus. */

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
  if (rows.length !== list.children.length || rows.some((row, k) => row !== list.children[k]))
    list.replaceChildren(...rows);
}

/**
 * Replaces a row's content, and restores the focus by the control's position. @param {HTMLElement} old @param
 * {HTMLElement} fresh
 */
function update(old, fresh) {
  const controls = () => /** @type {HTMLElement[]} */ ([...old.querySelectorAll("a, button")]);
  const focused = controls().indexOf(/** @type {HTMLElement} */ (document.activeElement));
  old.className = fresh.className;
  old.replaceChildren(...fresh.childNodes);
  if (focused >= 0) controls()[Math.min(focused, controls().length - 1)]?.focus();
}
