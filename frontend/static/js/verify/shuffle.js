/** Shuffle of a seed into a deck: docs/shuffle.md, implemented independently of the server. */

import { fromHex, sha256 } from "./bytes.js";

/**
 * @typedef {Record<string, boolean | number | string>} Options
 * @typedef {{game: string, options: Options}} Variant a game with all of its options
 */

/** @param {string} ranks @param {string} suits */
const cards = (ranks, suits) => [...suits].flatMap((suit) => [...ranks].map((rank) => rank + suit));

const FRENCH = cards("A23456789TJQK", "SHDC");
const TAROT = [...cards("A23456789TPNQK", "WCSP"), ...Array.from({ length: 22 }, (_, trump) => `M${trump}`)];

/** Each game's deck before the shuffle. @type {Record<string, string[]>} */
const DECKS = {
  braid: [...FRENCH, ...FRENCH],
  labyrinth: FRENCH.filter((card) => !card.startsWith("A")),
  tarot: TAROT,
  plot: [...FRENCH, ...FRENCH],
  stonewall: FRENCH,
};

/** The options of a game, the default first. @type {Record<string, Record<string, Options[string][]>>} */
const CHOICES = {
  braid: { direction: ["up", "either"], redeals: [2, 3] },
  tarot: { first_row: [true, false], draw: [2, 1, 3], fool: ["wild", "trump"] },
};

/** The daily variants. @type {Record<string, Variant>} */
const VARIANTS = {
  braid: { game: "braid", options: { direction: "up", redeals: 2 } },
  "braid-either": { game: "braid", options: { direction: "either", redeals: 2 } },
  pigtail: { game: "braid", options: { direction: "up", redeals: 3 } },
  labyrinth: { game: "labyrinth", options: {} },
  tarot: { game: "tarot", options: { first_row: true, draw: 2, fool: "wild" } },
  "tarot-novice": { game: "tarot", options: { first_row: false, draw: 1, fool: "wild" } },
  "tarot-adept": { game: "tarot", options: { first_row: true, draw: 3, fool: "trump" } },
  plot: { game: "plot", options: {} },
  stonewall: { game: "stonewall", options: {} },
};

/**
 * The game and options of a record, a race or a link: a variant, or a game with options.
 * @param {{variant?: unknown, game?: unknown, options?: unknown}} named
 * @returns {Variant | null} null if there is no such game
 */
export function variantOf({ variant, game, options }) {
  if (typeof variant === "string") return Object.hasOwn(VARIANTS, variant) ? VARIANTS[variant] : null;
  if (typeof game !== "string" || !Object.hasOwn(DECKS, game)) return null;
  return typeof options === "object" && options ? completed(game, /** @type {Options} */ (options)) : null;
}

/** @param {string} game @param {Options} options @returns {Variant | null} */
function completed(game, options) {
  const choices = CHOICES[game] ?? {};
  const isChoice = Object.entries(options).every(([name, value]) => choices[name]?.includes(value));
  const standard = Object.fromEntries(Object.entries(choices).map(([name, [first]]) => [name, first]));
  return isChoice ? { game, options: { ...standard, ...options } } : null;
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
  const deck = [...DECKS[game]];
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
