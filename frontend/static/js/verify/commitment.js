/** Commitments to seeds, and the seeds of numbered practice deals: docs/fairness.md. */

import { fromHex, sha256, toHex, utf8 } from "./bytes.js";

/** @import { RaceFacts } from "./documents.js" */
/** @import { Variant } from "./shuffle.js" */

const MARK = ["talon", "numbered", "deal"].join(" ");
const MOST = 9_999_999;
const SERIES_DIGITS = 48;

/** SHA-256 of the seed. @param {string} seed 64 hexadecimal digits */
export const commitmentOf = async (seed) => toHex(await sha256(fromHex(seed)));

const RACE = "talon-race";
const TERMS = ["id", "number", "rated", "rules", "variant", "game", "options", "limit_s", "starts_at", "free_undo"];

/** Sorts the keys of objects, as the commitment of a race requires. @param {any} value @returns {any} */
function sorted(value) {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

/** The commitment to a race's deal and terms: docs/records.md, "Races". @param {RaceFacts} race */
export async function raceCommitmentOf(race) {
  const facts = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (race));
  const terms = Object.fromEntries(TERMS.filter((key) => key in facts).map((key) => [key, facts[key]]));
  const text = JSON.stringify(sorted({ ...terms, deal: await commitmentOf(race.seed) }));
  return toHex(await sha256(utf8(`${RACE}\n${text}`)));
}

/** The common prefix of the seeds of a game's numbered deals. @param {Variant} variant */
async function series({ game, options }) {
  const sorted = Object.fromEntries(Object.entries(options).sort(([one], [other]) => (one < other ? -1 : 1)));
  const hash = await sha256(utf8(`${MARK}\n${game}\n${JSON.stringify(sorted)}`));
  return toHex(hash).slice(0, SERIES_DIGITS);
}

/** @param {Variant} variant @param {number} number @returns {Promise<string | null>} null if no deal has the number */
export async function numberedSeed(variant, number) {
  if (!Number.isInteger(number) || number < 1 || number > MOST) return null;
  return (await series(variant)) + number.toString(16).padStart(64 - SERIES_DIGITS, "0");
}

/** The number of the practice deal with this seed; null for any other. @param {Variant} variant @param {string} seed */
export async function numberOf(variant, seed) {
  if (!seed.startsWith(await series(variant))) return null;
  const number = Number(`0x${seed.slice(SERIES_DIGITS)}`);
  return number >= 1 && number <= MOST ? number : null;
}
