/** Verification page: its form, the data it fetches, and a line for each check. */

import { part } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { request } from "../shared/request.js";
import { canHash, isHash } from "./bytes.js";
import { examined } from "./checks.js";
import { read, readLink } from "./documents.js";
import { sentenceOf, stateOf, titleOf } from "./words.js";

/** @import { Submission, Finding, Site } from "./findings.js" */
/** @import { Head } from "./ledger.js" */

/** Error for input that cannot be checked; the message is for the visitor. */
class Unusable extends Error {}

const form = /** @type {HTMLFormElement} */ (document.querySelector("form[data-verify]"));
const report = /** @type {HTMLElement} */ (document.querySelector("[data-findings]"));

/** Link header of a record that belongs to a race. */
const RACE = /^<(\/races\/[^>]+\/race\.json)>; rel="collection"$/;

/** @param {string} name */
const field = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

/** Requests a document. Rejects if that fails. @param {string} address @param {object} [body] to post */
async function requestDocument(address, body) {
  const response = await request(address, body && "POST", body);
  if (!response.ok) throw new Error(String(response.status));
  return response;
}

/** @type {Site} */
const site = {
  async ledger() {
    const entries = [];
    for (let first = 0; first !== null;) {
      const page = await (await requestDocument(`/api/v1/ledger?first=${first}`)).json();
      entries.push(...page.entries);
      first = page.next;
    }
    return entries;
  },
  deal: async (day, variant) => (await requestDocument(`/deals/${day}/${variant}/deal.json`)).json(),
  replay: async (record) => (await requestDocument("/api/v1/verify", record)).json(),
};

/** The document to check, and the deal it claims to be of. @returns {Promise<Submission>} */
async function readForm() {
  const link = field("link").value.trim();
  const linked = link ? readLink(link, location.origin) : null;
  if (link && !linked) throw new Unusable(t("This link doesn't lead to a deal, game or race."));
  const text = (await field("file").files?.[0]?.text()) ?? field("record").value.trim();
  const brought = read(text || (await linkedText(linked?.file)));
  if (!brought) throw new Unusable(t("This is not a record or the file of a deal or race."));
  const isCompared = linked?.day || linked?.numbered;
  if (text && linked && (!isCompared || brought.kind === "race"))
    throw new Unusable(t("With a record or file, give only a link to its deal, or none."));
  return { brought, day: linked?.day ?? null, numbered: linked?.numbered ?? null, head: noted() };
}

/** @param {string | null} [file] */
async function linkedText(file) {
  if (!file) throw new Unusable(t("Give a record, a file or a link to check."));
  try {
    const response = await requestDocument(file);
    // For a game in a race, everything is checked: every record, the places and the commitment.
    const race = RACE.exec(response.headers.get("Link") ?? "");
    return await (race ? await requestDocument(race[1]) : response).text();
  } catch {
    throw new Unusable(t("Nothing is public at this link yet. Seeds are published when a deal closes."));
  }
}

/** The head of the ledger as noted by the visitor. @returns {Head | null} */
function noted() {
  const hash = field("head").value.trim().toLowerCase();
  const index = field("head-index").value.trim();
  if (!hash) return null;
  if (!isHash(hash)) throw new Unusable(t("A hash has 64 characters from 0 to 9 and a to f."));
  return { hash, index: index === "" ? null : Number(index) };
}

/** @param {Finding} finding */
function line(finding) {
  const { check, state } = finding;
  const by = check === "server" ? t("the server's answer") : t("checked in your browser");
  const title = part("h3", "", titleOf(check), ": ", part("b", "", stateOf(state)), " ", part("small", "", by));
  const item = part("li", `finding ${state}`, title, part("p", "", sentenceOf(finding)));
  Object.assign(item.dataset, { check, state });
  return item;
}

/** @param {Finding[]} findings */
function summary(findings) {
  const wrong = findings.filter(({ state }) => state === "failed").length;
  if (wrong) return t("Some checks failed");
  const passed = findings.filter(({ state }) => state === "passed").length;
  if (!passed) return t("Nothing could be checked");
  const open = findings.length - passed;
  return open ? t("No errors: {passed} passed, {open} could not be checked", { passed, open }) : t("All checks passed");
}

/** @param {Finding[]} findings */
function moodOf(findings) {
  if (findings.some(({ state }) => state === "failed")) return "bad";
  return findings.some(({ state }) => state === "passed") ? "good" : "";
}

/** @param {string} heading @param {Node[]} parts @param {string} mood */
function tell(heading, parts, mood) {
  report.hidden = false;
  report.className = `panel verdict ${mood}`;
  report.replaceChildren(part("h2", "", heading), ...parts);
}

/** Number of checks started: only the last one's findings are shown. */
let begun = 0;

async function check() {
  const mine = ++begun;
  report.setAttribute("aria-busy", "true");
  tell(t("Checking…"), [], "");
  try {
    const findings = await examined(await readForm(), site);
    if (mine !== begun) return;
    tell(summary(findings), [part("ul", "findings", ...findings.map(line))], moodOf(findings));
  } catch (error) {
    if (mine !== begun) return;
    tell(error instanceof Unusable ? error.message : t("The check was interrupted. Please try again."), [], "bad");
    if (!(error instanceof Unusable)) throw error;
  } finally {
    if (mine === begun) report.removeAttribute("aria-busy");
  }
}

if (canHash()) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void check();
    // The findings are above the form, which ends with its button.
    report.scrollIntoView({ block: "start" });
  });
  const link = new URLSearchParams(location.search).get("link");
  if (link) {
    field("link").value = link;
    void check();
  }
} else {
  const why = t("Your browser computes hashes on https pages only. Here only the server can replay a record.");
  tell(why, [], "");
}
