/** Ledger lines, parsed and chained independently of the server: docs/fairness.md. Only an entry's line is trusted. */

import { sha256, toHex, utf8 } from "./bytes.js";

/**
 * @typedef {{index: number, line: string, hash: string}} Entry a line as sent by the server
 * @typedef {object} Line a parsed line, with its hash computed here
 * @property {number} index
 * @property {string} variant
 * @property {string} day
 * @property {number} rules
 * @property {boolean} proven whether a winning line was known, according to the line
 * @property {string} commitment
 * @property {string} published
 * @property {string} previous
 * @property {string} hash
 *
 * @typedef {"unreadable" | "misplaced" | "unchained" | "misnamed"} Break
 * @typedef {{lines: Line[], broken: {at: number, how: Break} | null}} Chain lines up to the first invalid one
 * @typedef {{hash: string, index: number | null}} Head the end of the ledger, as noted earlier
 */

const BEGINNING = "0".repeat(64);
const DAY = String.raw`\d{4}-\d\d-\d\d`;
const INSTANT = String.raw`${DAY}T\d\d:\d\d:\d\dZ`;
const HASH = "[0-9a-f]{64}";
const FIELDS = ["(0|[1-9]\\d*)", "([a-z-]+)", `(${DAY})`, "(\\d+)", "(proven|unproven)", `(${HASH})`];
const LINE = new RegExp(`^talon-ledger-1 ${FIELDS.join(" ")} (${INSTANT}) (${INSTANT}) (${HASH})$`);

/** @param {unknown} text @returns {Promise<Line | null>} null if it is not a ledger line */
export async function readLine(text) {
  const found = typeof text === "string" && LINE.exec(text);
  if (!found) return null;
  const [line, index, variant, day, rules, proof, commitment, , published, previous] = found;
  const hash = toHex(await sha256(utf8(line)));
  const numbers = { index: Number(index), rules: Number(rules) };
  return { ...numbers, variant, day, proven: proof === "proven", commitment, published, previous, hash };
}

/** Chains the lines from the first, as far as each follows from the one before. @param {Entry[]} entries */
export async function chained(entries) {
  /** @type {Chain} */
  const chain = { lines: [], broken: null };
  let before = BEGINNING;
  for (const [at, entry] of entries.entries()) {
    const line = await readLine(entry.line);
    const how = breakIn(line, entry, at, before);
    if (how || !line) return { ...chain, broken: { at, how: how ?? "unreadable" } };
    chain.lines.push(line);
    before = line.hash;
  }
  return chain;
}

/** @param {Line | null} line @param {Entry} entry @param {number} at @param {string} before @returns {Break | null} */
function breakIn(line, entry, at, before) {
  if (!line) return "unreadable";
  if (line.index !== at || entry.index !== at) return "misplaced";
  if (line.previous !== before) return "unchained";
  return line.hash === entry.hash ? null : "misnamed";
}

/** The index of a noted head in the chain; null if the chain lacks it. @param {Chain} chain @param {Head} head */
export function placeOf({ lines }, { hash, index }) {
  const found = lines.find((line) => line.hash === hash);
  return found && (index === null || index === found.index) ? found.index : null;
}

/** A deal's opening: the start of its day in UTC, whatever its line says. @param {Line} line */
export const openingOf = ({ day }) => `${day}T00:00:00Z`;

/** True if the line was written before its deal opened. @param {Line} line */
export const isEarly = (line) => line.published < openingOf(line);
