/** The picture of a player, which stands beside the name. */

const SIZE = 24;

/** @param {string} address @returns {HTMLImageElement} */
export function avatar(address) {
  const picture = Object.assign(new Image(SIZE, SIZE), { className: "avatar", alt: "", decoding: "async" });
  picture.src = address;
  return picture;
}
