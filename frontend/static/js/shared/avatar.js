/** Player pictures, shown beside the name. */

const SIZE = 24;

/** @param {string} address @param {number} [size] in pixels @returns {HTMLImageElement} */
export function avatar(address, size = SIZE) {
  const picture = Object.assign(new Image(size, size), { className: "avatar", alt: "", decoding: "async" });
  picture.src = address;
  return picture;
}
