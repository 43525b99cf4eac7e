/** Shuffle of a seed into a deck: docs/shuffle.md, implemented independently of the server. */

import { RULES } from "../games/games.js";
import { fromHex, sha256 } from "./bytes.js";

/** @import { Options } from "../games/position.js" */

/** @typedef {{game: string, options: Options}} Variant a game with all of its options */

/** The daily variants. @type {Record<string, Variant>} */
const VARIANTS = Object.fromEntries(
  Object.entries(RULES).flatMap(([game, { variants = { [game]: {} } }]) =>
    Object.entries(variants).map(([name, options]) => [name, { game, options: { ...standard(game), ...options } }]),
  ),
);

/**
 * The game and options of a record, a race or a link: a variant, or a game with options.
 * @param {{variant?: unknown, game?: unknown, options?: unknown}} named
 * @returns {Variant | null} null if there is no such game
 */
export function variantOf({ variant, game, options }) {
  if (typeof variant === "string") return Object.hasOwn(VARIANTS, variant) ? VARIANTS[variant] : null;
  if (typeof game !== "string" || !Object.hasOwn(RULES, game)) return null;
  return typeof options === "object" && options ? completed(game, /** @type {Options} */ (options)) : null;
}

/** @param {string} game @param {Options} options @returns {Variant | null} */
function completed(game, options) {
  const choices = RULES[game].options ?? {};
  const isChoice = Object.entries(options).every(([name, value]) => choices[name]?.includes(value));
  return isChoice ? { game, options: { ...standard(game), ...options } } : null;
}

/** The default options of a game. @param {string} game @returns {Options} */
function standard(game) {
  return Object.fromEntries(Object.entries(RULES[game].options ?? {}).map(([name, [first]]) => [name, first]));
}

/** The seed's infinite stream of 32-bit words. @param {string} seed 64 hexadecimal digits */
async function* words(seed) {
  const block = new Uint8Array(40);
  block.set(fromHex(seed));
  for (let counter = 0n; ; counter++) {
    new DataView(block.buffer).setBigUint64(32, counter);
    const hash = new DataView((await sha256(block)).buffer);
    for (let at = 0; at < 32; at += 4) yield hash.getUint32(at);
  }
}

/** The deck in dealing order. @param {string} game @param {string} seed 64 hexadecimal digits */
export async function deckOf(game, seed) {
  const deck = [...RULES[game].deck];
  const stream = words(seed);
  for (let last = deck.length - 1; last > 0; last--) {
    const sides = last + 1;
    const limit = 2 ** 32 - (2 ** 32 % sides);
    let word = limit;
    while (word >= limit) word = Number((await stream.next()).value);
    const other = word % sides;
    [deck[last], deck[other]] = [deck[other], deck[last]];
  }
  return deck;
}
