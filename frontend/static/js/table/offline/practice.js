/** Practice without a network: the deck and the next deal are fetched ahead, and the moves are sent later. */

import { all, byId } from "../../shared/dom.js";
import { pageTime } from "../../shared/clock.js";
import { t } from "../../shared/i18n.js";
import { notice } from "../../shared/notice.js";
import { request, requestJson } from "../../shared/request.js";
import { shown, takeView } from "../state/game.js";
import { deliver, deliverOthers, forgetUnsent, keepUnsent, unsentAfter } from "./unsent.js";

/** @import { LocalTable } from "./local-table.js" */
/** @import { TableSocket } from "../state/socket.js" */
/** @import { State } from "../state/state.js" */
/** @import { Card, Token } from "../state/types.js" */

/** @typedef {{n: number, moves: Token[], deck: Card[]}} Dealt a game's deck, and the moves that stand */
/** @typedef {{page: Document, address: string, dealt: Dealt, at: number}} Next a deal fetched ahead, and when */

/** The class, once its file has arrived. @type {typeof LocalTable|null} */ let Local = null;
let isPreparing = false;
let isBound = false;
/** @type {Next|null} */ let next = null;
/** Address of the game whose next deal has been asked for. */
let asked = "";

/** Deals the table in this page too. @param {State} state @param {TableSocket} socket @param {() => void} resend */
export async function prepare(state, socket, resend) {
  if (isPreparing || state.local || !state.view) return;
  isPreparing = true;
  try {
    Local ??= await loadRules(state.felt.dataset.rules ?? "");
    const dealt = await requestJson(state.felt.dataset.deck ?? "");
    // If moves were confirmed in the meantime, the next message asks again.
    if (dealt.n !== state.n) return;
    takeDeck(state, dealt);
    recallUnsent(state, resend);
    if (isBound) return;
    isBound = true;
    deliverOthers(state.felt.dataset.socket ?? "");
    document.addEventListener("submit", (event) => dealOffline(event, state, socket));
  } finally {
    isPreparing = false;
  }
}

/**
 * Loads the rules, a file of their own: other tables do without them.
 * @param {string} address @returns {Promise<typeof LocalTable>}
 */
function loadRules(address) {
  return new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { type: "module", src: address });
    const found = (/** @type {any} */ { detail }) => resolve(detail);
    addEventListener("talon:rules", found, { once: true });
    script.onerror = () => {
      removeEventListener("talon:rules", found);
      script.remove();
      reject(new Error(address));
    };
    document.head.append(script);
  });
}

/** @param {State} state @param {Dealt} dealt */
function takeDeck(state, { moves, deck }) {
  if (!Local) return;
  state.line = moves;
  const keep = () => {
    keepUnsent(state);
    if (shown(state)?.won) notice(t("You won! The result comes once you're back online."));
  };
  const forget = () => forgetUnsent(state.felt.dataset.socket ?? "");
  state.local = Object.assign(new Local(/** @type {any} */ (state.view), deck), { keep, forget });
}

/** Takes up moves that this page made before it was closed. @param {State} state @param {() => void} resend */
function recallUnsent(state, resend) {
  const tokens = unsentAfter(state.felt.dataset.socket ?? "", state.n ?? 0);
  if (tokens.length === 0 || state.pending.length > 0) return;
  state.pending = tokens;
  state.host.draw();
  resend();
}

/** Fetches the next deal; asks once at each game, as there may be none. */
export async function fetchNext() {
  const form = /** @type {HTMLFormElement|null} */ (document.querySelector("form:has(#new-deal)"));
  if (next || !form || asked === location.pathname) return;
  asked = location.pathname;
  const body = new FormData(form);
  body.set("ahead", "1");
  const options = { body, headers: { Accept: "text/html" } };
  const reply = await request(form.getAttribute("action") ?? "", "POST", undefined, options);
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const address = page.getElementById("felt")?.dataset.deck;
  if (!address) return;
  next = { page, address: new URL(reply.url).pathname, dealt: await requestJson(address), at: pageTime() };
}

/**
 * Shows the next deal if *New deal* is pressed offline.
 * @param {Event} event @param {State} state @param {TableSocket} socket
 */
function dealOffline(event, state, socket) {
  const isForm = /** @type {HTMLElement} */ (event.target).matches("form:has([name=after])");
  if (!isForm || document.body.dataset.connection === "open") return;
  event.preventDefault();
  if (!next) return notice(t("You're offline. A new deal has to wait."));
  const left = state.felt.dataset.socket ?? "";
  show(state, next);
  next = null;
  socket.path = state.felt.dataset.socket ?? "";
  socket.restart();
  if (unsentAfter(left, 0).length > 0) deliver(left);
}

/** Puts another game in this page. @param {State} state @param {Next} game */
function show(state, { page, address, dealt, at }) {
  const [before, after] = [location.pathname, address].map((path) => path.split("/")[2]);
  history.replaceState(null, "", address);
  document.title = page.title;
  for (const { attributes } of all("*"))
    for (const attribute of attributes) attribute.value = attribute.value.replaceAll(before, after);
  const [title, other] = [document, page].map((one) => one.querySelector("h1"));
  title?.replaceChildren(...(other?.childNodes ?? []));
  delete document.body.dataset.finished;
  byId("finish").close();
  byId("finish-open").hidden = true;
  const bound = [...state.announced].filter((what) => what === "bind");
  const fresh = { how: "", last: null, verdict: null, summary: null, announced: new Set(bound), n: 0, pending: [] };
  Object.assign(state, fresh, { status: "playing", local: null });
  const opening = JSON.parse(page.getElementById("opening")?.textContent ?? "");
  takeView(state, { ...opening, ms: opening.ms + pageTime() - at });
  takeDeck(state, dealt);
  state.host.draw({ deal: true });
}
