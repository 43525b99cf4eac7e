/** Documents to verify: a record, a deal's file or a race's file, and links to them on this site. */

import { isHash } from "./bytes.js";
import { variantOf } from "./shuffle.js";

/** @import { Entrant } from "./places.js" */
/** @import { Options } from "../games/position.js" */
/** @import { Variant } from "./shuffle.js" */

/**
 * @typedef {object} TalonRecord
 * @property {number} rules
 * @property {string} [variant]
 * @property {string} [game]
 * @property {unknown} [options]
 * @property {string} seed
 * @property {string[]} tokens
 * @property {number[]} clock
 * @property {{how: string, ms: number}} end
 *
 * @typedef {object} DealFile
 * @property {number} rules
 * @property {string} variant
 * @property {string} day
 * @property {string} commitment
 * @property {string} seed
 * @property {string[]} deck
 * @property {number | null} [ledger_index]
 * @property {TalonRecord | null} solution
 *
 * @typedef {object} RaceFacts
 * @property {number} rules
 * @property {string} [variant]
 * @property {string} [game]
 * @property {unknown} [options]
 * @property {number} limit_s
 * @property {boolean} [free_undo] false if moves that revealed a card cannot be undone
 * @property {string} commitment
 * @property {string} seed
 *
 * @typedef {object} RaceFile
 * @property {1 | 2 | 3} version
 * @property {RaceFacts} race
 * @property {Entrant[]} entrants
 *
 * @typedef {{kind: "record", record: TalonRecord}
 *   | {kind: "deal", deal: DealFile}
 *   | {kind: "race", file: RaceFile}} Brought
 *
 * @typedef {object} Linked the target of a link on this site
 * @property {string | null} file the address of the document to check
 * @property {{day: string, variant: string} | null} day the daily deal it names
 * @property {{variant: Variant, number: number} | null} numbered the practice deal it names
 */

/** @param {any} value */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {any} data @returns {data is TalonRecord} */
const isRecord = (data) => isObject(data) && isHash(data.seed) && variantOf(data) !== null && isPlay(data);

/** @param {any} data */
const isPlay = ({ tokens, clock, end }) =>
  Array.isArray(tokens) && Array.isArray(clock) && isObject(end) && ["won", "resigned", "closed"].includes(end.how);

/** @param {any} data @returns {data is DealFile} */
const isDeal = (data) =>
  isObject(data) &&
  isHash(data.seed) &&
  isHash(data.commitment) &&
  variantOf({ variant: data.variant }) !== null &&
  Array.isArray(data.deck) &&
  (data.solution === null || isRecord(data.solution));

/** @param {any} entrant */
const isEntrant = (entrant) => isObject(entrant) && (entrant.record === null || isRecord(entrant.record));

/** @param {any} data @returns {data is RaceFile} */
const isRace = (data) =>
  isObject(data) &&
  data.format === "talon-race" &&
  [1, 2, 3].includes(data.version) &&
  isObject(data.race) &&
  isHash(data.race.seed) &&
  isHash(data.race.commitment) &&
  Number.isInteger(data.race.limit_s) &&
  variantOf(data.race) !== null &&
  Array.isArray(data.entrants) &&
  data.entrants.every(isEntrant);

/** @param {string} text @returns {Brought | null} null for anything else */
export function read(text) {
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    return null;
  }
  if (isRace(data)) return { kind: "race", file: data };
  if (isDeal(data)) return { kind: "deal", deal: data };
  return isRecord(data) ? { kind: "record", record: data } : null;
}

const DEAL = /^\/deals\/(\d{4}-\d\d-\d\d)\/([a-z-]+)\/(deal\.json|(?:solution\/(?:record\.json)?)?)$/;
const REPLAY = /^(\/replay\/[0-9a-f-]{36}\/)(?:record\.json)?$/;
const RACE = /^(\/races\/[\w-]+\/\d+\/)(?:race\.json|replay\/)?$/;

/** @param {string} address @param {string} base */
function parsed(address, base) {
  try {
    return new URL(address, base);
  } catch {
    return null; // URL.parse and URL.canParse are newer than the supported browsers
  }
}

/** @param {string} text an address, whole or from its first slash @param {string} origin this site's */
export function readLink(text, origin) {
  const url = parsed(text.trim(), origin);
  if (url?.origin !== origin) return null;
  /** @type {Linked} */
  const nothing = { file: null, day: null, numbered: null };
  const deal = DEAL.exec(url.pathname);
  if (deal) {
    const [, day, variant, rest] = deal;
    const file = rest.startsWith("solution") ? "solution/record.json" : "deal.json";
    return { ...nothing, file: `/deals/${day}/${variant}/${file}`, day: { day, variant } };
  }
  const replay = REPLAY.exec(url.pathname);
  if (replay) return { ...nothing, file: `${replay[1]}record.json` };
  const race = RACE.exec(url.pathname);
  if (race) return { ...nothing, file: `${race[1]}race.json` };
  const numbered = url.pathname === "/practice/" ? numberedIn(url.searchParams) : null;
  return numbered && { ...nothing, numbered };
}

/** The numbered deal of a link; null if it names its deal by seed. @param {URLSearchParams} parameters */
function numberedIn(parameters) {
  if (!/^\d+$/.test(parameters.get("number") ?? "")) return null;
  const name = parameters.get("name");
  /** @type {Options} */
  const options = {};
  for (const [key, value] of parameters)
    if (key.startsWith("option-"))
      options[key.slice("option-".length)] = /^(true|false|\d+)$/.test(value)
        ? JSON.parse(value)
        : value.replaceAll('"', "");
  const variant = Object.keys(options).length ? variantOf({ game: name, options }) : variantOf({ variant: name });
  return variant && { variant, number: Number(parameters.get("number")) };
}
