/** Page of a storm or streak; its result is at the same address. The first puzzle comes when the clock starts. */

import { byId } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { request } from "../../shared/request.js";
import { applySettings } from "../../site/settings.js";
import { MOVE_WITHIN, tell } from "./open-table.js";
import { PuzzleRun } from "./puzzle-run.js";

/** Time until a failed request is repeated, in ms. */
const RETRY = 2000;

/** Fetches the puzzle to solve, which starts the clock if it is the first. @param {HTMLElement} felt */
async function begin(felt) {
  tell({ state: "try", label: t("Connecting…"), words: "" });
  const options = { within: MOVE_WITHIN };
  const response = await request(felt.dataset.current ?? "", "POST", undefined, options).catch(() => null);
  const reply = response && (await response.json().catch(() => null));
  if (response?.ok && reply?.state.ms_left) return void new PuzzleRun(felt, reply, () => location.reload());
  // The time is up, or this is someone else's run: reload to see the result or the error.
  if (response && (response.ok || response.status < 429)) return location.reload();
  window.setTimeout(() => begin(felt), RETRY);
}

applySettings();
begin(byId("felt"));
