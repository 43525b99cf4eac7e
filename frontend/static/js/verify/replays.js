/** Replays with this folder's own rules, each beside the server's, and checks of a race file's other statements. */

import { commitmentOf, raceCommitmentOf } from "./commitment.js";
import { failed, open, passed, same } from "./findings.js";
import { placesOf } from "./places.js";
import { replay, VERSION } from "./table.js";
import { variantOf } from "./shuffle.js";

/** @import { RaceFacts, RaceFile, TalonRecord } from "./documents.js" */
/** @import { Answer, Finding, Site } from "./findings.js" */
/** @import { Entrant } from "./places.js" */

/** @typedef {(record: TalonRecord) => Promise<Answer | null>} Replayer null without an answer */

/**
 * Replays a record here and on the server. @param {TalonRecord} record @param {Site} site @returns {Promise<Finding[]>}
 */
export async function ofReplay(record, site) {
  return [
    replayed("replays", record, await here(record), "no-rules"),
    replayed("server", record, await there(site)(record), "no-answer"),
  ];
}

/** @type {Replayer} */
const here = async (record) => (record.rules === VERSION ? replay(record) : null);

/** @param {Site} site @returns {Replayer} */
const there = (site) => (record) => site.replay(record).catch(() => null);

/**
 * @param {"replays" | "server"} check @param {TalonRecord} record
 * @param {Answer | null} answer @param {string} missing
 */
function replayed(check, record, answer, missing) {
  if (!answer) return open(check, missing);
  const { ok, won, cards_up, goal, tokens, failure } = answer;
  if (ok) return passed(check, won ? "replays-won" : "replays", { cards_up, goal, tokens });
  const index = failure?.index ?? 0;
  if (index >= record.tokens.length) return failed(check, "replays-end");
  return failed(check, "replays-not", { index: index + 1 });
}

/** @param {RaceFile} file @param {Site} site @returns {Promise<Finding[]>} */
export async function ofRace({ version, race, entrants }, site) {
  const places = placesOf(entrants);
  const wrong = entrants.findIndex((entrant, k) => entrant.place !== places[k]);
  return [
    await raced("replays", { version, race, entrants }, here, "no-rules"),
    await raced("server", { version, race, entrants }, there(site), "no-answer"),
    wrong < 0
      ? passed("places", "places")
      : failed("places", "places-other", { whose: whose(entrants[wrong]), place: places[wrong] ?? "–" }),
    ofLimit(race, entrants),
    ...(version === 1
      ? [await ofCommitment(race.seed, race.commitment), open("terms", "terms-open")]
      : [await ofTerms(race)]),
    open("ledger", "race"),
  ];
}

/**
 * Checks that no clock passed the limit, and that no game was closed before it.
 * @param {RaceFacts} race @param {Entrant[]} entrants
 */
function ofLimit({ limit_s: limit }, entrants) {
  for (const entrant of entrants) {
    const ms = entrant.record?.end.ms ?? entrant.elapsed_ms;
    if (UNRANKED.has(entrant.state) || ms === null) continue;
    if (ms > limit * 1000) return failed("limit", "limit-passed", { whose: whose(entrant), limit });
    if (entrant.state === "timed_out" && ms < limit * 1000)
      return failed("limit", "limit-early", { whose: whose(entrant), limit });
  }
  return passed("limit", "limit", { limit });
}

/** Checks the stated commitment to a race's seed and terms. @param {RaceFacts} race */
async function ofTerms(race) {
  const commitment = await raceCommitmentOf(race);
  return commitment === race.commitment
    ? passed("commitment", "race-commitment", { commitment })
    : failed("commitment", "race-commitment-other", { commitment, stated: race.commitment });
}

/** @param {Entrant} entrant */
const whose = ({ id, name }) => name ?? `#${id}`;

const UNRANKED = new Set(["absent", "disqualified"]);
const OUTCOMES = /** @type {Record<string, string>} */ ({ won: "won", resigned: "retired", closed: "timed_out" });

/**
 * Checks that every record is of the race's deal and matches its entrant's stated result.
 * @param {"replays" | "server"} check @param {RaceFile} file @param {Replayer} replayer @param {string} missing
 */
async function raced(check, { version, race, entrants }, replayer, missing) {
  let n = 0;
  for (const entrant of entrants) {
    const { record } = entrant;
    if (!record) continue;
    const values = { whose: whose(entrant) };
    if (record.seed !== race.seed || record.rules !== race.rules || named(record) !== named(race))
      return failed(check, "race-deal", values);
    if (UNRANKED.has(entrant.state)) continue;
    const answer = await replayer(record);
    if (!answer) return open(check, missing);
    // Under review, only the outcome is stated.
    const found = [OUTCOMES[answer.how], ...figuresOf(answer, version)];
    const stated = [entrant.state, ...figuresOf(entrant.in_review ? answer : entrant, version)];
    if (!answer.ok || !same(stated, found)) return failed(check, "race-record", values);
    if (race.free_undo === false && answer.undone_reveal) return failed(check, "race-undone", values);
    n++;
  }
  return n ? passed(check, "race-records", { n }) : open(check, "race-empty");
}

/** The figures that a race file of a version states. @param {Answer | Entrant} of @param {number} version */
const figuresOf = ({ cards_up, elapsed_ms, tokens, progress_ms }, version) =>
  version > 2 ? [cards_up, elapsed_ms, tokens, progress_ms] : [cards_up, elapsed_ms, tokens];

/** @param {{variant?: unknown, game?: unknown, options?: unknown}} what */
const named = (what) => JSON.stringify([what.variant ?? what.game, variantOf(what)?.options]);

/** Checks that a file states the SHA-256 of its seed. @param {string} seed @param {string} stated */
export async function ofCommitment(seed, stated) {
  const commitment = await commitmentOf(seed);
  return commitment === stated
    ? passed("commitment", "commitment", { commitment })
    : failed("commitment", "commitment-other", { commitment, stated });
}
