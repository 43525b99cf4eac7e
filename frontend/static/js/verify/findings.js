/** Findings of the checks, and their input. */

/** @import { Brought, Linked, TalonRecord } from "./documents.js" */
/** @import { Entry, Head } from "./ledger.js" */

/**
 *
 * @typedef {"replays" | "server" | "places" | "limit" | "number" | "commitment" | "terms" | "deck" | "ledger" | "chain"
 *   | "head"} Check
 * @typedef {object} Finding
 * @property {Check} check
 * @property {"passed" | "failed" | "open"} state open: could not be checked
 * @property {string} says key of its sentence (words.js)
 * @property {Record<string, string | number>} [values]
 *
 * @typedef {object} Answer the server's replay of a record
 * @property {boolean} ok
 * @property {boolean} won
 * @property {number} cards_up
 * @property {number} goal
 * @property {number} elapsed_ms
 * @property {number} progress_ms
 * @property {number} tokens
 * @property {string} how
 * @property {boolean} [undone_reveal] whether a move that revealed a card was undone; only this page's replay says so
 * @property {{index: number}} [failure]
 *
 * @typedef {object} Site source of public data and the server's answers; each call rejects on failure
 * @property {() => Promise<Entry[]>} ledger
 * @property {(day: string, variant: string) => Promise<{deck: string[]}>} deal a revealed deal's file
 * @property {(record: TalonRecord) => Promise<Answer>} replay
 *
 * @typedef {object} Submission
 * @property {Brought} brought
 * @property {Linked["day"]} day the daily deal it claims to be of
 * @property {Linked["numbered"]} numbered the practice deal it claims to be of
 * @property {Head | null} head
 */

/** @param {Check} check @param {string} says @param {Finding["values"]} [values] @returns {Finding} */
export const passed = (check, says, values) => ({ check, state: "passed", says, values });
/** @param {Check} check @param {string} says @param {Finding["values"]} [values] @returns {Finding} */
export const failed = (check, says, values) => ({ check, state: "failed", says, values });
/** @param {Check} check @param {string} says @param {Finding["values"]} [values] @returns {Finding} */
export const open = (check, says, values) => ({ check, state: "open", says, values });

/** @param {unknown[]} one @param {unknown[]} other */
export const same = (one, other) => one.length === other.length && one.every((value, k) => value === other[k]);
