/** Verification checks, each reported separately and computed from public data only, beside the server's own replay. */

import { commitmentOf, numberedSeed, numberOf } from "./commitment.js";
import { chained, isEarly, openingOf, placeOf } from "./ledger.js";
import { failed, open, passed, same } from "./findings.js";
import { ofCommitment, ofRace, ofReplay } from "./replays.js";
import { deckOf, variantOf } from "./shuffle.js";

/** @import { DealFile, Linked, TalonRecord } from "./documents.js" */
/** @import { Submission, Finding, Site } from "./findings.js" */
/** @import { Chain, Head, Line } from "./ledger.js" */
/** @import { Variant } from "./shuffle.js" */

/**
 * Runs every check that applies to a document.
 * @param {Submission} submission @param {Site} site
 * @returns {Promise<Finding[]>}
 */
export async function examined(submission, site) {
  const chain = await site.ledger().then(chained, () => null);
  const { brought } = submission;
  const found =
    brought.kind === "deal"
      ? await ofDeal(brought.deal, submission, chain, site)
      : brought.kind === "race"
        ? await ofRace(brought.file, site)
        : await ofRecord(brought.record, submission, chain, site);
  return [...found, ofChain(chain), ofHead(chain, submission.head)];
}

/** @param {DealFile} deal @param {Submission} submission @param {Chain | null} chain @param {Site} site */
async function ofDeal(deal, { day: said, numbered }, chain, site) {
  const { game } = /** @type {Variant} */ (variantOf({ variant: deal.variant }));
  const isSaid = !numbered && (!said || (said.day === deal.day && said.variant === deal.variant));
  return [
    ...(await ofSolution(deal, chain, site)),
    await ofCommitment(deal.seed, deal.commitment),
    same(await deckOf(game, deal.seed), deal.deck) ? passed("deck", "deck-file") : failed("deck", "deck-file-other"),
    isSaid ? ofAnnouncement(chain, deal, deal.ledger_index ?? null) : failed("ledger", "deal-unsaid"),
  ];
}

/**
 * Checks that the deal's winning line wins; if there is none, checks that none was announced.
 * @param {DealFile} deal @param {Chain | null} chain @param {Site} site
 */
async function ofSolution(deal, chain, site) {
  const { solution } = deal;
  if (solution === null) {
    const line = chain && lineOf(chain, deal);
    if (!line) return [open("replays", "lineless")];
    return [line.proven ? failed("replays", "withheld") : open("replays", "unproven")];
  }
  if (solution.seed !== deal.seed || solution.variant !== deal.variant) return [failed("replays", "another-deal")];
  const [mine, theirs] = await ofReplay(solution, site);
  const isLost = mine.state === "passed" && solution.end.how !== "won";
  return [isLost ? failed("replays", "not-winning") : mine, theirs];
}

/**
 * The line of a deal: the first one, if there are several.
 * @param {Chain} chain @param {{variant: string, day: string}} deal
 */
const lineOf = ({ lines }, { variant, day }) => lines.find((line) => line.variant === variant && line.day === day);

/**
 * Checks that the ledger announced this commitment for this deal before it opened.
 * @param {Chain | null} chain @param {{variant: string, day: string, rules: number, commitment: string}} deal
 * @param {number | null} index the line's index according to the file
 */
function ofAnnouncement(chain, deal, index) {
  if (!chain) return open("ledger", "no-ledger");
  const line = lineOf(chain, deal);
  if (!line) return chain.broken ? open("ledger", "broken") : failed("ledger", "unannounced");
  if (index !== null && index !== line.index) return failed("ledger", "elsewhere", { index, found: line.index });
  if (line.commitment !== deal.commitment || line.rules !== deal.rules)
    return failed("ledger", "announced-other", { index: line.index });
  return ofDate(line);
}

/** @param {Line} line */
function ofDate(line) {
  const values = { index: line.index, published: line.published, opens: openingOf(line) };
  return isEarly(line) ? passed("ledger", "announced", values) : failed("ledger", "late", values);
}

/** @param {TalonRecord} record @param {Submission} submission @param {Chain | null} chain @param {Site} site */
async function ofRecord(record, { day, numbered }, chain, site) {
  const replays = await ofReplay(record, site);
  const variant = /** @type {Variant} */ (variantOf(record));
  const number = await numberOf(variant, record.seed);
  // A record that claims to be of a daily deal is checked against that deal, whatever its seed.
  if (numbered || (number !== null && !day)) {
    const seed = numbered && (await numberedSeed(numbered.variant, numbered.number));
    const isSame = number !== null && (numbered === null || seed === record.seed);
    const says = isSame ? passed("number", "number", { number: number ?? "" }) : failed("number", "number-other");
    return [...replays, says, open("commitment", "practice"), open("ledger", "practice")];
  }
  const found = await announcement(record, day, chain);
  if (!found.line) return [...replays, found.finding, open("deck", "deck-none"), open("ledger", found.ledger)];
  return [...replays, found.finding, await ofDeck(record, found.line, site), ofDate(found.line)];
}

/**
 * The line that announced a record's seed: that of the deal it claims to be of, or any.
 * @param {TalonRecord} record @param {Linked["day"]} said @param {Chain | null} chain
 * @returns {Promise<{line: Line | null, finding: Finding, ledger: string}>}
 */
async function announcement(record, said, chain) {
  const commitment = await commitmentOf(record.seed);
  if (!chain) return { line: null, finding: open("commitment", "no-ledger"), ledger: "no-ledger" };
  const line = chain.lines.find((one) => one.commitment === commitment);
  // A second line for the same deal announces nothing, or one could choose between seeds.
  const isFirst = line && lineOf(chain, line) === line;
  const isSaid = isFirst && (!said || (line.day === said.day && line.variant === said.variant));
  if (isSaid && line.variant === record.variant && line.rules === record.rules)
    return { line, finding: passed("commitment", "commitment-line", { commitment, index: line.index }), ledger: "" };
  if (!line && chain.broken) return { line: null, finding: open("commitment", "broken"), ledger: "broken" };
  if (said || line)
    return { line: null, finding: failed("commitment", "commitment-unsaid", { commitment }), ledger: "no-line" };
  return { line: null, finding: open("commitment", "undaily", { commitment }), ledger: "undaily-line" };
}

/** @param {TalonRecord} record @param {Line} line @param {Site} site */
async function ofDeck(record, line, site) {
  const { game } = /** @type {Variant} */ (variantOf(record));
  const deck = await deckOf(game, record.seed);
  const published = await site.deal(line.day, line.variant).catch(() => null);
  if (!published) return open("deck", "deck-none");
  return same(deck, published.deck) ? passed("deck", "deck") : failed("deck", "deck-other");
}

/** @param {Chain | null} chain */
function ofChain(chain) {
  if (!chain) return open("chain", "no-ledger");
  if (chain.broken) return failed("chain", chain.broken.how, { index: chain.broken.at });
  const last = chain.lines.at(-1);
  return last ? passed("chain", "chain", { index: last.index, hash: last.hash }) : open("chain", "empty");
}

/** @param {Chain | null} chain @param {Head | null} head */
function ofHead(chain, head) {
  if (!head) return open("head", "no-head");
  if (!chain) return open("head", "no-ledger");
  const index = placeOf(chain, head);
  if (index === null) return failed("head", "head-gone");
  const after = chain.lines.length - 1 - index;
  return passed("head", "head", { index, after });
}
