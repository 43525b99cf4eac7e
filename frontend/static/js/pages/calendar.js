/** Arrow-key navigation over the days of a calendar that have deals. Without it, every day is an ordinary link. */

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/**
 * @param {HTMLElement[]} cells
 * @param {number} at
 * @param {number} step
 * @returns {HTMLElement|null} the next day with a link
 */
function next(cells, at, step) {
  for (let k = at + step; k >= 0 && k < cells.length; k += step) {
    const link = /** @type {HTMLElement|null} */ (cells[k].querySelector("a"));
    if (link) return link;
  }
  return null;
}

for (const table of document.querySelectorAll("table.days")) {
  table.addEventListener("keydown", (event) => {
    const { key, target, altKey, ctrlKey, metaKey } = /** @type {KeyboardEvent} */ (event);
    const step = STEPS[/** @type {"ArrowUp"} */ (key)];
    const cell = /** @type {Element} */ (target).closest("td");
    if (!step || !cell || altKey || ctrlKey || metaKey) return;
    const cells = [...table.querySelectorAll("td")];
    const link = next(cells, cells.indexOf(cell), step);
    if (!link) return;
    event.preventDefault();
    link.focus();
  });
}
