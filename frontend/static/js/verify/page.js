/** Verification page: its form, the data it fetches, and a line for each check. */

import { csrfToken } from "../shared/csrf.js";
import { t } from "../shared/i18n.js";
import { canHash, isHash } from "./bytes.js";
import { examined } from "./checks.js";
import { read, readLink } from "./documents.js";
import { sentenceOf, stateOf, titleOf } from "./words.js";

/** @import { Asked, Finding, Site } from "./findings.js" */
/** @import { Head } from "./ledger.js" */

/** Error for input that cannot be checked; the message is for the visitor. */
class Unusable extends Error {}

const form = /** @type {HTMLFormElement} */ (document.querySelector("form[data-verify]"));
const told = /** @type {HTMLElement} */ (document.querySelector("[data-findings]"));

/** Link header of a record that belongs to a race. */
const RACE = /^<(\/races\/[^>]+\/race\.json)>; rel="collection"$/;

/** @param {string} name */
const field = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

/** @param {string} address @param {RequestInit} [how] */
async function fetched(address, how) {
  const answer = await fetch(address, { ...how, headers: { Accept: "application/json", ...how?.headers } });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer;
}

/** @type {Site} */
const site = {
  async ledger() {
    const entries = [];
    for (let from = 0; from !== null;) {
      const page = await (await fetched(`/ledger.json?from=${from}`)).json();
      entries.push(...page.entries);
      from = page.next;
    }
    return entries;
  },
  deal: async (day, variant) => (await fetched(`/deals/${day}/${variant}/deal.json`)).json(),
  async replay(record) {
    const headers = { "Content-Type": "application/json", "X-CSRFToken": csrfToken() };
    return (await fetched("/api/v1/verify", { method: "POST", headers, body: JSON.stringify(record) })).json();
  },
};

/** The document to check, and the deal it claims to be of. @returns {Promise<Asked>} */
async function asked() {
  const link = field("link").value.trim();
  const linked = link ? readLink(link, location.origin) : null;
  if (link && !linked) throw new Unusable(t("The link does not lead to a deal, game or race to be checked here."));
  const text = (await field("file").files?.[0]?.text()) ?? field("record").value.trim();
  const brought = read(text || (await linkedText(linked?.file)));
  if (!brought) throw new Unusable(t("This is no record, no deal’s file and no race’s file."));
  const isCompared = linked?.day || linked?.numbered;
  if (text && linked && (!isCompared || brought.kind === "race"))
    throw new Unusable(t("Beside a record or a file, give only a link to its deal, or none."));
  return { brought, day: linked?.day ?? null, numbered: linked?.numbered ?? null, head: noted() };
}

/** @param {string | null} [file] */
async function linkedText(file) {
  if (!file) throw new Unusable(t("Give a record, a file or a link to check."));
  try {
    const answer = await fetched(file);
    // For a game in a race, everything is checked: every record, the places and the commitment.
    const race = RACE.exec(answer.headers.get("Link") ?? "");
    return await (race ? await fetched(race[1]) : answer).text();
  } catch {
    throw new Unusable(t("There is nothing public at this link yet: seeds are published when a deal is over."));
  }
}

/** The head of the ledger as noted by the visitor. @returns {Head | null} */
function noted() {
  const hash = field("head").value.trim().toLowerCase();
  const index = field("head-index").value.trim();
  if (!hash) return null;
  if (!isHash(hash)) throw new Unusable(t("The noted head is a hash: 64 digits from 0 to 9 and a to f."));
  return { hash, index: index === "" ? null : Number(index) };
}

/** @param {Finding} finding */
function line(finding) {
  const item = document.createElement("li");
  item.className = `finding ${finding.state}`;
  item.dataset.check = finding.check;
  item.dataset.state = finding.state;
  const title = Object.assign(document.createElement("h3"), { textContent: titleOf(finding.check) });
  const state = Object.assign(document.createElement("b"), { textContent: stateOf(finding.state) });
  const by = finding.check === "server" ? t("the server’s answer") : t("worked out in your browser");
  const who = Object.assign(document.createElement("small"), { textContent: by });
  title.append(": ", state, " ", who);
  item.append(title, Object.assign(document.createElement("p"), { textContent: sentenceOf(finding) }));
  return item;
}

/** @param {Finding[]} findings */
function summary(findings) {
  const wrong = findings.filter(({ state }) => state === "failed").length;
  if (wrong) return t("Not everything holds");
  if (!findings.some(({ state }) => state === "passed")) return t("Nothing could be checked");
  return findings.some(({ state }) => state === "open") ? t("What could be checked holds") : t("Everything holds");
}

/** @param {Finding[]} findings */
function moodOf(findings) {
  if (findings.some(({ state }) => state === "failed")) return "bad";
  return findings.some(({ state }) => state === "passed") ? "good" : "";
}

/** @param {string} heading @param {Node[]} parts @param {string} mood */
function tell(heading, parts, mood) {
  told.hidden = false;
  told.className = `panel verdict ${mood}`;
  told.replaceChildren(Object.assign(document.createElement("h2"), { textContent: heading }), ...parts);
}

/** Number of checks started: only the last one's findings are shown. */
let begun = 0;

async function check() {
  const mine = ++begun;
  told.setAttribute("aria-busy", "true");
  tell(t("Checking …"), [], "");
  try {
    const findings = await examined(await asked(), site);
    if (mine !== begun) return;
    const list = Object.assign(document.createElement("ul"), { className: "findings" });
    list.append(...findings.map(line));
    tell(summary(findings), [list], moodOf(findings));
  } catch (error) {
    if (mine !== begun) return;
    tell(error instanceof Unusable ? error.message : t("The check was interrupted. Please try again."), [], "bad");
    if (!(error instanceof Unusable)) throw error;
  } finally {
    if (mine === begun) told.removeAttribute("aria-busy");
  }
}

if (canHash()) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void check();
    // The findings are above the form, which ends with its button.
    told.scrollIntoView({ block: "start" });
  });
  const link = new URLSearchParams(location.search).get("link");
  if (link) {
    field("link").value = link;
    void check();
  }
} else {
  const why = t(
    "Your browser computes hashes on https pages only, so this page can only ask the server to replay a record.",
  );
  tell(why, [], "");
}
