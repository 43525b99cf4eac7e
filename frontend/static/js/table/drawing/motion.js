/** Positioning of elements on the felt, and the card flip. */

/** @param {HTMLElement} element @param {number} x @param {number} y @param {number} turn degrees */
export function move(element, x, y, turn) {
  element.style.transform = turn ? `translate3d(${x}px,${y}px,0) rotate(${turn}deg)` : `translate3d(${x}px,${y}px,0)`;
}

/** A card's delay when a whole table is dealt. @param {number} order @returns {number} milliseconds */
export const wait = (order) => Math.min(order * 9, 520);

/** @param {HTMLElement} element a card @param {number} delay milliseconds */
export function flip(element, delay) {
  element.firstElementChild?.animate(
    [
      { transform: "rotateY(90deg)", filter: "brightness(.7)" },
      { transform: "none", filter: "none" },
    ],
    { duration: 190, delay, easing: "ease-out", fill: "backwards" },
  );
}
